"""Crush, by Charm, from public descriptions; never met with a real store.

    <global data directory>/projects.json      the projects it was used in, each with its data directory
    <data directory>/crush.db                   tables `sessions` and `messages`

Format notes: docs/formats/crush.md.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from sesls.adapters import databases, resume
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files, jsonl, sqlite
from sesls.instants import Instant, instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Store, Summary

if TYPE_CHECKING:
    import sqlite3

AGENT = "crush"
LABEL = "Crush"
VERSIONS = "databases of April 2025 to August 2026"
IS_DESCRIBED = True
FACTS = None
"""One file holds all sessions of a project, with their titles."""

# Roles of stores.
PROJECTS = "list of projects"
PROJECT = "data directory of a project"

# Role of candidates.
DATABASE = "database"

_LIST = "projects.json"
_DATABASE = "crush.db"
# Titles that nobody gave, which stay where the model that makes titles failed.
_DEFAULT_TITLES = frozenset({"", "Untitled Session", "New Session"})


class _Project(msgspec.Struct):
    path: str | None = None
    """The directory that Crush was started in."""
    data_dir: str | None = None


class _Projects(msgspec.Struct):
    projects: list[_Project] | None = None


_PROJECTS = msgspec.json.Decoder(_Projects)


class _PartData(msgspec.Struct):
    text: str | None = None


class _Part(msgspec.Struct):
    type: str | None = None
    data: _PartData | None = None


class _Parts(msgspec.Struct):
    parts: list[_Part] | None = None


_PARTS = msgspec.json.Decoder(_Parts)


class Row(msgspec.Struct, frozen=True):
    """A session's row."""

    id: str
    parent_id: str | None
    title: str | None
    created: Instant | None
    last_activity: Instant | None
    """The later of the row's own time and the last message's."""


class Messages(msgspec.Struct):
    """What a session's messages tell."""

    count: int = 0
    models: dict[str, None] = msgspec.field(default_factory=dict)
    first_prompt: str | None = None


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its row, and the other databases that hold it."""

    row: Row
    copies: tuple[str, ...]


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the global data directories, and the data directories of the projects that are listed there."""
    homes = _global_directories(environment)
    listed = dict.fromkeys(data for home in homes for data, _ in _listed(home))
    return (*(Store(home, PROJECTS) for home in homes), *(Store(data, PROJECT) for data in listed if data not in homes))


def _global_directories(environment: Environment) -> list[str]:
    moved = environment.directory("CRUSH_GLOBAL_DATA")
    if moved is not None:
        return [moved]
    return [os.path.join(home, "crush") for home in (environment.data_home(), *environment.local_data_homes())]


def _listed(home: str) -> Iterator[tuple[str, str]]:
    """Yield the data directory of each listed project, with the directory that Crush was started in."""
    found = jsonl.small(os.path.join(home, _LIST), _PROJECTS)
    for project in (found.projects or ()) if found is not None else ():
        data = os.path.normpath(os.path.join(project.path or "", project.data_dir or ""))
        if project.path and project.data_dir and os.path.isabs(data):
            yield data, project.path


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the database of a data directory; a list of projects that cannot be read is reported."""
    entries = files.entries(store.path, report)
    if store.role == PROJECTS:
        for entry in entries:
            if entry.name == _LIST and jsonl.small(entry.path, _PROJECTS) is None:
                report(entry.path, "is no readable list of projects")
    yield from files.candidates([entry for entry in entries if entry.name == _DATABASE], DATABASE, store, report)


def summarise(candidate: Candidate) -> tuple[Row, ...]:
    """Return the sessions of one database; see `Adapter.summarise`."""
    return databases.read(candidate.path, _rows)


def _rows(connection: sqlite3.Connection) -> tuple[Row, ...]:
    columns = sqlite.columns(connection, "sessions")
    if not columns:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise sqlite.UnreadableError("has no table of sessions")
        return ()
    names = ("id", "parent_session_id", "title", "created_at", "updated_at")
    selected = sqlite.selection(names, columns, "s")
    queries = [f"SELECT {', '.join([selected, *moments])} FROM sessions AS s" for moments in (_moments(connection), ())]
    return tuple(_row(row) for row in sqlite.rows(connection, *queries) if isinstance(row[0], str) and row[0])


def _moments(connection: sqlite3.Connection) -> list[str]:
    """Return expressions for the times of a session's last message, which an index finds without reading the others."""
    columns = sqlite.columns(connection, "messages")
    if "session_id" not in columns:
        return []
    last = "(SELECT max(rowid) FROM messages WHERE session_id = s.id)"
    times = [name for name in ("created_at", "updated_at", "finished_at") if name in columns]
    return [f"(SELECT {name} FROM messages WHERE rowid = {last})" for name in times]


