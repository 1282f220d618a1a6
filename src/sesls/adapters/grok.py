"""Grok Build, by xAI, from public descriptions; never met with a real store.

    <home>/sessions/<encoded directory>/<id>/summary.json    a session
    …/<id>/chat_history.jsonl, updates.jsonl                  its messages, and its log
    …/<id>/subagents/<child's id>/meta.json                   a note of one that it spawned; that lies with the others

Format notes: docs/formats/grok.md.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant, instant, latest
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Store, Summary

AGENT = "grok"
LABEL = "Grok Build"
VERSIONS = "0.2 (2026)"
IS_DESCRIBED = True

SESSIONS = "sessions"
"""Role of stores."""

# Roles of candidates.
SESSION = "session"
SPAWNED = "note of a spawned session"

_SUMMARY = "summary.json"
_HISTORY = "chat_history.jsonl"
_LOG = "updates.jsonl"


class _Info(msgspec.Struct):
    id: str | None = None
    cwd: str | None = None


class _Summary(msgspec.Struct):
    """A `summary.json`."""

    info: _Info | None = None
    session_summary: str | None = None
    generated_title: str | None = None
    """Also the one that a person gave."""
    created_at: str | None = None
    updated_at: str | None = None
    last_active_at: str | None = None
    current_model_id: str | None = None
    parent_session_id: str | None = None
    session_kind: str | None = None
    """`fork`, `worktree`, `subagent`, `subagent_fork`, `subagent_resume`."""
    hidden: bool | None = None
    head_branch: str | None = None
    chat_format_version: float | None = None


class _Spawned(msgspec.Struct):
    """A `meta.json`."""

    parent_session_id: str | None = None
    child_session_id: str | None = None
    subagent_type: str | None = None
    description: str | None = None


_SUMMARIES = msgspec.json.Decoder(_Summary)
_NOTES = msgspec.json.Decoder(_Spawned)


class Facts(msgspec.Struct, frozen=True):
    """What one file tells: a session's summary, or its parent's note of it."""

    id: str
    parent_id: str | None = None
    """Of a summary: the session that it was forked or resumed from, too."""
    cwd: str | None = None
    kind: str | None = None
    created: Instant | None = None
    last_activity: Instant | None = None
    model: str | None = None
    branch: str | None = None
    is_hidden: bool = False
    counts_turns: bool = False
    """Whether its messages say which of them nobody wrote (chat format 1)."""
    subagent_type: str | None = None
    titles: dict[Literal["generated", "summary", "description"], str] = msgspec.field(default_factory=dict)


FACTS = Facts


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: what its own file and its parent's tell, and the other places."""

    facts: Facts
    note: Facts | None
    copies: tuple[str, ...]


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folder of sessions, the same on every system."""
    home = environment.directory("GROK_HOME") or environment.in_home(".grok")
    return (Store(os.path.join(home, "sessions"), SESSIONS),)


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the summaries of all sessions, and what is noted of those that they spawned."""
    for group in files.folders(store.path, report):
        for session in files.folders(group.path, report):
            entries = files.entries(session.path, report)
            yield from files.candidates([entry for entry in entries if entry.name == _SUMMARY], SESSION, store, report)
            if any(entry.name == "subagents" for entry in entries):
                for child in files.folders(os.path.join(session.path, "subagents"), report):
                    notes = [entry for entry in files.entries(child.path, report) if entry.name == "meta.json"]
                    yield from files.candidates(notes, SPAWNED, store, report)


def summarise(candidate: Candidate) -> Facts | None:
    """Return what one file tells; see `Adapter.summarise`."""
    return _note(candidate) if candidate.role == SPAWNED else _summary(candidate)


def _note(candidate: Candidate) -> Facts | None:
    note = jsonl.whole_file(candidate.path, _NOTES)
    if note is None or not note.child_session_id:
        return None
    return Facts(
        id=note.child_session_id,
        parent_id=note.parent_session_id or None,
        subagent_type=note.subagent_type or None,
        titles={"description": note.description} if note.description else {},
    )


