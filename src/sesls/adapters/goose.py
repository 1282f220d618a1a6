"""Goose, by Block and the Agentic AI Foundation, from public descriptions; never met with a real store.

    <data directory>/sessions/sessions.db       tables `sessions`, `messages`, `usage_ledger` (from 1.10)
    <data directory>/sessions/<id>.jsonl        a session of an older version; the database took it over

Format notes: docs/formats/goose.md.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

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

AGENT = "goose"
LABEL = "Goose"
VERSIONS = "files of 2025, databases of schema 1 to 17"
IS_DESCRIBED = True
FACTS = None
"""One file holds all sessions, with their titles."""

SESSIONS = "sessions"
"""Role of stores."""

# Roles of candidates.
DATABASE = "database"
OLD_FILE = "session of an older version"

_DATABASE = "sessions.db"
_WINDOW = 16 << 10
_HEAD_LINES = 2
# Names that nobody gave; the agent makes a better one after the first prompts.
_DEFAULT_NAMES = frozenset({"", "CLI Session"})


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Visibility(msgspec.Struct, rename="camel"):
    """For whom a message is; what is kept for the model alone was not said by anybody."""

    user_visible: bool | None = None


class Line(msgspec.Struct):
    """A line of an older version's file: the session's own on top, a message each below."""

    working_dir: str | None = None
    description: str | None = None
    message_count: float | None = None
    role: str | None = None
    created: float | None = None
    content: list[Part] | None = None

    @property
    def is_own(self) -> bool:
        """Tell whether this line is the session's own."""
        return self.role is None and (self.description is not None or self.message_count is not None)


class ModelConfig(msgspec.Struct):
    """The model chosen for a session."""

    model_name: str | None = None


class _Content(msgspec.Struct):
    parts: list[Part] | None = None


LINE = msgspec.json.Decoder(Line)
_CONTENT = msgspec.json.Decoder(_Content)
_VISIBILITY = msgspec.json.Decoder(Visibility)
_MODEL = msgspec.json.Decoder(ModelConfig)


class Row(msgspec.Struct, frozen=True):
    """A session, as its row or its own line tells of it."""

    id: str
    parent_id: str | None = None
    kind: str | None = None
    """`user`, `scheduled`, `sub_agent`, `hidden`, `terminal`, `gateway` or `acp`; from schema 5 on."""
    directory: str | None = None
    name: str | None = None
    created: Instant | None = None
    last_activity: Instant | None = None
    """The last message's time, else the row's own, which a change of the name moves too."""
    model: str | None = None
    archived: bool = False


class Messages(msgspec.Struct):
    """What a session's messages tell."""

    count: int = 0
    models: dict[str, None] = msgspec.field(default_factory=dict)
    first_prompt: str | None = None


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its row, where that was found, and the other places."""

    candidate: Candidate
    row: Row
    copies: tuple[str, ...]


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folders of sessions: the one a variable names, else those of every operating system."""
    moved = environment.value("GOOSE_PATH_ROOT")
    if moved is not None and os.path.isabs(moved):  # else it counts for nothing
        return (Store(os.path.join(moved, "data", "sessions"), SESSIONS),)
    roaming = (environment.directory("APPDATA"), environment.in_home("AppData", "Roaming"))
    places = [os.path.join(environment.data_home(), "goose", "sessions")]
    places += [os.path.join(home, "Block", "goose", "data", "sessions") for home in roaming if home]
    return tuple(Store(path, SESSIONS) for path in dict.fromkeys(places))


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the database of a store, and the files of older versions."""
    entries = files.entries(store.path, report)
    yield from files.candidates([entry for entry in entries if entry.name == _DATABASE], DATABASE, store, report)
    old = [entry for entry in entries if entry.name.endswith(".jsonl") and not entry.name.startswith(".")]
    yield from files.candidates(old, OLD_FILE, store, report)


def summarise(candidate: Candidate) -> tuple[Row, ...] | None:
    """Return the sessions of the database, or of one file; see `Adapter.summarise`."""
    if candidate.role == DATABASE:
        return databases.read(candidate.path, _rows)
    row = _read_file(candidate)
    return None if row is None else (row,)


def _rows(connection: sqlite3.Connection) -> tuple[Row, ...]:
    columns = sqlite.columns(connection, "sessions")
    if not columns:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise sqlite.UnreadableError("has no table of sessions")
        return ()
    names = (
        "id", "parent_session_id", "session_type", "working_dir", "name", "description", "created_at", "updated_at",
        "model_config_json", "archived_at",
    )  # fmt: skip
    selected = sqlite.selection(names, columns, "s")
    last = _last_message(connection)
    queries = [f"SELECT {selected}, {moment} FROM sessions AS s" for moment in (last, "NULL")]
    return tuple(_row(row) for row in sqlite.rows(connection, *queries) if isinstance(row[0], str) and row[0])


def _last_message(connection: sqlite3.Connection) -> str:
    """Return an expression for the time of a session's last message, found by an index alone."""
    if not {"id", "session_id", "created_timestamp"} <= sqlite.columns(connection, "messages"):
        return "NULL"
    last = "(SELECT max(id) FROM messages WHERE session_id = s.id)"
    return f"(SELECT created_timestamp FROM messages WHERE id = {last})"