def _row(row: Sequence[Any]) -> Row:
    session, parent, title, created, updated, *moments = row
    # Seconds, whatever the comments in Crush's own schema say.
    times = [moment for value in (created, updated, *moments) if (moment := instant(value)) is not None]
    return Row(
        id=session,
        parent_id=sqlite.text(parent),
        title=sqlite.text(title),
        created=instant(created),
        last_activity=max(times, default=None),
    )


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Crush's sessions, each once; see `Adapter.unite`."""
    directories = _project_dirs(environment)
    found: dict[str, list[tuple[Candidate, Row]]] = defaultdict(list)
    for candidate, rows in findings:
        assert isinstance(rows, tuple)
        for row in rows:
            found[row.id].append((candidate, row))
    for places in found.values():
        places.sort(key=lambda place: (-(place[1].last_activity or 0), place[0].path))
        yield _session(places, directories)


def _project_dirs(environment: Environment) -> Mapping[str, str]:
    """Return the directory that Crush ran in, by the data directory, where only one shares it.

    Nothing in a database tells which of several directories a session ran in.
    """
    users: dict[str, set[str]] = defaultdict(set)
    for home in _global_directories(environment):
        for data, path in _listed(home):
            users[data].add(path)
    return {data: paths.pop() for data, paths in users.items() if len(paths) == 1}


def _session(places: Sequence[tuple[Candidate, Row]], directories: Mapping[str, str]) -> Summary:
    candidate, row = places[0]
    return Summary(
        agent=AGENT,
        uuid=row.id,
        # A session of the `agent` tool, or the one in which a title was made.
        kind="agent" if row.parent_id is None else "subagent",
        parent_uuid=row.parent_id,
        project_dir=absolute_or_none(directories.get(candidate.store.path)),
        launch_surface=None,
        last_activity=candidate.last_activity(row.last_activity),
        path=candidate.path,
        source=Source(row, tuple(place.path for place, _ in places[1:])),
    )


Hints = Mapping[tuple[str, str], Messages]


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> Hints:
    """Return what the messages of some sessions tell, each database asked once; see `Adapter.hints`."""
    untitled = frozenset(summary.uuid for summary in summaries if not _is_titled(summary))
    return databases.told_of(summaries, partial(_messages, untitled), report)


def _is_titled(summary: Summary) -> bool:
    return isinstance(summary.source, Source) and (summary.source.row.title or "") not in _DEFAULT_TITLES


def _messages(untitled: Collection[str], ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, Messages]:
    columns = sqlite.columns(connection, "messages")
    if not {"session_id", "role"} <= columns:
        return {}
    found = {session: Messages() for session in ids}
    order = ", ".join(name for name in ("created_at", "rowid") if name in columns or name == "rowid")
    is_summary = "is_summary_message" if "is_summary_message" in columns else "0"
    model = sqlite.selection(["model"], columns)
    query = (
        f"SELECT session_id, role, {model} FROM messages WHERE session_id IN ({{}}) AND NOT {is_summary} "
        f"ORDER BY session_id, {order}"
    )
    for session, role, name in sqlite.rows_of(connection, query, ids):
        if role in ("user", "assistant"):
            found[session].count += 1
        if role == "assistant" and (used := sqlite.text(name)) is not None:
            found[session].models[used] = None
    if "parts" in columns:
        for session in found.keys() & set(untitled):
            found[session].first_prompt = _first_prompt(session, order, connection)
    return found


def _first_prompt(session: str, order: str, connection: sqlite3.Connection) -> str | None:
    query = (
        "SELECT CAST(parts AS BLOB) FROM messages WHERE session_id = ? AND role = 'user' AND parts IS NOT NULL "
        f"ORDER BY {order} LIMIT 1"
    )
    row = connection.execute(query, (session,)).fetchone()
    found = jsonl.whole(b'{"parts":' + row[0] + b"}", _PARTS) if row is not None else None
    parts = (found.parts or ()) if found is not None else ()
    texts = (part.data.text for part in parts if part.type == "text" and part.data is not None)
    return next((text for text in texts if text and text.strip()), None)


def details(summary: Summary, hints: Hints, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Crush's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    row, messages = source.row, hints.get((summary.path, summary.uuid))
    return Details(
        titles=(messages.first_prompt if messages is not None else None, row.title),
        models=tuple(messages.models) if messages is not None else (),
        created=row.created,
        message_count=messages.count if messages is not None else None,
        resume_command=_resume(summary),
        extra={
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if row.last_activity is None else None,
        },
    )


def _resume(summary: Summary) -> str | None:
    # Crush finds its data directory from where it is started.
    if summary.kind == "subagent" or summary.project_dir is None:
        return None
    return resume.command(summary.project_dir, ("crush", "--session", summary.uuid))
