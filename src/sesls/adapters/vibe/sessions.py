"""Mistral Vibe's sessions of all generations, united by id."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

import msgspec

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.vibe import places, records, unified
from sesls.adapters.vibe.records import Meta, PublicSession
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant, instant, local_instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "vibe"

_WINDOW = 16 << 10
_HEAD_LINES = 32
"""How many messages are looked at for the first prompt."""


class Facts(msgspec.Struct, frozen=True):
    """What the files that stand for one session tell."""

    id: str
    parent: str | None = None
    """The session that spawned this one, as a unified session says it."""
    forked_from: str | None = None
    directory: str | None = None
    created: Instant | None = None
    last_activity: Instant | None = None
    model: str | None = None
    titles: dict[Literal["title", "first prompt"], str] = msgspec.field(default_factory=dict)
    git_branch: str | None = None
    profile: str | None = None
    archived: bool = False
    pinned: bool = False
    messages: int | None = None
    """How many, in a save of 1.x."""


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: where it was found, and what was read there."""

    candidate: Candidate
    facts: Facts
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> Facts | None:
    """Return what one file, with those of its own folder, tells; see `Adapter.summarise`."""
    if candidate.role == places.SAVE:
        return _read_save(candidate.path)
    if candidate.role == places.FOLDER:
        return _read_folder(candidate.path)
    return _read_unified(candidate.path)


def _read_save(path: str) -> Facts | None:
    save = jsonl.whole_file(path, records.SAVE)
    if save is None or save.metadata is None:
        raise ValueError("is no readable session")
    turns = [message for message in save.messages if message.is_turn]
    return _facts(save.metadata, _first_prompt(turns), messages=len(turns)) if turns else None


def _read_folder(path: str) -> Facts | None:
    # Vibe makes the file of messages first.
    messages = os.path.join(os.path.dirname(path), places.MESSAGES)
    head: list[records.Message] = []
    try:
        with jsonl.opened(messages) as file:
            for message in jsonl.records(
                islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES), records.MESSAGE
            ):
                if message.is_turn:
                    head.append(message)
                    if message.role == "user":
                        break
    except OSError as error:
        if not files.is_absence(error):
            raise
    meta = jsonl.whole_file(path, records.META)
    if meta is None:
        if head:
            raise ValueError("is no readable session")
        return None
    # What was said may be damaged, and is noted all the same.
    return _facts(meta, _first_prompt(head)) if head or meta.total_messages else None


def _read_unified(path: str) -> Facts | None:
    folder, name = os.path.split(path)
    meta = jsonl.whole_file(path, records.META) if name == places.META else None
    shown = unified.read_public_session(folder)
    prompt = records.text_of(shown.preview)
    title = (meta.title if meta is not None else None) or shown.title
    if prompt is None and records.text_of(title) is None:
        prompt = unified.first_prompt(folder)
        if prompt is None:
            if meta is None and shown.id is None:
                raise ValueError("is no readable session")
            return None  # begun, and nothing was said
    return _facts(meta or Meta(), prompt, shown, os.path.basename(folder))


def _facts(
    meta: Meta, prompt: str | None, shown: PublicSession | None = None, name: str = "", messages: int | None = None
) -> Facts:
    """Return the facts of a session. Raises ValueError for one without an id."""
    shown = shown or PublicSession()
    session = meta.session_id or shown.id or name
    if not session:
        raise ValueError("is a session without an id")
    ends = (local_instant(meta.end_time), local_instant(meta.bumped_at), instant(shown.updated_at))
    created = local_instant(meta.start_time) or instant(shown.created_at)
    titles: dict[Literal["title", "first prompt"], str] = {}
    if title := meta.title or shown.title:
        titles["title"] = title
    if prompt is not None:
        titles["first prompt"] = prompt
    return Facts(
        id=session,
        parent=shown.parent_session_id or None,
        forked_from=meta.parent_session_id or None,
        directory=meta.environment.working_directory if meta.environment is not None else None,
        created=created,
        last_activity=max(filter(None, ends), default=created),
        model=meta.model,
        titles=titles,
        git_branch=meta.git_branch,
        profile=meta.agent_profile.name if meta.agent_profile is not None else None,
        archived=bool(meta.archived_at),
        pinned=bool(meta.pinned_at),
        messages=messages,
    )


