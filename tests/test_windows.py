"""What differs on Windows, imitated on any system: its paths, locks, folder entries, pipes and consoles."""

from __future__ import annotations

import ctypes
import errno
import io
import ntpath
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest

from sesls import paths
from sesls.formats import files, sqlite
from sesls.inventory import take
from sesls.output import terminal
from sesls.query import Query
from sesls.session import Store
from tests.builders.claude import transcript
from tests.command.run import SESLS, mixed_home, run, run_into_closed_pipe
from tests.conftest import environment_of

STORE = Store("C:\\Users\\ada\\.claude\\projects", "projects")


@pytest.fixture
def windows_paths(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Joining and taking apart paths works as on Windows."""
    paths.normal.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(os, "path", ntpath)
        patch.setattr(os, "sep", "\\")
        yield
    paths.normal.cache_clear()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (".", "C:\\src\\shop"),
        ("..", "C:\\src"),
        ("trees", "C:\\src\\shop\\trees"),
        ("trees/old", "C:\\src\\shop\\trees\\old"),
        (".\\trees\\", "C:\\src\\shop\\trees"),
        ("~", "C:\\Users\\ada"),
        ("~\\barn", "C:\\Users\\ada\\barn"),
        ("~/barn", "C:\\Users\\ada\\barn"),
        ("\\barn", "C:\\barn"),
        ("d:/barn", "d:/barn"),
        ("\\\\barn\\trees", "\\\\barn\\trees"),
    ],
)
def test_a_directory_may_be_typed_as_on_windows(windows_paths: None, typed: str, meant: str) -> None:
    assert paths.absolute_dir(typed, cwd="C:\\src\\shop", home="C:\\Users\\ada") == meant


def test_paths_of_other_systems_are_compared_on_windows_as_on_those(windows_paths: None) -> None:
    assert paths.is_within("/home/ada/src/shop", "/home/ada/src/")
    assert paths.is_within("/home/ada/x/../src", "/home/ada/src")
    assert not paths.is_within("/home/ada/SRC", "/home/ada/src")
    assert not paths.is_within("/home/ada/srcs", "/home/ada/src")


class Entry:
    """An entry of a folder as Windows tells of it: without inode, and as the file was when it was last closed."""

    def __init__(self, path: str, tag: int = 0, gone: bool = False) -> None:
        self.path, self.name, self._tag, self._gone = path, os.path.basename(path), tag, gone

    def is_symlink(self) -> bool:
        return False

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        if self._gone:
            raise FileNotFoundError(errno.ENOENT, "gone", self.path)
        return SimpleNamespace(
            st_mode=stat.S_IFREG, st_size=1, st_mtime_ns=1, st_ctime_ns=1, st_dev=0, st_ino=0, st_reparse_tag=self._tag
        )


def candidate_of(entry: Any, report: files.Report = files.ignore) -> Any:
    return files.candidate(entry, "session", STORE, report)


def test_a_file_that_is_being_written_is_as_large_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x" * 77)
    real = path.stat()
    monkeypatch.setattr(sys, "platform", "win32")

    found = candidate_of(Entry(str(path)))

    assert (found.size, found.inode) == (77, real.st_ino)
    assert found.modified == real.st_mtime_ns // 1_000_000


@pytest.mark.parametrize(("tag", "is_link"), [(0xA0000003, True), (0xA000000C, False), (0, False)])
def test_a_junction_is_a_link(monkeypatch: pytest.MonkeyPatch, tag: int, is_link: bool) -> None:
    entry: Any = Entry("C:\\x", tag)
    assert not files.is_link(entry)

    monkeypatch.setattr(sys, "platform", "win32")

    assert files.is_link(entry) is is_link
    gone: Any = Entry("C:\\x", tag, gone=True)
    assert not files.is_link(gone)


def test_a_path_that_is_too_long_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    problems: list[str] = []
    monkeypatch.setattr(sys, "platform", "win32")

    for length in (250, 260):
        path = "/nowhere/".ljust(length, "/")
        assert candidate_of(Entry(path), lambda path, problem: problems.append(problem)) is None

    assert problems == ["longer than paths may be, unless Windows is told to take long ones"]


def test_an_agent_may_delete_what_is_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imitates the two modules through which a file of Windows can be opened so that it stays free."""
    asked: list[tuple[object, ...]] = []

    def create_file(path: str, *how: object) -> int:
        asked.append(how)
        return os.open(path, os.O_RDONLY)

    winapi = SimpleNamespace(CreateFile=create_file, GENERIC_READ=0x80000000, NULL=0, OPEN_EXISTING=3)
    monkeypatch.setitem(sys.modules, "_winapi", winapi)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(open_osfhandle=lambda handle, flags: handle))
    monkeypatch.setattr(os, "O_NOINHERIT", 0x80, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")

    assert files.content(str(path), 100) == b"{}\n"
    assert asked == [(0x80000000, 1 | 2 | 4, 0, 3, 0, 0)]
    with pytest.raises(FileNotFoundError):
        files.content(str(tmp_path / "b.jsonl"), 100)


NAMES = (
    "C:\\Users\\ada\\a%41b#c?d.db",
    "C:/Users/ada/x y&mode=rwc.db",
    "\\\\barn\\trees\\x.db",
    "\\\\?\\C:\\x.db",
    "C:\\Übung\\果樹園.db",
)


@pytest.mark.parametrize("path", NAMES)
def test_no_path_means_more_than_a_path_in_the_uri_of_a_database(path: str) -> None:
    uri = sqlite.uri(path)

    assert unquote(uri) == f"file:{path}"
    assert not uri.startswith("file://")
    assert not set("#?&:\\") & set(uri.removeprefix("file:"))


@pytest.mark.skipif(os.name == "nt", reason="such names are paths there")
@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name])
def test_sqlite_takes_the_uri_apart_into_the_same_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect(tmp_path / name)) as made:
        made.execute("CREATE TABLE t (n)")

    with closing(sqlite3.connect(f"{sqlite.uri(name)}?mode=ro", uri=True)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("t",)]
    assert os.listdir(tmp_path) == [name]


