"""Stores of Codex."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, START, at, put, uuid

Record = dict[str, Any]

MODEL = "gpt-5.2-codex"


def meta(number: int = 1, seconds: float = 0, **keys: object) -> Record:
    """Return the header of a wrapped rollout."""
    payload = {
        "id": uuid(number),
        "timestamp": at(seconds),
        "cwd": CWD,
        "originator": "codex_cli_rs",
        "cli_version": "0.150.0",
        "source": "cli",
        "model_provider": "openai",
        **keys,
    }
    payload = {key: value for key, value in payload.items() if value is not ...}  # `...` takes a key out
    return wrapped("session_meta", payload, seconds)


def wrapped(kind: str, payload: Record, seconds: float = 0, **keys: object) -> Record:
    """Return a record in its envelope."""
    return {"timestamp": at(seconds), "type": kind, "payload": payload, **keys}


def turn(seconds: float = 1, model: str = MODEL, cwd: str = CWD, **keys: object) -> Record:
    """Return the record that opens a turn and names its model."""
    return wrapped("turn_context", {"cwd": cwd, "model": model}, seconds, **keys)


def event(kind: str, seconds: float = 1, **payload: object) -> Record:
    """Return an event."""
    return wrapped("event_msg", {"type": kind, **payload}, seconds)


def said(text: str, seconds: float = 1, **payload: object) -> Record:
    """Return a person's message as legacy threads store it."""
    return event("user_message", seconds, message=text, **payload)


def item(kind: str, text: str, seconds: float = 1, ordinal: int | None = None) -> Record:
    """Return a completed item, as paginated threads store messages."""
    part = "text" if kind == "UserMessage" else "Text"
    payload = {"type": "item_completed", "item": {"type": kind, "content": [{"type": part, "text": text}]}}
    return wrapped("event_msg", payload, seconds, **({} if ordinal is None else {"ordinal": ordinal}))


def response(text: str, seconds: float = 1, role: str = "user") -> Record:
    """Return a raw message in its envelope."""
    return wrapped("response_item", raw(text, role), seconds)


def raw(text: str, role: str = "user") -> Record:
    """Return a raw message, which is a whole line of a bare rollout."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def name(number: int = 1, segment: int | None = None, suffix: str = ".jsonl") -> str:
    """Return a rollout's file name."""
    ids = uuid(number) if segment is None else f"{uuid(number)}_{uuid(segment)}"
    return f"rollout-{START:%Y-%m-%dT%H-%M-%S}-{ids}{suffix}"


def rollout(
    home: Path,
    records: Iterable[Record] | bytes | None = None,
    *,
    number: int = 1,
    segment: int | None = None,
    archived: bool = False,
    suffix: str = ".jsonl",
    root: str = ".codex",
    modified: float | None = None,
) -> Path:
    """Write a rollout; by default a legacy one of one prompt and its answer."""
    if records is None:
        records = [
            meta(number),
            turn(),
            said(f"Prompt {number}"),
            event("agent_message", 30, message="Done."),
        ]
    folder = home / root / ("archived_sessions" if archived else f"sessions/{START:%Y/%m/%d}")
    return put(folder / name(number, segment, suffix), records, modified)


COLUMNS = ("id", "rollout_path", "cwd", "title", "first_user_message", "preview", "name", "history_mode")


def state_database(home: Path, rows: Iterable[Record], *, file: str = "state_5.sqlite", root: str = ".codex") -> Path:
    """Write a state database at rest with these threads and no other table."""
    path = home / root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE threads ({', '.join(COLUMNS)})")
    for row in rows:
        connection.execute(
            f"INSERT INTO threads VALUES ({', '.join('?' * len(COLUMNS))})", [row.get(column) for column in COLUMNS]
        )
    connection.commit()
    connection.close()
    return path
