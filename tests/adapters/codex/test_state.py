"""The state database is a hint: it adds names and directories, and costs a warning at most."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.formats import sqlite
from sesls.page import Page
from sesls.session import Session
from tests.builders.codex import live_state_database, meta, name_index, paginated, rollout, said, state_database
from tests.builders.common import CWD, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

LOCKING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=WAL")
connection.execute("CREATE TABLE threads (id, cwd)")
connection.execute("PRAGMA locking_mode=EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("INSERT INTO threads VALUES ('x', '/srv/uncommitted')")
print("locked", flush=True)
sys.stdin.read()
"""


def untouched(home: Path) -> dict[str, tuple[int, bytes] | None]:
    """Return what must stay as it is: every file's time and bytes; of SQLite's read marks that they are there."""
    return {
        str(path): None if path.name.endswith("-shm") else (path.stat().st_mtime_ns, path.read_bytes())
        for path in home.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    "content",
    [
        b"this is no database " * 500,
        b"SQLite format 3\x00" + b"\xff" * 5000,
        b"\x00" * 5000,
        b"SQLite",
    ],
)
def test_a_damaged_database_costs_one_warning_and_no_session(home: Path, ask: Ask, content: bytes) -> None:
    rollout(home, number=1)
    rollout(home, number=2)
    path = put(home / ".codex/state_5.sqlite", content)

    page = ask()

    assert {session.title for session in page.sessions} == {"Prompt 1", "Prompt 2"}
    assert [(warning.agent, warning.path) for warning in page.warnings] == [("codex", str(path))]
    assert page.warnings[0].problem