def _row(row: Sequence[Any]) -> Row:
    session, parent, kind, directory, name, description, created, updated, model, archived, last = row
    chosen = jsonl.whole(model.encode("utf-8", "replace"), _MODEL) if isinstance(model, str) and model else None
    return Row(
        id=session,
        parent_id=sqlite.text(parent),
        kind=sqlite.text(kind),
        directory=sqlite.text(directory),
        name=sqlite.text(name) or sqlite.text(description),
        created=instant(created),
        # Seconds, or milliseconds in what was imported.
        last_activity=instant(last) or instant(updated) or instant(created),
        model=chosen.model_name if chosen is not None else None,
        archived=archived is not None,
    )


def _read_file(candidate: Candidate) -> Row | None:
    with jsonl.opened(candidate.path) as file:
        head = list(islice(jsonl.records(jsonl.lines(jsonl.blocks(file, _WINDOW)), LINE), _HEAD_LINES))
        if not any(line.is_own or line.role for line in head):
            if file.size:
                raise ValueError("holds no readable record")
            return None
        tail = jsonl.tail(file, LINE, _WINDOW, lambda line: line.created is not None)
    own = head[0] if head[0].is_own else Line()
    moments = [moment for line in (*head, *tail) if (moment := instant(line.created)) is not None]
    return Row(
        id=os.path.basename(candidate.path).removesuffix(".jsonl"),
        directory=own.working_dir,
        name=own.description,
        created=next((moment for line in head if (moment := instant(line.created)) is not None), None),
        last_activity=max(moments, default=None),
    )


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Goose's sessions, each once; see `Adapter.unite`. The files of older versions stay beside the database."""
    found: dict[str, list[tuple[Candidate, Row]]] = defaultdict(list)
    for candidate, rows in findings:
        assert isinstance(rows, tuple)
        for row in rows:
            found[row.id].append((candidate, row))
    for places in found.values():
        places.sort(key=lambda place: (place[0].role != DATABASE, -(place[1].last_activity or 0), place[0].path))
        yield _session(places)


def _session(places: Sequence[tuple[Candidate, Row]]) -> Summary:
    candidate, row = places[0]
    is_subagent = row.kind == "sub_agent" or row.parent_id is not None
    return Summary(
        agent=AGENT,
        uuid=row.id,
        kind="subagent" if is_subagent else "agent",
        parent_uuid=row.parent_id,
        project_dir=absolute_or_none(row.directory),
        launch_surface=None,
        last_activity=candidate.last_activity(row.last_activity),
        path=candidate.path,
        source=Source(candidate, row, tuple(place.path for place, _ in places[1:])),
    )


Hints = Mapping[tuple[str, str], Messages]


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> Hints:
    """Return what the messages of some sessions tell, each database asked once; see `Adapter.hints`."""
    rows = [one for one in summaries if isinstance(one.source, Source) and one.source.candidate.role == DATABASE]
    untitled = frozenset(
        one.uuid for one in rows if isinstance(one.source, Source) and (one.source.row.name or "") in _DEFAULT_NAMES
    )
    return databases.told_of(rows, partial(_messages, untitled), report)


