"""Claude's sessions, out of transcripts, Desktop records and the small files beside them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar, cast

import msgspec

from sesls.adapters import resume
from sesls.adapters.claude import desktop, places, transcript
from sesls.adapters.claude.desktop import Record
from sesls.adapters.claude.transcript import Contents, Ends
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant, instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary
from sesls.text import once

AGENT = "claude"

_DESKTOP_ENTRYPOINTS = frozenset({"claude-desktop", "claude-desktop-3p", "local-agent", "local_agent"})


File = tuple[Candidate, Ends]


class Source(msgspec.Struct, frozen=True, gc=False):
    """What `details` needs to know of a session: its file, and what else is about it."""

    candidate: Candidate
    has_transcript: bool = True
    """False for a Desktop record whose transcript is gone."""
    is_dated: bool = True
    """Whether a row of the transcript says when it was."""
    record: Record | None = None
    summaries: Mapping[str, str] | None = None
    """Titles of chains of rows by the uuid of their last row, of all files in the folder."""
    copies: tuple[str, ...] = ()


def summarise(candidate: Candidate) -> Ends | Record | None:
    """Return what one file tells; see `Adapter.summarise`."""
    if candidate.role == places.RECORD:
        return desktop.read_record(candidate.path)
    return transcript.read_ends(candidate)


class _Found(msgspec.Struct):
    """All findings of one scan, sorted by what they are."""

    sessions: dict[str, list[File]] = msgspec.field(default_factory=lambda: defaultdict(list))
    subagents: dict[str, list[File]] = msgspec.field(default_factory=lambda: defaultdict(list))
    """By root session."""
    records: dict[str, tuple[Candidate, Record]] = msgspec.field(default_factory=dict)
    """By transcript; one can have records under several accounts, of which the newest counts."""
    desktop_ids: set[str] = msgspec.field(default_factory=set)
    summaries: dict[str, dict[str, str]] = msgspec.field(default_factory=lambda: defaultdict(dict))
    """By project folder: a session's summary often stands in another session's file (1.0 to 2.1.2)."""


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Claude's sessions, each once; see `Adapter.unite`."""
    found = _sorted(findings)
    del findings  # subagents may be a hundred thousand, and only those of one session are needed at a time
    roots: dict[str, Summary] = {}
    for uuid, copies in found.sessions.items():
        roots[uuid] = _session(uuid, copies, found)
        yield roots[uuid]
    for uuid, (candidate, record) in found.records.items():
        if uuid not in roots:
            roots[uuid] = _record_alone(uuid, candidate, record)
            yield roots[uuid]
    for root in list(found.subagents):
        for uuid, copies in _by_agent_id(found.subagents.pop(root)).items():
            yield _subagent(uuid, root, roots.get(root), copies)


def _sorted(findings: Sequence[Finding]) -> _Found:
    found = _Found()
    for finding in findings:
        candidate, facts = finding
        if isinstance(facts, Record):
            found.desktop_ids.update(facts.transcripts)
            uuid = facts.cli_session_id
            known = found.records.get(uuid or "")
            if uuid and (known is None or _record_time(facts) > _record_time(known[1])):
                found.records[uuid] = (candidate, facts)
        elif isinstance(facts, Ends):
            if facts.titles:
                found.summaries[os.path.dirname(candidate.path)].update(facts.titles)
            if not facts.has_turns:
                continue
            if candidate.role in places.SESSIONS:
                found.sessions[places.session_id(candidate.path)].append(cast("File", finding))
            else:
                root = places.root_id(candidate.path) if candidate.role == places.SUBAGENT else facts.session_id
                found.subagents[once(root) or ""].append(cast("File", finding))
    return found


def _by_agent_id(subagents: Iterable[File]) -> dict[str, list[File]]:
    """Return the files of one root session's subagents: agent ids are unique within a session only."""
    found = defaultdict(list)
    for file in subagents:
        candidate, _ = file
        found[places.agent_id(candidate.path)].append(file)
    return found


def _record_time(record: Record) -> Instant:
    return instant(record.last_activity_at) or instant(record.created_at) or 0


