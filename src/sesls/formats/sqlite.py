"""SQLite databases of other programs, read without leaving a trace beside them.

A database in WAL mode keeps its newest rows in `<name>-wal`. Opening it read-only creates `-wal` and `-shm`
files when they are missing; opening it as immutable creates nothing and does not see the WAL. So (measured
with SQLite 3.40 on stores of Codex 0.171 and OpenCode 1.18):

* no WAL or an empty one: immutable;
* a WAL with its `-shm`: read-only, which touches nothing but SQLite's own read marks in the `-shm`;
* a WAL without `-shm`, an opening that fails, a rollback journal left by a crash, or a file that never rests: a
  private copy.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import msgspec

from sesls import looks
from sesls.formats import files

if TYPE_CHECKING:
    import sqlite3

BUSY_SECONDS = 2.0
"""How long a locked database is waited for."""

_ATTEMPTS = 3
_AT_ONCE = 500
_LONGEST_QUERY_SECONDS = 30.0

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

    path = os.path.realpath(path)  # a WAL lies beside the file itself, not beside a link to it
    os.close(files.opened(path))
    failure: Exception | None = None
    for attempts_left in reversed(range(_ATTEMPTS)):
        is_first = attempts_left == _ATTEMPTS - 1
        before = _state(path)
        try:
            if before.wal_size and os.path.exists(path + "-shm") and is_first:
                return _ask(path, "mode=ro", query)
            if before.wal_size or before.journal_size or not attempts_left:
                with _copied(path) as copy:
                    return _ask(copy, "mode=rw", query)
            answer = _ask(path, "mode=ro&immutable=1", query)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged name of a column may be no text
            failure = error
            # What looks like damage may be another program at work, and a folder may forbid SQLite its `-shm`.
            looks.unsure()
            if "locked" in str(error) or (not is_first and _state(path) == before):
                break
        else:
            if _state(path) == before:
                return answer
    raise UnreadableError(str(failure).lower())


def answer(path: str, query: Callable[[sqlite3.Connection], Answer], default: Answer, report: files.Report) -> Answer:
    """Return what a query answers about a database of hints, or a default where it is not there or unreadable."""
    try:
        return read(path, query)
    except OSError as error:
        if not files.is_absence(error):
            report(path, files.reason(error))
    except Exception as error:  # hints must never cost a session
        report(path, str(error))
    return default


def rows_of(connection: sqlite3.Connection, query: str, ids: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query about some ids, whose place in it is `{}`; however many there are."""
    known = [one for one in ids if _is_utf_8(one)]  # a lone surrogate cannot be asked for
    for start in range(0, len(known), _AT_ONCE):
        some = known[start : start + _AT_ONCE]
        yield from connection.execute(query.format(", ".join("?" * len(some))), some)


def _is_utf_8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none if there is no such table."""
    return frozenset(row[1] for row in connection.execute(f'PRAGMA table_info("{table}")'))


def selection(names: Iterable[str], columns: Collection[str], table: str = "") -> str:
    """Return columns to select by name, with NULL in the place of those that a table has not."""
    prefix = f"{table}." if table else ""
    return ", ".join(f"{prefix}{name}" if name in columns else "NULL" for name in names)


def rows(connection: sqlite3.Connection, *queries: str) -> list[tuple[Any, ...]]:
    """Return the rows of the first of some queries that a damaged database can answer."""
    import sqlite3

    for query in queries[:-1]:
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError:  # locked, or taking too long
            raise
        except sqlite3.DatabaseError:
            continue
    return connection.execute(queries[-1]).fetchall()


def text(value: object) -> str | None:
    """Return the text that a cell holds, or None where it holds none."""
    return value if isinstance(value, str) and value else None


def _ask(path: str, mode: str, query: Callable[[sqlite3.Connection], Answer]) -> Answer:
    import sqlite3

    uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?{mode}"
    with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only=1")
        deadline = time.monotonic() + _LONGEST_QUERY_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
        return query(connection)


class _State(msgspec.Struct, frozen=True):
    """What tells that a database changed."""

    size: int
    mtime_ns: int
    wal_size: int
    wal_mtime_ns: int
    journal_size: int


def _state(path: str) -> _State:
    database = os.stat(path)
    wal, journal = (files.status(path + suffix) for suffix in ("-wal", "-journal"))
    return _State(
        size=database.st_size,
        mtime_ns=database.st_mtime_ns,
        wal_size=wal.st_size if wal is not None else 0,
        wal_mtime_ns=wal.st_mtime_ns if wal is not None else 0,
        journal_size=journal.st_size if journal is not None else 0,
    )


@contextmanager
def _copied(path: str) -> Iterator[str]:
    """Copy a database and what belongs to it into a private folder; again when it changed meanwhile."""
    import shutil  # both here: few databases have to be copied
    import tempfile

    with tempfile.TemporaryDirectory(prefix="sesls-") as folder:
        copy = os.path.join(folder, "copy.db")
        for _ in range(_ATTEMPTS):
            before = _state(path)
            shutil.copyfile(path, copy)
            for suffix, size in (("-wal", before.wal_size), ("-journal", before.journal_size)):
                if size:
                    shutil.copyfile(path + suffix, copy + suffix)
            if _state(path) == before:
                break
        yield copy
