"""Stores of Grok Build, as its public sources write them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.builders.common import CWD, at, put, uuid

Record = dict[str, Any]

ROOT = ".grok/sessions"
MODEL = "grok-4.5"


def said(text: str, index: int = 0, **keys: object) -> Record:
    """Return a prompt."""
    return {"type": "user", "content": [{"type": "text", "text": text}], "prompt_index": index, **keys}


def put_in(text: str, reason: str = "project_instructions") -> Record:
    """Return what the agent says in the name of the user."""
    return {"type": "user", "content": [{"type": "text", "text": text}], "synthetic_reason": reason}


def answered(model: str = MODEL) -> Record:
    """Return an answer."""
    return {"type": "assistant", "content": "Done.", "model_id": model}


def folder(home: Path, number: int = 1, directory: str = CWD, root: str = ROOT) -> Path:
    """Return a session's folder."""
    return home / root / quote(directory, safe="") / uuid(number)


def session(
    home: Path,
    number: int = 1,
    history: Iterable[Record] | bytes | None = None,
    *,
    directory: str = CWD,
    root: str = ROOT,
    **keys: object,
) -> Path:
    """Write a session and return its summary; `...` takes a key out."""
    own = folder(home, number, directory, root)
    summary: Record = {
        "info": {"id": uuid(number), "cwd": directory},
        "session_summary": f"Summary {number}",
        "generated_title": f"Title {number}",
        "created_at": at(),
        "updated_at": at(60),
        "last_active_at": at(30),
        "num_messages": 2,
        "current_model_id": MODEL,
        "chat_format_version": 1,
        **keys,
    }
    if history is None:
        history = [
            {"type": "system", "content": "You are an agent."},
            {"type": "user", "content": [{"type": "text", "text": "<user_info>Linux</user_info>"}]},
            put_in("Rules of the orchard"),
            said(f"Prompt {number}"),
            answered(),
        ]
    put(own / "chat_history.jsonl", history)
    put(own / "updates.jsonl", [{"timestamp": 1, "method": "session/update", "params": {}}])
    kept = {key: value for key, value in summary.items() if value is not ...}
    return put(own / "summary.json", json.dumps(kept, indent=2))


def spawned(parent: Path, number: int, **keys: object) -> Path:
    """Write a session's note of one that it spawned."""
    note = {
        "subagent_id": uuid(number),
        "parent_session_id": parent.parent.name,
        "child_session_id": uuid(number),
        "subagent_type": "explore",
        "description": f"Task {number}",
        "prompt": "Look",
        "status": "completed",
        **keys,
    }
    return put(parent.parent / "subagents" / uuid(number) / "meta.json", json.dumps(note))


def whole_store(home: Path) -> None:
    """Write sessions with one that was spawned, and the good session 2."""
    parent = session(home, 1)
    session(home, 3, session_kind="subagent")
    spawned(parent, 3)
    session(home, 2, directory="/srv/barn")
