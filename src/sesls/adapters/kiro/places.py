"""Where Kiro keeps its sessions.

<home>/sessions/cli/<id>.json, <id>.jsonl                    a session and its journal (2.x)
<home>/sessions/<hash of its directories>/<id>/session.json  one of 3.0, of the IDE too; its messages beside it
<data directory>/data.sqlite3                                tables `conversations` (1.x), `conversations_v2` (2.x)
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
FLAT = "sessions of 2.x"
BUCKETS = "sessions of 3.0"
DATA = "data directory"

# Roles of candidates.
RECORD = "record"
JOURNAL = "journal"
SESSION = "session"
DATABASE = "database"

_FLAT_FOLDER = "cli"
_DATABASE = "data.sqlite3"


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folders of sessions, and the data directories of every operating system."""
    own = environment.in_home(".kiro")
    home = environment.directory("KIRO_HOME") or own
    # The IDE, which shares the folders of 3.0, knows no such variable.
    homes = dict.fromkeys((home, own))
    data_homes = (
        environment.data_home(),
        environment.in_home("Library", "Application Support"),
        *environment.local_data_homes(),
    )
    return (
        Store(os.path.join(home, "sessions", _FLAT_FOLDER), FLAT),
        *(Store(os.path.join(one, "sessions"), BUCKETS) for one in homes),
        *(Store(os.path.join(one, "kiro-cli"), DATA) for one in dict.fromkeys(data_homes)),
    )


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that hold sessions."""
    if store.role == BUCKETS:
        for bucket in files.folders(store.path, report):
            for session in files.folders(bucket.path, report) if bucket.name != _FLAT_FOLDER else ():
                own = [entry for entry in files.entries(session.path, report) if entry.name == "session.json"]
                yield from files.candidates(own, SESSION, store, report)
        return
    entries = files.entries(store.path, report)
    if store.role == DATA:
        yield from files.candidates([one for one in entries if one.name == _DATABASE], DATABASE, store, report)
        return
    visible = [entry for entry in entries if not entry.name.startswith(".")]
    for role, ending in ((RECORD, ".json"), (JOURNAL, ".jsonl")):
        yield from files.candidates([one for one in visible if one.name.endswith(ending)], role, store, report)


def stem(path: str) -> str:
    """Return what a record and its journal have in common: their path without its ending."""
    return os.path.splitext(path)[0]


def messages_file(candidate: Candidate) -> str:
    """Return the file of a session's messages, for a session that is no row."""
    if candidate.role == SESSION:
        return os.path.join(os.path.dirname(candidate.path), "messages.jsonl")
    return stem(candidate.path) + ".jsonl"
