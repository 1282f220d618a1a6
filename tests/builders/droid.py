"""Stores of Droid, as public descriptions tell of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, at, put, uuid

Record = dict[str, Any]

ROOT = ".factory/sessions"
MODEL = "claude-sonnet-4-5"


def start(number: int = 1, **keys: object) -> Record:
    """Return the first line of a session; `...` takes a key out."""
    own = {
        "type": "session_start",
        "id": uuid(number),
        "title": f"Title {number}",
        "owner": "gardener",
        "version": 2,
        "cwd": CWD,
        **keys,
    }
    return {key: value for key, value in own.items() if value is not ...}


def message(role: str, content: object, seconds: float = 1, **keys: object) -> Record:
    """Return a line of what somebody said."""
    said_so = {"role": role, "content": content, **keys}
    return {"type": "message", "id": f"m{seconds}", "timestamp": at(seconds), "message": said_so}


def said(text: str, seconds: float = 1, **keys: object) -> Record:
    """Return a prompt."""
    return message("user", [{"type": "text", "text": text}], seconds, **keys)


def answered(seconds: float = 30, model: str | None = MODEL, **keys: object) -> Record:
    """Return an answer."""
    used = {"modelId": model} if model is not None else {}
    return message("assistant", [{"type": "text", "text": "Done."}], seconds, **used, **keys)


def result(seconds: float = 20) -> Record:
    """Return a tool's answer, in the name of the user."""
    return message("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}], seconds)


def turns(number: int = 1, **keys: object) -> list[Record]:
    """Return the lines of a session of one prompt and its answer."""
    return [start(number, **keys), said(f"Prompt {number}"), result(), answered()]


def session(
    home: Path,
    lines: Iterable[Record] | bytes | None = None,
    *,
    number: int = 1,
    directory: str | None = CWD,
    modified: float | None = None,
) -> Path:
    """Write a session; without a directory where older versions kept it."""
    folder = home / ROOT / (directory.replace("/", "-") if directory is not None else "")
    return put(folder / f"{uuid(number)}.jsonl", turns(number) if lines is None else lines, modified)


def settings(session: Path, **keys: object) -> Path:
    """Write the settings beside a session."""
    return put(session.with_suffix(".settings.json"), json.dumps({"model": "glm-4.6", **keys}))


def whole_store(home: Path) -> None:
    """Write sessions, one called by another, and the good session 2."""
    settings(session(home))
    session(home, turns(3, callingSessionId=uuid(1)), number=3)
    session(home, number=4, directory=None)
    session(home, number=2, directory="/srv/barn")
