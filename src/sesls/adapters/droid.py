"""Droid, by Factory, from public descriptions; never met with a real store.

    <sessions>/-<directory>/<id>.jsonl               a session
    <sessions>/-<directory>/<id>.settings.json       its model, and whether it was archived
    <sessions>/<id>.jsonl                            one of an older version

Format notes: docs/formats/droid.md.
"""

from __future__ import annotations

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

import msgspec

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant, instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Store, Summary

AGENT = "droid"
LABEL = "Droid"
VERSIONS = "session files of 2025 and 2026, format 2"
IS_DESCRIBED = True

SESSIONS = "sessions"
"""Role of stores."""

SESSION = "session"
"""Role of candidates."""

_WINDOW = 16 << 10
_HEAD_LINES = 8
_NAME = ".jsonl"
# A title that nobody gave.
_DEFAULT_TITLES = frozenset({"New Session"})
_REMINDER = "<system-reminder>"


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Message(msgspec.Struct, rename="camel"):
    """What a `message` line carries."""

    role: str | None = None
    content: str | list[Part] | None = None
    visibility: str | None = None
    """`llm_only`: put in by the agent; `user_only`: a notice."""
    model: str | None = None
    model_id: str | None = None

    @property
    def prompt(self) -> str | None:
        """The text that a person wrote."""
        parts = self.content if isinstance(self.content, list) else [Part("text", self.content)]
        texts = (part.text for part in parts if part.type == "text")
        return next((text for text in texts if text and text.strip() and not text.startswith(_REMINDER)), None)

    @property
    def is_said(self) -> bool:
        """Tell whether a person or the model speaks; tools answer in the name of the user."""
        if self.visibility in ("llm_only", "user_only"):
            return False
        return self.role == "assistant" or (self.role == "user" and self.prompt is not None)


class Line(msgspec.Struct, rename="camel"):
    """A line of a session's file; the session's own, `session_start`, is the first."""

    type: str | None = None
    id: str | None = None
    title: str | None = None
    session_title: str | None = None
    """Given later, by the agent or a person."""
    version: float | None = None
    cwd: str | None = None
    parent: str | None = None
    """The session that this one was forked from: no spawning."""
    calling_session_id: str | None = None
    decomp_session_type: str | None = None
    """Within a mission: `orchestrator` or `worker`."""
    timestamp: float | str | None = None
    message: Message | None = None


LINE = msgspec.json.Decoder(Line)


class _Settings(msgspec.Struct, rename="camel"):
    model: str | None = None
    archived_at: str | None = None


_SETTINGS = msgspec.json.Decoder(_Settings)


class Facts(msgspec.Struct, frozen=True):
    """What both ends of a session's file tell."""

    id: str
    caller: str | None = None
    is_worker: bool = False
    forked_from: str | None = None
    cwd: str | None = None
    version: int | None = None
    created: Instant | None = None
    """The first message's time; the first line has none."""
    last_activity: Instant | None = None


FACTS = Facts


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its file, and the other files that hold it."""

    candidate: Candidate
    facts: Facts
    copies: tuple[str, ...]


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folder of sessions, the same on every system."""
    return (Store(environment.in_home(".factory", "sessions"), SESSIONS),)


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the session files of a store: those in the folders of directories, and those of older versions."""
    folders = [store.path, *(one.path for one in files.folders(store.path, report) if one.name.startswith("-"))]
    for folder in folders:
        entries = [entry for entry in files.entries(folder, report) if entry.name.endswith(_NAME)]
        yield from files.candidates(entries, SESSION, store, report)


def summarise(candidate: Candidate) -> Facts | None:
    """Return what both ends of one file tell; see `Adapter.summarise`."""
    with jsonl.opened(candidate.path) as file:
        head: list[Line] = []
        for line in jsonl.records(islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES), LINE):
            head.append(line)
            if instant(line.timestamp) is not None or head[0].type != "session_start":
                break
        if not head or head[0].type != "session_start":
            if file.size:
                raise ValueError("has lost its first line" if head else "holds no readable record")
            return None
        tail = jsonl.tail(file, LINE, _WINDOW, lambda line: instant(line.timestamp) is not None)
    start = head[0]
    moments = [moment for line in (*head, *tail) if (moment := instant(line.timestamp)) is not None]
    session = start.id or os.path.basename(candidate.path).removesuffix(_NAME)
    return Facts(
        id=session,
        caller=start.calling_session_id if start.calling_session_id != session else None,
        is_worker=start.decomp_session_type == "worker",
        forked_from=start.parent or None,
        cwd=start.cwd,
        version=int(start.version) if start.version is not None and math.isfinite(start.version) else None,
        created=next((moment for line in head if (moment := instant(line.timestamp)) is not None), None),
        last_activity=max(moments, default=None),
    )


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Droid's sessions, each once; see `Adapter.unite`. Those of older versions may lie in two places."""
    found: dict[str, list[tuple[Candidate, Facts]]] = defaultdict(list)
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        found[facts.id].append((candidate, facts))
    for places in found.values():
        places.sort(key=lambda place: (-(place[1].last_activity or 0), place[0].path))
        yield _session(places)