def _activity(file: File) -> Instant:
    candidate, ends = file
    return candidate.last_activity(ends.last_activity)


def _newest_first(copies: Iterable[File]) -> list[File]:
    return sorted(copies, key=lambda file: (-_activity(file), file[0].path))


def _session(uuid: str, copies: list[File], found: _Found) -> Summary:
    newest, *others = _newest_first(copies)
    candidate, ends = newest
    _, record = found.records.get(uuid, (None, None))
    # Rows name their entrypoint from 2.1.78 on.
    is_desktop = ends.entrypoint in _DESKTOP_ENTRYPOINTS if ends.entrypoint else uuid in found.desktop_ids
    project_dir = absolute_or_none(ends.project_dir)
    if candidate.store.role == places.COWORK:
        is_desktop = True
        project_dir = _cowork_dir(record, ends.project_dir)
    return Summary(
        agent=AGENT,
        uuid=uuid,
        kind="agent",
        parent_uuid=None,
        project_dir=project_dir,
        launch_surface=_surface(is_desktop),
        last_activity=_activity(newest),
        path=candidate.path,
        source=Source(
            candidate,
            is_dated=ends.last_activity is not None,
            record=record,
            summaries=found.summaries.get(os.path.dirname(candidate.path)),
            copies=tuple(copy.path for copy, _ in others),
        ),
    )


def _subagent(uuid: str, root: str, parent: Summary | None, copies: list[File]) -> Summary:
    newest, *others = _newest_first(copies)
    candidate, ends = newest
    own_surface = _surface(ends.entrypoint in _DESKTOP_ENTRYPOINTS)
    return Summary(
        agent=AGENT,
        uuid=uuid,
        kind="subagent",
        parent_uuid=root or None,
        project_dir=absolute_or_none(ends.project_dir) if parent is None else parent.project_dir,
        launch_surface=own_surface if parent is None else parent.launch_surface,
        last_activity=_activity(newest),
        path=candidate.path,
        source=Source(
            candidate,
            is_dated=ends.last_activity is not None,
            copies=tuple(copy.path for copy, _ in others),
        ),
    )


def _record_alone(uuid: str, candidate: Candidate, record: Record) -> Summary:
    """Return the session of a Desktop record whose transcript is gone or on another machine."""
    is_cowork = candidate.store.role == places.COWORK
    return Summary(
        agent=AGENT,
        uuid=uuid,
        kind="agent",
        parent_uuid=None,
        project_dir=_cowork_dir(record, record.cwd) if is_cowork else absolute_or_none(record.cwd),
        launch_surface=_surface(is_desktop=True),
        last_activity=_record_time(record) or candidate.modified,
        path=candidate.path,
        source=Source(candidate, has_transcript=False, record=record),
    )


def _surface(is_desktop: bool) -> str:
    return "claude-desktop" if is_desktop else "claude-cli"


def _cowork_dir(record: Record | None, cwd: str | None) -> str | None:
    """Return the first folder a person selected, else where it ran, unless that lay in a virtual machine."""
    if record is not None and record.user_selected_folders:
        return absolute_or_none(record.user_selected_folders[0])
    return None if cwd is not None and cwd.startswith("/sessions/") else absolute_or_none(cwd)


class _SubagentMeta(msgspec.Struct, rename="camel"):
    """The file beside a subagent's (from about 2.1.70)."""

    agent_type: str | None = None
    description: str | None = None
    spawn_depth: int | None = None
    parent_agent_id: str | None = None
    """The subagent that spawned this one (from 2.1.240); absent for the session's own."""
    team_name: str | None = None
    worktree_path: str | None = None


class _CustomTitle(msgspec.Struct, rename="camel"):
    custom_title: str | None = None


class _Archived(msgspec.Struct):
    archived: bool | None = None
    at: str | None = None


SideFile = TypeVar("SideFile", bound=msgspec.Struct)

