"""Pi's sessions, out of session files and where they lie."""

from __future__ import annotations

import ntpath
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.pi import places, transcript
from sesls.adapters.pi.transcript import Contents, Ends
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant, from_file_time
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "pi"

# Folders in which extensions keep the sessions they spawn.
_SPAWNED_FOLDERS = frozenset({"subagents", "subagent-sessions"})

File = tuple[Candidate, Ends]


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its file, and what it continues."""

    candidate: Candidate
    ends: Ends
    forked_from: str | None
    """The id of the session it was forked or handed off from."""
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells; see `Adapter.summarise`."""
    return transcript.read_ends(candidate.path)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Pi's sessions, each once; see `Adapter.unite`. An id is unique within a directory only."""
    ids: dict[str, str] = {}
    names: dict[str, set[str]] = defaultdict(set)
    sessions: dict[tuple[str, str | None, str], list[File]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        ids[candidate.path] = ends.id
        if places.id_in_name(candidate.path) is not None:
            names[os.path.basename(candidate.path)].add(ends.id)
        sessions[os.path.dirname(candidate.path), ends.cwd, ends.id].append((candidate, ends))
    # In a home that was copied or moved, headers name files by their old paths.
    ids |= {name: found.pop() for name, found in names.items() if len(found) == 1}
    for copies in sessions.values():
        yield _session(copies, ids)


def _session(copies: list[File], ids: Mapping[str, str]) -> Summary:
    copies.sort(key=lambda file: (-_activity(file), file[0].path))
    candidate, ends = copies[0]
    origin = _id_of(ends.forked_from, ids) if ends.forked_from else None
    parent = _parent_by_place(candidate, ids)
    is_subagent = parent is not None or ends.is_spawned or _is_in_spawned_folder(candidate)
    return Summary(
        agent=AGENT,
        uuid=ends.id,
        kind="subagent" if is_subagent else "agent",
        parent_uuid=(parent or origin or _parent_by_name(candidate)) if is_subagent else None,
        project_dir=absolute_or_none(ends.cwd),
        launch_surface=None,
        last_activity=_activity(copies[0]),
        path=candidate.path,
        source=Source(candidate, ends, None if is_subagent else origin, tuple(copy.path for copy, _ in copies[1:])),
    )


def _activity(file: File) -> Instant:
    candidate, ends = file
    return from_file_time(candidate.mtime_ns) if ends.last_activity is None else ends.last_activity


def _parent_by_place(candidate: Candidate, ids: Mapping[str, str]) -> str | None:
    """Return the session whose own folder a file lies in: `<stem>/…` beside `<stem>.jsonl`, the nearest one."""
    folder = os.path.dirname(candidate.path)
    while len(folder) > len(candidate.store.path):
        if (parent := ids.get(f"{folder}.jsonl")) is not None:
            return parent
        folder = os.path.dirname(folder)
    return None


def _parent_by_name(candidate: Candidate) -> str | None:
    """Return the id in the name of the nearest folder that is named like a session, whose file is gone."""
    folders = os.path.relpath(os.path.dirname(candidate.path), candidate.store.path).split(os.sep)
    return next(filter(None, (places.id_in_name(f"{name}.jsonl") for name in reversed(folders))), None)


def _is_in_spawned_folder(candidate: Candidate) -> bool:
    below = os.path.relpath(os.path.dirname(candidate.path), os.path.dirname(candidate.store.path))
    return not _SPAWNED_FOLDERS.isdisjoint(below.split(os.sep))


def _id_of(path: str, ids: Mapping[str, str]) -> str | None:
    """Return the id of the session in a file, from the file or, where that is gone, from its name."""
    return ids.get(path) or ids.get(ntpath.basename(path)) or places.id_in_name(path)


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own file; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Pi's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    contents: Contents | None = None
    try:
        contents = read(summary.path, Contents(), transcript.add_entries)
    except OSError as error:
        if not files.is_absence(error):
            report(summary.path, files.reason(error))
    count = contents.messages if contents is not None else None
    contents = contents or Contents()
    return Details(
        titles=(contents.titles.get("name"), contents.titles.get("first prompt")),
        models=tuple(contents.models),
        created=source.ends.created,
        size_bytes=source.candidate.size,
        message_count=count,
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