def test_a_database_that_was_cut_off_costs_one_warning(home: Path, ask: Ask) -> None:
    rollout(home)
    path = state_database(home, [{"id": uuid(number), "cwd": "/srv/" + "x" * 900} for number in range(100)])
    put(path, path.read_bytes()[: path.stat().st_size // 2])

    page = ask()

    assert [session.title for session in page.sessions] == ["Prompt 1"]
    assert [warning.path for warning in page.warnings] == [str(path)]


def test_an_older_database_helps_where_the_newest_is_damaged(home: Path, only: Only) -> None:
    rollout(home)
    put(home / ".codex/state_5.sqlite", b"this is no database " * 500)
    state_database(home, [{"id": uuid(1), "cwd": "/srv/older"}], file="state_4.sqlite")

    assert only().project_dir == "/srv/older"


def test_an_empty_file_is_a_database_without_threads(home: Path, ask: Ask) -> None:
    rollout(home)
    put(home / ".codex/state_5.sqlite", b"")

    page = ask()

    assert [session.title for session in page.sessions] == ["Prompt 1"]
    assert page.warnings == ()


def test_other_databases_are_not_opened(home: Path, ask: Ask) -> None:
    rollout(home)
    for file in (
        "logs_2.sqlite",
        "thread_history_1.sqlite",
        "state_5.sqlite.bak",
        "state_x.sqlite",
        "mystate_5.sqlite",
    ):
        put(home / ".codex" / file, b"this is no database " * 500)

    assert ask().warnings == ()


@pytest.mark.parametrize("file", ["state.sqlite", "state_2.sqlite"])
def test_the_first_databases_are_ignored(home: Path, only: Only, file: str) -> None:
    rollout(home)
    row = {"id": uuid(1), "cwd": "/srv/elsewhere", "title": "# AGENTS.md", "first_user_message": "x", "name": "y"}
    state_database(home, [row], file=file)

    session = only()

    assert (session.title, session.project_dir) == ("Prompt 1", CWD)


def test_the_newest_database_wins_and_older_ones_fill_its_gaps(home: Path, ask: Ask) -> None:
    for number in (1, 2):
        rollout(home, paginated(number), number=number)
    for version in (4, 5, 10):
        row = {"id": uuid(1), "name": f"By {version}", "cwd": f"/srv/{version}"}
        state_database(home, [row], file=f"state_{version}.sqlite")
    database = home / ".codex/state_4.sqlite"
    database.unlink()
    state_database(home, [{"id": uuid(2), "name": "By 4", "cwd": "/srv/4"}], file=database.name)

    found = {session.uuid: (session.title, session.project_dir) for session in ask().sessions}

    assert found == {uuid(1): ("By 10", "/srv/10"), uuid(2): ("By 4", "/srv/4")}


@pytest.mark.parametrize(
    "columns", [("id",), ("id", "rollout_path", "title"), ("rollout_path", "cwd"), ("cwd", "name")]
)
def test_columns_that_a_version_lacks_are_absent(home: Path, ask: Ask, columns: tuple[str, ...]) -> None:
    rollout(home)
    row = {"id": uuid(1), "rollout_path": "/x", "cwd": "", "title": "Title", "name": "Name"}
    state_database(home, [row], columns=columns)

    page = ask()

    assert [(session.title, session.project_dir) for session in page.sessions] == [("Prompt 1", CWD)]
    assert page.warnings == ()


def test_columns_of_tomorrow_change_nothing(home: Path, only: Only) -> None:
    rollout(home)
    state_database(home, [{"id": uuid(1), "cwd": "/srv/moved"}], columns=("aura", "cwd", "id"))

    assert only().project_dir == "/srv/moved"


def test_a_database_without_the_table_is_empty(home: Path, ask: Ask) -> None:
    rollout(home)
    connection = sqlite3.connect(home / ".codex/state_5.sqlite")
    connection.execute("CREATE TABLE others (id)")
    connection.close()

    page = ask()

    assert [session.title for session in page.sessions] == ["Prompt 1"]
    assert page.warnings == ()


def test_values_of_unexpected_types_are_absent(home: Path, only: Only) -> None:
    rollout(home)
    row = {"id": uuid(1), "cwd": b"/srv/bytes", "name": b"Graft", "title": b"x", "first_user_message": 7}
    state_database(home, [row, {"id": None, "cwd": "/srv/nobody"}, {"id": 7, "cwd": "/srv/seven"}])

    session = only()

    assert (session.title, session.project_dir) == ("Prompt 1", CWD)


def test_text_that_is_no_utf_8_is_mended(home: Path, only: Only) -> None:
    rollout(home, paginated())
    path = state_database(home, [])
    connection = sqlite3.connect(path)
    connection.execute(f"INSERT INTO threads (id, name) VALUES ('{uuid(1)}', CAST(x'4772616674FF' AS TEXT))")
    connection.commit()
    connection.close()

    assert only().title == "Graft�"


def test_rows_without_files_are_no_sessions(home: Path, ask: Ask) -> None:
    rollout(home, number=1)
    state_database(home, [{"id": uuid(2), "name": "Gone", "cwd": CWD}])

    assert [session.uuid for session in ask().sessions] == [uuid(1)]


def test_a_path_in_the_database_need_not_be_right(home: Path, only: Only) -> None:
    path = rollout(home, archived=True)
    state_database(home, [{"id": uuid(1), "rollout_path": "/gone/rollout-x.jsonl", "cwd": "/srv/moved"}])

    session = only()

    assert (session.path, session.project_dir, session.extra["archived"]) == (str(path), "/srv/moved", True)


def test_more_threads_than_fit_into_one_question_are_found(home: Path, ask: Ask) -> None:
    numbers = range(1, 602)
    for number in numbers:
        rollout(home, [meta(number), said("Hello")], number=number)
    state_database(home, [{"id": uuid(number), "name": f"Name {number}"} for number in numbers])

    assert {session.title for session in ask().sessions} == {f"Name {number}" for number in numbers}


@pytest.mark.parametrize("shm", [True, False])
def test_what_only_the_log_of_a_running_codex_holds_is_seen(home: Path, only: Only, shm: bool) -> None:
    rollout(home, paginated())
    live_state_database(home, [{"id": uuid(1), "name": "Just renamed", "cwd": "/srv/moved"}], shm=shm)

    session = only()

    assert (session.title, session.project_dir) == ("Just renamed", "/srv/moved")


@pytest.mark.parametrize("state", ["at rest", "log", "log without its index", "damaged", "empty"])
def test_reading_leaves_the_store_as_it_is(home: Path, ask: Ask, state: str) -> None:
    rollout(home)
    name_index(home, (1, "Name"))
    row = {"id": uuid(1), "name": "Just renamed"}
    write: dict[str, Callable[[], Path]] = {
        "at rest": lambda: state_database(home, [row]),
        "log": lambda: live_state_database(home, [row]),
        "log without its index": lambda: live_state_database(home, [row], shm=False),
        "damaged": lambda: put(home / ".codex/state_5.sqlite", b"this is no database " * 500),
        "empty": lambda: put(home / ".codex/state_5.sqlite", b""),
    }
    write[state]()
    before = untouched(home)

    ask()

    assert untouched(home) == before


def test_a_locked_database_costs_one_warning(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    rollout(home)
    path = home / ".codex/state_5.sqlite"
    command = [sys.executable, "-c", LOCKING, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"locked"

        page = ask()

        process.communicate()

    assert [(session.title, session.project_dir) for session in page.sessions] == [("Prompt 1", CWD)]
    assert [(warning.path, warning.problem) for warning in page.warnings] == [(str(path), "database is locked")]


def test_a_home_without_threads_needs_no_database(home: Path, ask: Ask) -> None:
    put(home / ".codex/state_5.sqlite", b"this is no database " * 500)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())
