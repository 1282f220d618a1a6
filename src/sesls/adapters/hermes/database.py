"""Hermes Agent's database: tables `sessions`, `messages` and `session_model_usage`, seen in 0.19.0 (schema 22).

Columns were added over time, so they are selected by name and only where they exist. Times are epoch seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from sesls.adapters import databases
from sesls.adapters.hermes.records import text_of
from sesls.formats import jsonl, sqlite
from sesls.instants import LATEST, Instant, instant

if TYPE_CHECKING:
    import sqlite3

_ORPHANED = "__orphaned__"
"""Stands for the parent of a subagent whose parent was deleted."""
_MARKED_SINCE = 16
"""The schema from which on every subagent is marked as one."""
_PROMPTS_LOOKED_AT = 5
_LONGEST_PROMPT = 1 << 20
_STRUCTURED = b"\x00json:"
"""Begins the content of a message that is no plain text but JSON."""


class _Configuration(msgspec.Struct, rename={"delegate_from": "_delegate_from", "branched_from": "_branched_from"}):
    """What a session was started with, as far as it tells where it came from."""

    delegate_from: str | None = None
    branched_from: str | None = None


_CONFIGURATION = msgspec.json.Decoder(_Configuration)


class Row(msgspec.Struct, frozen=True):
    """A session."""

    id: str
    created: Instant | None = None
    last_activity: Instant | None = None
    titles: dict[Literal["title", "first prompt"], str] = msgspec.field(default_factory=dict)
    """The first prompt is here for a file that is read in one."""
    directory: str | None = None
    model: str | None = None
    """The last one chosen."""
    is_subagent: bool = False
    parent: str | None = None
    forked_from: str | None = None
    continues: str | None = None
    """The session that was compacted, and went on as this one."""
    source: str | None = None
    """What it was begun from: `cli`, `telegram`, `cron` and so on."""
    archived: bool = False
    git_branch: str | None = None
    messages: int | None = None
    """How many, for a file that is read in one."""


class Messages(msgspec.Struct):
    """What a session's messages tell."""

    count: int | None = None
    models: dict[str, None] = msgspec.field(default_factory=dict)
    first_prompt: str | None = None


def read_rows(path: str) -> tuple[Row, ...]:
    """Return all sessions of a database in which somebody said something, in one query.

    Raises OSError, and ValueError when it is no database or has tables but none of sessions.
    """
    return databases.read(path, _rows)


def _rows(connection: sqlite3.Connection) -> tuple[Row, ...]:
    if not sqlite.columns(connection, "sessions"):
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise sqlite.UnreadableError("has no table of sessions")
        return ()
    are_marked = _schema(connection) >= _MARKED_SINCE
    has_messages = {"session_id", "role"} <= sqlite.columns(connection, "messages")
    # Without what messages tell where those are damaged.
    rows = sqlite.rows(
        connection, *(_query(connection, with_messages=with_them) for with_them in (has_messages, False))
    )
    return tuple(_row(row, are_marked) for row in rows if isinstance(row[0], str) and row[0] and row[1])


def _schema(connection: sqlite3.Connection) -> int:
    if "version" not in sqlite.columns(connection, "schema_version"):
        return 0
    (version,) = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    return version if isinstance(version, int) else 0


def _query(connection: sqlite3.Connection, *, with_messages: bool) -> str:
    columns = sqlite.columns(connection, "sessions")

    def column(name: str, table: str = "s") -> str:
        return f"{table}.{name}" if name in columns else "NULL"

    # Runs that were killed or never used leave a row without messages, or with the system's alone.
    is_used, last_moment = f"{column('message_count')} > 0", "NULL"
    if with_messages:
        own = "FROM messages WHERE session_id = s.id"
        is_used = f"EXISTS (SELECT 1 {own} AND role IN ('user', 'assistant'))"
        if "timestamp" in sqlite.columns(connection, "messages"):
            is_moment = f"typeof(timestamp) IN ('real', 'integer') AND timestamp <= {LATEST // 1000}"
            last_moment = f"(SELECT timestamp {own} AND {is_moment} ORDER BY timestamp DESC LIMIT 1)"
    names = (
        "started_at", "title", "cwd", "model", "model_config", "parent_session_id", "source", "archived", "git_branch",
    )  # fmt: skip
    parent = f"LEFT JOIN sessions AS p ON p.id = {column('parent_session_id')}"
    selected = ", ".join(["s.id", is_used, last_moment, *map(column, names), column("end_reason", "p")])
    return f"SELECT {selected} FROM sessions AS s {parent}"


