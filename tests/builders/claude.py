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
SUBAGENT_MODEL = "claude-haiku-4-5-20251001"


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
    name = re.sub(r"[^a-zA-Z0-9]", "-", directory)
    return name if len(name) <= 200 else f"{name[:200]}-h4sh"


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
    directory: str = CWD,
    root: str = ".claude",
) -> Path:
    """Write a subagent's transcript below its session's folder (the layout from 2.1.2 on)."""
    base = folder(home, directory, root) / uuid(parent) / below
    if meta is not None:
        put(base / f"agent-{agent_id}.meta.json", json.dumps(meta))
    return put(base / f"agent-{agent_id}.jsonl", task(agent_id) if rows is None else rows)


def task(agent_id: str, **keys: Any) -> list[Row]:
    """Return the rows of a subagent: what it was asked and what it answered."""
    return [
        user(f"Task of {agent_id}", isSidechain=True, agentId=agent_id, **keys),
        assistant(isSidechain=True, agentId=agent_id, model=SUBAGENT_MODEL, **keys),
    ]


def flat_subagent(home: Path, agent_id: str, rows: Iterable[Row] | bytes | None = None) -> Path:
    """Write a subagent's transcript beside the sessions (the layout of 2.0 to 2.1.0)."""
    return put(folder(home) / f"agent-{agent_id}.jsonl", task(agent_id) if rows is None else rows)


def beside(path: Path, name: str, content: object) -> Path:
    """Write a small JSON file into the folder of a session: `<uuid>/<name>`."""
    return put(path.with_suffix("") / name, json.dumps(content))


def work(kilobytes: int, seconds: float = 60, **keys: Any) -> list[Row]:
    """Return many answers of about a kilobyte each: the bulk of a large transcript."""
    return [assistant("x" * 600, seconds + number, **keys) for number in range(kilobytes)]


ACCOUNT = Path("0a1b2c3d-0000-4000-8000-00000000000a") / "0a1b2c3d-0000-4000-8000-00000000000b"


def code_record(
    home: Path, number: int, *, app: str = ".config/Claude", account: Path = ACCOUNT, **keys: object
) -> Path:
    """Write a record of Desktop's Code tab for the transcript of that number."""
    return _record(home / app / "claude-code-sessions" / account, number, keys)


def cowork_record(
    home: Path,
    number: int,
    *,
    app: str = ".config/Claude",
    account: Path = ACCOUNT,
    below: str = "",
    name: str | None = None,
    **keys: object,
) -> Path:
    """Write a record of Desktop's Cowork tab; `name` is the file's name without its ending."""
    return _record(home / app / "local-agent-mode-sessions" / account / below, number, keys, name)


def cowork_transcript(record: Path, number: int, rows: Iterable[Row] | None = None) -> Path:
    """Write a transcript into the private config root of a Cowork record."""
    task_dir = record.with_suffix("")
    if rows is None:
        rows = [
            user(f"Prompt {number}", cwd=str(task_dir), entrypoint="local-agent"),
            assistant(cwd=str(task_dir), entrypoint="local-agent"),
        ]
    return put(task_dir / ".claude" / "projects" / slug(str(task_dir)) / f"{uuid(number)}.jsonl", rows)


def _record(account: Path, number: int, keys: dict[str, Any], name: str | None = None) -> Path:
    session = f"local_{uuid(number + 0x100)}"
    record: Row = {
        "sessionId": session,
        "cliSessionId": uuid(number),
        "cwd": CWD,
        "title": f"Desktop title {number}",
        **keys,
    }
    record = {key: value for key, value in record.items() if value is not ...}
    return put(account / f"{name or session}.json", json.dumps(record))
