"""Where Copilot CLI keeps its sessions.

    <home>/session-state/<id>/events.jsonl, workspace.yaml      a session (0.0.3xx on)
    <home>/session-state/<id>.jsonl                             a session (from 0.0.343)
    <home>/history-session-state/session_<id>_<time>.json       a session (to 0.0.340)

Databases beside them (`session-store.db`, `<id>/session.db`) are made from these files, and lag behind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
SESSIONS = "sessions"
SAVES = "saves of the first builds"

# Roles of candidates.
SESSION = "session"
FLAT = "session without a folder"
SAVE = "save"

_SAVE_NAME = re.compile(r"session_(.+)_\d+\.json", re.DOTALL)


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folders of sessions, the same on every system.

    Builds before 1.0 followed XDG_STATE_HOME; later ones move what they find there to their own home.
    """
    homes = [environment.directory("COPILOT_HOME") or environment.in_home(".copilot")]
    if (xdg := environment.directory("XDG_STATE_HOME")) is not None:
        homes.append(os.path.join(xdg, ".copilot"))
    return tuple(
        Store(os.path.join(home, name), role)
        for home in dict.fromkeys(homes)
        for name, role in (("session-state", SESSIONS), ("history-session-state", SAVES))
    )


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that may be sessions. A folder without events was opened and closed."""
    # A name that starts with a dot is another program's: macOS puts `._name` beside every file it copies.
    entries = [entry for entry in files.entries(store.path, report) if not entry.name.startswith(".")]
    if store.role == SAVES:
        saves = (entry for entry in entries if _SAVE_NAME.fullmatch(entry.name))
        yield from files.candidates(saves, SAVE, store, report)
        return
    for entry in entries:
        if files.is_folder(entry, report):
            events = (inner for inner in files.entries(entry.path, report) if inner.name == "events.jsonl")
            yield from files.candidates(events, SESSION, store, report)
        elif entry.name.endswith(".jsonl"):
            yield from files.candidates([entry], FLAT, store, report)


def session_id(candidate: Candidate) -> str:
    """Return the id of the session in a file: the name is the id, by which Copilot finds it again."""
    name = os.path.basename(candidate.path)
    if candidate.role == SESSION:
        return os.path.basename(os.path.dirname(candidate.path))
    if candidate.role == FLAT:
        return name[: -len(".jsonl")]
    match = _SAVE_NAME.fullmatch(name)
    assert match is not None
    return match[1]


def workspace(candidate: Candidate) -> str:
    """Return where a session's `workspace.yaml` lies."""
    return os.path.join(os.path.dirname(candidate.path), "workspace.yaml")