def _summary(candidate: Candidate) -> Facts:
    summary = jsonl.whole_file(candidate.path, _SUMMARIES)
    if summary is None or summary.info is None or not summary.info.id:
        raise ValueError("is no readable summary of a session")
    return Facts(
        id=summary.info.id,
        parent_id=summary.parent_session_id or None,
        cwd=summary.info.cwd,
        kind=summary.session_kind,
        created=instant(summary.created_at),
        # `updated_at` also moves with a new name; it counts where a session is older than `last_active_at`.
        last_activity=instant(summary.last_active_at) or latest([summary.updated_at, summary.created_at]),
        model=summary.current_model_id or None,
        branch=summary.head_branch or None,
        is_hidden=summary.hidden is True,
        counts_turns=(summary.chat_format_version or 0) >= 1,
        titles={
            **({"generated": summary.generated_title} if summary.generated_title else {}),
            **({"summary": summary.session_summary} if summary.session_summary else {}),
        },
    )


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Grok's sessions, each once; see `Adapter.unite`. One that changed its directory may lie in two groups."""
    notes: dict[str, Facts] = {}
    found: dict[str, list[tuple[Candidate, Facts]]] = defaultdict(list)
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        if candidate.role == SPAWNED:
            notes[facts.id] = facts
        else:
            found[facts.id].append((candidate, facts))
    for session, places in found.items():
        places.sort(key=lambda place: (-(place[1].last_activity or 0), place[0].path))
        yield _session(places, notes.get(session))


def _session(places: Sequence[tuple[Candidate, Facts]], note: Facts | None) -> Summary:
    candidate, facts = places[0]
    is_subagent = note is not None or (facts.kind or "").startswith("subagent")
    parent = note.parent_id if note is not None else facts.parent_id if facts.kind == "subagent_fork" else None
    return Summary(
        agent=AGENT,
        uuid=facts.id,
        kind="subagent" if is_subagent else "agent",
        parent_uuid=parent,
        project_dir=absolute_or_none(facts.cwd),
        launch_surface=None,
        last_activity=candidate.last_activity(facts.last_activity),
        path=candidate.path,
        source=Source(facts, note, tuple(place.path for place, _ in places[1:])),
    )


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session lies in its own folder; see `Adapter.hints`."""


class Turn(msgspec.Struct):
    """A line of `chat_history.jsonl`: of chat format 1 with a `type`, before with a `role`."""

    type: str | None = None
    role: str | None = None
    model_id: str | None = None
    synthetic_reason: str | None = None
    prompt_index: float | None = None

    @property
    def is_said(self) -> bool:
        """Tell whether a person or the model speaks: the preamble and what the agent puts in have no index."""
        if self.type == "user":
            is_own = self.synthetic_reason is None and self.prompt_index is not None
            return is_own or self.synthetic_reason == "interjection"
        return self.type == "assistant"


TURN = msgspec.json.Decoder(Turn)


class Contents(msgspec.Struct):
    """What the history tells; after a compaction it begins anew."""

    models: dict[str, None] = msgspec.field(default_factory=dict)
    messages: int = 0


def add_turns(contents: Contents, path: str, offset: int) -> None:
    """Add what the history tells from an offset on. Raises OSError."""
    with jsonl.opened(path) as file:
        for turn in jsonl.all_records(file, TURN, offset):
            contents.messages += turn.is_said
            if "assistant" in (turn.type, turn.role) and turn.model_id:
                contents.models[turn.model_id] = None


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Grok's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    facts, note = source.facts, source.note
    contents = _contents(summary, report, read)
    models = tuple(contents.models) if contents is not None else ()
    log = files.status(os.path.join(os.path.dirname(summary.path), _LOG))
    return Details(
        titles=(
            facts.titles.get("generated"),
            facts.titles.get("summary"),
            note.titles.get("description") if note is not None else None,
        ),
        models=models or ((facts.model,) if facts.model else ()),
        created=facts.created,
        size_bytes=log.st_size if log is not None else None,
        message_count=contents.messages if contents is not None and facts.counts_turns else None,
        resume_command=_resume(summary),
        extra={
            "forked_from": facts.parent_id if facts.parent_id != summary.parent_uuid else None,
            "git_branch": facts.branch,
            "hidden": facts.is_hidden or None,
            "session_kind": facts.kind if summary.kind == "agent" else None,
            "subagent_type": note.subagent_type if note is not None else None,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if facts.last_activity is None else None,
        },
    )


def _contents(summary: Summary, report: files.Report, read: Reader) -> Contents | None:
    history = os.path.join(os.path.dirname(summary.path), _HISTORY)
    try:
        return read(history, Contents(), add_turns)
    except OSError as error:
        files.failed(history, error, report)
        return None


def _resume(summary: Summary) -> str | None:
    if summary.kind == "subagent":
        return None
    return resume.command(summary.project_dir, ("grok", "--resume", summary.uuid))
