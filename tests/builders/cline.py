"""Stores of Cline."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import EllipsisType
from typing import Any

from tests.builders.common import CWD, at, epoch_ms, put

Message = dict[str, Any]

MODEL = "claude-sonnet-4-5"
VERSION = "3.0.65"
DATA = ".cline/data"
SESSIONS = f"{DATA}/sessions"
STORAGE = ".config/Code/User/globalStorage/saoudrizwan.claude-dev"


def session_id(number: int = 1) -> str:
    """Return an id as Cline 3 makes them: the millisecond of the start, and five characters."""
    return f"{epoch_ms()}_{number:05d}"


def task_id(number: int = 1) -> str:
    """Return an id as Cline 2 makes them: the millisecond of the start."""
    return str(epoch_ms() + number)


def wrapped(text: str, mode: str = "act") -> str:
    """Return a prompt as Cline 3 stores it."""
    return f'<user_input mode="{mode}">{text}</user_input>'


def said(text: str, seconds: float = 1, **keys: object) -> Message:
    """Return a prompt."""
    return {"id": "m1", "role": "user", "content": [text_part(text)], "ts": epoch_ms(seconds), **keys}


def answered(seconds: float = 30, model: str | None = MODEL, **keys: object) -> Message:
    """Return an answer."""
    known = {} if model is None else {"modelInfo": {"id": model, "provider": "anthropic"}}
    return {
        "id": "m2",
        "role": "assistant",
        "content": [text_part("Done.")],
        "ts": epoch_ms(seconds),
        **known,
        "metrics": {"inputTokens": 100},
        **keys,
    }


def result(text: str = "ok", seconds: float = 20) -> Message:
    """Return what a tool gave back."""
    part = {"type": "tool_result", "tool_use_id": "call_1", "name": "bash", "content": text}
    return {"id": "m3", "role": "user", "content": [part], "ts": epoch_ms(seconds)}


def text_part(text: str) -> dict[str, str]:
    """Return a part of a message that is text."""
    return {"type": "text", "text": text}


def turns(text: str = "Prompt 1") -> list[Message]:
    """Return one prompt and its answer."""
    return [said(wrapped(text)), answered()]


def manifest(number: int = 1, **keys: object) -> dict[str, Any]:
    """Return what Cline writes of a session; `...` takes a key out."""
    own = {
        "version": 1,
        "session_id": session_id(number),
        "source": "cli",
        "pid": 515,
        "started_at": at(),
        "ended_at": at(9000),
        "exit_code": 0,
        "status": "completed",
        "interactive": False,
        "provider": "anthropic",
        "model": "not-used",
        "cwd": CWD,
        "workspace_root": "/srv",
        "team_name": "team-x",
        "enable_tools": True,
        "prompt": f"Prompt {number}",
        "metadata": {"sessionHistoryOrigin": {"mode": "user", "version": VERSION}, "systemPrompt": "x" * 9000},
        "messages_path": "/elsewhere",
    }
    return without_holes({**own, **keys})


def thread(messages: Iterable[Message], number: int = 1, updated: float = 31, **keys: object) -> dict[str, Any]:
    """Return a file of messages."""
    own = {
        "version": 1,
        "updated_at": at(updated),
        "agent": "lead",
        "sessionId": session_id(number),
        "origin": {"source": "cli", "mode": "user", "sessionId": session_id(number), "version": VERSION},
        "messages": list(messages),
        "system_prompt": "x" * 9000,
    }
    return without_holes({**own, **keys})


def without_holes(values: dict[str, Any]) -> dict[str, Any]:
    """Return values without those that are `...`."""
    return {key: value for key, value in values.items() if value is not ...}


def encoded(value: object) -> bytes:
    """Return a value as Cline writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def folder(home: Path, number: int = 1, root: str = SESSIONS) -> Path:
    """Return the folder of a session."""
    return home / root / session_id(number)


