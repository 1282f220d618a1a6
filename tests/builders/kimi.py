"""Stores of Kimi Code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, at, epoch_ms, put, uuid

Record = dict[str, Any]

HOME = ".kimi-code"
MODEL = "kimi-k2.5"
USER = {"kind": "user"}
SPAWNER = {"kind": "system_trigger", "name": "subagent"}
REMINDER = "<system-reminder>\nToday is Tuesday.\n</system-reminder>"


def key(number: int) -> str:
    """Return a session's id."""
    return f"session_{uuid(number)}"


def record(kind: str, seconds: float = 0, /, **keys: object) -> Record:
    """Return a line of a log."""
    return {"type": kind, "agentId": "main", **keys, "time": epoch_ms(seconds)}


def begun(seconds: float = 0) -> Record:
    """Return the first line of a log."""
    return {"type": "metadata", "protocol_version": "1.5", "created_at": epoch_ms(seconds)}


def bound(size: int = 100) -> Record:
    """Return the line that holds the prompt of the system, which is long."""
    return record("profile.bind", modelAlias="k2", profileName="agent", systemPrompt="x" * size)


def said(text: str | list[Record], seconds: float = 1, origin: Record = USER) -> Record:
    """Return a prompt."""
    parts = [{"type": "text", "text": text}] if isinstance(text, str) else text
    return record("turn.prompt", seconds, input=parts, origin=origin, turnId=0)


def reminded(seconds: float = 2) -> Record:
    """Return what Kimi says in a person's name."""
    message = {"role": "user", "content": [{"type": "text", "text": REMINDER}], "origin": {"kind": "injection"}}
    return record("context.append_message", seconds, message=message)


def requested(model: str = MODEL, seconds: float = 3) -> Record:
    """Return the line of a request to a model."""
    return record("llm.request", seconds, kind="loop", provider="openai", model=model, modelAlias="k2")


def answered(seconds: float = 29, text: str = "Done.") -> Record:
    """Return an answer."""
    message = {"message": {"role": "assistant", "content": [{"type": "text", "text": text}], "toolCalls": []}}
    return {"message": message, "type": "agent.message.appended", "time": epoch_ms(seconds), "kind": "event"}


def ended(seconds: float = 30) -> Record:
    """Return the last line of a turn."""
    return record("prompt.completed", seconds, reason="completed", finishedAt=at(seconds))


def turns(text: str = "Prompt 1", seconds: float = 30, origin: Record = USER) -> list[Record]:
    """Return the log of one prompt and its answer."""
    return [begun(), bound(), said(text, origin=origin), reminded(), requested(), answered(seconds - 1), ended(seconds)]


def state(number: int = 1, seconds: float = 30, **keys: object) -> Record:
    """Return what Kimi notes of a session."""
    one = {
        "id": key(number),
        "version": 2,
        "cwd": CWD,
        "createdAt": epoch_ms(),
        "updatedAt": epoch_ms(seconds),
        "archived": False,
        "agents": {"main": {"type": "main"}},
        "custom": {},
        "isCustomTitle": False,
        **keys,
    }
    return {name: value for name, value in one.items() if value is not ...}  # `...` takes a key out


def sub(parent: str | None = "main", profile: str | None = "explore") -> Record:
    """Return what Kimi notes of an agent that another one spawned."""
    labels = {"parentAgentId": parent, "profileName": profile}
    return {"type": "sub", "labels": {name: value for name, value in labels.items() if value is not None}}


def folder(home: Path, number: int = 1, directory: str = CWD, root: str = HOME) -> Path:
    """Return the folder of a session."""
    digest = hashlib.sha256(directory.encode()).hexdigest()[:12]
    return home / root / "sessions" / f"wd_{directory.rsplit('/', 1)[-1]}_{digest}" / key(number)


def session(
    home: Path,
    number: int = 1,
    records: Iterable[Record] | bytes | None = None,
    *,
    directory: str = CWD,
    root: str = HOME,
    **keys: Any,
) -> Path:
    """Write a session, by default of one prompt and its answer, and return its log."""
    path = folder(home, number, directory, root)
    put(path / "state.json", json.dumps(state(number, **({"cwd": directory} | keys))))
    put(path / "notify" / "state.json", '{"enabled":false}')
    return log(path, turns(f"Prompt {number}") if records is None else records)


def log(folder: Path, records: Iterable[Record] | bytes, agent: str = "main") -> Path:
    """Write the log of an agent of a session."""
    return put(folder / "agents" / agent / "wire.jsonl", records)
