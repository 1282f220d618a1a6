"""Cline's sessions: folders of 3.x with their children, and tasks with what the index says of them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from sesls.adapters import resume
from sesls.adapters.cline import places, records, tasks
from sesls.adapters.cline.records import Contents, Manifest, Thread
from sesls.adapters.cline.tasks import Entry, Task
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant, instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "cline"


class Facts(msgspec.Struct, frozen=True):
    """What the first reading of one file tells."""

    manifest: Manifest | None = None
    thread: Thread | None = None
    task: Task | None = None
    directories: dict[str, str] = msgspec.field(default_factory=dict)
    """Where tasks were begun, by their ids: what an index tells."""


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session."""

    candidate: Candidate
    manifest: Manifest | None = None
    manifest_path: str | None = None
    thread: Thread | None = None
    can_resume: bool = False
    has_own_time: bool = True
    copies: tuple[str, ...] = ()


def summarise(candidate: Candidate) -> Facts | None:
    """Return what one file tells; see `Adapter.summarise`."""
    if not candidate.size:
        return None
    if candidate.role == places.MANIFEST:
        return Facts(manifest=records.read_manifest(candidate.path))
    if candidate.role == places.INDEX:
        known = tasks.read_index(candidate.path)
        return Facts(directories={task: entry.directory for task, entry in known.items() if entry.directory})
    if candidate.role == places.TASK:
        task = tasks.read_task(candidate.path, candidate.size)
        return Facts(task=task) if task is not None else None
    return Facts(thread=records.read_thread(candidate.path))


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Cline's sessions, each once; see `Adapter.unite`."""
    folders: dict[str, list[tuple[Candidate, Facts]]] = defaultdict(list)
    directories: dict[str, Mapping[str, str]] = {}
    begun: list[tuple[Candidate, Task]] = []
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        if facts.task is not None:
            begun.append((candidate, facts.task))
        elif candidate.role == places.INDEX:
            directories[candidate.store.path] = facts.directories
        else:
            folders[os.path.dirname(candidate.path)].append((candidate, facts))
    sessions = [session for found in folders.values() for session in _of_folder(found)]
    # Cline 3 opens no task: where it has worked, it is the one installed.
    can_resume = not sessions
    for candidate, task in begun:
        directory = directories.get(candidate.store.path, {}).get(places.folder_name(candidate.path))
        sessions.append(_of_task(candidate, task, directory, can_resume=can_resume))
    yield from _each_once(sessions)


def _of_folder(found: Iterable[tuple[Candidate, Facts]]) -> Iterator[Summary]:
    """Yield the session of one folder, and those it spawned."""
    manifest_file: Candidate | None = None
    manifest: Manifest | None = None
    threads: list[tuple[Candidate, Thread]] = []
    for candidate, facts in found:
        if facts.manifest is not None:
            manifest_file, manifest = candidate, facts.manifest
        elif facts.thread is not None:
            threads.append((candidate, facts.thread))
    own = next(((file, thread) for file, thread in threads if file.role == places.MESSAGES), None)
    manifest_path = manifest_file.path if manifest_file is not None else None
    if own is not None and not own[1].is_empty:
        source = Source(own[0], manifest, manifest_path, own[1], can_resume=True)
        yield _session(source, own[1].last_activity)
    elif manifest_file is not None and manifest is not None and manifest.has_prompt:
        # It died before its first save; Cline lists it too.
        yield _session(Source(manifest_file, manifest, manifest_path, can_resume=True), manifest.created)
    for file, thread in threads:
        if file.role == places.CHILD_MESSAGES and not thread.is_empty:
            yield _session(Source(file, manifest, manifest_path, thread), thread.last_activity)


def _session(source: Source, moment: Instant | None) -> Summary:
    candidate, manifest, thread = source.candidate, source.manifest, source.thread
    folder = places.folder_name(candidate.path)
    is_child = candidate.role == places.CHILD_MESSAGES
    root = (manifest.session_id if manifest is not None else None) or folder
    own = thread.session_id if thread is not None else None
    if is_child:
        session = own or f"{root}__{places.child_name(candidate.path)}"
    else:
        session = (manifest.session_id if manifest is not None else None) or own or folder
    return Summary(
        agent=AGENT,
        uuid=session,
        kind="subagent" if is_child else "agent",
        parent_uuid=((thread.parent if thread is not None else None) or root) if is_child else None,
        project_dir=absolute_or_none(manifest.cwd if manifest is not None else None),
        launch_surface=None,
        last_activity=candidate.last_activity(moment),
        path=candidate.path,
        source=replace(source, has_own_time=moment is not None),
    )


