"""Stores of Kiro, as public descriptions tell of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, START, at, epoch_ms, put, uuid
from tests.builders.crush import insert

Record = dict[str, Any]

HOME = ".kiro"
DATA = ".local/share/kiro-cli"
MODEL = "claude-sonnet-4.5"


def epoch(seconds: float = 0) -> int:
    """Return the instant so many seconds after the start as journals have it."""
    return round(START.timestamp() + seconds)


def prompt(text: str, seconds: float = 1) -> Record:
    """Return a line of a journal that is a prompt."""
    content = [{"kind": "text", "data": text}]
    data = {"message_id": f"p{seconds}", "content": content, "meta": {"timestamp": epoch(seconds)}}
    return {"version": "v1", "kind": "Prompt", "data": data}


def answer(model: str | None = None) -> Record:
    """Return a line of a journal that is an answer, with the thought of a model or without."""
    content: list[Record] = [{"kind": "text", "data": "Done."}]
    if model is not None:
        content.insert(0, {"kind": "thinking", "data": {"modelId": model, "text": "Hm."}})
    return {"version": "v1", "kind": "AssistantMessage", "data": {"message_id": "a", "content": content}}


def results() -> Record:
    """Return a line of a journal that is what tools answered."""
    content = [{"kind": "toolResult", "data": {"toolUseId": "t1", "content": [], "status": "success"}}]
    return {"version": "v1", "kind": "ToolResults", "data": {"message_id": "t", "content": content}}


def record(home: Path, number: int = 1, root: str = HOME, **keys: object) -> Path:
    """Write the record of a session of 2.x; `...` takes a key out."""
    own: Record = {
        "session_id": uuid(number),
        "cwd": CWD,
        "created_at": at(),
        "updated_at": at(30),
        "title": f"Title {number}",
        "parent_session_id": None,
        "session_created_reason": "subagent",
        "session_state": {
            "version": "v1",
            "rts_model_state": {"model_info": {"model_id": MODEL}},
            "agent_name": "kiro_default",
        },
        **keys,
    }
    kept = {key: value for key, value in own.items() if value is not ...}
    return put(home / root / "sessions" / "cli" / f"{uuid(number)}.json", json.dumps(kept))


def journal(home: Path, number: int = 1, lines: Iterable[Record] | bytes | None = None, *, root: str = HOME) -> Path:
    """Write the journal of a session of 2.x; by default of one prompt and its answer."""
    if lines is None:
        lines = [prompt(f"Prompt {number}"), results(), answer()]
    return put(home / root / "sessions" / "cli" / f"{uuid(number)}.jsonl", lines)


def session(home: Path, number: int = 1, root: str = HOME, **keys: object) -> Path:
    """Write a session of 3.0 with its messages."""
    own: Record = {
        "id": f"sess_{uuid(number)}",
        "title": f"Title {number}",
        "workspacePaths": [CWD],
        "createdAt": at(),
        "lastModifiedAt": at(30),
        "modelId": MODEL,
        **keys,
    }
    folder = home / root / "sessions" / "c25a05601239adfe" / f"sess_{uuid(number)}"
    messages = [
        {"id": "1", "timestamp": at(1), "payload": {"type": "session_start", "content": f"Prompt {number}"}},
        {"id": "2", "timestamp": at(2), "payload": {"type": "turn_start"}},
        {"id": "3", "timestamp": at(30), "payload": {"type": "assistant", "content": "Done."}},
    ]
    put(folder / "messages.jsonl", messages)
    return put(folder / "session.json", json.dumps(own))


def conversation(number: int = 1, seconds: float = 30, **keys: object) -> Record:
    """Return the JSON of a row: a conversation of one prompt, a tool's answer, and two answers."""
    asked = {"content": {"Prompt": {"prompt": f"Prompt {number}"}}, "timestamp": at(1)}
    returned: Record = {"content": {"ToolUseResults": {"tool_use_results": []}}, "timestamp": None}
    turns = [
        {"user": asked, "assistant": {"ToolUse": {"content": "", "tool_uses": []}}, "request_metadata": None},
        {
            "user": returned,
            "assistant": {"Response": {"content": "Done."}},
            "request_metadata": {"model_id": MODEL, "stream_end_timestamp_ms": epoch_ms(seconds)},
        },
    ]
    return {"conversation_id": uuid(number), "history": turns, **keys}


def database(
    home: Path, rows: Iterable[Record] = (), old: Iterable[tuple[str, Record]] = (), *, root: str = DATA
) -> Path:
    """Write the database: rows of `conversations_v2`, and those of the older table."""
    path = home / root / "data.sqlite3"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);"
            "CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,"
            " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));"
        )
        for row in rows:
            insert(connection, "conversations_v2", row)
        for key, value in old:
            insert(connection, "conversations", {"key": key, "value": json.dumps(value)})
        connection.commit()
    return path


def row(number: int = 1, **columns: object) -> Record:
    """Return a row of `conversations_v2`."""
    return {
        "key": CWD,
        "conversation_id": uuid(number),
        "value": json.dumps(conversation(number)),
        "created_at": epoch_ms(),
        "updated_at": epoch_ms(30),
        **columns,
    }


def whole_store(home: Path) -> None:
    """Write sessions of every generation, and the good session 2."""
    record(home, 1)
    journal(home, 1)
    record(home, 3, parent_session_id=uuid(1))
    session(home, 4)
    database(home, [row(5)], [("/srv/barn", conversation(6))])
    record(home, 2)
    journal(home, 2)
