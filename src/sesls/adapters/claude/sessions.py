"""Claude's sessions, out of transcripts, Desktop records and the small files beside them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from sesls.adapters import resume
from sesls.adapters.claude import desktop, places, transcript
from sesls.adapters.claude.desktop import Record
from sesls.adapters.claude.transcript import Contents, Ends
from sesls.adapters.interface import Finding
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant, from_file_time, instant
from sesls.paths import is_windows_path
from sesls.session import Candidate, Details, Summary

AGENT = "claude"

_DESKTOP_ENTRYPOINTS = frozenset({"claude-desktop", "claude-desktop-3p", "local-agent", "local_agent"})
_SIDE_FILE_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """What `details` needs to know of a session: its file, and what else is about it."""

    candidate: Candidate
    ends: Ends | None
    """None for a Desktop record whose transcript is gone."""
    record: Record | None = None
    summaries: tuple[tuple[str, str], ...] = ()
    copies: tuple[str, ...] = ()


def summarise(candidate: Candidate) -> Ends | Record | None:
    """Return what one file tells; see `Adapter.summarise`."""
    if candidate.role == places.RECORD:
        return desktop.read_record(candidate.path)
    return transcript.read_ends(candidate)


@dataclass(slots=True)
class _Found:
    """All findings of one scan, sorted by what they are."""

    sessions: dict[str, list[Finding]] = field(default_factory=lambda: defaultdict(list))
    subagents: dict[tuple[str, str], list[Finding]] = field(default_factory=lambda: defaultdict(list))
    records: dict[str, Finding] = field(default_factory=dict)
    desktop_ids: set[str] = field(default_factory=set)
    summaries: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    """By project folder: a session's summary often stands in another session's file (1.0 to 2.1.2)."""


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Claude's sessions, each once; see `Adapter.unite`."""
    found = _sorted(findings)
    roots: dict[str, Summary] = {}
    for uuid, copies in found.sessions.items():
        roots[uuid] = _session(uuid, copies, found)
        yield roots[uuid]
    for (root, uuid), copies in found.subagents.items():
        yield _subagent(uuid, root, roots.get(root), copies)
    for uuid, finding in found.records.items():
        if uuid not in roots:
            yield from _record_alone(uuid, finding)


def _sorted(findings: Sequence[Finding]) -> _Found:
    found = _Found()
    for finding in findings:
        candidate, facts = finding
        if isinstance(facts, Record):
            found.desktop_ids.update(facts.transcripts)
            uuid = facts.cli_session_id
            if uuid and (uuid not in found.records or _record_time(finding) > _record_time(found.records[uuid])):
                found.records[uuid] = finding
        elif isinstance(facts, Ends):
            if facts.summaries:
                found.summaries[os.path.dirname(candidate.path)].extend(facts.summaries)
            if not facts.has_turns:
                continue
            if candidate.role == places.SESSION:
                found.sessions[places.session_id(candidate.path)].append(finding)
            else:
                root = _root_of(candidate, facts)
                found.subagents[root, places.agent_id(candidate.path)].append(finding)
    return found


def _root_of(candidate: Candidate, ends: Ends) -> str:
    return places.root_id(candidate.path) if candidate.role == places.SUBAGENT else ends.session_id or ""


def _record_time(finding: Finding) -> Instant:
    record = finding.facts
    assert isinstance(record, Record)
    return instant(record.last_activity_at) or instant(record.created_at) or 0


def _activity(finding: Finding) -> Instant:
    ends = finding.facts
    assert isinstance(ends, Ends)
    return from_file_time(finding.candidate.mtime_ns) if ends.last_activity is None else ends.last_activity


def _newest_first(copies: Iterable[Finding]) -> list[Finding]:
    return sorted(copies, key=lambda copy: (-_activity(copy), copy.candidate.path))


def _session(uuid: str, copies: list[Finding], found: _Found) -> Summary:
    newest, *others = _newest_first(copies)
    candidate, ends = newest
    assert isinstance(ends, Ends)
    finding = found.records.get(uuid)
    record = finding.facts if finding is not None else None
    assert record is None or isinstance(record, Record)
    is_desktop = (
        ends.entrypoint in _DESKTOP_ENTRYPOINTS
        if ends.entrypoint is not None
        else uuid in found.desktop_ids  # rows name their entrypoint from 2.1.78 on
    )
    project_dir = _absolute(ends.project_dir)
    if candidate.store.role == places.COWORK:
        project_dir = _cowork_dir(record, ends.project_dir)
        is_desktop = True
    return Summary(
        agent=AGENT,
        uuid=uuid,
        kind="agent",
        parent_uuid=None,
        project_dir=project_dir,
        launch_surface="claude-desktop" if is_desktop else "claude-cli",
        last_activity=_activity(newest),
        path=candidate.path,
        source=Source(
            candidate,
            ends,
            record,
            tuple(found.summaries.get(os.path.dirname(candidate.path), ())),
            tuple(copy.candidate.path for copy in others),
        ),
    )


def _subagent(uuid: str, root: str, parent: Summary | None, copies: list[Finding]) -> Summary:
    newest, *others = _newest_first(copies)
    candidate, ends = newest
    assert isinstance(ends, Ends)
    own_surface = "claude-desktop" if ends.entrypoint in _DESKTOP_ENTRYPOINTS else "claude-cli"
    return Summary(
        agent=AGENT,
        uuid=uuid,
        kind="subagent",
        parent_uuid=root or None,
        project_dir=parent.project_dir if parent is not None else _absolute(ends.project_dir),
        launch_surface=parent.launch_surface if parent is not None else own_surface,
        last_activity=_activity(newest),
        path=candidate.path,
        source=Source(candidate, ends, copies=tuple(copy.candidate.path for copy in others)),
    )