def _messages(untitled: Collection[str], ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, Messages]:
    columns = sqlite.columns(connection, "messages")
    if not {"session_id", "role", "content_json"} <= columns:
        return {}
    found = {session: Messages() for session in ids}
    metadata = sqlite.selection(["metadata_json"], columns)
    order = ", ".join(name for name in ("created_timestamp", "id") if name in columns) or "rowid"
    query = (
        f"SELECT session_id, role, CAST(content_json AS BLOB), CAST({metadata} AS BLOB) FROM messages "
        f"WHERE session_id IN ({{}}) ORDER BY session_id, {order}"
    )
    for session, role, content, data in sqlite.rows_of(connection, query, ids):
        visibility = jsonl.whole(data or b"", _VISIBILITY)
        if visibility is not None and visibility.user_visible is False:
            continue
        message = jsonl.whole(b'{"parts":' + (content or b"") + b"}", _CONTENT)
        parts = (message.parts or []) if message is not None else []
        _add(found[session], role, parts, wants_prompt=session in untitled)
    _add_models(found, ids, connection)
    return found


def _add(messages: Messages, role: object, parts: Sequence[Part], *, wants_prompt: bool = True) -> None:
    """Count a message; a user's that only returns what tools answered is none."""
    if role == "assistant":
        messages.count += 1
    elif role == "user" and any(part.type != "toolResponse" for part in parts):
        messages.count += 1
        if wants_prompt and messages.first_prompt is None:
            texts = (part.text for part in parts if part.type == "text")
            messages.first_prompt = next((text for text in texts if text and text.strip()), None)


def _add_models(found: Mapping[str, Messages], ids: Sequence[str], connection: sqlite3.Connection) -> None:
    """Add the models that answered, which the ledger of usage names (from schema 15 on)."""
    if not {"session_id", "model"} <= sqlite.columns(connection, "usage_ledger"):
        return
    query = "SELECT session_id, model FROM usage_ledger WHERE session_id IN ({}) ORDER BY session_id, rowid"
    for session, model in sqlite.rows_of(connection, query, ids):
        if (name := sqlite.text(model)) is not None:
            found[session].models[name] = None


class Contents(msgspec.Struct):
    """What all lines of an older version's file tell."""

    titles: dict[Literal["first prompt"], str] = msgspec.field(default_factory=dict)
    messages: int = 0


def add_lines(contents: Contents, path: str, offset: int) -> None:
    """Add what the lines of an older version's file tell from an offset on. Raises OSError."""
    messages = Messages(first_prompt=contents.titles.get("first prompt"))
    with jsonl.opened(path) as file:
        for line in jsonl.all_records(file, LINE, offset):
            _add(messages, line.role, line.content or [])
    contents.messages += messages.count
    if messages.first_prompt is not None:
        contents.titles["first prompt"] = messages.first_prompt


def details(summary: Summary, hints: Hints, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Goose's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    candidate, row = source.candidate, source.row
    if candidate.role == DATABASE:
        messages = hints.get((candidate.path, row.id))
        resumed: str | None = _resume(summary)
    else:
        messages, resumed = _messages_of_file(candidate, report, read), None
    models = tuple(messages.models) if messages is not None else ()
    prompt = messages.first_prompt if messages is not None else None
    is_named = (row.name or "") not in _DEFAULT_NAMES
    return Details(
        titles=(row.name, prompt) if is_named else (prompt, row.name),
        models=models or ((row.model,) if row.model else ()),
        created=row.created,
        size_bytes=None if candidate.role == DATABASE else candidate.size,
        message_count=messages.count if messages is not None else None,
        resume_command=resumed,
        extra={
            "archived": row.archived or None,
            "hidden": row.kind == "hidden" or None,
            "session_kind": row.kind if row.kind not in ("user", "sub_agent", "hidden") else None,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if row.last_activity is None else None,
        },
    )


def _messages_of_file(candidate: Candidate, report: files.Report, read: Reader) -> Messages | None:
    try:
        contents = read(candidate.path, Contents(), add_lines)
    except OSError as error:
        files.failed(candidate.path, error, report)
        return None
    return Messages(contents.messages, {}, contents.titles.get("first prompt"))


def _resume(summary: Summary) -> str | None:
    if summary.kind == "subagent":
        return None
    return resume.command(summary.project_dir, ("goose", "session", "--resume", "--session-id", summary.uuid))
