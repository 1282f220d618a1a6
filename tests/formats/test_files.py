"""Folders and files are looked at without blocking, looping, writing, or losing the others to one of them."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sesls import looks
from sesls.formats import files
from sesls.session import Candidate, Store
from tests.builders.common import put

STORE = Store("/srv/store", "role")

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


class Reports(list[tuple[str, str]]):
    """Collects what is reported."""

    def __call__(self, path: str, problem: str) -> None:
        self.append((path, problem))


@pytest.fixture
def reports() -> Reports:
    return Reports()


def forbid(monkeypatch: pytest.MonkeyPatch, function: str, path: Path, code: int = errno.EACCES) -> None:
    """Let a function of the system fail for one path, even for root."""
    real: Callable[..., Any] = getattr(os, function)

    def failing(given: str, *args: Any, **keys: Any) -> Any:
        if given == str(path):
            raise OSError(code, os.strerror(code), given)
        return real(given, *args, **keys)

    monkeypatch.setattr(os, function, failing)


def paths(found: Iterator[os.DirEntry[str]]) -> set[str]:
    return {entry.path for entry in found}


# Folders


def test_entries_come_by_name_whatever_order_the_system_gives(
    tmp_path: Path, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b", "a", "d", "c"):
        put(tmp_path / name, b"")
    scandir = os.scandir

    @contextmanager
    def backwards(folder: str) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(folder) as scan:
            yield sorted(scan, key=lambda entry: entry.name, reverse=True)

    monkeypatch.setattr(os, "scandir", backwards)

    assert [entry.name for entry in files.entries(str(tmp_path), reports)] == ["a", "b", "c", "d"]


def test_links_come_after_what_they_may_link_to(tmp_path: Path, reports: Reports) -> None:
    put(tmp_path / "z", b"")
    (tmp_path / "a").symlink_to("z")

    assert [entry.name for entry in files.entries(str(tmp_path), reports)] == ["z", "a"]


def test_a_folder_that_is_not_there_has_no_entries(tmp_path: Path, reports: Reports) -> None:
    put(tmp_path / "file", b"")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "loop").symlink_to("loop")

    for name in ("gone", "file", "nowhere", "loop", "file/below"):
        assert files.entries(str(tmp_path / name), reports) == []
        assert list(files.tree(str(tmp_path / name), reports)) == []
    assert reports == []


@pytest.mark.parametrize(("code", "problem"), [(errno.EACCES, "permission denied"), (errno.EIO, "input/output error")])
def test_a_folder_that_cannot_be_read_is_reported(
    tmp_path: Path, reports: Reports, monkeypatch: pytest.MonkeyPatch, code: int, problem: str
) -> None:
    forbid(monkeypatch, "scandir", tmp_path, code)

    assert files.entries(str(tmp_path), reports) == []
    assert reports == [(str(tmp_path), problem)]


def test_folders_are_those_and_links_to_some(tmp_path: Path, reports: Reports) -> None:
    (tmp_path / "folder").mkdir()
    put(tmp_path / "file", b"")
    (tmp_path / "to-folder").symlink_to("folder")
    (tmp_path / "to-file").symlink_to("file")
    (tmp_path / "to-nothing").symlink_to("gone")
    (tmp_path / "to-itself").symlink_to("to-itself")

    assert [entry.name for entry in files.folders(str(tmp_path), reports)] == ["folder", "to-folder"]


# Trees


def test_a_tree_has_the_files_of_all_depths(tmp_path: Path, reports: Reports) -> None:
    expected = {str(put(tmp_path / name, b"")) for name in ("a", "b/c", "b/d/e", "b/d/f/g/h")}
    (tmp_path / "empty").mkdir()

    assert paths(files.tree(str(tmp_path), reports)) == expected
    assert reports == []


def test_a_tree_with_links_that_lead_back_ends(tmp_path: Path, reports: Reports) -> None:
    put(tmp_path / "store/b/c", b"")
    (tmp_path / "store/b/up").symlink_to("..")
    (tmp_path / "store/self").symlink_to(".")
    (tmp_path / "store/b/top").symlink_to(tmp_path / "store")
    (tmp_path / "store/x").symlink_to("y")
    (tmp_path / "store/y").symlink_to("x")

    found = list(islice(files.tree(str(tmp_path / "store"), reports), 1000))

    assert sorted(entry.name for entry in found) == ["c", "x", "y"]
    assert reports == []


def test_a_file_that_is_reached_twice_is_shown_where_it_lies(tmp_path: Path, reports: Reports) -> None:
    path = put(tmp_path / "2026/03/a", b"")
    (tmp_path / "latest").symlink_to("2026/03")

    assert paths(files.tree(str(tmp_path), reports)) == {str(path)}


def test_trees_may_share_what_they_visited(tmp_path: Path, reports: Reports) -> None:
    put(tmp_path / "one/a", b"")
    (tmp_path / "two").symlink_to("one")
    visited: set[tuple[int, int]] = set()

    assert len(list(files.tree(str(tmp_path / "one"), reports, visited))) == 1
    assert list(files.tree(str(tmp_path / "two"), reports, visited)) == []


def test_a_folder_of_a_tree_that_cannot_be_read_costs_itself(
    tmp_path: Path, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "closed/a", b"")
    path = put(tmp_path / "open/a", b"")
    forbid(monkeypatch, "scandir", tmp_path / "closed")

    assert paths(files.tree(str(tmp_path), reports)) == {str(path)}
    assert reports == [(str(tmp_path / "closed"), "permission denied")]


def test_a_folder_is_visited_first_only_once(tmp_path: Path) -> None:
    visited: set[tuple[int, int]] = set()

    assert files.first_visit(str(tmp_path), visited)
    assert not files.first_visit(str(tmp_path), visited)
    assert not files.first_visit(str(tmp_path / "gone"), visited)


def test_a_folder_that_cannot_be_entered_is_reported(
    tmp_path: Path, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid(monkeypatch, "stat", tmp_path)

    assert not files.first_visit(str(tmp_path), set(), reports)
    assert not files.first_visit(str(tmp_path / "gone"), set(), reports)
    assert reports == [(str(tmp_path), "permission denied")]


# Candidates


def candidate(folder: Path, reports: Reports) -> Candidate | None:
    (entry,) = files.entries(str(folder), reports)
    return files.candidate(entry, "a role", STORE, reports)


def test_a_regular_file_is_a_candidate_with_what_its_entry_shows(tmp_path: Path, reports: Reports) -> None:
    path = put(tmp_path / "a", b"four", modified=5)
    status = path.stat()

    found = candidate(tmp_path, reports)

    assert found == Candidate(path=str(path), role="a role", store=STORE, identity=looks.identity_of(status))
    assert (found.size, found.modified) == (4, status.st_mtime_ns // 1_000_000)


def test_a_link_is_a_candidate_with_what_its_target_is(tmp_path: Path, reports: Reports) -> None:
    target = put(tmp_path / "elsewhere/a", b"four")
    link = tmp_path / "store/b"
    link.parent.mkdir()
    link.symlink_to(target)

    found = candidate(link.parent, reports)

    assert found is not None
    assert (found.path, found.size, found.inode) == (str(link), 4, target.stat().st_ino)


def link_to_nothing(path: Path) -> None:
    path.symlink_to("gone")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def listening(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as unix:
        unix.bind(os.path.relpath(path))


@pytest.mark.parametrize("make", [Path.mkdir, link_to_nothing, link_to_itself])
def test_what_is_no_regular_file_is_no_candidate(
    tmp_path: Path, reports: Reports, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "a")

    assert candidate(tmp_path, reports) is None
    assert reports == []


@needs_pipes
@pytest.mark.parametrize("make", [os.mkfifo, listening])
def test_what_would_block_is_no_candidate(
    tmp_path: Path, reports: Reports, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "a")

    assert candidate(tmp_path, reports) is None


class Withheld:
    """An entry of a folder that may be listed and not entered."""

    path = "/srv/closed/a"

    def stat(self) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied", self.path)


def test_a_file_that_cannot_be_looked_at_is_reported(reports: Reports) -> None:
    entry: Any = Withheld()

    assert files.candidate(entry, "a role", STORE, reports) is None
    assert reports == [("/srv/closed/a", "permission denied")]


def test_candidates_are_those_entries_that_are_files(tmp_path: Path, reports: Reports) -> None:
    put(tmp_path / "a", b"")
    (tmp_path / "b").symlink_to("gone")
    (tmp_path / "c").mkdir()
    put(tmp_path / "d", b"")
    entries = files.entries(str(tmp_path), reports)

    found = files.candidates(entries, "a role", STORE, reports)

    assert [os.path.basename(one.path) for one in found] == ["a", "d"]
    assert reports == []


# Files


def test_a_file_is_opened_for_reading_alone(tmp_path: Path) -> None:
    descriptor = files.opened(str(put(tmp_path / "a", b"four")))

    assert os.read(descriptor, 9) == b"four"
    with pytest.raises(OSError, match="descriptor"):
        os.write(descriptor, b"x")
    os.close(descriptor)


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="access times cannot be kept here")
def test_reading_keeps_the_access_time(tmp_path: Path) -> None:
    path = put(tmp_path / "a", b"four")
    os.utime(path, (1, path.stat().st_mtime))

    assert files.content(str(path), 9) == b"four"
    assert path.stat().st_atime == 1


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="access times cannot be kept here")
def test_a_file_of_somebody_else_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / "a", b"four")
    real = os.open

    def owners_only(given: str, flags: int) -> int:
        if flags & os.O_NOATIME:
            raise PermissionError(errno.EPERM, "Operation not permitted", given)
        return real(given, flags)

    monkeypatch.setattr(os, "open", owners_only)

    assert files.content(str(path), 9) == b"four"


def test_a_file_that_may_not_be_read_is_an_os_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / "a", b"four")
    forbid(monkeypatch, "open", path)

    with pytest.raises(PermissionError):
        files.opened(str(path))


def test_a_folder_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"not a regular file|denied"):
        files.opened(str(tmp_path))


@needs_pipes
def test_a_named_pipe_is_refused_at_once_and_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    closed: list[int] = []
    close = os.close

    def noting_close(descriptor: int) -> None:
        closed.append(descriptor)
        close(descriptor)

    monkeypatch.setattr(os, "close", noting_close)

    with pytest.raises(OSError, match="not a regular file") as raised:
        files.opened(str(path))

    assert raised.value.filename == str(path)
    assert len(closed) == 1


@needs_pipes
@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="this system has no such device")
def test_a_device_is_refused() -> None:
    with pytest.raises(OSError, match="not a regular file"):
        files.opened("/dev/null")


@pytest.mark.parametrize("limit", [0, 1, 3, 4, 5, 1 << 30])
def test_content_ends_at_the_limit(tmp_path: Path, limit: int) -> None:
    assert files.content(str(put(tmp_path / "a", b"four")), limit) == b"four"[:limit]


def test_content_larger_than_one_reading_is_whole(tmp_path: Path) -> None:
    data = os.urandom(1000) * 3000

    assert files.content(str(put(tmp_path / "a", data)), 1 << 30) == data
    assert files.content(str(tmp_path / "a"), 2_500_000) == data[:2_500_000]


def test_a_missing_file_is_an_absence(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        files.content(str(tmp_path / "a"), 9)

    assert files.is_absence(raised.value)


# Errors


@pytest.mark.parametrize("code", [errno.ENOENT, errno.ENOTDIR, errno.ELOOP])
def test_what_is_not_there_is_an_absence(code: int) -> None:
    assert files.is_absence(OSError(code, os.strerror(code)))


@pytest.mark.parametrize("code", [errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.EINVAL, errno.ENAMETOOLONG])
def test_what_is_there_and_cannot_be_read_is_no_absence(code: int) -> None:
    assert not files.is_absence(OSError(code, os.strerror(code)))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "/srv/secret"), "permission denied"),
        (OSError(errno.EINVAL, "not a regular file", "/srv/pipe"), "not a regular file"),
        (OSError("Something Else"), "something else"),
    ],
)
def test_a_reason_is_a_few_lower_case_words_without_a_path(error: OSError, words: str) -> None:
    assert files.reason(error) == words


def test_to_ignore_is_to_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    files.ignore("/srv/a", "permission denied")

    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "is_name"),
    [("a", True), ("a.b", True), ("..a", True), ("", False), (".", False), ("..", False), ("a/b", False), ("/", False)],
)
def test_a_name_leads_nowhere_else(text: str, is_name: bool) -> None:
    assert files.is_name(text) == is_name
