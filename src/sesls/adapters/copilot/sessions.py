"""Copilot CLI's sessions, out of event logs, what stands beside them, and the saves of the first builds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from sesls.adapters import resume
from sesls.adapters.copilot import places, records, workspace
from sesls.adapters.copilot.records import Contents, Ends
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "copilot"

File = tuple[Candidate, Ends]


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its file, and whether `copilot` can open it."""

    candidate: Candidate
    ends: Ends
    can_resume: bool
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells, and where it has a folder the `workspace.yaml` in it; see `Adapter.summarise`."""
    if candidate.role == places.SAVE:
        return records.read_save(candidate.path) if candidate.size else None
    ends = records.read_ends(candidate.path)
    if ends is None or candidate.role == places.FLAT:
        return ends
    written = _workspace(candidate, files.ignore)
    return msgspec.structs.replace(
        ends,
        cwd=written.get("cwd") or ends.cwd,
        branch=written.get("branch") or ends.branch,
        created=instant(written.get("created_at")) or ends.created,
    )


def _workspace(candidate: Candidate, report: files.Report) -> dict[str, str]:
    path = places.workspace(candidate)
    try:
        return workspace.read(path)
    except OSError as error:
        report(path, files.reason(error))
        return {}


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Copilot's sessions, each once; see `Adapter.unite`."""
    sessions: dict[str, list[File]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        sessions[places.session_id(candidate)].append((candidate, ends))
    has_folders = any(candidate.role == places.SESSION for candidate, _ in findings)
    for session, copies in sessions.items():
        yield _session(session, copies, has_folders)


def _session(session: str, copies: list[File], has_folders: bool) -> Summary:
    copies.sort(key=lambda file: (-_activity(file), _GENERATIONS.index(file[0].role), file[0].path))
    candidate, ends = copies[0]
    directory = next((ends.cwd for _, ends in copies if ends.cwd), None)
    # What builds with folders left of those without is not opened any more (1.0.45).
    can_resume = not has_folders or any(file.role == places.SESSION for file, _ in copies)
    return Summary(
        agent=AGENT,
        uuid=session,
        kind="agent" if ends.spawned_by is None else "subagent",
        parent_uuid=ends.spawned_by,
        project_dir=absolute_or_none(directory),
        launch_surface=None,
        last_activity=_activity(copies[0]),
        path=candidate.path,
        source=Source(candidate, ends, can_resume, tuple(copy.path for copy, _ in copies[1:])),
    )


_GENERATIONS = (places.SESSION, places.FLAT, places.SAVE)


def _activity(file: File) -> int:
    candidate, ends = file
    return candidate.last_activity(ends.last_activity)


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own folder; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Copilot's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    candidate, ends = source.candidate, source.ends
    written = _workspace(candidate, report) if candidate.role == places.SESSION else {}
    contents: Contents | None = None
    try:
        if candidate.role == places.SAVE:
            contents = read(summary.path, Contents(), records.add_save, can_grow=False)
        else:
            contents = read(summary.path, Contents(), records.add_events)
    except OSError as error:
        files.failed(summary.path, error, report)
    count = contents.messages if contents is not None else None
    contents = contents or Contents()
    return Details(
        # `summary` is what the name was called before it could be given.
        titles=(written.get("name"), written.get("summary"), contents.titles.get("first prompt")),
        models=tuple(contents.models),
        created=ends.created,
        size_bytes=candidate.size,
        message_count=count,
        resume_command=_resume(summary, source),
        extra={
            "agent_version": ends.version,
            "git_branch": ends.branch,
            "repository": written.get("repository"),
            "subagents": contents.subagents or None,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if ends.last_activity is None else None,
        },
    )


def _resume(summary: Summary, source: Source) -> str | None:
    if summary.kind == "subagent" or not source.can_resume:
        return None
    return resume.command(summary.project_dir, ("copilot", f"--resume={summary.uuid}"))
