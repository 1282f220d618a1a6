"""Stores of Mistral Vibe: one session written as any generation of it keeps it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, START, epoch_ms, put, uuid

Record = dict[str, Any]

SESSIONS = ".vibe/logs/session"
MODEL = "devstral-2"
ALIAS = "devstral"
GENERATION = "0000000000000008"

CONFIG = {"active_model": ALIAS, "models": [{"name": "other", "alias": "o"}, {"name": MODEL, "alias": ALIAS}]}


def at(seconds: float = 0) -> str:
    """Return the instant so many seconds after the start, as Vibe writes it from 2.x on."""
    return (START + timedelta(seconds=seconds)).isoformat()


def wall(seconds: float = 0) -> str:
    """Return the same as a clock in UTC shows it, which 1.x wrote."""
    return (START + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()


def name(number: int = 1, prefix: str = "session") -> str:
    """Return the name of a session of 1.x or 2.x."""
    return f"{prefix}_20260310_090000_{uuid(number)[:8]}"


def said(text: object, role: str = "user", **keys: object) -> Record:
    """Return a message of 1.x or 2.x, which has no time."""
    return {"role": role, "content": text, **keys}


def answered(text: str = "Done.") -> Record:
    """Return an answer."""
    return said(text, "assistant")


def turns(number: int = 1) -> list[Record]:
    """Return one prompt and its answer."""
    return [said(f"Prompt {number}"), answered()]


def meta(number: int = 1, **keys: object) -> Record:
    """Return what Vibe notes of a session."""
    one = {
        "session_id": uuid(number),
        "parent_session_id": None,
        "start_time": at(),
        "end_time": at(30),
        "git_commit": None,
        "git_branch": None,
        "environment": {"working_directory": CWD},
        "username": "ada",
        "title": None,
        "title_source": "auto",
        **keys,
    }
    return {key: value for key, value in one.items() if value is not ...}  # `...` takes a key out


def save(
    home: Path, number: int = 1, messages: Sequence[Record] | None = None, *, root: str = SESSIONS, **keys: object
) -> Path:
    """Write a session as 1.x keeps it."""
    own = {"title": ..., "title_source": ..., "agent_config": CONFIG, "start_time": wall(), "end_time": wall(30)}
    metadata = meta(number, **(own | keys))
    content = {
        "metadata": metadata,
        "messages": [said("…", "system"), *(turns(number) if messages is None else messages)],
    }
    return put(home / root / f"{name(number)}.json", json.dumps(content, indent=2))


def folder(
    home: Path,
    number: int = 1,
    messages: Iterable[Record] | bytes | None = None,
    *,
    root: str = SESSIONS,
    prefix: str = "session",
    **keys: object,
) -> Path:
    """Write a session as 2.0 to 2.9 keep it, and return its folder."""
    path = home / root / name(number, prefix)
    put(
        path / "meta.json",
        json.dumps(meta(number, **({"title": f"Prompt {number}", "config": CONFIG} | keys)), indent=2),
    )
    put(path / "messages.jsonl", turns(number) if messages is None else messages)
    return path


def child(parent: Path, number: int = 7, agent: str = "explore", **keys: Any) -> Path:
    """Write a session that one of 2.x spawned, and return its folder."""
    profile = {"agent_profile": {"name": agent}}
    return folder(parent, number, root="agents", prefix=agent, **(profile | keys))


def entry(text: str, seconds: float = 1, role: str = "user", **keys: object) -> Record:
    """Return a message of a unified session's history."""
    moment = epoch_ms(seconds)
    return {
        "content": [{"text": text, "type": "text"}],
        "createdAt": moment,
        "id": f"{role}-{moment}",
        "role": role,
        "type": "message",
        "updatedAt": moment,
        **keys,
    }


