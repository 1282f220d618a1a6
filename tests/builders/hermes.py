"""Stores of Hermes Agent."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders.common import CWD, START, put

Record = dict[str, Any]

HOME = ".hermes"
MODEL = "hermes-4-405b"
SCHEMA = 22

COLUMNS = (
    "id TEXT PRIMARY KEY", "source TEXT", "display_name TEXT", "model TEXT", "model_config TEXT", "system_prompt TEXT",
    "parent_session_id TEXT", "started_at REAL", "ended_at REAL", "end_reason TEXT", "message_count INTEGER",
    "cwd TEXT", "git_branch TEXT", "git_repo_root TEXT", "title TEXT", "archived INTEGER NOT NULL DEFAULT 0",
)  # fmt: skip
MESSAGES = (
    "messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, timestamp REAL, "
    "active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0)"
)
USAGE = (
    "session_model_usage (session_id TEXT, model TEXT, task TEXT NOT NULL DEFAULT '', first_seen REAL, last_seen REAL, "
    "PRIMARY KEY (session_id, model, task))"
)


class Session(NamedTuple):
    """A session by the names of its row's columns, with its messages and the models it used."""

    row: Record
    messages: Sequence[Record]
    usage: Sequence[Record]

    @property
    def id(self) -> str:
        return str(self.row["id"])


def key(number: int) -> str:
    """Return a session's id, in whose name stands the time of a clock on the wall."""
    return f"20260310_{90000 + number:06d}_{number:06x}"


def epoch(seconds: float = 0) -> float:
    """Return the instant so many seconds after the start as Hermes writes it."""
    return START.timestamp() + seconds


def said(text: object, seconds: float = 1, role: str = "user", **keys: object) -> Record:
    """Return a message."""
    return {"role": role, "content": text, "timestamp": epoch(seconds), **keys}


def answered(seconds: float = 30, text: str = "Done.", **keys: object) -> Record:
    """Return an answer."""
    return said(text, seconds, "assistant", **keys)


def structured(*parts: object) -> str:
    """Return the content of a message that is more than text."""
    return "\x00json:" + json.dumps(parts)


def used(model: str = MODEL, seconds: float = 2, task: str = "") -> Record:
    """Return what is noted of a model that a session used."""
    return {"model": model, "task": task, "first_seen": epoch(seconds)}


def session(
    number: int = 1,
    messages: Sequence[Record] | None = None,
    *,
    usage: Sequence[Record] | None = None,
    config: object = None,
    **row: object,
) -> Session:
    """Return a session; by default of one prompt and its answer."""
    if messages is None:
        messages = [said(f"Prompt {number}"), answered()]
    columns = {
        "id": key(number),
        "source": "cli",
        "model": MODEL,
        "model_config": json.dumps({"max_iterations": 90, **config} if isinstance(config, dict) else {}),
        "started_at": epoch(),
        "message_count": len(messages),
        "cwd": CWD,
        **row,
    }
    return Session(columns, messages, [used()] if usage is None else usage)


def child(number: int, parent: int, messages: Sequence[Record] | None = None, **row: Any) -> Session:
    """Return a session that another one spawned, which notes no directory."""
    origin = {"source": "subagent", "parent_session_id": key(parent), "cwd": None}
    return session(number, messages, config={"_delegate_from": key(parent)}, **(origin | row))


def database(
    home: Path,
    sessions: Iterable[Session] = (),
    *,
    root: str = HOME,
    schema: int | None = SCHEMA,
    columns: Sequence[str] = COLUMNS,
    others: Sequence[str] = (MESSAGES, USAGE),
) -> Path:
    """Write sessions into a database at rest, a new one or one that is there."""
    path = home / root / "state.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=MEMORY")
        connection.execute("PRAGMA synchronous=OFF")
        for table in (f"sessions ({', '.join(columns)})", *others):
            connection.execute(f"CREATE TABLE IF NOT EXISTS {table}")
        if any(column.startswith("parent_session_id") for column in columns):
            connection.execute("CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id)")
        if any(table.startswith("messages") for table in others):
            connection.execute("CREATE INDEX IF NOT EXISTS idx_messages ON messages(session_id, timestamp)")
        if schema is not None:
            connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
            connection.execute("INSERT INTO schema_version VALUES (?)", (schema,))
        _fill(connection, sessions)
        connection.commit()
        connection.execute("PRAGMA journal_mode=WAL")
    return path


def live_database(
    home: Path, sessions: Iterable[Session], *, shm: bool = True, at_rest: Iterable[Session] = ()
) -> Path:
    """Write a database as a running Hermes keeps it: its newest sessions in the WAL alone."""
    path = home / HOME / "state.db"
    source = database(home, at_rest, root="being-written")
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        _fill(connection, sessions)
        connection.commit()
        for suffix in ("", "-wal", "-shm") if shm else ("", "-wal"):
            shutil.copy(f"{source}{suffix}", f"{path}{suffix}")
    shutil.rmtree(source.parent)
    return path


def change(path: Path, *statements: str) -> Path:
    """Run statements on a database at rest."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def _fill(connection: sqlite3.Connection, sessions: Iterable[Session]) -> None:
    for one in sessions:
        _insert(connection, "sessions", one.row)
        for message in one.messages:
            _insert(connection, "messages", {"session_id": one.id, **message})
        for model in one.usage:
            _insert(connection, "session_model_usage", {"session_id": one.id, **model})


def _insert(connection: sqlite3.Connection, table: str, row: Record) -> None:
    places = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))


# Files of older builds, whose times have no zone


def wall(seconds: float = 0) -> str:
    """Return an instant as a clock in UTC shows it."""
    from datetime import timedelta

    return (START + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()


def snapshot(home: Path, number: int = 1, messages: Sequence[Record] | None = None, **keys: object) -> Path:
    """Write a snapshot of a session."""
    if messages is None:
        messages = [
            {"role": "user", "content": f"Prompt {number}"},
            {"role": "assistant", "content": "Done."},
        ]
    content = {
        "session_id": key(number),
        "model": MODEL,
        "platform": "cli",
        "session_start": wall(),
        "last_updated": wall(30),
        "system_prompt": "…",
        "tools": [],
        "message_count": len(messages),
        "messages": messages,
        **keys,
    }
    return put(home / HOME / "sessions" / f"session_{key(number)}.json", json.dumps(content, indent=2))


def log(home: Path, number: int = 1, messages: Sequence[Record] | bytes | None = None) -> Path:
    """Write a session as the lines of its messages."""
    if messages is None:
        messages = [
            {"role": "session_meta", "model": MODEL, "platform": "telegram", "timestamp": wall()},
            {"role": "user", "content": f"Prompt {number}", "timestamp": wall(1)},
            {"role": "assistant", "content": "Done.", "timestamp": wall(30)},
        ]
    return put(home / HOME / "sessions" / f"{key(number)}.jsonl", messages)