def _record_alone(uuid: str, finding: Finding) -> Iterator[Summary]:
    """Yield the session of a Desktop record whose transcript is gone or on another machine."""
    candidate, record = finding
    assert isinstance(record, Record)
    if record.session_type is not None or os.path.basename(os.path.dirname(candidate.path)) == "agent":
        return  # one of Desktop's own helpers
    is_cowork = candidate.store.role == places.COWORK
    yield Summary(
        agent=AGENT,
        uuid=uuid,
        kind="agent",
        parent_uuid=None,
        project_dir=_cowork_dir(record, record.cwd) if is_cowork else _absolute(record.cwd),
        launch_surface="claude-desktop",
        last_activity=_record_time(finding) or from_file_time(candidate.mtime_ns),
        path=candidate.path,
        source=Source(candidate, None, record),
    )


def _cowork_dir(record: Record | None, cwd: str | None) -> str | None:
    """Return the first folder a person selected, else where it ran, unless that lay in a virtual machine."""
    if record is not None and record.user_selected_folders:
        return _absolute(record.user_selected_folders[0])
    return None if cwd is not None and cwd.startswith("/sessions/") else _absolute(cwd)


def _absolute(path: str | None) -> str | None:
    return path if path and (path.startswith("/") or is_windows_path(path)) else None


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


_SUBAGENT_META = msgspec.json.Decoder(_SubagentMeta)
_CUSTOM_TITLE = msgspec.json.Decoder(_CustomTitle)
_ARCHIVED = msgspec.json.Decoder(_Archived)


def details(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> list[Details]:
    """Return the details of some of Claude's sessions; see `Adapter.details`."""
    return [_details(summary, environment, report) for summary in summaries]


def _details(summary: Summary, environment: Environment, report: files.Report) -> Details:
    source = summary.source
    assert isinstance(source, Source)
    if source.ends is None:
        return _details_of_record(source)
    contents = Contents()
    try:
        contents = transcript.read_contents(summary.path, source.summaries, summary.kind == "subagent")
    except OSError as error:
        if not files.is_absence(error):
            report(summary.path, files.reason(error))
    extra = dict(contents.facts)
    if source.ends.last_activity is None:
        extra["last_activity_source"] = "mtime"
    if source.copies:
        extra["copies"] = list(source.copies)
    parent_uuid, title, resume_command = None, _title(summary.path, contents, source.record), None
    if summary.kind == "subagent":
        meta = _side(summary.path[: -len(".jsonl")] + ".meta.json", _SUBAGENT_META) or _SubagentMeta()
        title = meta.description or title
        parent_uuid = meta.parent_agent_id
        extra |= _present(
            subagent_type=meta.agent_type,
            spawn_depth=meta.spawn_depth,
            team_name=meta.team_name,
            worktree=meta.worktree_path,
        )
    else:
        extra |= _present(archived=_is_archived(summary.path, contents, source.record) or None)
        if source.candidate.store.role != places.COWORK:
            resume_command = _resume(summary, source, environment)
    return Details(
        title=title,
        parent_uuid=parent_uuid,
        models=tuple(contents.models),
        created=contents.created,
        size_bytes=source.candidate.size,
        message_count=contents.message_count,
        resume_command=resume_command,
        extra=extra,
    )


def _title(path: str, contents: Contents, record: Record | None) -> str | None:
    """Return a session's title by Claude's own precedence, Desktop's name after those that people gave."""
    named = contents.custom_title
    if named is None:
        side = _side(places.side_file(path, "custom-title.json"), _CUSTOM_TITLE)
        named = side.custom_title if side is not None else None
    return (
        named
        or contents.ai_title
        or (record.title if record is not None else None)
        or contents.summary
        or contents.last_prompt
        or contents.first_prompt
        or contents.command
    )


def _is_archived(path: str, contents: Contents, record: Record | None) -> bool:
    """Tell whether a session was archived, by Claude Code (any later prompt undoes that) or in Desktop."""
    side = _side(places.side_file(path, "archived.json"), _ARCHIVED)
    if side is not None and side.archived:
        at = instant(side.at)
        return at is None or contents.prompted_at is None or contents.prompted_at <= at
    return record is not None and bool(record.is_archived)


def _resume(summary: Summary, source: Source, environment: Environment) -> str:
    words: tuple[str, ...] = ("claude", "--resume", summary.uuid)
    root = os.path.dirname(source.candidate.store.path)
    if root != places.config_roots(environment)[0]:
        # Claude only looks below the config directory in force.
        words = ("env", f"CLAUDE_CONFIG_DIR={root}", *words)
    return resume.command(summary.project_dir, words)


def _details_of_record(source: Source) -> Details:
    record = source.record
    assert record is not None
    is_remote = record.ssh_config is not None or record.wsl_config is not None
    return Details(
        title=record.title,
        created=instant(record.created_at),
        extra=_present(transcript="missing", remote=is_remote or None, archived=record.is_archived or None),
    )


def _side(path: str, decoder: msgspec.json.Decoder[jsonl.Record]) -> jsonl.Record | None:
    """Return what a small file beside a transcript holds, or None when it is not there or no JSON."""
    try:
        return jsonl.whole(files.content(path, _SIDE_FILE_LIMIT), decoder)
    except OSError:
        return None


def _present(**values: object) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}
