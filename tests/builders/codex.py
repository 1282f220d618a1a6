"""Stores of Codex."""

from __future__ import annotations

import json
import shutil
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
Edge = tuple[str, str]
"""A parent's id and a child's."""


def state_database(
    home: Path,
    rows: Iterable[Record],
    *,
    file: str = "state_5.sqlite",
    root: str = ".codex",
    columns: Iterable[str] = COLUMNS,
    edges: Iterable[Edge] | None = None,
) -> Path:
    """Write a state database at rest with these threads and, where edges are given, their spawning."""
    path = home / root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    _fill(connection, rows, tuple(columns), edges)
    connection.close()
    return path


def live_state_database(home: Path, rows: Iterable[Record], *, shm: bool = True, root: str = ".codex") -> Path:
    """Write a state database as a running Codex keeps it: everything in the WAL."""
    path = home / root / "state_5.sqlite"
    source = home / "being-written" / path.name
    source.parent.mkdir()
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(source)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    _fill(connection, rows, COLUMNS, None)
    for suffix in ("", "-wal", "-shm") if shm else ("", "-wal"):
        shutil.copy(f"{source}{suffix}", f"{path}{suffix}")
    connection.close()
    shutil.rmtree(source.parent)
    return path


def _fill(
    connection: sqlite3.Connection, rows: Iterable[Record], columns: tuple[str, ...], edges: Iterable[Edge] | None
) -> None:
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute(f"CREATE TABLE threads ({', '.join(columns)})")
    for row in rows:
        connection.execute(
            f"INSERT INTO threads VALUES ({', '.join('?' * len(columns))})", [row.get(column) for column in columns]
        )
    if edges is not None:
        connection.execute("CREATE TABLE thread_spawn_edges (parent_thread_id, child_thread_id, status)")
        connection.executemany("INSERT INTO thread_spawn_edges VALUES (?, ?, 'open')", edges)
    connection.commit()


def numbered(records: Iterable[Record], start: int = 0) -> list[Record]:
    """Return records with the ordinals that those of a paginated thread have."""
    return [record | {"ordinal": ordinal} for ordinal, record in enumerate(records, start)]


def paginated(number: int = 1, text: str | None = None, **keys: Any) -> list[Record]:
    """Return the records of a paginated thread of one prompt and its answer."""
    return numbered(
        [
            meta(number, history_mode="paginated", **keys),
            turn(),
            item("UserMessage", text or f"Prompt {number}", 2),
            item("AgentMessage", "Done.", 30),
        ]
    )


def continuing(number: int, base: int, start: int, seconds: float, **keys: Any) -> Record:
    """Return the header of a segment or a fork that goes on where another thread's or segment's ordinals end."""
    history = {"thread_id": uuid(base), "end_ordinal_exclusive": start, "end_byte_offset": 4096}
    return meta(number, seconds, history_mode="paginated", history_base=history, **keys) | {"ordinal": start}


def spawned(parent: int = 1, **keys: object) -> Record:
    """Return the source of a spawned thread."""
    return {"subagent": {"thread_spawn": {"parent_thread_id": uuid(parent), "depth": 1, **keys}}}


def environment(cwd: str = CWD) -> str:
    """Return the text in which Codex tells the model where it runs."""
    return f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"


def bare(number: int = 1, text: str | None = None, **keys: object) -> list[Record]:
    """Return the records of a rollout without envelopes (before 0.32): a prompt and its answer."""
    return [
        {"id": uuid(number), "timestamp": at(), "instructions": None, **keys},
        {"record_type": "state"},
        raw(text or f"Prompt {number}"),
        raw("Done.", "assistant"),
    ]


def save(
    home: Path,
    items: Iterable[Record] | None = None,
    *,
    number: int = 1,
    day: str = "2026-03-10",
    root: str = ".codex",
    modified: float | None = None,
    **session: object,
) -> Path:
    """Write a save of the TypeScript builds; by default of one prompt and its answer."""
    if items is None:
        items = [raw(f"Prompt {number}"), raw("Done.", "assistant")]
    head = {"timestamp": at(60), "id": uuid(number), "instructions": "", **session}
    head = {key: value for key, value in head.items() if value is not ...}
    content = json.dumps({"session": head, "items": list(items)}, indent=2)
    return put(home / root / "sessions" / f"rollout-{day}-{uuid(number)}.json", content, modified)


def name_index(home: Path, *named: tuple[int, str], root: str = ".codex") -> Path:
    """Write the file that names of threads are appended to."""
    records = [
        {"id": uuid(number), "thread_name": name, "updated_at": at(seconds)}
        for seconds, (number, name) in enumerate(named)
    ]
    return put(home / root / "session_index.jsonl", records)