def session(
    home: Path,
    messages: Iterable[Message] | dict[str, Any] | bytes | EllipsisType | None = ...,
    about: dict[str, Any] | bytes | EllipsisType | None = ...,
    *,
    number: int = 1,
    root: str = SESSIONS,
    modified: float | None = None,
) -> Path:
    """Write a session of Cline 3 and return where its messages are; None leaves a file out."""
    place = folder(home, number, root)
    if about is ...:
        about = manifest(number)
    if about is not None:
        put(place / f"{place.name}.json", about if isinstance(about, bytes) else encoded(about), modified)
    path = place / f"{place.name}.messages.json"
    if messages is ...:
        messages = turns(f"Prompt {number}")
    if isinstance(messages, bytes):
        put(path, messages, modified)
    elif messages is not None:
        put(path, encoded(messages if isinstance(messages, dict) else thread(messages, number)), modified)
    return path


def child(
    home: Path,
    messages: Iterable[Message] | None = None,
    *,
    number: int = 1,
    name: str = "agent_1773133200500_abcdef",
    root: str = SESSIONS,
    **keys: object,
) -> Path:
    """Write what a session spawned, into the session's folder, and return where its messages are."""
    session = f"{session_id(number)}__{name}"
    origin = {
        "source": "cli",
        "mode": "subagent",
        "sessionId": session,
        "parentThreadId": session_id(number),
        "subagent": name,
        "version": VERSION,
    }
    own = {"agent": "subagent", "sessionId": session, "origin": origin, "system_prompt": ...}
    if messages is None:
        messages = [said("Survey the trees", 5), answered(9)]
    told = thread(messages, number, 10, **{**own, **keys})
    return put(folder(home, number, root) / f"{name}.messages.json", encoded(told))


def ui(*texts: str, seconds: float = 1, last: float = 30) -> list[dict[str, Any]]:
    """Return what the screen of a task shows: what it is about, and more."""
    shown = [{"ts": epoch_ms(seconds), "type": "say", "say": "task", "text": text, "images": []} for text in texts]
    request = {"ts": epoch_ms(seconds), "type": "say", "say": "api_req_started", "text": '{"request":"\\"ts\\":9"}'}
    done = {"ts": epoch_ms(last), "type": "say", "say": "completion_result", "text": "Done.", "partial": False}
    return [*shown, request, done]


def entry(number: int = 1, **keys: object) -> dict[str, Any]:
    """Return what the index says of a task; `...` takes a key out."""
    own = {
        "id": task_id(number),
        "ulid": "01J",
        "ts": epoch_ms(9000),
        "task": f"Prompt {number}",
        "tokensIn": 1,
        "size": 99,
        "cwdOnTaskInitialization": CWD,
        "modelId": "chosen-last",
    }
    return without_holes({**own, **keys})


def index(home: Path, entries: Iterable[dict[str, Any]] | bytes, root: str = DATA) -> Path:
    """Write the index of tasks."""
    data = entries if isinstance(entries, bytes) else json.dumps(list(entries)).encode()
    return put(home / root / "state" / "taskHistory.json", data)


def task(
    home: Path,
    messages: Iterable[dict[str, Any]] | bytes | None = None,
    *,
    number: int = 1,
    models: Iterable[str] | None = (MODEL,),
    root: str = DATA,
    name: str = "ui_messages.json",
    modified: float | None = None,
) -> Path:
    """Write a task of Cline 2 and return where its messages are."""
    place = home / root / "tasks" / task_id(number)
    if models is not None:
        usage = [{"ts": epoch_ms(), "model_id": one, "model_provider_id": "anthropic", "mode": "act"} for one in models]
        put(place / "task_metadata.json", json.dumps({"files_in_context": [], "model_usage": usage}))
    put(place / "api_conversation_history.json", json.dumps([{"role": "user", "content": "x" * 200}]))
    if not isinstance(messages, bytes):
        messages = json.dumps(list(messages if messages is not None else ui(f"Prompt {number}"))).encode()
    return put(place / name, messages, modified)
