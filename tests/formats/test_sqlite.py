"""Databases of other programs are read whole, as they are now, and without a trace beside them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sesls.formats import sqlite
from tests.builders.common import put

ROWS = ["one", "two"]
DEFAULT = ["default"]

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")

RUNNING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement)
print("ready", flush=True)
sys.stdin.read()
"""

COMMITTING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("PRAGMA synchronous=OFF")
print("ready", flush=True)
for number in range(5000):
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO words VALUES ('left' || ?)", [number])
    connection.execute("INSERT INTO words VALUES ('right' || ?)", [number])
    connection.execute("COMMIT")
"""


def words(connection: sqlite3.Connection) -> list[str]:
    return [word for (word,) in connection.execute("SELECT word FROM words ORDER BY rowid")]


def filled(path: Path, mode: str = "WAL", rows: list[str] = ROWS) -> Path:
    """Write a database at rest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(connected(path, mode)) as connection:
        connection.executemany("INSERT INTO words VALUES (?)", [[row] for row in rows])
        connection.commit()
    return path


def connected(path: Path, mode: str = "WAL") -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("CREATE TABLE IF NOT EXISTS words (word TEXT)")
    connection.commit()
    return connection


def left_behind(path: Path, *, shm: bool, at_rest: bool = False) -> Path:
    """Write a database as a program leaves it that is running, or was killed: the newest rows in the WAL."""
    source = path.parent / "source" / "a.db"
    source.parent.mkdir(parents=True)
    if at_rest:
        filled(source, rows=[])
    with closing(connected(source)) as connection:
        connection.executemany("INSERT INTO words VALUES (?)", [[row] for row in ROWS])
        connection.commit()
        for suffix in ("", "-wal", "-shm") if shm else ("", "-wal"):
            shutil.copy(f"{source}{suffix}", f"{path}{suffix}")
    shutil.rmtree(source.parent)
    return path


