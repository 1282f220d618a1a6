"""Databases of every version, at rest and at work, are read as they are now and left as they were."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sesls.formats import sqlite
from sesls.session import Session
from tests.builders.common import CWD, at, epoch_ms, put
from tests.builders.opencode import (
    COLUMNS,
    DATA,
    FIRST_COLUMNS,
    FIRST_INDEXES,
    MESSAGES,
    MODEL,
    PARTS,
    V2_COLUMNS,
    VERSION,
    Record,
    change,
    database,
    live_database,
    old_record,
    record,
    ses,
    session,
    user,
    v2_database,
)
from tests.conftest import Ask

Only = Callable[..., Session]

RUNNING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA synchronous=OFF")
for statement in sys.argv[2:]:
    connection.execute(statement)
print("ready", flush=True)
sys.stdin.read()
"""

RENAME = "UPDATE session SET title = 'Just renamed'"
ANSWER = (
    f"INSERT INTO message (id, session_id, time_created, data) VALUES ('msg_9', '{ses(1)}', {epoch_ms(500)}, "
    f"""'{{"role": "assistant", "modelID": "gpt-late", "time": {{"created": {epoch_ms(500)}}}}}')"""
)


@contextmanager
def running(path: Path, *statements: str) -> Iterator[None]:
    """Keep another process at work on a database."""
    command = [sys.executable, "-c", RUNNING, str(path), *statements]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"ready"
        yield
        process.communicate()


def trace(home: Path) -> dict[str, tuple[int, bytes] | None]:
    """What must stay as it is: every file's time and bytes, every folder's time; of read marks that they are there."""
    return {str(path): None if path.name.endswith("-shm") else _state(path) for path in (home, *home.rglob("*"))}


def _state(path: Path) -> tuple[int, bytes]:
    return path.stat().st_mtime_ns, b"" if path.is_dir() else path.read_bytes()


# At work


def test_a_session_of_a_running_opencode_is_seen_up_to_its_last_commit(home: Path, only: Only) -> None:
    path = database(home, [session()])
    with running(path, RENAME, ANSWER, "BEGIN", "UPDATE session SET title = 'Not yet'"):
        before = trace(home)

        found = only()

        assert (found.title, found.models, found.last_activity) == ("Just renamed", (MODEL, "gpt-late"), at(500))
        assert before.keys() == trace(home).keys()
        assert before == trace(home)