def shown(number: int | str = 1, **keys: object) -> Record:
    """Return what a unified session shows of itself."""
    identity = uuid(number) if isinstance(number, int) else number
    return {
        "id": identity,
        "parentSessionId": None,
        "rootSessionId": identity,
        "title": None,
        "titleSource": "auto",
        "preview": f"Prompt {number}",
        "createdAt": epoch_ms(),
        "updatedAt": epoch_ms(30),
        **keys,
    }


def unified(
    home: Path,
    number: int | str = 1,
    entries: Sequence[Record] | None = None,
    *,
    root: str = SESSIONS,
    session: Record | None = None,
    journal: Sequence[Record] = (),
    **keys: object,
) -> Path:
    """Write a session as 2.26 to 3.0 keep it, and return its folder."""
    path = unified_without_meta(home, number, entries, root=root, session=session, journal=journal)
    assert isinstance(number, int)
    config = {"config": {"active_model": ALIAS, "model_name": MODEL}, "bumped_at": at(29)}
    put(path / "meta.json", json.dumps(meta(number, **(config | keys)), indent=2))
    return path


def unified_without_meta(
    home: Path,
    number: int | str,
    entries: Sequence[Record] | None = None,
    *,
    root: str = SESSIONS,
    session: Record | None = None,
    journal: Sequence[Record] = (),
) -> Path:
    """Write the same without what is noted beside it."""
    if entries is None:
        entries = [entry(f"Prompt {number}"), entry("Done.", 30, "assistant")]
    session = shown(number) if session is None else session
    path = home / root / "unified" / str(session["id"])
    chunks = [_chunk(path, entries), _chunk(path, [{"message": one, "source": "history"} for one in entries])]
    _chunk(path, {"agent_types": [], "tool_groups": []})
    current = {"generation": GENERATION, "session_id": session["id"], "snapshot_sequence": 8}
    put(path / "CURRENT", json.dumps(current))
    generation = path / "generations" / GENERATION
    put(generation / "manifest.json", json.dumps({"projection_state": {"chunks": chunks[:1]}}))
    put(generation / "projection-state.json", json.dumps({"snapshot": {"session": session}}))
    put(path / "journal" / "0000000000000009.jsonl", journal)
    return path


def unified_child(home: Path, parent: int = 1, number: int = 7, **keys: Any) -> Path:
    """Write a session that a unified one spawned."""
    identity = f"child-{number:024x}"
    told = shown(identity, parentSessionId=uuid(parent), rootSessionId=uuid(parent), preview=f"Prompt {number}")
    return unified_without_meta(home, identity, [entry(f"Prompt {number}")], session=told | keys)


def started(text: str, sequence: int = 9) -> Record:
    """Return the record of a journal that begins a turn."""
    parameters = {"injected": False, "message": [{"text": text, "type": "text"}]}
    return {"sequence": sequence, "payload": {"method": "turn/start", "params": parameters}, "type": "command_reserved"}


def appended(*entries: Record, sequence: int = 10) -> Record:
    """Return the record of a journal that adds to the history."""
    delta = [{"entry": one, "op": "append_entry"} for one in entries]
    return {"sequence": sequence, "payload": {"delta": [*delta, {"op": "set_envelope"}]}, "type": "projection_delta"}


def _chunk(path: Path, content: object) -> str:
    data = json.dumps(content).encode()
    digest = hashlib.sha256(data).hexdigest()
    put(path / "chunks" / f"{digest}.json", data)
    return digest


def _of_2(home: Path, number: int, directory: str) -> Path:
    return folder(home, number, environment={"working_directory": directory}) / "meta.json"


def _of_1(home: Path, number: int, directory: str) -> Path:
    return save(home, number, environment={"working_directory": directory})


def _of_3(home: Path, number: int, directory: str) -> Path:
    return unified(home, number, environment={"working_directory": directory}) / "meta.json"


GENERATIONS: dict[str, Callable[[Path, int, str], Path]] = {"1": _of_1, "2": _of_2, "3": _of_3}
"""Ways to write one session, by the version that kept it so."""
