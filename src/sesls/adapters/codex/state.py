"""What Codex keeps beside its rollouts: names, and a database that is mostly a cache of them.

All of it is a hint. Names of threads stand nowhere else; the rest fills gaps. Nothing here makes a session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from sesls.adapters.codex import places
from sesls.environment import Environment
from sesls.formats import files, jsonl, sqlite
from sesls.paths import expanded
from sesls.text import is_visible

if TYPE_CHECKING:
    import sqlite3

_DATABASE = re.compile(r"state_(\d+)\.sqlite")
# state.sqlite and state_2.sqlite (0.93 to 0.98) took AGENTS.md for titles.
_FIRST_SOUND = 4
_CONFIG_LIMIT = 1 << 20
_TEXT_KEPT = 8192


class Thread(msgspec.Struct, frozen=True):
    """A thread's row in the state database; columns that its version lacks are None, empty ones are empty."""

    name: str | None
    title: str | None
    first_user_message: str | None
    preview: str | None


class _IndexLine(msgspec.Struct):
    id: str | None = None
    thread_name: str | None = None


_INDEX_LINE = msgspec.json.Decoder(_IndexLine)


def index_names(ids: Collection[str], environment: Environment, report: files.Report) -> dict[str, str]:
    """Return the names that `session_index.jsonl` (from 0.93) gives some threads; the last visible one counts."""
    path = os.path.join(places.home(environment), "session_index.jsonl")
    wanted = frozenset(ids)
    names: dict[str, str] = {}
    try:
        with jsonl.opened(path) as file:
            for line in jsonl.all_records(file, _INDEX_LINE):
                if line.id in wanted and line.thread_name and is_visible(line.thread_name):
                    names[line.id] = line.thread_name
    except OSError as error:
        files.failed(path, error, report)
    return names


def databases(environment: Environment, report: files.Report) -> Iterator[str]:
    """Yield the state databases, the newest format first."""
    for folder in dict.fromkeys(_database_dirs(environment)):
        found = []
        for entry in files.entries(folder, report):
            match = _DATABASE.fullmatch(entry.name)
            if match is not None and int(match[1]) >= _FIRST_SOUND:
                found.append((int(match[1]), entry.path))
        yield from (path for _, path in sorted(found, reverse=True))


def _database_dirs(environment: Environment) -> Iterator[str]:
    home = places.home(environment)
    if (configured := _configured_dir(home)) is not None:
        yield os.path.join(home, expanded(configured, environment.home))
    if (named := environment.directory("CODEX_SQLITE_HOME")) is not None:
        yield named
    yield home


def _configured_dir(home: str) -> str | None:
    """Return `sqlite_home` of config.toml, which wins over the variable."""
    try:
        config = files.content(os.path.join(home, "config.toml"), _CONFIG_LIMIT)
        if b"sqlite_home" not in config:
            return None
        import tomllib  # here: few configurations have the key

        value = tomllib.loads(config.decode("utf-8-sig")).get("sqlite_home")
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, str) and value and "\0" not in value else None


def directories(environment: Environment, report: files.Report) -> dict[str, str]:
    """Return the working directory of every thread that a database knows."""
    found: dict[str, str] = {}
    for path in databases(environment, report):
        older: dict[str, str] = sqlite.answer(path, _directories, {}, report)
        found = older | found
    return found


def threads(ids: Collection[str], environment: Environment, report: files.Report) -> dict[str, Thread]:
    """Return, for some threads, what the newest database that knows them says."""
    found: dict[str, Thread] = {}
    for path in databases(environment, report):
        wanted = [thread for thread in ids if thread not in found]
        known: dict[str, Thread] = sqlite.answer(path, partial(_threads, wanted), {}, report)
        found |= known
    return found


def _directories(connection: sqlite3.Connection) -> dict[str, str]:
    if not {"id", "cwd"} <= sqlite.columns(connection, "threads"):
        return {}
    return {
        thread: cwd
        for thread, cwd in connection.execute("SELECT id, cwd FROM threads")
        if isinstance(thread, str) and isinstance(cwd, str) and cwd
    }


def parents(ids: Collection[str], environment: Environment, report: files.Report) -> dict[str, str]:
    """Return the threads that spawned some threads, as far as a database knows."""
    found: dict[str, str] = {}
    for path in databases(environment, report):
        older: dict[str, str] = sqlite.answer(path, partial(_parents, list(ids)), {}, report)
        found = older | found
    return found


def _parents(ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, str]:
    if not {"parent_thread_id", "child_thread_id"} <= sqlite.columns(connection, "thread_spawn_edges"):
        return {}
    query = "SELECT child_thread_id, parent_thread_id FROM thread_spawn_edges WHERE child_thread_id IN ({})"
    rows = sqlite.rows_of(connection, query, ids)
    return {child: parent for child, parent in rows if isinstance(parent, str) and parent}


def _threads(ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, Thread]:
    columns = sqlite.columns(connection, "threads")
    if "id" not in columns:
        return {}
    texts = ", ".join(
        f"substr({name}, 1, {_TEXT_KEPT})" if name in columns else "NULL"
        for name in ("name", "title", "first_user_message", "preview")
    )
    rows = sqlite.rows_of(connection, f"SELECT id, {texts} FROM threads WHERE id IN ({{}})", ids)
    return {
        thread: Thread(*(value if isinstance(value, str) else None for value in values)) for thread, *values in rows
    }