def test_a_program_that_holds_the_database_alone_costs_one_warning(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    record(home, session(1))
    path = database(home, [session(2)])
    with running(path, RENAME, "PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", RENAME):
        page = ask()

    assert [found.uuid for found in page.sessions] == [ses(1)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [
        ("opencode", str(path), "database is locked")
    ]


def test_a_database_that_is_locked_before_its_details_are_read_costs_one_warning_and_no_session(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(home, [session(1, model='{"id": "gpt-chosen"}'), session(2, title="")])
    read, times = sqlite.read, []

    def locked(name: str, query: Callable[..., object]) -> object:
        times.append(name)
        if len(times) > 1:
            raise sqlite.UnreadableError("database is locked")
        return read(name, query)

    monkeypatch.setattr(sqlite, "read", locked)

    page = ask()

    assert {found.uuid: (found.title, found.models, found.message_count) for found in page.sessions} == {
        ses(1): ("Title 1", ("gpt-chosen",), None),
        ses(2): (None, (), None),
    }
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "database is locked")]


@pytest.mark.parametrize("shm", [True, False])
@pytest.mark.parametrize("at_rest", [[], [session(1)]])
def test_sessions_that_only_the_log_holds_are_listed(home: Path, ask: Ask, shm: bool, at_rest: list[Session]) -> None:
    live_database(home, [session(2)], shm=shm, at_rest=at_rest)  # type: ignore[arg-type]

    found = {one.uuid: (one.title, one.models) for one in ask().sessions}

    assert found == {ses(number): (f"Title {number}", (MODEL,)) for number in range(2 - len(at_rest), 3)}


def test_a_log_that_was_cut_costs_what_was_not_whole(home: Path, ask: Ask) -> None:
    path = live_database(home, [session(2)], shm=False, at_rest=[session(1)])
    log = path.with_name("opencode.db-wal")
    put(log, log.read_bytes()[:-50])

    page = ask()

    assert ([found.uuid for found in page.sessions], page.warnings) == ([ses(1)], ())


def test_a_log_without_its_database_is_none(home: Path, ask: Ask) -> None:
    path = live_database(home, [session()])
    path.unlink()

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


# Left as it was


@pytest.mark.parametrize("state", ["at rest", "log", "log without its index", "damaged", "empty", "files", "2"])
def test_reading_leaves_the_store_as_it_is(
    home: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    one = session(title="")
    write: dict[str, Callable[[], object]] = {
        "at rest": lambda: database(home, [one]),
        "log": lambda: live_database(home, [one]),
        "log without its index": lambda: live_database(home, [one], shm=False),
        "damaged": lambda: put(home / DATA / "opencode.db", b"this is no database " * 99),
        "empty": lambda: put(home / DATA / "opencode.db", b""),
        "files": lambda: (record(home, session(2, title="")), old_record(home, session(3, title=""))),
        "2": lambda: v2_database(home, [one]),
    }
    write[state]()
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    before = trace(home)

    page = ask()

    assert len(page.sessions) + len(page.warnings) == {"files": 2, "empty": 0}.get(state, 1)
    assert trace(home) == before
    assert list(copies.iterdir()) == []


# Every version of the tables


def test_the_first_tables_lack_what_later_ones_have(home: Path, only: Only) -> None:
    database(home, [session(title="")], columns=FIRST_COLUMNS, others=(MESSAGES, PARTS), indexes=FIRST_INDEXES)

    found = only()

    assert (found.title, found.models, found.message_count) == ("Prompt 1", (MODEL,), 2)
    assert {"mode", "forked_from"} & found.extra.keys() == set()


@pytest.mark.parametrize("columns", [FIRST_COLUMNS, COLUMNS, V2_COLUMNS])
def test_the_order_of_columns_does_not_matter(home: Path, only: Only, columns: tuple[str, ...]) -> None:
    database(home, [session(time_archived=epoch_ms(9))], columns=columns[::-1])

    found = only()

    assert (found.uuid, found.title, found.project_dir, found.extra["archived"]) == (ses(1), "Title 1", CWD, True)


@pytest.mark.parametrize("table", ["session", "session_v2"])
@pytest.mark.parametrize(
    ("column", "field", "left"),
    [
        ("parent_id", "kind", "agent"),
        ("directory", "project_dir", None),
        ("title", "title", "Prompt 1"),
        ("version", "extra", {"archived": True, "subagent_type": "plan"}),
        ("agent", "extra", {"archived": True, "agent_version": VERSION}),
        ("time_archived", "extra", {"agent_version": VERSION, "subagent_type": "plan"}),
        ("model", "models", ()),
        ("time_created", "created", None),
        ("time_updated", "last_activity", at(1)),
    ],
)
def test_a_column_that_a_version_lacks_costs_what_it_told(
    home: Path, only: Only, table: str, column: str, field: str, left: object
) -> None:
    row: Record = {"agent": "plan", "model": '{"id": "gpt-chosen"}', "parent_id": ses(9), "time_archived": epoch_ms(9)}
    path = v2_database(home, [session(messages=[user("Prompt 1")], **row)], table=table)
    told = getattr(only(), field)

    change(path, f"ALTER TABLE {table} DROP COLUMN {column}")

    assert getattr(only(), field) == left
    assert told != left


def test_columns_of_tomorrow_change_nothing(home: Path, only: Only) -> None:
    path = database(home, [session()])
    change(path, "ALTER TABLE session ADD COLUMN aura", "ALTER TABLE message ADD COLUMN type", "CREATE TABLE aura (id)")

    found = only()

    assert (found.title, found.models, found.message_count) == ("Title 1", (MODEL,), 2)


def test_two_columns_are_enough(home: Path, only: Only) -> None:
    path = database(home, columns=("title", "id"), others=(), indexes=())
    change(path, f"INSERT INTO session VALUES ('Graft the plum', '{ses(1)}')")

    found = only()

    assert (found.uuid, found.title, found.project_dir) == (ses(1), "Graft the plum", None)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE message DROP COLUMN time_updated",
        "DROP TABLE part",
        "DROP TABLE session_message",
        "ALTER TABLE part DROP COLUMN data",
    ],
)
def test_messages_are_read_whatever_else_is_missing(home: Path, ask: Ask, statement: str) -> None:
    path = database(home, [session(1), session(2, title="")])
    change(path, statement)

    page = ask()

    assert {(found.models, found.message_count) for found in page.sessions} == {((MODEL,), 2)}
    assert page.warnings == ()


def test_messages_that_have_no_table_are_not_counted(home: Path, ask: Ask) -> None:
    path = database(home, [session()])
    change(path, "DROP TABLE message", "DROP TABLE session_message")

    page = ask()

    assert ([found.message_count for found in page.sessions], page.warnings) == ([None], ())


@pytest.mark.parametrize("table", ["message (id, session_id, time_created)", "message (id, data)", "message (id)"])
def test_a_message_table_that_lacks_what_is_needed_costs_no_session(home: Path, ask: Ask, table: str) -> None:
    database(home, [session(messages=[], title="")], others=(table, PARTS), indexes=())

    page = ask()

    assert ([found.last_activity for found in page.sessions], page.warnings) == ([at(20)], ())


def test_a_message_table_without_times_is_read_in_the_order_of_its_rows(home: Path, only: Only) -> None:
    others = ("message (session_id, data)", PARTS)
    path = database(home, [], others=others, indexes=())
    change(path, f"INSERT INTO session (id, title) VALUES ('{ses(1)}', 'Graft')")
    for model in ("zeta", "alpha"):
        change(
            path,
            f"INSERT INTO message VALUES ('{ses(1)}', "
            f"""'{{"role": "assistant", "modelID": "{model}", "time": {{"created": {epoch_ms(7)}}}}}')""",
        )

    found = only()

    assert (found.models, found.message_count, found.last_activity) == (("zeta", "alpha"), 2, at(7))