def _session(places: Sequence[tuple[Candidate, Facts]]) -> Summary:
    candidate, facts = places[0]
    return Summary(
        agent=AGENT,
        uuid=facts.id,
        kind="subagent" if facts.caller or facts.is_worker else "agent",
        parent_uuid=facts.caller or None,
        project_dir=absolute_or_none(facts.cwd),
        launch_surface=None,
        last_activity=candidate.last_activity(facts.last_activity),
        path=candidate.path,
        source=Source(candidate, facts, tuple(place.path for place, _ in places[1:])),
    )


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its file and beside it; see `Adapter.hints`."""


Title = Literal["session title", "title", "first prompt"]


class Contents(msgspec.Struct):
    """What all lines of a session's file tell."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    models: dict[str, None] = msgspec.field(default_factory=dict)
    messages: int = 0


_MATTERS = re.compile(rb'"(?:session_start|user|assistant)"')


def add_lines(contents: Contents, path: str, offset: int) -> None:
    """Add what the lines of a session's file tell from an offset on. Raises OSError."""
    with jsonl.opened(path) as file:
        for line in jsonl.records(jsonl.lines_with(jsonl.blocks(file, start=offset), _MATTERS), LINE):
            if line.type == "session_start":
                given = {"session title": line.session_title, "title": line.title}
                contents.titles.update({kind: title for kind, title in given.items() if title})  # type: ignore[misc]
            elif line.type == "message" and line.message is not None:
                _add(contents, line.message)


def _add(contents: Contents, message: Message) -> None:
    contents.messages += message.is_said
    if message.role == "assistant" and (model := message.model_id or message.model):
        contents.models[model] = None
    if message.role == "user" and message.is_said and "first prompt" not in contents.titles:
        contents.titles["first prompt"] = message.prompt or ""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Droid's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    facts = source.facts
    contents: Contents | None = None
    try:
        # The first line is written anew when a title is given.
        contents = read(summary.path, Contents(), add_lines, can_grow=False)
    except OSError as error:
        files.failed(summary.path, error, report)
    titles = contents.titles if contents is not None else {}
    title = titles.get("title")
    settings = jsonl.small(summary.path.removesuffix(_NAME) + ".settings.json", _SETTINGS) or _Settings()
    models = tuple(contents.models) if contents is not None else ()
    return Details(
        titles=(
            titles.get("session title"),
            None if title in _DEFAULT_TITLES else title,
            titles.get("first prompt"),
            title,
        ),
        models=models or ((settings.model,) if settings.model else ()),
        created=facts.created,
        size_bytes=source.candidate.size,
        message_count=contents.messages if contents is not None else None,
        resume_command=_resume(summary),
        extra={
            "archived": settings.archived_at is not None or None,
            "forked_from": facts.forked_from,
            "format_version": facts.version,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if facts.last_activity is None else None,
        },
    )


def _resume(summary: Summary) -> str | None:
    if summary.kind == "subagent":
        return None
    return resume.command(summary.project_dir, ("droid", "--resume", summary.uuid))
