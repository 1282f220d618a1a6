"""Stores of Goose, as its public sources write them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, START, put
from tests.builders.crush import insert

Row = dict[str, Any]

SESSIONS = ".local/share/goose/sessions"
MODEL = "claude-sonnet-4-5"

FIRST_SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    tokens INTEGER);
"""
"""That of the first databases."""

SCHEMA = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    schedule_id TEXT, provider_name TEXT, model_config_json TEXT, archived_at TIMESTAMP, project_id TEXT,
    parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL,
    role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT);
CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL, model TEXT);
CREATE INDEX idx_messages_session ON messages(session_id);
"""
"""That of 2026 (17), without the columns that sesls does not read."""


def epoch(seconds: float = 0) -> int:
    """Return the instant so many seconds after the start as messages have it."""
    return round(START.timestamp() + seconds)


def stamp(seconds: float = 0) -> str:
    """Return the same as rows of sessions have it: in UTC, without saying so."""
    from datetime import timedelta

    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")


def ident(number: int = 1) -> str:
    """Return a session's id."""
    return f"20260310_{number}"


def text_part(text: str) -> Row:
    """Return a part of a message that is text."""
    return {"type": "text", "text": text}


def said(text: str, seconds: float = 1, **columns: object) -> Row:
    """Return a prompt."""
    return message("user", [text_part(text)], seconds, **columns)


def answered(seconds: float = 30, **columns: object) -> Row:
    """Return an answer."""
    return message("assistant", [text_part("Done.")], seconds, **columns)


def message(role: str, content: object, seconds: float = 1, **columns: object) -> Row:
    """Return a message's row."""
    stored = content if isinstance(content, str | bytes) else json.dumps(content)
    return {"role": role, "content_json": stored, "created_timestamp": epoch(seconds), **columns}


def session(number: int = 1, messages: Sequence[Row] | None = None, **columns: object) -> tuple[Row, Sequence[Row]]:
    """Return a session's row and its messages; by default a prompt and its answer."""
    row = {
        "id": ident(number),
        "name": f"Name {number}",
        "working_dir": CWD,
        "created_at": stamp(),
        "updated_at": stamp(20),
        "model_config_json": json.dumps({"model_name": MODEL}),
        **columns,
    }
    row = {key: value for key, value in row.items() if value is not ...}
    return row, [said(f"Prompt {number}"), answered()] if messages is None else messages


def database(
    home: Path,
    sessions: Iterable[tuple[Row, Sequence[Row]]],
    *,
    root: str = SESSIONS,
    schema: str = SCHEMA,
    ledger: Iterable[tuple[int, str]] = (),
) -> Path:
    """Write the database; the ledger has the number of a session and a model that answered."""
    path = home / root / "sessions.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(schema)
        for row, messages in sessions:
            insert(connection, "sessions", row)
            for one in messages:
                insert(connection, "messages", {"session_id": row["id"], **one})
        for number, model in ledger:
            insert(connection, "usage_ledger", {"session_id": ident(number), "created_timestamp": 1, "model": model})
        connection.commit()
    return path


def old_file(home: Path, number: int = 1, lines: Iterable[object] | bytes | None = None, **own: object) -> Path:
    """Write the file of an older version."""
    first = {"working_dir": CWD, "description": f"Name {number}", "message_count": 2, **own}
    if lines is None:
        lines = [
            first,
            {"role": "user", "created": epoch(1), "content": [text_part(f"Prompt {number}")]},
            {"role": "assistant", "created": epoch(30), "content": [text_part("Done.")]},
        ]
    return put(home / SESSIONS / f"{ident(number)}.jsonl", lines)


def whole_store(home: Path) -> None:
    """Write a database and the files of older versions, one of them the good session 2."""
    sessions = [session(1, name=""), session(3, session_type="sub_agent", parent_session_id=ident(1))]
    database(home, sessions, ledger=[(1, MODEL)])
    old_file(home, 2)
    old_file(home, 4)
