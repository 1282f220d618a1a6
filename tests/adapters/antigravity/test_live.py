"""Databases that a program is writing are read as they are now, and no store is changed by the reading."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sesls.formats import sqlite
from sesls.page import Page
from sesls.session import Session
from tests.builders.antigravity import (
    MODEL,
    SHARED,
    answered,
    asked,
    conversation,
    database_path,
    encode,
    encrypted,
    live_database,
    log,
    summaries,
    tables,
    whole_store,
)
from tests.builders.common import at, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

WRITING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA synchronous=OFF")
connection.execute("PRAGMA wal_autocheckpoint=0")
for statement in sys.argv[2:]:
    connection.execute(statement)
print("ready", flush=True)
sys.stdin.read()
"""

NEWEST = answered(seconds=500, model="gemini-newest").row(2)
METADATA = encode(answered(seconds=500, model="gemini-newest").metadata()).hex()
ADD = f"INSERT INTO steps (step_type, metadata) VALUES (15, x'{METADATA}')"


@contextmanager
def writing(path: Path, *statements: str) -> Iterator[None]:
    """Keep another process at work on a database, which it holds open."""
    command = [sys.executable, "-c", WRITING, str(path), *statements]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"ready"
        yield
        process.communicate()


def trace(home: Path) -> dict[str, tuple[object, ...]]:
    """Return what must stay as it is: all names, and the times and bytes of all files but SQLite's read marks."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(home.rglob("*")):
        status = path.lstat()
        is_whole = path.is_file() and not path.is_symlink() and not path.name.endswith("-shm")
        content = (status.st_mtime_ns, path.read_bytes()) if is_whole else ()
        found[str(path)] = (status.st_mode, *content)
    return found


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where private copies are made; nothing of them may remain."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


# Being written


@pytest.mark.parametrize("shm", [True, False])
def test_steps_that_only_the_wal_holds_are_seen(home: Path, ask: Ask, shm: bool) -> None:
    live_database(database_path(home), tables(), [NEWEST], shm=shm)

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.last_activity, session.message_count) == ("Prompt 1", at(500), 3)
    assert (session.models, page.warnings) == ((MODEL, "gemini-newest"), ())


def test_steps_that_another_process_just_wrote_are_seen(home: Path, only: Only) -> None:
    path = conversation(home)

    with writing(path, ADD):
        session = only()

    assert (session.last_activity, session.message_count) == (at(500), 3)


def test_a_step_that_is_not_committed_is_not_seen(home: Path, ask: Ask) -> None:
    path = conversation(home)

    with writing(path, ADD, "BEGIN IMMEDIATE", ADD):
        page = ask()

    assert ([session.message_count for session in page.sessions], page.warnings) == ([3], ())


def test_a_list_of_conversations_that_another_process_just_wrote_is_seen(home: Path, only: Only) -> None:
    encrypted(home)
    path = summaries(home, root=SHARED)
    add = f"INSERT INTO conversation_summaries (conversation_id, title) VALUES ('{uuid(1)}', 'Graft the plum')"

    with writing(path, add):
        session = only()

    assert session.title == "Graft the plum"


def test_a_locked_database_costs_one_warning_and_no_other_conversation(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    path = conversation(home, number=1)
    conversation(home, number=2)

    with writing(path, "PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", ADD):
        page = ask()

    assert uuid(2) in {session.uuid for session in page.sessions}
    assert {warning.path for warning in page.warnings} <= {str(path)}
    assert len(page.warnings) <= 1


@pytest.mark.parametrize("suffixes", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_empty_remains_of_a_wal_change_nothing(home: Path, ask: Ask, suffixes: tuple[str, ...]) -> None:
    path = conversation(home)
    for suffix in suffixes:
        put(path.with_name(path.name + suffix), b"")

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == (["Prompt 1"], ())


def test_a_wal_of_garbage_changes_nothing(home: Path, ask: Ask) -> None:
    path = conversation(home)
    put(path.with_name(f"{path.name}-wal"), b"\xff" * 5000)

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == (["Prompt 1"], ())


# Untouched


CHANGES: dict[str, Callable[[Path], object]] = {
    "at rest": lambda home: None,
    "a WAL": lambda home: live_database(database_path(home, 4), tables(), [NEWEST]),
    "a WAL without its index": lambda home: live_database(database_path(home, 4), tables(), [NEWEST], shm=False),
    "an empty WAL": lambda home: put(database_path(home).with_name(f"{uuid(1)}.db-wal"), b""),
    "a WAL of garbage": lambda home: put(database_path(home).with_name(f"{uuid(1)}.db-wal"), b"\xff" * 5000),
    "a journal": lambda home: put(database_path(home).with_name(f"{uuid(1)}.db-journal"), b"\xff" * 5000),
    "a damaged database": lambda home: put(database_path(home, 4), b"this is no database " * 500),
    "a damaged index": lambda home: put(summaries(home), b"this is no database " * 500),
    "an empty index": lambda home: put(summaries(home), b""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_reading_leaves_the_store_as_it_is(home: Path, ask: Ask, change: str) -> None:
    whole_store(home)
    CHANGES[change](home)
    before = trace(home)

    page = ask()

    assert page.total >= 2
    assert trace(home) == before


def test_reading_while_another_process_writes_leaves_the_store_as_it_is(home: Path, ask: Ask) -> None:
    whole_store(home)

    with writing(database_path(home), ADD):
        before = trace(home)
        page = ask()
        after = trace(home)

    assert page.total == 2
    assert after == before


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="this system cannot keep the time of a file's last reading")
def test_reading_leaves_the_time_of_the_last_reading(home: Path, ask: Ask) -> None:
    path = log(home, [asked()])
    os.utime(path, (1_000_000_000, path.stat().st_mtime))

    ask()

    assert path.stat().st_atime == 1_000_000_000
