"""Where Hermes Agent keeps its sessions. Every profile is a home of its own, below the first one.

state.db                           all sessions
sessions/session_<id>.json         a snapshot of one (older builds; from 0.19 on only if asked for)
sessions/<id>.jsonl                its messages, line by line (older builds)
profiles/<name>/                   the same of a profile
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
HOME = "home"
PROFILES = "profiles"

# Roles of candidates.
DATABASE = "database"
SNAPSHOT = "snapshot"
LOG = "log"

_SNAPSHOT_NAME = re.compile(r"session_(.+)\.json", re.DOTALL)
_LOG_NAME = re.compile(r"(\d{8}_\d{6}_[0-9a-f]+)\.jsonl")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the home that a variable names, or else those of all systems, and the profiles of each."""
    named = environment.directory("HERMES_HOME")
    if named is not None:
        homes = [named]
        parent = os.path.dirname(os.path.normpath(named))
        if os.path.basename(parent) == "profiles":
            homes.append(os.path.dirname(parent))
    else:
        local = (os.path.join(place, "hermes") for place in environment.local_data_homes())
        homes = [environment.in_home(".hermes"), *local]
    return tuple(
        store for home in homes for store in (Store(home, HOME), Store(os.path.join(home, "profiles"), PROFILES))
    )


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the databases, snapshots and logs of a store."""
    homes = [store.path] if store.role == HOME else [entry.path for entry in files.folders(store.path, report)]
    for home in homes:
        databases = [entry for entry in files.entries(home, report) if entry.name == "state.db"]
        yield from files.candidates(databases, DATABASE, store, report)
        for entry in files.entries(os.path.join(home, "sessions"), report):
            role = SNAPSHOT if _SNAPSHOT_NAME.fullmatch(entry.name) else LOG
            # Dumps of requests and the gateway's index are no sessions.
            if id_in_name(entry.name) is not None:
                yield from files.candidates([entry], role, store, report)


def id_in_name(path: str) -> str | None:
    """Return the id in the name of a snapshot or a log; None for another kind of name."""
    name = os.path.basename(path)
    match = _SNAPSHOT_NAME.fullmatch(name) or _LOG_NAME.fullmatch(name)
    return match[1] if match is not None else None


def profile(candidate: Candidate) -> str | None:
    """Return the name of the profile whose file this is, if it is one's."""
    if candidate.store.role != PROFILES:
        return None
    return os.path.relpath(candidate.path, candidate.store.path).split(os.sep)[0]
