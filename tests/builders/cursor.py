"""Stores of Cursor, as public descriptions tell of them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, epoch_ms, put, uuid

Record = dict[str, Any]

ROOT = ".cursor"
MODEL = "composer-2"
PROJECT = "srv-orchard"


def folder(home: Path, number: int = 1, directory: str = CWD, root: str = ROOT) -> Path:
    """Return the folder of a chat."""
    return home / root / "chats" / hashlib.md5(directory.encode()).hexdigest() / uuid(number)


def wire(field: int, payload: bytes) -> bytes:
    """Return a field of bytes of a message, shorter than 128 of them."""
    assert len(payload) < 128
    return bytes([field << 3 | 2, len(payload)]) + payload


def store(
    home: Path,
    number: int = 1,
    *,
    directory: str = CWD,
    root: str = ROOT,
    workspaces: Iterable[str] | None = None,
    **keys: object,
) -> Path:
    """Write the database of a chat; `...` takes a key out."""
    uris = [f"file://{directory}"] if workspaces is None else workspaces
    state = wire(1, bytes(32)) + b"".join(wire(9, uri.encode()) for uri in uris)
    blob = hashlib.sha256(state).hexdigest()
    own = {
        "agentId": uuid(number),
        "latestRootBlobId": blob,
        "name": f"Name {number}",
        "mode": "default",
        "createdAt": epoch_ms(),
        "lastUsedModel": MODEL,
        **keys,
    }
    kept = {key: value for key, value in own.items() if value is not ...}
    path = folder(home, number, directory, root) / "store.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        connection.execute("INSERT INTO blobs VALUES (?, ?)", (blob, state))
        connection.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(kept).encode().hex(),))
        connection.commit()
    return path


def sidecar(home: Path, number: int = 1, *, directory: str = CWD, root: str = ROOT, **keys: object) -> Path:
    """Write what newer builds keep beside a chat's database."""
    own = {
        "schemaVersion": 1,
        "title": f"Title {number}",
        "cwd": directory,
        "createdAtMs": epoch_ms(),
        "updatedAtMs": epoch_ms(30),
        "hasConversation": True,
        **keys,
    }
    return put(folder(home, number, directory, root) / "meta.json", json.dumps(own))


def line(role: str, text: str) -> Record:
    """Return a line of a transcript."""
    return {"role": role, "message": {"content": [{"type": "text", "text": text}]}}


def turns(number: int = 1) -> list[Record]:
    """Return a transcript of one prompt and its answer."""
    asked = f"<user_info>Linux</user_info>\n<user_query>\nPrompt {number}\n</user_query>"
    used = {"role": "user", "message": {"content": [{"type": "tool_result", "content": "ok"}]}}
    return [line("user", asked), used, line("assistant", "Done."), {"type": "turn_ended", "status": "success"}]


def transcript(
    home: Path,
    number: int = 1,
    lines: Iterable[Record] | bytes | str | None = None,
    *,
    ending: str = ".jsonl",
    parent: int | None = None,
    is_flat: bool = False,
    modified: float | None = 40,
) -> Path:
    """Write a transcript: in a folder of its own, flat as older builds did, or below the session that spawned it."""
    place = home / ROOT / "projects" / PROJECT / "agent-transcripts"
    if parent is not None:
        place = place / uuid(parent) / "subagents"
    elif not is_flat:
        place = place / uuid(number)
    return put(place / f"{uuid(number)}{ending}", turns(number) if lines is None else lines, modified)


def plain(number: int = 1) -> str:
    """Return a transcript in plain text."""
    return f"user:\n<user_query>\nPrompt {number}\n</user_query>\n\nassistant:\nDone.\n[Tool call] Read\n  path=a\n"


def whole_store(home: Path) -> None:
    """Write sessions with a spawned one, and the good session 2."""
    store(home)
    sidecar(home)
    transcript(home)
    transcript(home, 3, parent=1)
    transcript(home, 4, plain(4), ending=".txt", is_flat=True)
    store(home, 2, directory="/srv/barn")
    sidecar(home, 2, directory="/srv/barn")
