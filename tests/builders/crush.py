"""Stores of Crush, as its public sources write them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.builders.common import START, put, uuid

Row = dict[str, Any]

GLOBAL = ".local/share/crush"
MODEL = "claude-sonnet-4-5"

SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
    summary_message_id TEXT, todos TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
    parts TEXT NOT NULL default '[]', model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL);
CREATE INDEX idx_messages_session_id ON messages (session_id);
"""


def epoch(seconds: float = 0) -> int:
    """Return the instant so many seconds after the start as Crush writes it."""
    return round(START.timestamp() + seconds)


def said(text: str, seconds: float = 1, **columns: object) -> Row:
    """Return a prompt."""
    return message("user", [{"type": "text", "data": {"text": text}}], seconds, **columns)


def answered(seconds: float = 30, model: str = MODEL, **columns: object) -> Row:
    """Return an answer."""
    parts = [{"type": "text", "data": {"text": "Done."}}, {"type": "finish", "data": {"reason": "end_turn"}}]
    return message("assistant", parts, seconds, model=model, **columns)


def message(role: str, parts: object, seconds: float = 1, **columns: object) -> Row:
    """Return a message's row."""
    times = {"created_at": epoch(seconds), "updated_at": epoch(seconds)}
    return {"role": role, "parts": parts if isinstance(parts, str | bytes) else json.dumps(parts), **times, **columns}


def session(number: int = 1, messages: Sequence[Row] | None = None, **columns: object) -> tuple[Row, Sequence[Row]]:
    """Return a session's row and its messages; by default a prompt and its answer."""
    row = {"id": uuid(number), "title": f"Title {number}", "created_at": epoch(), "updated_at": epoch(), **columns}
    return row, [said(f"Prompt {number}"), answered()] if messages is None else messages


def database(path: Path, sessions: Iterable[tuple[Row, Sequence[Row]]], schema: str = SCHEMA) -> Path:
    """Write the database of a project's data directory."""
    path.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path / "crush.db")) as connection:
        connection.executescript(schema)
        for row, messages in sessions:
            insert(connection, "sessions", row)
            for place, one in enumerate(messages):
                insert(connection, "messages", {"id": f"{row['id']}-{place}", "session_id": row["id"], **one})
        connection.commit()
    return path / "crush.db"


def insert(connection: sqlite3.Connection, table: str, row: Row) -> None:
    """Insert a row into a table."""
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", [*row.values()])


def projects(home: Path, *directories: tuple[Path | str, Path | str], root: str = GLOBAL) -> Path:
    """Write the list of projects: the directory that Crush was started in, and its data directory."""
    listed = [{"path": str(path), "data_dir": str(data), "last_accessed": "2026-03-10"} for path, data in directories]
    return put(home / root / "projects.json", json.dumps({"projects": listed}))


def project(home: Path, *sessions: tuple[Row, Sequence[Row]], name: str = "orchard") -> Path:
    """Write the only project of a home, with some sessions, and return its directory."""
    directory = home / name
    database(directory / ".crush", sessions or [session()])
    projects(home, (directory, directory / ".crush"))
    return directory


def whole_store(home: Path) -> None:
    """Write two projects, the second one with the good session 2."""
    database(home / "a" / ".crush", [session(1, title="Untitled Session"), session(3, parent_session_id=uuid(1))])
    database(home / "b" / ".crush", [session(2)])
    projects(home, (home / "a", home / "a" / ".crush"), (home / "b", home / "b" / ".crush"))
