"""Stores of Continue."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, epoch_ms, put, uuid

Item = dict[str, Any]

MODEL = "claude-sonnet-4-5"
SESSIONS = ".continue/sessions"


def said(content: object) -> Item:
    """Return a prompt."""
    return {"message": {"role": "user", "content": content}, "contextItems": [], "editorState": content}


def answered(content: object = "Done.", model: str | None = MODEL) -> Item:
    """Return an answer."""
    usage = {} if model is None else {"usage": {"prompt_tokens": 100, "model": model, "cost_cents": 0}}
    return {"message": {"role": "assistant", "content": content, **usage}, "contextItems": []}


def item(role: str, content: object = "x") -> Item:
    """Return a message of another role."""
    return {"message": {"role": role, "content": content}, "contextItems": []}


def about(history: Iterable[Item] | None = None, *, number: int = 1, **keys: object) -> dict[str, Any]:
    """Return a session; `...` takes a key out."""
    own = {
        "sessionId": uuid(number),
        "title": "Untitled Session",
        "workspaceDirectory": CWD,
        "history": [said(f"Prompt {number}"), answered()] if history is None else list(history),
        "usage": {"totalCost": 0.00014, "promptTokens": 100},
    }
    return {key: value for key, value in {**own, **keys}.items() if value is not ...}


def encoded(value: object) -> bytes:
    """Return a value as Continue writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def session(
    home: Path,
    content: Iterable[Item] | bytes | None = None,
    *,
    number: int = 1,
    root: str = SESSIONS,
    modified: float = 60,
    **keys: object,
) -> Path:
    """Write a session; by default of one prompt and its answer."""
    data = content if isinstance(content, bytes) else encoded(about(content, number=number, **keys))
    return put(home / root / f"{uuid(number)}.json", data, modified)


def entry(number: int = 1, date: object = ..., **keys: object) -> dict[str, Any]:
    """Return what the index says of a session; `...` takes a key out."""
    own = {
        "sessionId": uuid(number),
        "title": "Untitled Session",
        "dateCreated": str(epoch_ms()) if date is ... else date,
        "workspaceDirectory": "/of/the/index",
        "messageCount": 1,
    }
    return {key: value for key, value in {**own, **keys}.items() if value is not ...}


def index(home: Path, entries: Iterable[dict[str, Any]] | bytes, root: str = SESSIONS) -> Path:
    """Write the index of sessions."""
    return put(home / root / "sessions.json", entries if isinstance(entries, bytes) else encoded(list(entries)))
