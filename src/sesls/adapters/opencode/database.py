"""OpenCode's databases: tables `session`, `message` and `part` (1.x), `session_v2` and `session_message` (2.x).

Columns come and go and their order differs between created and migrated databases, so they are selected by name and
only where they exist. The two generations of tables can hold the same sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from sesls.adapters import databases
from sesls.adapters.opencode.records import MESSAGE, MODEL, PART, Message, text_of
from sesls.formats import jsonl, sqlite
from sesls.instants import Instant, instant

if TYPE_CHECKING:
    import sqlite3

# Newest first: 2.x copied the older sessions, and renames happen in its own tables.
_SESSION_TABLES = ("session_v2", "session")
_MESSAGE_TABLES = ("session_message", "message")
_LAST_MESSAGES = 5
_PROMPTS_LOOKED_AT = 5


class Row(msgspec.Struct, frozen=True):
    """A session's row."""

    id: str
    parent_id: str | None
    directory: str | None
    title: str | None
    created: Instant | None
    last_activity: Instant | None
    """The later of the row's own time and the last messages'. `message.time_updated` is the time of a migration."""
    archived: bool
    version: str | None
    agent: str | None
    model: str | None
    """The last one chosen, which may never have answered."""
    forked_from: str | None


class Messages(msgspec.Struct):
    """What a session's messages tell."""

    count: int
    models: dict[str, None]
    first_prompt: str | None


def read_rows(path: str) -> tuple[Row, ...]:
    """Return all sessions of a database, each once, in one query for each of its session tables.

    Raises OSError, and ValueError when it is no database or has tables but none of sessions.
    """
    return databases.read(path, _rows)


def read_messages(path: str, ids: Sequence[str], with_prompts: frozenset[str]) -> dict[str, Messages]:
    """Return what the messages of some sessions tell; the first prompt only for those asked for.

    Raises OSError and ValueError, as `read_rows` does.
    """
    return databases.read(path, partial(_messages, ids, with_prompts))


def _rows(connection: sqlite3.Connection) -> tuple[Row, ...]:
    connection.create_function("message_moment", 2, _moment)
    found: dict[str, Row] = {}
    tables = [table for table in _SESSION_TABLES if sqlite.columns(connection, table)]
    if not tables and connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        raise sqlite.UnreadableError("has no table of sessions")
    for table in tables:
        # Without what messages tell where those are damaged.
        queries = [_session_query(connection, table, messages) for messages in (_MESSAGE_TABLES, ())]
        for row in sqlite.rows(connection, *queries):
            if isinstance(row[0], str) and row[0]:
                found.setdefault(row[0], _row(row))
    return tuple(found.values())


def _session_query(connection: sqlite3.Connection, table: str, message_tables: Sequence[str]) -> str:
    columns = sqlite.columns(connection, table)
    names = (
        "id", "parent_id", "directory", "title", "time_created", "time_updated", "time_archived", "version",
        "agent", "model", "fork_session_id",
    )  # fmt: skip
    selected = sqlite.selection(names, columns, "s")
    moments = [_last_moment(connection, messages) for messages in message_tables]
    return f"SELECT {', '.join([selected, *moments])} FROM {table} AS s"


def _last_moment(connection: sqlite3.Connection, table: str) -> str:
    """Return an expression for the latest moment among a session's last messages, which an index finds."""
    if not _can_read(connection, table):
        return "NULL"
    columns = sqlite.columns(connection, table)
    created = "time_created" if "time_created" in columns else "NULL"
    order = "time_created" if "time_created" in columns else "seq" if "seq" in columns else "rowid"
    # By their row's number, so that no data is read to be sorted where no index has the times (1.2).
    last = f"SELECT rowid FROM {table} WHERE session_id = s.id ORDER BY {order} DESC LIMIT {_LAST_MESSAGES}"
    moment = f"message_moment(CAST(data AS BLOB), {created})"
    return f"(SELECT max({moment}) FROM {table} WHERE rowid IN ({last}))"


def _moment(data: bytes | None, created: object) -> Instant | None:
    message = jsonl.whole(data or b"", MESSAGE)
    return (message.moment if message is not None else None) or instant(created)


def _row(row: Sequence[Any]) -> Row:
    session, parent, directory, title, created, updated, archived, version, agent, model, fork, *moments = row
    times = [moment for value in (updated, created, *moments) if (moment := instant(value)) is not None]
    chosen = jsonl.whole(model.encode("utf-8", "replace"), MODEL) if isinstance(model, str) and model else None
    return Row(
        id=session,
        parent_id=sqlite.text(parent),
        directory=sqlite.text(directory),
        title=sqlite.text(title),
        created=instant(created),
        last_activity=max(times, default=None),
        archived=archived is not None,
        version=sqlite.text(version),
        agent=sqlite.text(agent),
        model=sqlite.text(chosen.id) if chosen is not None else None,
        forked_from=sqlite.text(fork),
    )


def _messages(ids: Sequence[str], with_prompts: frozenset[str], connection: sqlite3.Connection) -> dict[str, Messages]:
    if not any(map(partial(_can_read, connection), _MESSAGE_TABLES)):
        return {}
    found = {session: Messages(0, {}, None) for session in ids}
    prompts: dict[str, list[str]] = {}
    for session, message_id, message in _all_messages(ids, connection):
        if message.role not in ("user", "assistant"):
            continue
        one = found[session]
        one.count += 1
        if message.role == "assistant":
            if model := message.answering_model:
                one.models[model] = None
        elif session in with_prompts and one.first_prompt is None:
            one.first_prompt = message.own_text
            prompts.setdefault(session, []).append(message_id)
    if {"id", "message_id", "data"} <= sqlite.columns(connection, "part"):
        for session, message_ids in prompts.items():
            texts = (_part_text(one, connection) for one in message_ids[:_PROMPTS_LOOKED_AT])
            found[session].first_prompt = found[session].first_prompt or next(filter(None, texts), None)
    return found


def _all_messages(ids: Sequence[str], connection: sqlite3.Connection) -> Iterator[tuple[str, str, Message]]:
    """Yield the messages of some sessions in the order of time, with their session and id.

    2.x copied those of 1.x into its own table and left them where they were.
    """
    done: set[str] = set()
    for table in filter(partial(_can_read, connection), _MESSAGE_TABLES):
        columns = sqlite.columns(connection, table)
        kind = "type" if "type" in columns else "NULL"
        order = ", ".join(name for name in ("seq", "time_created", "id") if name in columns) or "rowid"
        identity = "id" if "id" in columns else "NULL"
        query = (
            f"SELECT session_id, {identity}, {kind}, CAST(data AS BLOB) FROM {table} "
            f"WHERE session_id IN ({{}}) ORDER BY session_id, {order}"
        )
        for session, message_id, role, data in sqlite.rows_of(connection, query, [*(set(ids) - done)]):
            done.add(session)
            message = jsonl.whole(data or b"", MESSAGE)
            if message is not None:
                message.role = message.role or sqlite.text(role)
                yield session, str(message_id), message


def _can_read(connection: sqlite3.Connection, table: str) -> bool:
    return {"session_id", "data"} <= sqlite.columns(connection, table)


def _part_text(message_id: str, connection: sqlite3.Connection) -> str | None:
    rows = connection.execute("SELECT CAST(data AS BLOB) FROM part WHERE message_id = ? ORDER BY id", (message_id,))
    return text_of(list(jsonl.records((data for (data,) in rows if data), PART)))
