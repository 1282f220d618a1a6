"""Kimi Code's sessions, out of states and logs."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.kimi import places, state, wire
from sesls.adapters.kimi.state import Agent, State
from sesls.adapters.kimi.wire import Contents, Ends
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "kimi"


class Facts(msgspec.Struct, frozen=True):
    """What one file tells: a session's state, or an agent's log."""

    state: State | None = None
    ends: Ends | None = None
    titles: dict[Literal["title", "first prompt"], str] = msgspec.field(default_factory=dict)


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its log, its title, and what its state says."""

    candidate: Candidate
    titles: tuple[str | None, ...]
    created: Instant | None
    archived: bool
    forked_from: str | None
    profile: str | None
    has_own_time: bool
    can_resume: bool
    """Kimi finds a session by its state."""
    copies: tuple[str, ...] = ()


def summarise(candidate: Candidate) -> Facts:
    """Return what one file tells; see `Adapter.summarise`."""
    if candidate.role == places.WIRE:
        ends, prompt = wire.read_ends(candidate.path)
        return Facts(ends=ends, titles={"first prompt": prompt} if prompt is not None else {})
    found, title = state.read(candidate.path)
    return Facts(state=found, titles={"title": title} if title else {})


class _Folder(msgspec.Struct):
    """The files of one session."""

    state: State | None = None
    title: str | None = None
    logs: dict[str, tuple[Candidate, Ends, str | None]] = msgspec.field(default_factory=dict)
    """By the name of the agent, each with its first prompt."""


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Kimi's sessions, each once; see `Adapter.unite`."""
    folders: dict[str, _Folder] = defaultdict(_Folder)
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        folder = folders[places.session_folder(candidate)]
        if facts.ends is not None:
            prompt = facts.titles.get("first prompt")
            folder.logs[places.agent_name(candidate)] = (candidate, facts.ends, prompt)
        elif facts.state is not None:
            folder.state, folder.title = facts.state, facts.titles.get("title")
    found: dict[str, list[Summary]] = defaultdict(list)
    for path, folder in folders.items():
        for summary in _sessions(path, folder):
            found[summary.uuid].append(summary)
    for copies in found.values():
        yield _newest(copies)


def _sessions(path: str, folder: _Folder) -> Iterator[Summary]:
    """Yield the session of a folder, if anybody asked for anything in it, and those that it spawned."""
    found = folder.state or State()
    session = os.path.basename(path)  # as in the state, and what Kimi finds it by
    for name, (candidate, ends, prompt) in folder.logs.items():
        if not ends.is_prompted:
            continue
        if name == places.MAIN:
            yield _main(session, folder, candidate, ends, prompt)
        else:
            yield _spawned(session, name, found, candidate, ends, prompt)


def _main(session: str, folder: _Folder, candidate: Candidate, ends: Ends, prompt: str | None) -> Summary:
    found = folder.state or State()
    # A fork's own time may lie before it was forked, and that of a killed run before its last record.
    times = [moment for moment in (found.updated, found.created, ends.last_activity) if moment is not None]
    return Summary(
        agent=AGENT,
        uuid=session,
        kind="agent",
        parent_uuid=None,
        project_dir=absolute_or_none(found.directory),
        launch_surface=None,
        last_activity=max(times, default=candidate.modified),
        path=candidate.path,
        source=Source(
            candidate,
            (folder.title, prompt),
            found.created or ends.created,
            found.archived,
            found.forked_from,
            profile=None,
            has_own_time=bool(times),
            can_resume=folder.state is not None,
        ),
    )


def _spawned(session: str, name: str, found: State, candidate: Candidate, ends: Ends, prompt: str | None) -> Summary:
    """Return a session that another one spawned; its name is unique within the session only."""
    agent = found.agents.get(name, Agent())
    is_nested = agent.parent not in (None, places.MAIN)
    times = [moment for moment in (ends.last_activity, ends.created) if moment is not None]
    return Summary(
        agent=AGENT,
        uuid=f"{session}/{name}",
        kind="subagent",
        parent_uuid=f"{session}/{agent.parent}" if is_nested else session,
        project_dir=absolute_or_none(found.directory),
        launch_surface=None,
        last_activity=max(times, default=candidate.modified),
        path=candidate.path,
        source=Source(
            candidate,
            (prompt,),
            ends.created,
            archived=False,
            forked_from=None,
            profile=agent.profile,
            has_own_time=bool(times),
            can_resume=False,
        ),
    )


def _newest(copies: list[Summary]) -> Summary:
    newest, *others = sorted(copies, key=lambda one: (-one.last_activity, one.path))
    if not others:
        return newest
    assert isinstance(newest.source, Source)
    return replace(newest, source=replace(newest.source, copies=tuple(other.path for other in others)))


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own files; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Kimi's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    contents: Contents | None = None
    try:
        contents = read(summary.path, Contents(), wire.add_records)
    except OSError as error:
        files.failed(summary.path, error, report)
    command = resume.command(summary.project_dir, ("kimi", "--session", summary.uuid))
    return Details(
        titles=source.titles,
        models=tuple(contents.models) if contents is not None else (),
        created=source.created,
        size_bytes=source.candidate.size,
        message_count=contents.messages if contents is not None else None,
        resume_command=command if source.can_resume else None,
        extra={
            "archived": source.archived or None,
            "forked_from": source.forked_from,
            "subagent_type": source.profile,
            "copies": list(source.copies) or None,
            "last_activity_source": None if source.has_own_time else "mtime",
        },
    )