def _of_task(candidate: Candidate, task: Task, directory: str | None, *, can_resume: bool) -> Summary:
    moment = task.last_activity
    return Summary(
        agent=AGENT,
        uuid=places.folder_name(candidate.path),
        kind="agent",
        parent_uuid=None,
        project_dir=absolute_or_none(directory),
        launch_surface=None,
        last_activity=candidate.last_activity(moment),
        path=candidate.path,
        source=Source(
            candidate,
            can_resume=can_resume and candidate.store.role == places.TASKS,
            has_own_time=moment is not None,
        ),
    )


def _each_once(sessions: Iterable[Summary]) -> Iterator[Summary]:
    """Yield of the sessions with the same id the one with the newest activity; it knows the others."""
    by_id: dict[str, list[Summary]] = defaultdict(list)
    for session in sessions:
        by_id[session.uuid].append(session)
    for copies in by_id.values():
        copies.sort(key=lambda session: (-session.last_activity, session.path))
        newest, *others = copies
        source = newest.source
        assert isinstance(source, Source)
        yield replace(newest, source=replace(source, copies=tuple(other.path for other in others)))


Hints = Mapping[str, Mapping[str, Entry]]
"""What the indexes say of tasks, by the store and the task's id."""


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> Hints:
    """Return what the indexes say of some tasks, each index read once; see `Adapter.hints`."""
    told: dict[str, Mapping[str, Entry]] = {}
    for summary in summaries:
        source = summary.source
        assert isinstance(source, Source)
        store = source.candidate.store.path
        if source.candidate.role == places.TASK and store not in told:
            try:
                told[store] = tasks.read_index(places.index(source.candidate))
            except OSError as error:
                told[store] = {}
                files.failed(places.index(source.candidate), error, report)
    return told


def details(summary: Summary, hints: Hints, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Cline's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    if source.candidate.role == places.TASK:
        entry = hints.get(source.candidate.store.path, {}).get(summary.uuid, Entry())
        return _details_of_task(summary, source, entry, report, read)
    manifest, thread = source.manifest, source.thread
    is_child = summary.kind == "subagent"
    said: Contents | None = Contents()
    if thread is not None:
        said = _read(source.candidate.path, records.add_messages, report, read)
    count = said.messages if said is not None else None
    said = said or Contents()
    described = Contents()
    if source.manifest_path is not None and not is_child:
        described = _read(source.manifest_path, records.add_manifest, report, read) or Contents()
    return Details(
        titles=(described.titles.get("title"), described.titles.get("prompt"), said.titles.get("first prompt")),
        models=tuple(said.models),
        created=(manifest.created if manifest is not None and not is_child else None) or said.first_moment,
        size_bytes=source.candidate.size,
        message_count=count,
        resume_command=_resume(summary, source, "-i", "--id"),
        extra={
            "agent_version": (thread.version if thread is not None else None) or described.version,
            "source": (thread.source if thread is not None else None) or (manifest.source if manifest else None),
            "subagent_type": thread.agent if thread is not None and is_child else None,
            **(_of_manifest(manifest) if manifest is not None and not is_child else {}),
            **_common_extra(source),
        },
    )


def _of_manifest(manifest: Manifest) -> dict[str, object]:
    return {
        "interactive": manifest.interactive,
        "status": manifest.status,
        "exit_code": manifest.exit_code,
        "team_name": manifest.team_name,
    }


def _details_of_task(summary: Summary, source: Source, entry: Entry, report: files.Report, read: Reader) -> Details:
    path = source.candidate.path
    contents = tasks.Contents()
    try:
        contents = read(path, contents, tasks.add_messages, can_grow=False)
    except OSError as error:
        files.failed(path, error, report)
    return Details(
        titles=(entry.task, contents.titles.get("first prompt")),
        models=tasks.read_models(path) or ((entry.model_id,) if entry.model_id else ()),
        # A task is named by the millisecond in which it was begun.
        created=instant(summary.uuid) or contents.first_moment,
        size_bytes=source.candidate.size,
        resume_command=_resume(summary, source, "-T"),
        extra=_common_extra(source),
    )


def _common_extra(source: Source) -> dict[str, object]:
    return {
        "copies": list(source.copies) or None,
        "last_activity_source": None if source.has_own_time else "mtime",
    }


def _read(path: str, add: Callable[[Contents, str, int], None], report: files.Report, read: Reader) -> Contents | None:
    try:
        return read(path, Contents(), add, can_grow=False)
    except OSError as error:
        files.failed(path, error, report)
        return None


def _resume(summary: Summary, source: Source, *options: str) -> str | None:
    if not source.can_resume:
        return None
    return resume.command(summary.project_dir, ("cline", *options, summary.uuid))
