"""Where Continue keeps its sessions.

<global directory>/sessions/<id>.json        a session
<global directory>/sessions/sessions.json    what all of them are called, and when they were first saved
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of candidates.
SESSION = "session"
INDEX = "index"

_INDEX_NAME = "sessions.json"


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folder of sessions, the same on every system."""
    home = environment.directory("CONTINUE_GLOBAL_DIR") or environment.in_home(".continue")
    return (Store(os.path.join(home, "sessions")),)


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the sessions and the index of a store."""
    # A name that starts with a dot is another program's: macOS puts `._name` beside every file it copies.
    names = [
        entry
        for entry in files.entries(store.path, report)
        if entry.name.endswith(".json") and not entry.name.startswith(".")
    ]
    yield from files.candidates((entry for entry in names if entry.name != _INDEX_NAME), SESSION, store, report)
    yield from files.candidates((entry for entry in names if entry.name == _INDEX_NAME), INDEX, store, report)


def session_id(path: str) -> str:
    """Return the id of the session in a file. The name is the id: Continue itself sets the one inside to it."""
    return os.path.basename(path)[: -len(".json")]
