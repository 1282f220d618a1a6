"""Stores of Claude Code and Claude Desktop."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, at, put, uuid

Row = dict[str, Any]

MODEL = "claude-sonnet-4-5-20250929"


def user(text: object, seconds: float = 0, **keys: object) -> Row:
    """Return a row of what a person typed, or of a tool's result when `text` is a list of blocks."""
    return _row("user", seconds, {"role": "user", "content": text}, keys)


def assistant(text: str = "Done.", seconds: float = 30, model: str = MODEL, **keys: object) -> Row:
    """Return a row of an answer."""
    message = {
        "id": f"msg_{seconds}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
    }
    return _row("assistant", seconds, message, keys)


def _row(kind: str, seconds: float, message: Row, keys: dict[str, Any]) -> Row:
    row: Row = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": CWD,
        "sessionId": uuid(1),
        "version": "2.1.332",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": f"{kind}-{seconds}",
        "timestamp": at(seconds),
        "entrypoint": "cli",
    }
    row.update(keys)
    return {key: value for key, value in row.items() if value is not ...}  # `...` takes a key out


def slug(directory: str) -> str:
    """Return the name of a directory's project folder (for names without characters beyond the first plane)."""
    return re.sub(r"[^a-zA-Z0-9]", "-", directory)


def folder(home: Path, directory: str = CWD, root: str = ".claude") -> Path:
    """Return the project folder of a directory."""
    return home / root / "projects" / slug(directory)


def transcript(
    home: Path,
    rows: Iterable[Row] | bytes | None = None,
    *,
    number: int = 1,
    directory: str = CWD,
    root: str = ".claude",
    modified: float | None = None,
) -> Path:
    """Write a transcript; by default of one prompt and its answer."""
    if rows is None:
        rows = [user(f"Prompt {number}", sessionId=uuid(number)), assistant(sessionId=uuid(number))]
    return put(folder(home, directory, root) / f"{uuid(number)}.jsonl", rows, modified)


def subagent(
    home: Path,
    agent_id: str,
    rows: Iterable[Row] | None = None,
    *,
    parent: int = 1,
    below: str = "subagents",
    meta: Row | None = None,
) -> Path:
    """Write a subagent's transcript below its session's folder (the layout from 2.1.2 on)."""
    if rows is None:
        rows = [
            user(f"Task of {agent_id}", isSidechain=True, agentId=agent_id),
            assistant(isSidechain=True, agentId=agent_id, model="claude-haiku-4-5-20251001"),
        ]
    base = folder(home) / uuid(parent) / below
    if meta is not None:
        put(base / f"agent-{agent_id}.meta.json", json.dumps(meta))
    return put(base / f"agent-{agent_id}.jsonl", rows)


ACCOUNT = Path("0a1b2c3d-0000-4000-8000-00000000000a") / "0a1b2c3d-0000-4000-8000-00000000000b"


def code_record(
    home: Path, number: int, *, app: str = ".config/Claude", account: Path = ACCOUNT, **keys: object
) -> Path:
    """Write a record of Desktop's Code tab for the transcript of that number."""
    record: Row = {
        "sessionId": f"local_{uuid(number + 0x100)}",
        "cliSessionId": uuid(number),
        "cwd": CWD,
        "title": f"Desktop title {number}",
        **keys,
    }
    record = {key: value for key, value in record.items() if value is not ...}
    return put(home / app / "claude-code-sessions" / account / f"local_{uuid(number + 0x100)}.json", json.dumps(record))
