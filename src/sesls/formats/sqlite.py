"""SQLite databases of other programs, read without leaving a trace beside them.

A database in WAL mode keeps its newest rows in `<name>-wal`. Opening it read-only creates `-wal` and `-shm`
files when they are missing; opening it as immutable creates nothing and does not see the WAL. So (measured
with SQLite 3.40 on stores of Codex 0.171 and OpenCode 1.18):

* no WAL or an empty one: immutable;
* a WAL with its `-shm`: read-only, which touches nothing but SQLite's own read marks in the `-shm`;
* a WAL without `-shm`, or an opening that fails: a private copy of both files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from sesls.formats import files

if TYPE_CHECKING:
    import sqlite3

BUSY_SECONDS = 2.0
"""How long a locked database is waited for."""

_ATTEMPTS = 3

Answer = TypeVar("Answer")


class UnreadableError(Exception):
    """A database cannot be read; the message says why in a few lower-case words."""


def read(path: str, query: Callable[[sqlite3.Connection], Answer]) -> Answer:
    """Return what a query answers about a database; the query may run again if the file changes under it.

    Raises UnreadableError where the file is no database, is damaged or stays locked, and OSError where it is not
    there or may not be read.
    """
    # The import costs some milliseconds that only a home with a database should pay.
    import sqlite3

    os.close(files.opened(path))
    try:
        for _ in range(_ATTEMPTS):
            before = _state(path)
            if not before.wal_size:
                answer = _ask(path, "mode=ro&immutable=1", query)
                if _state(path) == before:
                    return answer
            elif os.path.exists(path + "-shm"):
                try:
                    return _ask(path, "mode=ro", query)
                except sqlite3.OperationalError as error:
                    if "locked" in str(error):
                        raise
                    break  # a folder that may not be written to, for one
            else:
                break
        with _copied(path) as copy:
            return _ask(copy, "mode=ro", query)
    except sqlite3.Error as error:
        raise UnreadableError(str(error).lower()) from error


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none if there is no such table."""
    return frozenset(row[1] for row in connection.execute(f'PRAGMA table_info("{table}")'))


def _ask(path: str, mode: str, query: Callable[[sqlite3.Connection], Answer]) -> Answer:
    import sqlite3

    uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?{mode}"
    with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only=1")
        return query(connection)


@dataclass(frozen=True, slots=True)
class _State:
    """What tells that a database changed."""

    size: int
    mtime_ns: int
    wal_size: int
    wal_mtime_ns: int


def _state(path: str) -> _State:
    database = os.stat(path)
    try:
        wal = os.stat(path + "-wal")
    except OSError:
        return _State(database.st_size, database.st_mtime_ns, 0, 0)
    return _State(database.st_size, database.st_mtime_ns, wal.st_size, wal.st_mtime_ns)


@contextmanager
def _copied(path: str) -> Iterator[str]:
    """Copy a database and its WAL into a private folder; again when they changed meanwhile."""
    import shutil  # both here: few databases have to be copied
    import tempfile

    with tempfile.TemporaryDirectory(prefix="sesls-") as folder:
        copy = os.path.join(folder, "copy.db")
        for _ in range(_ATTEMPTS):
            before = _state(path)
            shutil.copyfile(path, copy)
            if before.wal_size:
                shutil.copyfile(path + "-wal", copy + "-wal")
            if _state(path) == before:
                break
        yield copy
