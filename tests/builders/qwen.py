"""Stores of Qwen Code, of every generation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders import gemini
from tests.builders.common import CWD, at, put, uuid

Record = dict[str, Any]

MODEL = "qwen3-coder-plus"
BASE = ".qwen"


def slug(directory: str = CWD) -> str:
    """Return the name of a directory's folder."""
    return re.sub(r"[^A-Za-z0-9]", "-", directory)


def record(kind: str, seconds: float = 0, number: int = 1, **keys: object) -> Record:
    """Return a line of a session, as 0.24 writes it."""
    own = {
        "uuid": f"{kind}-{seconds}",
        "parentUuid": None,
        "sessionId": uuid(number),
        "timestamp": at(seconds),
        "type": kind,
        "cwd": CWD,
        "version": "0.24.4",
    }
    return _whole({**own, **keys})


def said(text: str = "Prune the trees", seconds: float = 0, **keys: Any) -> Record:
    """Return what a person said."""
    message = {"role": "user", "parts": [{"text": text}]}
    return record("user", seconds, **{"provenance": "real_user", "message": message, **keys})


def answered(text: str = "Done.", seconds: float = 30, **keys: Any) -> Record:
    """Return an answer."""
    message = {"role": "model", "parts": [{"text": text}]}
    return record(
        "assistant", seconds, **{"provenance": "assistant_output", "model": MODEL, "message": message, **keys}
    )


def noted(subtype: str, payload: object, seconds: float = 0, **keys: Any) -> Record:
    """Return what the agent itself notes."""
    return record("system", seconds, **{"provenance": "system", "subtype": subtype, "systemPayload": payload, **keys})


def titled(title: object, seconds: float = 40, source: str = "manual", **keys: Any) -> Record:
    """Return the note that gives the session a title."""
    return noted("custom_title", {"customTitle": title, "titleSource": source}, seconds, **keys)


def telemetry(seconds: float = 30, **keys: Any) -> Record:
    """Return a note about a request."""
    return noted("ui_telemetry", {"uiEvent": {"event.name": "qwen-code.api_response", "model": MODEL}}, seconds, **keys)


def turns(number: int = 1, text: str | None = None, seconds: float = 30, **keys: Any) -> list[Record]:
    """Return the records of a session of one prompt and its answer."""
    keys = {"number": number, **keys}
    return [said(text or f"Prompt {number}", **keys), answered(seconds=seconds, **keys)]


def without(records: Iterable[Record], *keys: str) -> list[Record]:
    """Return records without some keys, as older versions wrote them."""
    return [{key: value for key, value in one.items() if key not in keys} for one in records]


def project(home: Path, directory: str = CWD, base: str = BASE) -> Path:
    """Return the folder of a directory."""
    return home / base / "projects" / slug(directory)


def session(
    home: Path,
    records: Iterable[object] | bytes | None = None,
    *,
    number: int = 1,
    directory: str = CWD,
    base: str = BASE,
    place: str = "chats",
    modified: float | None = None,
) -> Path:
    """Write a session; by default of one prompt and its answer."""
    if records is None:
        records = turns(number, cwd=directory)
    return put(project(home, directory, base) / place / f"{uuid(number)}.jsonl", records, modified)


def archived(home: Path, records: Iterable[object] | None = None, **keys: Any) -> Path:
    """Write a session that was archived."""
    return session(home, records, **{"place": "chats/archive", **keys})


def subagent(
    home: Path,
    agent: str = "scout-call_1",
    records: Iterable[object] | bytes | None = None,
    *,
    parent: int = 1,
    directory: str = CWD,
    meta: Record | bytes | None = None,
) -> Path:
    """Write a subagent of a session, and what is known of it."""
    if records is None:
        records = spawned(agent, parent=parent)
    path = project(home, directory) / "subagents" / uuid(parent) / f"agent-{agent}.jsonl"
    if meta is not None:
        content = meta if isinstance(meta, bytes) else json.dumps(meta)
        put(path.with_suffix(".meta.json"), content)
    return put(path, records)


def spawned(agent: str, text: str = "Look around", seconds: float = 30, parent: int = 1, **keys: Any) -> list[Record]:
    """Return the records of a subagent: they carry the session's id, and neither a provenance nor a model."""
    own = {"number": parent, "agentId": agent, "isSidechain": True, "provenance": ..., "model": ..., **keys}
    return [said(text, **own), answered(seconds=seconds, **own)]


def about(agent: str = "scout-call_1", parent: int = 1, **keys: object) -> Record:
    """Return what is known of a subagent."""
    own = {
        "agentId": agent,
        "agentType": "scout",
        "description": "Look around the tree",
        "parentSessionId": uuid(parent),
        "parentAgentId": None,
        "status": "completed",
        "depth": 0,
        "model": MODEL,
    }
    return _whole({**own, **keys})


def old(home: Path, found: Record | bytes | None = None, *, number: int = 1, base: str = BASE) -> Path:
    """Write a session of 0.1, in the format of Gemini CLI."""
    content = old_conversation(number) if found is None else found
    if not isinstance(content, bytes):
        content = json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return put(home / base / "tmp" / gemini.hashed() / "chats" / gemini.file_name(number, suffix=".json"), content)


def old_conversation(number: int = 1, **keys: Any) -> Record:
    """Return a conversation of one prompt and its answer."""
    asked = gemini.message("user", f"Prompt {number}")
    answer = gemini.message("qwen", "Done.", 30, model=MODEL)
    return gemini.conversation([asked, answer], number, **keys)


def _whole(values: Record) -> Record:
    return {key: value for key, value in values.items() if value is not ...}  # `...` takes a key out
