"""Stores of Gemini CLI, of every generation."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, at, put, uuid

Record = dict[str, Any]

MODEL = "gemini-2.5-flash"
TMP = ".gemini/tmp"


def hashed(directory: str = CWD) -> str:
    """Return the hash by which a directory is known."""
    return hashlib.sha256(directory.encode()).hexdigest()


def slug(directory: str = CWD) -> str:
    """Return the name of a directory's folder from 0.30 on."""
    return re.sub(r"[^a-z0-9]+", "-", directory.rpartition("/")[2].lower()).strip("-") or "project"


def header(number: int = 1, seconds: float = 0, directory: str = CWD, **keys: object) -> Record:
    """Return the first record of a session."""
    times = {"startTime": at(seconds), "lastUpdated": at(seconds)}
    return _whole({"sessionId": uuid(number), "projectHash": hashed(directory), **times, "kind": "main", **keys})


def message(kind: str, content: object, seconds: float = 1, **keys: object) -> Record:
    """Return what somebody said."""
    own = {"id": f"{kind}-{seconds}", "timestamp": at(seconds), "type": kind, "content": content}
    return _whole({**own, **keys})


def said(text: str = "Prune the trees", seconds: float = 1, **keys: object) -> Record:
    """Return what a person said."""
    return message("user", [{"text": text}], seconds, **keys)


def answered(text: str = "Done.", seconds: float = 30, **keys: object) -> Record:
    """Return an answer."""
    return message("gemini", text, seconds, **{"thoughts": [], "model": MODEL, **keys})


def context(seconds: float = 0) -> Record:
    """Return the message that the agent puts before all others (0.61)."""
    return said("<session_context>\nThis is the Gemini CLI.\n</session_context>", seconds)


def change(**fields: object) -> Record:
    """Return a change of the header's fields, or of all messages."""
    return {"$set": fields}


def updated(seconds: float) -> Record:
    """Return the change that follows a message."""
    return change(lastUpdated=at(seconds))


def rewound(to: str) -> Record:
    """Return a step back to before a message."""
    return {"$rewindTo": to}


def turns(number: int = 1, text: str | None = None, seconds: float = 30, **keys: Any) -> list[Record]:
    """Return the records of a session of one prompt and its answer, as 0.61 writes them."""
    return [
        header(number, **keys),
        change(messages=[context()], lastUpdated=at()),
        said(text or f"Prompt {number}"),
        updated(1),
        answered(seconds=seconds),
        updated(seconds),
    ]


def file_name(number: int = 1, seconds: float = 0, suffix: str = ".jsonl") -> str:
    """Return the name that the agent gives a session's file."""
    return f"session-{at(seconds)[:16].replace(':', '-')}-{uuid(number)[:8]}{suffix}"


def project(home: Path, directory: str = CWD, name: str | None = None) -> Path:
    """Return the folder of a directory, which says whose it is."""
    folder = home / TMP / (name or slug(directory))
    put(folder / ".project_root", directory)
    return folder


def session(
    home: Path,
    records: Iterable[object] | bytes | None = None,
    *,
    number: int = 1,
    directory: str = CWD,
    name: str | None = None,
    seconds: float = 0,
    modified: float | None = None,
) -> Path:
    """Write a session of 0.61; by default of one prompt and its answer."""
    if records is None:
        records = turns(number, directory=directory)
    return put(project(home, directory, name) / "chats" / file_name(number, seconds), records, modified)


def subagent(home: Path, records: Iterable[object], *, number: int, parent: int = 1, directory: str = CWD) -> Path:
    """Write a session that another one spawned."""
    return put(project(home, directory) / "chats" / uuid(parent) / f"{uuid(number)}.jsonl", records)


def conversation(messages: Iterable[Record] | None = None, number: int = 1, **keys: object) -> Record:
    """Return a session as it was kept to 0.38: by default of one prompt and its answer."""
    if messages is None:
        messages = [said(f"Prompt {number}"), answered()]
    own = header(number, kind=..., lastUpdated=at(30))
    return _whole({**own, "messages": list(messages), **keys})


def printed(
    home: Path, found: Record | bytes | None = None, *, number: int = 1, name: str | None = None, **keys: object
) -> Path:
    """Write a session of 0.22 into the folder that is named by its hash, or into another one."""
    content = conversation(None, number, **keys) if found is None else found
    if not isinstance(content, bytes):
        content = json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return put(home / TMP / (name or hashed()) / "chats" / file_name(number, suffix=".json"), content)


def registry(home: Path, projects: object) -> Path:
    """Write the list of all projects."""
    return put(home / ".gemini" / "projects.json", json.dumps({"projects": projects}))


def _whole(values: Record) -> Record:
    return {key: value for key, value in values.items() if value is not ...}  # `...` takes a key out