_SUBAGENT_META = msgspec.json.Decoder(_SubagentMeta)
_CUSTOM_TITLE = msgspec.json.Decoder(_CustomTitle)
_ARCHIVED = msgspec.json.Decoder(_Archived)


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own files; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Claude's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    if not source.has_transcript:
        return _details_of_record(source)
    contents: Contents | None = None
    try:
        contents = _read(summary, source, read)
    except OSError as error:
        files.failed(summary.path, error, report)
    count = contents.message_count if contents is not None else None
    contents = contents or Contents()
    extra: dict[str, object] = dict(contents.facts)
    if not source.is_dated:
        extra["last_activity_source"] = "mtime"
    if source.copies:
        extra["copies"] = list(source.copies)
    parent_uuid, resume_command = None, None
    titles = _titles(source, contents)
    if summary.kind == "subagent":
        meta = jsonl.small(summary.path[: -len(".jsonl")] + ".meta.json", _SUBAGENT_META) or _SubagentMeta()
        titles = (meta.description, *titles)
        parent_uuid = meta.parent_agent_id
        extra |= {
            "subagent_type": meta.agent_type,
            "spawn_depth": meta.spawn_depth,
            "team_name": meta.team_name,
            "worktree": meta.worktree_path,
        }
    else:
        extra["session_type"] = source.record.session_type if source.record is not None else None
        extra["archived"] = _is_archived(source, contents) or None
        if source.candidate.store.role != places.COWORK:
            resume_command = _resume(summary, source, environment)
    return Details(
        titles=titles,
        parent_uuid=parent_uuid,
        models=tuple(contents.models),
        created=contents.created,
        size_bytes=source.candidate.size,
        message_count=count,
        resume_command=resume_command,
        extra=extra,
    )


def _read(summary: Summary, source: Source, read: Reader) -> Contents:
    is_subagent = summary.kind == "subagent"
    add = partial(transcript.add_rows, summaries=source.summaries or {}, is_subagent=is_subagent)
    return read(summary.path, Contents(), add, version=(is_subagent, source.summaries or {}))


def _titles(source: Source, contents: Contents) -> tuple[str | None, ...]:
    """Return a session's titles by Claude's own precedence, Desktop's after those given in the transcript."""
    titles, record, side = contents.titles, source.record, None
    if "custom" not in titles:
        side = _beside(source, "custom-title.json", _CUSTOM_TITLE)
    return (
        titles.get("custom"),
        side.custom_title if side is not None else None,
        titles.get("ai"),
        record.title if record is not None else None,
        titles.get("summary"),
        titles.get("last prompt"),
        titles.get("first prompt"),
        titles.get("command"),
    )


def _is_archived(source: Source, contents: Contents) -> bool:
    """Tell whether a session was archived, by Claude Code (any later prompt undoes that) or in Desktop."""
    side = _beside(source, "archived.json", _ARCHIVED)
    if side is not None and side.archived:
        at = instant(side.at)
        return at is None or contents.prompted_at is None or contents.prompted_at <= at
    return source.record is not None and bool(source.record.is_archived)


def _beside(source: Source, name: str, decoder: msgspec.json.Decoder[SideFile]) -> SideFile | None:
    """Return what a file in the folder of a session says; few sessions have one."""
    if source.candidate.role != places.SESSION_WITH_FOLDER:
        return None
    return jsonl.small(os.path.join(places.side_folder(source.candidate.path), name), decoder)


def _resume(summary: Summary, source: Source, environment: Environment) -> str | None:
    words: tuple[str, ...] = ("claude", "--resume", summary.uuid)
    root = os.path.dirname(source.candidate.store.path)
    if root != places.root_in_force(environment):
        # Claude only looks below the config directory in force.
        words = ("env", f"CLAUDE_CONFIG_DIR={root}", *words)
    return resume.command(summary.project_dir, words)


def _details_of_record(source: Source) -> Details:
    record = source.record
    assert record is not None
    is_remote = record.ssh_config is not None or record.wsl_config is not None
    return Details(
        titles=(record.title,),
        created=instant(record.created_at),
        extra={
            "transcript": "missing",
            "remote": is_remote or None,
            "archived": record.is_archived or None,
            "session_type": record.session_type,
            "last_activity_source": None if _record_time(record) else "mtime",
        },
    )