def _row(row: Sequence[Any], are_marked: bool) -> Row:
    session, _, last, started, title, cwd, model, configuration, parent, source, archived, branch, parent_end = row
    settings = (sqlite.text(configuration) or "").encode("utf-8", "replace")
    found = jsonl.whole(settings, _CONFIGURATION) or _Configuration()
    parent = sqlite.text(parent)
    is_branch = found.branched_from is not None or parent_end == "branched"
    is_continuation = parent_end == "compression" and not is_branch
    is_subagent = (
        source == "subagent"
        or found.delegate_from is not None
        or (not are_marked and parent is not None and not is_branch and not is_continuation)
    )
    delegated_by = found.delegate_from if found.delegate_from != _ORPHANED else None
    return Row(
        id=session,
        created=instant(started),
        last_activity=instant(last) or instant(started),
        titles={"title": title} if sqlite.text(title) else {},
        directory=sqlite.text(cwd),
        model=sqlite.text(model),
        is_subagent=is_subagent,
        parent=(parent or sqlite.text(delegated_by)) if is_subagent else None,
        forked_from=(found.branched_from or parent) if is_branch and not is_subagent else None,
        continues=parent if is_continuation and not is_subagent else None,
        source=sqlite.text(source),
        archived=bool(archived),
        git_branch=sqlite.text(branch),
    )


def messages(with_prompts: frozenset[str], ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, Messages]:
    """Return what the messages of some sessions tell; the first prompt only for those asked for."""
    found = {session: Messages() for session in ids}
    columns = sqlite.columns(connection, "messages")
    if {"session_id", "role"} <= columns:
        # What was taken back (`/undo`) or summarised (`compacted`) is not active any more.
        active = "coalesce(active, 1) != 0" if "active" in columns else "1"
        query = (
            "SELECT session_id, count(*) FROM messages WHERE session_id IN ({}) "
            f"AND role IN ('user', 'assistant') AND {active} GROUP BY session_id"
        )
        for one in found.values():
            one.count = 0
        for session, count in sqlite.rows_of(connection, query, ids):
            found[session].count = count
    if {"session_id", "role", "content"} <= columns:
        for session in sorted(with_prompts & found.keys()):
            found[session].first_prompt = _first_prompt(session, columns, connection)
    for session, model in _models(ids, connection):
        found[session].models[model] = None
    return found


def _first_prompt(session: str, columns: frozenset[str], connection: sqlite3.Connection) -> str | None:
    is_left = "1"
    if {"active", "compacted"} <= columns:
        is_left = "(coalesce(active, 1) != 0 OR compacted != 0)"
    order = "timestamp, rowid" if "timestamp" in columns else "rowid"
    query = (
        f"SELECT substr(CAST(content AS BLOB), 1, {_LONGEST_PROMPT}) FROM messages "
        f"WHERE session_id IN ({{}}) AND role = 'user' AND {is_left} ORDER BY {order} LIMIT {_PROMPTS_LOOKED_AT}"
    )
    texts = (_prompt(content) for (content,) in sqlite.rows_of(connection, query, [session]))
    return next(filter(None, texts), None)


def _prompt(content: bytes | None) -> str | None:
    if not content:
        return None
    if content.startswith(_STRUCTURED):
        return text_of(content.removeprefix(_STRUCTURED))
    return text_of(content.decode("utf-8", "replace"))


def _models(ids: Sequence[str], connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the models that answered in some sessions, in the order of their first use; not those of helpers."""
    columns = sqlite.columns(connection, "session_model_usage")
    if not {"session_id", "model"} <= columns:
        return []
    own = "AND coalesce(task, '') = ''" if "task" in columns else ""
    order = "first_seen, model" if "first_seen" in columns else "model"
    query = f"SELECT session_id, model FROM session_model_usage WHERE session_id IN ({{}}) {own} ORDER BY {order}"
    return [(session, model) for session, model in sqlite.rows_of(connection, query, ids) if sqlite.text(model)]