def test_a_copy_that_a_scanner_holds_open_costs_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE t (n)")
    path.with_name("a.db-journal").write_bytes(b"x" * 8)  # so that it is copied

    def held(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "used by another process")

    def tables(connection: sqlite3.Connection) -> list[Any]:
        return connection.execute("SELECT name FROM sqlite_master").fetchall()

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", held)
        patch.setattr(os, "rmdir", held)

        assert sqlite.read(str(path), tables) == [("t",)]


@pytest.mark.parametrize("function", ["replace", "open"])
def test_a_cache_that_another_process_holds_open_costs_only_time(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    transcript(home)
    environment = environment_of(home, cache=tmp_path / "cache")
    expected = take(Query(), environment_of(home)).sessions
    original = getattr(os, function)

    def held(path: str, *rest: Any, **more: Any) -> Any:
        if str(path).startswith(str(tmp_path / "cache")):
            raise PermissionError(errno.EACCES, "used by another process", path)
        return original(path, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, function, held)

        for _ in range(2):
            assert [one.uuid for one in take(Query(), environment).sessions] == [one.uuid for one in expected]
    assert not list((tmp_path / "cache").rglob("*.*"))


@pytest.mark.parametrize("arguments", [("list",), ("list", "--json"), ("schema",)])
def test_without_the_signal_it_ends_without_a_word_when_nobody_reads(home: Path, arguments: tuple[str, ...]) -> None:
    mixed_home(home)
    program = f"import signal, sys\ndel signal.SIGPIPE\nsys.argv[0] = {SESLS!r}\nfrom sesls.cli import main\nmain()"

    done = run_into_closed_pipe(home, *arguments, command=(sys.executable, "-c", program))

    assert (done.status, done.said) == (1, "")


def test_windows_says_in_its_own_way_that_a_reader_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    error = OSError(errno.EINVAL, "Invalid argument")
    assert terminal.is_reader_gone(BrokenPipeError())
    assert not terminal.is_reader_gone(error)

    monkeypatch.setattr(sys, "platform", "win32")

    assert terminal.is_reader_gone(error)
    assert not terminal.is_reader_gone(OSError(errno.ENOSPC, "No space left"))


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("is_console", "can_be_told", "has_colour"), [(True, True, True), (True, False, False), (False, False, True)]
)
def test_a_console_is_told_to_obey_colours(
    monkeypatch: pytest.MonkeyPatch, is_console: bool, can_be_told: bool, has_colour: bool
) -> None:
    modes: list[int] = []

    def set_mode(handle: object, mode: int) -> bool:
        modes.append(mode)
        return can_be_told

    console = SimpleNamespace(GetConsoleMode=lambda handle, mode: is_console, SetConsoleMode=set_mode)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=console), raising=False)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(get_osfhandle=lambda descriptor: 7))
    monkeypatch.setattr(sys, "platform", "win32")

    assert terminal.has_colour(Screen(), {}) is has_colour
    assert not terminal.has_colour(Screen(), {"NO_COLOR": "1"})
    assert modes == ([4] if is_console else [])


@pytest.mark.parametrize("page", ["cp437", "cp850", "cp932", "cp1252", "cp65001"])
def test_every_code_page_gets_a_table_and_utf_8_in_json(home: Path, page: str) -> None:
    transcript(home)
    variables = {"PYTHONIOENCODING": "utf-8" if page == "cp65001" else page, "PYTHONUTF8": "0"}

    table = run(home, "list", variables=variables)
    answer = run(home, "list", "--json", variables=variables)

    assert (table.status, answer.status) == (0, 0)
    assert b"Prompt 1" in table.output
    assert answer.json()["total"] == 1
