"""Stores of Copilot CLI."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import EllipsisType
from typing import Any

from tests.builders.common import CWD, at, put, uuid

Event = dict[str, Any]

MODEL = "gpt-5"
VERSION = "1.0.102"
SESSIONS = ".copilot/session-state"
SAVES = ".copilot/history-session-state"


def event(kind: str, seconds: float = 0, agent: str | None = None, **data: Any) -> Event:
    """Return an event; a subagent's names its agent."""
    own = {"id": f"{round(seconds * 1000):08x}", "timestamp": at(seconds), "parentId": None}
    return {"type": kind, "data": data, **({"agentId": agent} if agent is not None else {}), **own}


def started(number: int = 1, cwd: str | None = CWD, **data: Any) -> Event:
    """Return the first event of a session, written a little after its start."""
    context = {} if cwd is None else {"context": {"cwd": cwd}}
    about: dict[str, Any] = {
        "sessionId": uuid(number),
        "version": 1,
        "producer": "copilot-agent",
        "copilotVersion": VERSION,
    }
    return event("session.start", 0.02, **{**about, "startTime": at(), "selectedModel": "not-used", **context, **data})


def said(text: str, seconds: float = 1, agent: str | None = None, **data: Any) -> Event:
    """Return a prompt."""
    wrapped = f"<current_datetime>{at(seconds)}</current_datetime>\n\n{text}"
    return event("user.message", seconds, agent, **{"content": text, "transformedContent": wrapped, **data})


def answered(seconds: float = 30, model: str | None = MODEL, agent: str | None = None, **data: Any) -> Event:
    """Return an answer."""
    known = {} if model is None else {"model": model}
    return event("assistant.message", seconds, agent, **{"content": "Done.", "toolRequests": [], **known, **data})


def turns(number: int = 1, text: str | None = None, cwd: str | None = CWD) -> list[Event]:
    """Return the events of a session of one prompt and its answer."""
    return [started(number, cwd), said(text or f"Prompt {number}"), answered()]


def workspace(number: int = 1, **keys: str | None) -> str:
    """Return a `workspace.yaml`; values are written as they are given, and None takes a key out."""
    own = {
        "id": uuid(number),
        "cwd": CWD,
        "client_name": "github/cli",
        "user_named": "false",
        "summary_count": "0",
        "fork_count": "0",
        "created_at": at(),
        "updated_at": at(0.5),
    }
    return "".join(f"{key}: {value}\n" for key, value in {**own, **keys}.items() if value is not None)


def session(
    home: Path,
    events: Iterable[Event] | bytes | None = None,
    *,
    number: int = 1,
    yaml: str | bytes | EllipsisType | None = ...,
    root: str = SESSIONS,
    modified: float | None = None,
) -> Path:
    """Write a session with its folder; by default of one prompt and its answer."""
    folder = home / root / uuid(number)
    if yaml is ...:
        yaml = workspace(number)
    if yaml is not None:
        put(folder / "workspace.yaml", yaml)
    put(folder / "checkpoints" / "index.md", "# Checkpoint History\n")
    return put(folder / "events.jsonl", turns(number) if events is None else events, modified)


def flat(home: Path, events: Iterable[Event] | bytes | None = None, *, number: int = 1, root: str = SESSIONS) -> Path:
    """Write a session as 0.0.343 did, without a folder."""
    return put(home / root / f"{uuid(number)}.jsonl", turns(number, cwd=None) if events is None else events)


def saved(number: int = 1, **keys: Any) -> dict[str, Any]:
    """Return what 0.0.340 saved of a session."""
    messages = [{"role": "system", "content": "x" * 400}, {"role": "user", "content": f"Prompt {number}"}]
    timeline = [{"type": "user", "text": f"Prompt {number}", "id": "a", "timestamp": at(1)}]
    return {
        "sessionId": uuid(number),
        "startTime": at(),
        "chatMessages": [*messages, {"role": "assistant", "content": "Done."}],
        "timeline": [*timeline, {"type": "copilot", "text": "Done.", "id": "b", "timestamp": at(30)}],
        "selectedModel": "not-used",
        **keys,
    }


def save(home: Path, content: dict[str, Any] | bytes | None = None, *, number: int = 1, root: str = SAVES) -> Path:
    """Write a session as 0.0.340 did."""
    data = content if isinstance(content, bytes) else json.dumps(content or saved(number), indent=2)
    return put(home / root / f"session_{uuid(number)}_1773133200000.json", data)
