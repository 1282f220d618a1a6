"""Where OpenCode keeps its sessions. All generations can lie in one data directory, each with sessions of its own.

opencode.db, opencode-<channel>.db                     databases (from 1.2)
storage/session/<project>/<session>.json               records (1.0 to 1.1)
project/<slug>/storage/session/info/<session>.json     records (0.x)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
DATA = "data directory"
NAMED_DATABASE = "database named by OPENCODE_DB"

# Roles of candidates.
DATABASE = "database"
RECORD = "session record"
OLD_RECORD = "session record of 0.x"

_DATABASE_FILE = re.compile(r"opencode(?:-[A-Za-z0-9._-]+)?\.db")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the data directory, the same on every system, and the database that a variable may add."""
    data = os.path.join(environment.data_home(), "opencode")
    places = [Store(data, DATA)]
    # From 1.3 on: absolute, or relative to the data directory.
    named = environment.value("OPENCODE_DB")
    if named is not None and named != ":memory:":
        places.append(Store(os.path.join(data, named), NAMED_DATABASE))
    return tuple(places)


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the databases and session records of a store."""
    if store.role == NAMED_DATABASE:
        folder, name = os.path.split(store.path)
        named = [entry for entry in files.entries(folder, report) if entry.name == name]
        yield from files.candidates(named, DATABASE, store, report)
        return
    hear, problems = files.heard(report)
    entries = files.entries(store.path, hear)
    if problems:
        return
    databases = [entry for entry in entries if _DATABASE_FILE.fullmatch(entry.name)]
    yield from files.candidates(databases, DATABASE, store, report)
    for project in files.folders(os.path.join(store.path, "storage", "session"), report):
        yield from files.candidates(_records(project.path, report), RECORD, store, report)
    for project in files.folders(os.path.join(store.path, "project"), report):
        info = os.path.join(project.path, "storage", "session", "info")
        yield from files.candidates(_records(info, report), OLD_RECORD, store, report)


def _records(folder: str, report: files.Report) -> list[os.DirEntry[str]]:
    # A name that starts with a dot is another program's: macOS puts `._name` beside every file it copies.
    names = files.entries(folder, report)
    return [entry for entry in names if entry.name.endswith(".json") and not entry.name.startswith(".")]


def message_folder(candidate: Candidate, session: str) -> str:
    """Return the folder of a session's messages, for a session that is a record."""
    folder = os.path.dirname(candidate.path)
    if candidate.role == OLD_RECORD:
        return os.path.join(os.path.dirname(folder), "message", session)
    return os.path.join(os.path.dirname(os.path.dirname(folder)), "message", session)


def part_folder(candidate: Candidate, session: str, message: str) -> str:
    """Return the folder of a message's parts, for a session that is a record."""
    folder = os.path.dirname(candidate.path)
    if candidate.role == OLD_RECORD:
        return os.path.join(os.path.dirname(folder), "part", session, message)
    return os.path.join(os.path.dirname(os.path.dirname(folder)), "part", message)
