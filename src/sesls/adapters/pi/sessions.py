"""Pi's sessions, out of session files and where they lie."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.pi_family import lineage, transcript
from sesls.adapters.pi_family.lineage import File
from sesls.adapters.pi_family.transcript import Contents, Ends
from sesls.environment import Environment
from sesls.formats import files
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "pi"

# Folders in which extensions keep the sessions they spawn.
_SPAWNED_FOLDERS = frozenset({"subagents", "subagent-sessions"})


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its file, and what it continues."""

    candidate: Candidate
    ends: Ends
    forked_from: str | None
    """The id of the session it was forked or handed off from."""
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells; see `Adapter.summarise`."""
    return transcript.read_ends(candidate.path, "pi")


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Pi's sessions, each once; see `Adapter.unite`. An id is unique within a directory only."""
    found: list[File] = []
    sessions: dict[tuple[str, str | None, str], list[File]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        found.append((candidate, ends))
        sessions[os.path.dirname(candidate.path), ends.cwd, ends.id].append((candidate, ends))
    ids = lineage.known_ids(found)
    for copies in sessions.values():
        yield _session(copies, ids)


def _session(copies: list[File], ids: Mapping[str, str]) -> Summary:
    copies.sort(key=lambda file: (-lineage.activity(file), file[0].path))
    candidate, ends = copies[0]
    origin = lineage.origin(ends, ids)
    parent = lineage.parent_by_place(candidate, ids)
    is_subagent = parent is not None or ends.is_spawned or _is_in_spawned_folder(candidate)
    return Summary(
        agent=AGENT,
        uuid=ends.id,
        kind="subagent" if is_subagent else "agent",
        parent_uuid=(parent or origin or lineage.parent_by_name(candidate)) if is_subagent else None,
        project_dir=absolute_or_none(ends.cwd),
        launch_surface=None,
        last_activity=lineage.activity(copies[0]),
        path=candidate.path,
        source=Source(candidate, ends, None if is_subagent else origin, tuple(copy.path for copy, _ in copies[1:])),
    )


def _is_in_spawned_folder(candidate: Candidate) -> bool:
    below = os.path.relpath(os.path.dirname(candidate.path), os.path.dirname(candidate.store.path))
    return not _SPAWNED_FOLDERS.isdisjoint(below.split(os.sep))


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own file; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Pi's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    contents = transcript.contents(summary.path, report, read)
    told = contents or Contents()
    return Details(
        titles=(told.titles.get("name"), told.titles.get("first prompt")),
        models=tuple(told.models),
        created=source.ends.created,
        size_bytes=source.candidate.size,
        message_count=contents.messages if contents is not None else None,
        resume_command=_resume(summary),
        extra={
            "forked_from": source.forked_from,
            "format_version": source.ends.version,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if source.ends.last_activity is None else None,
        },
    )


def _resume(summary: Summary) -> str | None:
    if summary.kind == "subagent":
        return None
    # By path: an id from another directory makes Pi ask, or wait for ever where nobody can answer.
    return resume.command(summary.project_dir, ("pi", "--session", os.path.abspath(summary.path)))
