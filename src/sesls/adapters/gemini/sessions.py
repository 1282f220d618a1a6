"""Gemini CLI's sessions, out of the files that tell of them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from sesls.adapters import resume
from sesls.adapters.gemini import chats, places, projects
from sesls.adapters.gemini.chats import Contents, Ends
from sesls.adapters.gemini.projects import Projects
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Store, Summary

AGENT = "gemini"

File = tuple[Candidate, Ends]


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its files, the one that counts first."""

    files: tuple[File, ...]


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells; see `Adapter.summarise`."""
    return chats.read_ends(candidate.path)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Gemini CLI's sessions, each once; see `Adapter.unite`.

    An id may have several files: 0.61 copies the folder of an old build and leaves it, goes on with a `.json` in a
    `.jsonl`, and leaves a file without turns when it resumes a session in another minute.
    """
    known: dict[Store, Projects] = {}
    sessions: dict[tuple[str, str | None], list[File]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        sessions[ends.id, places.parent_id(candidate)].append((candidate, ends))
        if candidate.store not in known:
            known[candidate.store] = projects.read(candidate.store)
    for (_, parent), copies in sessions.items():
        if any(ends.has_turns for _, ends in copies):
            yield _session(copies, parent, known)


def _session(copies: list[File], parent: str | None, known: Mapping[Store, Projects]) -> Summary:
    copies.sort(key=_rank)
    candidate, ends = copies[0]
    is_subagent = parent is not None or ends.is_subagent
    return Summary(
        agent=AGENT,
        uuid=ends.id,
        kind="subagent" if is_subagent else "agent",
        parent_uuid=parent,
        project_dir=_project_dir(copies, known),
        launch_surface=None,
        last_activity=_activity(copies[0]),
        path=candidate.path,
        source=Source(tuple(copies)),
    )


def _rank(file: File) -> tuple[bool, Instant, bool, bool, str]:
    """Return what sorts the file that counts first: the newest with turns, of equal ones that of the newest version."""
    candidate, ends = file
    folder = os.path.basename(places.project_folder(candidate))
    return (
        not ends.has_turns,
        -_activity(file),
        candidate.path.endswith(".json"),
        places.is_hash(folder),
        candidate.path,
    )


def _activity(file: File) -> Instant:
    candidate, ends = file
    return candidate.last_activity(ends.last_activity)


def _project_dir(copies: Sequence[File], known: Mapping[Store, Projects]) -> str | None:
    for candidate, ends in copies:
        name = os.path.basename(places.project_folder(candidate))
        directory = known[candidate.store].directory(name, ends.project_hash)
        if directory is not None:
            return directory
    return next(filter(None, (absolute_or_none(ends.directory) for _, ends in copies)), None)


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own files; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Gemini CLI's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    (candidate, ends), *others = source.files
    told = [_contents(one.path, read, report) for one, _ in source.files]
    main = told[0]
    contents = [one for one in told if one is not None]
    by_age = sorted(contents, key=lambda one: one.created or 0)
    return Details(
        titles=[one.titles.get(kind) for kind in ("summary", "first prompt") for one in contents],
        models=tuple(dict.fromkeys(model for one in by_age for model in one.models)),
        created=min((one.created for one in contents if one.created is not None), default=None),
        size_bytes=candidate.size,
        message_count=None if main is None else sum(main.messages.values()),
        resume_command=_resume(summary, candidate.store, environment),
        extra={
            "directories": list(main.directories) if main is not None and len(main.directories) > 1 else None,
            "copies": [one.path for one, _ in others] or None,
            "last_activity_source": "mtime" if ends.last_activity is None else None,
        },
    )


def _contents(path: str, read: Reader, report: files.Report) -> Contents | None:
    try:
        return read(path, Contents(), chats.add_records, can_grow=path.endswith(".jsonl"))
    except OSError as error:
        files.failed(path, error, report)
    except ValueError as error:  # damaged since the first reading
        report(path, str(error))
    return None


def _resume(summary: Summary, store: Store, environment: Environment) -> str | None:
    # It only finds the sessions of the directory that it is started in (0.22 to 0.61).
    if summary.kind == "subagent" or summary.project_dir is None:
        return None
    words: tuple[str, ...] = ("gemini", "--resume", summary.uuid)
    if not places.is_in_force(environment):
        words = ("env", f"GEMINI_CLI_HOME={places.home_of(store)}", *words)
    return resume.command(summary.project_dir, words)