def _first_prompt(messages: Sequence[records.Message]) -> str | None:
    prompts = (records.text_of(message.content) for message in messages if message.role == "user")
    return next(filter(None, prompts), None)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Vibe's sessions, each once; see `Adapter.unite`."""
    found: dict[str, list[tuple[Candidate, Facts]]] = defaultdict(list)
    folders: dict[str, str] = {}
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        found[facts.id].append((candidate, facts))
        if candidate.role == places.FOLDER:
            folders[os.path.dirname(candidate.path)] = facts.id
    for copies in found.values():
        yield _session(copies, folders)


def _session(copies: list[tuple[Candidate, Facts]], folders: Mapping[str, str]) -> Summary:
    # An upgrade keeps the old files; of equally new ones the newest generation's counts.
    copies.sort(key=lambda copy: (-_activity(*copy), _generation(copy[0]), copy[0].path))
    candidate, facts = copies[0]
    is_spawned = places.is_spawned(candidate)
    # In 2.9 the place alone tells of the parent.
    parent = folders.get(places.spawning_folder(candidate)) if candidate.role == places.FOLDER else facts.parent
    return Summary(
        agent=AGENT,
        uuid=facts.id,
        kind="subagent" if is_spawned else "agent",
        parent_uuid=parent if is_spawned else None,
        project_dir=absolute_or_none(facts.directory),
        launch_surface=None,
        last_activity=_activity(candidate, facts),
        path=candidate.path,
        source=Source(candidate, facts, tuple(other.path for other, _ in copies[1:])),
    )


def _activity(candidate: Candidate, facts: Facts) -> Instant:
    return candidate.last_activity(facts.last_activity)


def _generation(candidate: Candidate) -> int:
    """Return a number that is the lower the newer the generation is."""
    return (places.UNIFIED, places.FOLDER, places.SAVE).index(candidate.role)


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own files; see `Adapter.hints`."""


class Contents(msgspec.Struct):
    """What all messages of a folder of 2.x tell."""

    messages: int = 0


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Vibe's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    candidate, facts = source.candidate, source.facts
    folder = os.path.dirname(candidate.path)
    size: int | None = candidate.size
    count = facts.messages
    if candidate.role == places.FOLDER:
        path = os.path.join(folder, places.MESSAGES)
        status = files.status(path)
        size = status.st_size if status is not None else None
        count = _count_messages(path, report, read)
    elif candidate.role == places.UNIFIED:
        size, count = None, unified.count_messages(folder)
    is_subagent = summary.kind == "subagent"
    return Details(
        titles=(facts.titles.get("title"), facts.titles.get("first prompt")),
        models=(facts.model,) if facts.model is not None else (),
        created=facts.created,
        size_bytes=size,
        message_count=count,
        resume_command=None if is_subagent else resume.command(summary.project_dir, ("vibe", "--resume", summary.uuid)),
        extra={
            "archived": facts.archived or None,
            "pinned": facts.pinned or None,
            "forked_from": None if is_subagent else facts.forked_from,
            "git_branch": facts.git_branch,
            "subagent_type": facts.profile if is_subagent else None,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if facts.last_activity is None else None,
        },
    )


def _count_messages(path: str, report: files.Report, read: Reader) -> int | None:
    try:
        return read(path, Contents(), _add_messages).messages
    except OSError as error:
        files.failed(path, error, report)
        return None


def _add_messages(contents: Contents, path: str, offset: int) -> None:
    with jsonl.opened(path) as file:
        lines = jsonl.lines(jsonl.blocks(file, start=offset))
        contents.messages += sum(message.is_turn for message in jsonl.records(lines, records.MESSAGE))
