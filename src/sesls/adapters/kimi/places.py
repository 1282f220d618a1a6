"""Where Kimi Code keeps its sessions.

sessions/wd_<name>_<hash>/session_<id>/state.json                  what it notes of a session
sessions/wd_<name>_<hash>/session_<id>/session-meta/state.json     the same in older versions
sessions/wd_<name>_<hash>/session_<id>/agents/main/wire.jsonl      what happened in it
sessions/wd_<name>_<hash>/session_<id>/agents/agent-N/wire.jsonl   what happened in one that it spawned

Indexes and markers lie beside them; they tell nothing that these files do not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
SESSIONS = "sessions"

# Roles of candidates.
STATE = "state"
OLD_STATE = "state of older versions"
WIRE = "log"

MAIN = "main"


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the session directory of Kimi's home, the same on every system."""
    home = environment.directory("KIMI_CODE_HOME") or environment.in_home(".kimi-code")
    return (Store(os.path.join(home, "sessions"), SESSIONS),)


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the states and logs of the sessions of a store."""
    for workspace in files.folders(store.path, report):
        if workspace.name.startswith("."):  # Kimi's own index
            continue
        for session in files.folders(workspace.path, report):
            yield from _in_session(session.path, store, report)


def _in_session(folder: str, store: Store, report: files.Report) -> Iterator[Candidate]:
    inner = {entry.name: entry for entry in files.entries(folder, report)}
    if "state.json" in inner:
        yield from files.candidates([inner["state.json"]], STATE, store, report)
    elif "session-meta" in inner:
        yield from files.candidates(_named("state.json", inner["session-meta"].path, report), OLD_STATE, store, report)
    if "agents" in inner:
        for agent in files.folders(inner["agents"].path, report):
            yield from files.candidates(_named("wire.jsonl", agent.path, report), WIRE, store, report)


def _named(name: str, folder: str, report: files.Report) -> list[os.DirEntry[str]]:
    return [entry for entry in files.entries(folder, report) if entry.name == name]


def session_folder(candidate: Candidate) -> str:
    """Return the folder of the session that a file belongs to."""
    levels = {STATE: 1, OLD_STATE: 2, WIRE: 3}[candidate.role]
    path = candidate.path
    for _ in range(levels):
        path = os.path.dirname(path)
    return path


def agent_name(candidate: Candidate) -> str:
    """Return the name of the agent whose log a file is: unique within its session only."""
    return os.path.basename(os.path.dirname(candidate.path))