def trace(folder: Path) -> dict[str, tuple[int, bytes] | None]:
    """What must not change in a folder: names, times and bytes; of SQLite's read marks the name alone."""
    return {
        path.name: None if path.name.endswith("-shm") else (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.iterdir()
    }


@contextmanager
def running(path: Path, *statements: str) -> Iterator[None]:
    """Keep another process at work on a database."""
    command = [sys.executable, "-c", RUNNING, str(path), *statements]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"ready"
        yield
        process.communicate()


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where private copies are made; nothing of them may remain."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The folder of a database."""
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


# Every state in which a database may lie there


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_database_at_rest_is_read_without_a_trace(store: Path, mode: str) -> None:
    path = filled(store / "a.db", mode)
    before = trace(store)

    assert sqlite.read(str(path), words) == ROWS
    assert trace(store) == before


@pytest.mark.parametrize("at_rest", [True, False])
@pytest.mark.parametrize("shm", [True, False])
def test_rows_that_only_the_log_holds_are_read_without_a_trace(store: Path, shm: bool, at_rest: bool) -> None:
    path = left_behind(store / "a.db", shm=shm, at_rest=at_rest)
    before = trace(store)

    assert sqlite.read(str(path), words) == ROWS
    assert trace(store) == before


@pytest.mark.parametrize("remains", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_empty_remains_of_a_log_change_nothing(store: Path, remains: tuple[str, ...]) -> None:
    path = filled(store / "a.db")
    for suffix in remains:
        put(store / f"a.db{suffix}", b"")
    before = trace(store)

    assert sqlite.read(str(path), words) == ROWS
    assert trace(store) == before


def test_a_log_of_garbage_is_no_log(store: Path) -> None:
    path = filled(store / "a.db")
    put(store / "a.db-wal", b"garbage" * 999)
    before = trace(store)

    assert sqlite.read(str(path), words) == ROWS
    assert trace(store) == before


def test_a_log_that_was_cut_gives_the_transactions_that_are_whole(store: Path) -> None:
    path = left_behind(store / "a.db", shm=False, at_rest=True)
    log = store / "a.db-wal"
    put(log, log.read_bytes()[:-100])

    assert sqlite.read(str(path), words) == []


def test_a_folder_that_may_not_be_written_to_is_read_from_a_copy(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = left_behind(store / "a.db", shm=True)
    connect = sqlite3.connect

    def refusing(database: str, **keys: Any) -> Any:
        if "copy.db" not in database:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(database, **keys)

    monkeypatch.setattr(sqlite3, "connect", refusing)

    assert sqlite.read(str(path), words) == ROWS


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_log_that_goes_into_its_database_while_it_is_copied_changes_nothing(
    store: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    path = left_behind(store / "a.db", shm=False)
    copyfile = shutil.copyfile
    ended: list[str] = []

    def end() -> None:
        ended.append("the program")
        with closing(sqlite3.connect(path)) as connection:
            connection.executemany("INSERT INTO words VALUES (?)", [["three"]] * 400)
            connection.commit()
        assert not Path(f"{path}-wal").exists()

    def copying(source: str, target: str) -> None:
        is_first = source.endswith("-wal") and not ended
        if is_first and when == "before":
            end()
        copyfile(source, target)
        if is_first and when == "after":
            end()

    monkeypatch.setattr(shutil, "copyfile", copying)

    assert sqlite.read(str(path), words) == [*ROWS, *["three"] * 400]
    assert ended == ["the program"]


@pytest.mark.skipif(os.name == "nt", reason="folders have other rights there")
def test_a_private_copy_is_private(store: Path, copies: Path) -> None:
    path = left_behind(store / "a.db", shm=False)

    def modes(connection: sqlite3.Connection) -> list[int]:
        return [folder.stat().st_mode & 0o777 for folder in copies.iterdir()]

    assert sqlite.read(str(path), modes) == [0o700]


def test_a_database_that_is_too_large_to_be_copied_is_unreadable(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_LARGEST_COPY", 5000)
    path = left_behind(store / "a.db", shm=False)

    with pytest.raises(sqlite.UnreadableError, match=r"^too large to be copied$"):
        sqlite.read(str(path), words)


def test_a_copy_leaves_half_of_the_disk(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=9000))
    path = left_behind(store / "a.db", shm=False)

    with pytest.raises(sqlite.UnreadableError, match=r"^too large to be copied$"):
        sqlite.read(str(path), words)


# Made by anyone


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW words AS SELECT zeroblob(900000000) AS word",
        "CREATE VIEW Words AS WITH RECURSIVE n(word) AS (SELECT 1 UNION ALL SELECT word + 1 FROM n) SELECT word FROM n",
        "CREATE VIRTUAL TABLE words USING fts5(word)",
    ],
)
def test_what_computes_its_rows_is_no_table(store: Path, statement: str) -> None:
    path = store / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no such tables")
        connection.commit()

    assert sqlite.read(str(path), lambda connection: sqlite.columns(connection, "words")) == frozenset()


def test_a_table_is_known_however_its_name_is_written(store: Path) -> None:
    path = filled(store / "a.db")

    assert sqlite.read(str(path), lambda connection: sqlite.columns(connection, "WORDS")) == {"word"}


def test_no_value_is_larger_than_its_limit(store: Path) -> None:
    path = filled(store / "a.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE words ADD COLUMN long AS (zeroblob(900000000))")
        connection.commit()

    with pytest.raises(sqlite.UnreadableError, match=r"^string or blob too big$"):
        sqlite.read(str(path), lambda connection: connection.execute("SELECT * FROM words").fetchall())
    assert sqlite.read(str(path), words) == ROWS


def test_a_question_that_takes_too_long_is_not_asked_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_LONGEST_QUERY_SECONDS", 0.01)
    path = filled(store / "a.db")
    asked = []

    def endless(connection: sqlite3.Connection) -> None:
        asked.append(1)
        connection.execute("WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT max(a) FROM n")

    with pytest.raises(sqlite.UnreadableError, match=r"^interrupted$"):
        sqlite.read(str(path), endless)
    assert len(asked) == 1


# Other programs at work


def test_a_program_at_work_is_read_up_to_its_last_commit(store: Path) -> None:
    path = filled(store / "a.db")
    with running(path, "INSERT INTO words VALUES ('three')", "BEGIN", "INSERT INTO words VALUES ('not yet')"):
        before = trace(store)

        assert sqlite.read(str(path), words) == [*ROWS, "three"]
        assert trace(store) == before


def test_a_program_that_keeps_its_log_to_itself_is_read_too(store: Path) -> None:
    path = filled(store / "a.db")
    with running(path, "PRAGMA locking_mode=EXCLUSIVE", "INSERT INTO words VALUES ('three')"):
        before = trace(store)

        assert before.keys() == {"a.db", "a.db-wal"}
        assert sqlite.read(str(path), words) == [*ROWS, "three"]
        assert trace(store) == before


def test_a_database_that_stays_locked_is_unreadable(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    path = filled(store / "a.db")
    three = "INSERT INTO words VALUES ('three')"
    with (
        running(path, three, "PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", three),
        pytest.raises(sqlite.UnreadableError, match=r"^database is locked$"),
    ):
        sqlite.read(str(path), words)


def test_whole_commits_are_seen_while_another_process_commits(store: Path) -> None:
    path = filled(store / "a.db", rows=[])
    counts: list[int] = []
    with subprocess.Popen([sys.executable, "-c", COMMITTING, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while process.poll() is None and len(counts) < 300:
            counts.append(len(sqlite.read(str(path), words)))
        process.terminate()

    assert [count % 2 for count in counts] == [0] * len(counts)
    assert counts == sorted(counts)


def test_a_database_that_changes_under_the_question_is_asked_again(store: Path) -> None:
    path = filled(store / "a.db")
    answers: list[list[str]] = []

    def disturbed(connection: sqlite3.Connection) -> list[str]:
        answers.append(words(connection))
        if len(answers) == 1:
            filled(path, rows=["three"])
        return answers[-1]

    assert sqlite.read(str(path), disturbed) == [*ROWS, "three"]
    assert answers == [ROWS, [*ROWS, "three"]]


def test_a_database_that_never_rests_is_read_from_a_copy(store: Path) -> None:
    path = filled(store / "a.db")

    def disturbing(connection: sqlite3.Connection) -> list[str]:
        filled(path, rows=["more"])
        return words(connection)

    assert sqlite.read(str(path), disturbing)[:2] == ROWS


def test_an_error_that_a_change_explains_is_no_damage(store: Path) -> None:
    path = filled(store / "a.db", "DELETE")
    times: list[int] = []

    def disturbed(connection: sqlite3.Connection) -> list[str]:
        times.append(1)
        if len(times) == 1:
            filled(path, "DELETE", rows=["three"])
            raise sqlite3.DatabaseError("database disk image is malformed")
        return words(connection)

    assert sqlite.read(str(path), disturbed) == [*ROWS, "three"]


def test_a_database_that_is_deleted_under_the_question_is_gone(store: Path) -> None:
    path = filled(store / "a.db")

    def deleting(connection: sqlite3.Connection) -> list[str]:
        path.unlink(missing_ok=True)
        return words(connection)

    with pytest.raises(FileNotFoundError):
        sqlite.read(str(path), deleting)


# What is asked


@pytest.mark.parametrize(
    "statement", ["INSERT INTO words VALUES ('x')", "DROP TABLE words", "VACUUM", "PRAGMA user_version=7"]
)
@pytest.mark.parametrize("state", ["at rest", "log", "log without its index"])
def test_nothing_can_be_written(store: Path, statement: str, state: str) -> None:
    path = store / "a.db"
    if state == "at rest":
        filled(path)
    else:
        left_behind(path, shm=state == "log")
    before = trace(store)

    with pytest.raises(sqlite.UnreadableError, match="readonly"):
        sqlite.read(str(path), lambda connection: connection.execute(statement).fetchall())

    assert trace(store) == before


def test_text_that_is_no_utf_8_is_mended(store: Path) -> None:
    path = filled(store / "a.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE words SET word = CAST(x'61FF62' AS TEXT)")
        connection.commit()

    assert sqlite.read(str(path), words) == ["a\ufffdb"] * 2


def test_columns_are_known_by_name(store: Path) -> None:
    path = filled(store / "a.db")

    assert sqlite.read(str(path), lambda connection: sqlite.columns(connection, "words")) == {"word"}
    assert sqlite.read(str(path), lambda connection: sqlite.columns(connection, "verbs")) == frozenset()


def test_a_question_that_makes_no_sense_is_answered_with_an_error(store: Path) -> None:
    path = filled(store / "a.db")

    with pytest.raises(sqlite.UnreadableError, match=r"^no such table: verbs$"):
        sqlite.read(str(path), lambda connection: connection.execute("SELECT * FROM verbs").fetchall())


@pytest.mark.parametrize(
    "name",
    [
        "100%.db",
        "%41.db",
        "why?.db",
        "a?mode=rwc.db",
        "issue #7.db",
        "a&b=c.db",
        "two words.db",
        "bäume 🌳.db",
        "a;b'c.db",
        "file:a.db",
        ":memory:",
        "a+b.db",
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="such names cannot be given there")
@pytest.mark.parametrize("state", ["at rest", "log", "log without its index"])
def test_any_path_is_taken_as_it_is(tmp_path: Path, name: str, state: str) -> None:
    folder = tmp_path / f"in {name}"
    folder.mkdir()
    plain = tmp_path / "plain"
    plain.mkdir()
    if state == "at rest":
        filled(plain / "a.db")
    else:
        left_behind(plain / "a.db", shm=state == "log")
    for file in plain.iterdir():
        file.rename(folder / file.name.replace("a.db", name))
    before = trace(folder)

    assert sqlite.read(str(folder / name), words) == ROWS
    assert trace(folder) == before


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_path_that_is_no_utf_8_is_taken_as_it_is(store: Path) -> None:
    path = os.fsencode(store) + b"/b\xe4ume.db"
    os.rename(filled(store / "a.db"), path)

    assert sqlite.read(os.fsdecode(path), words) == ROWS


def test_a_relative_path_is_one_below_the_working_directory(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store / "a.db")
    monkeypatch.chdir(store)

    assert sqlite.read("a.db", words) == ROWS


def test_a_linked_database_is_read_with_its_log(store: Path, tmp_path: Path) -> None:
    left_behind(store / "a.db", shm=True)
    link = tmp_path / "link"
    link.symlink_to(store)

    assert sqlite.read(str(link / "a.db"), words) == ROWS


# What is no database


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"garbage" * 999, "file is not a database"),
        (b"\x00" * 5000, "file is not a database"),
        (b"SQLite format 3\x00" + b"\x00" * 5000, "file is not a database"),
    ],
)
def test_what_is_no_database_is_unreadable(store: Path, content: bytes, problem: str) -> None:
    path = put(store / "a.db", content)
    before = trace(store)

    with pytest.raises(sqlite.UnreadableError, match=f"^{problem}$"):
        sqlite.read(str(path), words)

    assert trace(store) == before


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_database_that_was_cut_is_unreadable(store: Path, share: float) -> None:
    path = filled(store / "a.db", rows=["x" * 1000] * 100)
    put(path, path.read_bytes()[: int(path.stat().st_size * share)])

    with pytest.raises(sqlite.UnreadableError, match="malformed"):
        sqlite.read(str(path), words)


def test_a_damaged_schema_that_is_no_utf_8_is_unreadable(store: Path) -> None:
    path = filled(store / "a.db", "DELETE")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=1")
        connection.execute("UPDATE sqlite_master SET name = CAST(x'ea62' AS TEXT), sql = 'garbage'")
        connection.commit()

    with pytest.raises(sqlite.UnreadableError, match="malformed database"):
        sqlite.read(str(path), words)


def test_an_empty_file_is_an_empty_database(store: Path) -> None:
    path = put(store / "a.db", b"")

    assert sqlite.read(str(path), lambda connection: sqlite.columns(connection, "words")) == frozenset()
    assert path.read_bytes() == b""


def test_a_missing_database_is_an_os_error_and_stays_missing(store: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sqlite.read(str(store / "a.db"), words)

    assert list(store.iterdir()) == []


def test_a_folder_is_no_database(store: Path) -> None:
    with pytest.raises(OSError, match=r"not a regular file|directory|denied"):
        sqlite.read(str(store), words)


@needs_pipes
def test_a_named_pipe_is_never_waited_for(store: Path) -> None:
    os.mkfifo(store / "a.db")

    with pytest.raises(OSError, match="not a regular file"):
        sqlite.read(str(store / "a.db"), words)


@needs_pipes
@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_named_pipe_beside_a_database_is_never_waited_for(store: Path, suffix: str) -> None:
    path = filled(store / "a.db")
    os.mkfifo(store / f"a.db{suffix}")

    assert sqlite.read(str(path), words) == ROWS


# Databases of hints


def test_an_answer_is_that_of_the_database(store: Path) -> None:
    path = filled(store / "a.db")

    assert sqlite.answer(str(path), words, DEFAULT, lambda path, problem: pytest.fail(problem)) == ROWS


@pytest.mark.parametrize(
    ("content", "problem"), [(b"garbage" * 999, "file is not a database"), (b"", "no such table: words")]
)
def test_what_cannot_be_answered_is_reported(store: Path, content: bytes, problem: str) -> None:
    path = put(store / "a.db", content)
    reports: list[tuple[str, str]] = []

    answer = sqlite.answer(str(path), words, DEFAULT, lambda *report: reports.append(report))

    assert (answer, reports) == (DEFAULT, [(str(path), problem)])


def test_a_database_that_may_not_be_read_is_reported(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(store / "a.db")
    reports: list[tuple[str, str]] = []

    def denied(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", denied)

    answer = sqlite.answer(str(path), words, DEFAULT, lambda *report: reports.append(report))

    assert (answer, reports) == (DEFAULT, [(str(path), "permission denied")])


def test_a_database_that_is_not_there_is_not_worth_a_word(store: Path) -> None:
    answer = sqlite.answer(str(store / "a.db"), words, DEFAULT, lambda path, problem: pytest.fail(problem))

    assert answer == DEFAULT


def test_a_name_that_is_no_text_is_damage(store: Path) -> None:
    path = store / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE words (aaaaaaaa)")
        connection.commit()
    path.write_bytes(path.read_bytes().replace(b"aaaaaaaa", b"aaa\x80aaaa"))

    with pytest.raises(sqlite.UnreadableError):
        sqlite.read(str(path), lambda connection: connection.execute("SELECT * FROM words").fetchall())
