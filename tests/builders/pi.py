"""Stores of Pi."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, at, epoch_ms, put, uuid

Entry = dict[str, Any]

MODEL = "claude-sonnet-4-5"
AGENT_DIR = ".pi/agent"


def header(number: int = 1, seconds: float = 0, **keys: object) -> Entry:
    """Return the first entry of a session."""
    return _without_holes(
        {"type": "session", "version": 3, "id": uuid(number), "timestamp": at(seconds), "cwd": CWD, **keys}
    )


def entry(kind: str, seconds: float = 0, **keys: object) -> Entry:
    """Return an entry of a session's tree."""
    tree = {"id": f"{round(seconds * 1000):08x}", "parentId": None}
    return _without_holes({"type": kind, **tree, "timestamp": at(seconds), **keys})


def message(role: str, content: object, seconds: float = 1, **keys: object) -> Entry:
    """Return an entry of what somebody said; Pi writes it a little later than it was said."""
    said = {"role": role, "content": content, "timestamp": epoch_ms(seconds), **keys}
    return entry("message", seconds + 0.25, message=_without_holes(said))


def said(text: str, seconds: float = 1, **keys: object) -> Entry:
    """Return what a person said."""
    return message("user", [text_part(text)], seconds, **keys)


def answered(text: str = "Done.", seconds: float = 30, model: str = MODEL, **keys: object) -> Entry:
    """Return an answer."""
    return message(
        "assistant",
        [text_part(text)],
        seconds,
        **{"provider": "anthropic", "model": model, "stopReason": "stop", **keys},
    )


def text_part(text: str) -> Entry:
    """Return a part of a message that is text."""
    return {"type": "text", "text": text}


def result(text: str = "ok", seconds: float = 20) -> Entry:
    """Return a tool's result."""
    return message("toolResult", [text_part(text)], seconds, toolCallId="call_1", toolName="bash")


def named(name: object, seconds: float = 40) -> Entry:
    """Return the entry that gives the session a name."""
    return entry("session_info", seconds, name=name)


def untreed(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries as version 1 wrote them: without their place in a tree."""
    places = ("id", "parentId")
    return [{key: value for key, value in one.items() if key not in places} for one in entries]


def file_name(number: int | str = 1, seconds: float = 0) -> str:
    """Return the name that Pi gives a session's file."""
    identity = uuid(number) if isinstance(number, int) else number
    return re.sub("[:.]", "-", at(seconds)) + f"_{identity}.jsonl"


def folder(home: Path, directory: str = CWD, root: str = AGENT_DIR) -> Path:
    """Return the folder of the sessions of a directory."""
    return home / root / "sessions" / f"--{re.sub(r'[/:]', '-', directory.removeprefix('/'))}--"


def session(
    home: Path,
    entries: Iterable[Entry] | bytes | None = None,
    *,
    number: int = 1,
    directory: str = CWD,
    root: str = AGENT_DIR,
    modified: float | None = None,
) -> Path:
    """Write a session; by default of one prompt and its answer."""
    if entries is None:
        entries = turns(number, cwd=directory)
    return put(folder(home, directory, root) / file_name(number), entries, modified)


def turns(number: int = 1, text: str | None = None, **keys: Any) -> list[Entry]:
    """Return the entries of a session of one prompt and its answer."""
    return [header(number, **keys), said(text or f"Prompt {number}"), answered()]


def child(parent: Path, entries: Iterable[Entry], place: str = "4f2a/run-0/session.jsonl") -> Path:
    """Write a session into the folder of the session that spawned it."""
    return put(parent.with_suffix("") / place, entries)


def _without_holes(values: Entry) -> Entry:
    return {key: value for key, value in values.items() if value is not ...}  # `...` takes a key out
