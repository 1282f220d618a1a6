"""What Codex keeps beside its rollouts: names, and a database that is mostly a cache of them.

All of it is a hint. Names of threads stand nowhere else; the rest fills gaps. Nothing here makes a session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from sesls.adapters.codex import places
from sesls.environment import Environment
from sesls.formats import files, jsonl, sqlite

if TYPE_CHECKING:
    import sqlite3

_DATABASE = re.compile(r"state_(\d+)\.sqlite")
# state.sqlite and state_2.sqlite (0.93 to 0.98) took AGENTS.md for titles.
_FIRST_SOUND = 4
_CONFIG_LIMIT = 1 << 20
_TEXT_KEPT = 8192
_AT_ONCE = 500

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread's row in the state database; columns that its version lacks are None, empty ones are empty."""

    name: str | None
    title: str | None
    first_user_message: str | None
    preview: str | None
    parent: str | None


class _IndexLine(msgspec.Struct):
    id: str | None = None
    thread_name: str | None = None


_INDEX_LINE = msgspec.json.Decoder(_IndexLine)


def index_names(environment: Environment, report: files.Report) -> dict[str, str]:
    """Return the names in `session_index.jsonl` (from 0.93) by thread; the last one that is not empty counts."""
    path = os.path.join(places.home(environment), "session_index.jsonl")
    names: dict[str, str] = {}
    try:
        with jsonl.opened(path) as file:
            for line in jsonl.records(jsonl.lines(jsonl.blocks(file)), _INDEX_LINE):
                if line.id and line.thread_name and line.thread_name.strip():
                    names[line.id] = line.thread_name
    except OSError as error:
        if not files.is_absence(error):
            report(path, files.reason(error))
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
        yield configured
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

        value = tomllib.loads(config.decode()).get("sqlite_home")
    except (OSError, ValueError):
        return None
    return os.path.join(home, os.path.expanduser(value)) if isinstance(value, str) and value else None


def directories(environment: Environment, report: files.Report) -> dict[str, str]:
    """Return the working directory of every thread that a database knows."""
    found: dict[str, str] = {}
    for path in databases(environment, report):
        found = _answer(path, _directories, report, {}) | found
    return found


def threads(ids: Collection[str], environment: Environment, report: files.Report) -> dict[str, Thread]:
    """Return, for some threads, what the newest database that knows them says."""
    found: dict[str, Thread] = {}
    for path in databases(environment, report):
        wanted = [thread for thread in ids if thread not in found]
        found |= _answer(path, partial(_threads, wanted), report, {})
    return found


def _answer(
    path: str,
    query: Callable[[sqlite3.Connection], dict[str, Value]],
    report: files.Report,
    default: dict[str, Value],
) -> dict[str, Value]:
    try:
        return sqlite.read(path, query)
    except sqlite.UnreadableError as error:
        report(path, str(error))
    except OSError as error:
        if not files.is_absence(error):
            report(path, files.reason(error))
    return default


def _directories(connection: sqlite3.Connection) -> dict[str, str]:
    if not {"id", "cwd"} <= sqlite.columns(connection, "threads"):
        return {}
    return {
        thread: cwd
        for thread, cwd in connection.execute("SELECT id, cwd FROM threads")
        if isinstance(thread, str) and isinstance(cwd, str) and cwd
    }


def _threads(ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, Thread]:
    columns = sqlite.columns(connection, "threads")
    if "id" not in columns:
        return {}
    texts = ", ".join(
        f"substr({name}, 1, {_TEXT_KEPT})" if name in columns else "NULL"
        for name in ("name", "title", "first_user_message", "preview")
    )
    has_edges = {"parent_thread_id", "child_thread_id"} <= sqlite.columns(connection, "thread_spawn_edges")
    parent = (
        "(SELECT parent_thread_id FROM thread_spawn_edges WHERE child_thread_id = threads.id LIMIT 1)"
        if has_edges
        else "NULL"
    )
    found: dict[str, Thread] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        for thread, *values in connection.execute(
            f"SELECT id, {texts}, {parent} FROM threads WHERE id IN ({marks})", some
        ):
            found[thread] = Thread(*(value if isinstance(value, str) else None for value in values))
    return found
