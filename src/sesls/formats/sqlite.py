"""SQLite databases of other programs, read without leaving a trace beside them.

A database in WAL mode keeps its newest rows in `<name>-wal`. Opening it read-only creates `-wal` and `-shm`
files when they are missing; opening it as immutable creates nothing and does not see the WAL. So (measured
with SQLite 3.40 on stores of Codex 0.171 and OpenCode 1.18):

* no WAL or an empty one: immutable;
* a WAL with its `-shm`: read-only, which touches nothing but SQLite's own read marks in the `-shm`;
* a WAL without `-shm`, an opening that fails, a rollback journal left by a crash, or a file that never rests: a
  private copy.

Anyone may have made the file, so nothing in it is carried out: a view, which could compute rows without end, is no
table; the schema may call no function that matters; a question takes no more than its time, and a value no more than
its size.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import msgspec

from sesls import interruption, looks
from sesls.formats import files

if TYPE_CHECKING:
    import sqlite3

BUSY_SECONDS = 2.0
"""How long a locked database is waited for."""

_ATTEMPTS = 3
_AT_ONCE = 500
_LONGEST_QUERY_SECONDS = 30.0
_LONGEST_VALUE = 64 << 20
"""A text or blob of more bytes than this makes the question about it fail: it would be held in memory as a whole."""
_LARGEST_COPY = 4 << 30
"""A database of more bytes than this is not copied, nor one that would take half of what the disk has left."""

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
    failure: sqlite3.Error | UnicodeDecodeError | None = None
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
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # Of a damaged schema SQLite's own message may be no UTF-8, which `sqlite3` fails to decode.
            failure = error
            # What looks like damage may be another program at work, and a folder may forbid SQLite its `-shm`.
            looks.unsure()
            if any(word in str(error) for word in ("locked", "interrupted")) or (
                not is_first and _state(path) == before
            ):
                break
        else:
            if _state(path) == before:
                return answer
    raise UnreadableError("malformed database" if isinstance(failure, UnicodeDecodeError) else str(failure).lower())


def answer(path: str, query: Callable[[sqlite3.Connection], Answer], default: Answer, report: files.Report) -> Answer:
    """Return what a query answers about a database of hints, or a default where it is not there or unreadable."""
    try:
        return read(path, query)
    except OSError as error:
        files.failed(path, error, report)
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
    """Return the names of a table's columns; none if there is no such table, or something that only looks like one."""
    kind = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE AND rootpage > 0"
    if connection.execute(kind, [table]).fetchone() is None:  # a view, or a virtual table, which has no page
        return frozenset()
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


def uri(path: str) -> str:
    """Return an absolute path as a `file:` URI that SQLite takes apart into the same path.

    Every character that URIs give a meaning is encoded, so that a drive (`C:\\`) or share (`\\\\barn\\`) of Windows is
    no authority, and no `%`, `#` or `?` in a name ends it.
    """
    return f"file:{quote(os.fsencode(path))}"


def _ask(path: str, mode: str, query: Callable[[sqlite3.Connection], Answer]) -> Answer:
    import sqlite3

    with closing(sqlite3.connect(f"{uri(path)}?{mode}", uri=True, timeout=BUSY_SECONDS)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only=1")
        connection.execute("PRAGMA trusted_schema=0")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
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

    folder = tempfile.mkdtemp(prefix="sesls-")

    def clear() -> None:
        shutil.rmtree(folder, ignore_errors=True)  # what a scanner holds open on Windows must not cost the answer

    with interruption.cleared_by(clear), ExitStack() as stack:
        stack.callback(clear)
        for attempt in range(_ATTEMPTS):
            for older in os.listdir(folder):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, older))
            # Another name each time: an older log that could not go would undo what the database has by now.
            copy = os.path.join(folder, f"{attempt}-copy.db")
            before = _state(path)
            if before.size + before.wal_size > min(_LARGEST_COPY, shutil.disk_usage(folder).free // 2):
                raise UnreadableError("too large to be copied")
            shutil.copyfile(path, copy)
            for suffix, size in (("-wal", before.wal_size), ("-journal", before.journal_size)):
                with suppress(FileNotFoundError):  # its agent has just ended, which changed the database
                    if size:
                        shutil.copyfile(path + suffix, copy + suffix)
            if _state(path) == before:
                break
        yield copy
