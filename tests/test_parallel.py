"""Several processes share a work: each turn is done once, its result comes in order, and what fails is done here."""

from __future__ import annotations

import errno
import os
import signal
import time
from types import SimpleNamespace
from typing import NoReturn

import pytest

from sesls import parallel

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied there")


def told(turn: int) -> bytes:
    return b"%d" % turn


def ignored(turn: int) -> None:
    pass


def open_files() -> int:
    return len(os.listdir("/dev/fd"))


@pytest.mark.parametrize("turns", [0, 1, 7, parallel.MOST_TURNS])
def test_every_turn_is_done_once_and_comes_in_order(turns: int) -> None:
    here: list[int] = []

    results = list(parallel.in_order(here.append, told, turns, 3))

    assert [place if result == b"" else int(result) for place, result in enumerate(results)] == list(range(turns))
    assert [place for place, result in enumerate(results) if result == b""] == sorted(here)


class Signal:
    """Something to wait for in one process until another one sends it."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()

    def send(self) -> None:
        os.write(self._writer, b"!")

    def wait(self) -> None:
        os.read(self._reader, 1)


def test_whoever_is_done_takes_the_next() -> None:
    taken, rest_is_done = Signal(), Signal()

    def linger(turn: int) -> bytes:
        taken.send()
        rest_is_done.wait()
        return b"there"

    def work(turn: int) -> None:
        if not here:
            taken.wait()
        here.append(turn)
        if len(here) == 49:
            rest_is_done.send()

    here: list[int] = []
    results = list(parallel.in_order(work, linger, 50, 2))

    assert sorted(results) == [b""] * 49 + [b"there"]


def test_results_larger_than_a_pipe_come_whole() -> None:
    def much(turn: int) -> bytes:
        return bytes([turn]) * (3 << 20)

    def slow(turn: int) -> None:
        time.sleep(0.01)

    results = [*parallel.in_order(slow, much, 8, 3)]

    assert all(result in (b"", bytes([turn]) * (3 << 20)) for turn, result in enumerate(results))
    assert any(results)


@pytest.mark.parametrize("is_killed", [False, True])
def test_what_a_failing_process_took_is_done_here(is_killed: bool) -> None:
    def fail(turn: int) -> bytes:
        if is_killed:
            os.kill(os.getpid(), signal.SIGKILL)
        raise ValueError(turn)

    here: list[int] = []

    assert list(parallel.in_order(here.append, fail, 20, 3)) == [b""] * 20
    assert sorted(here) == list(range(20))


def test_a_process_that_ends_amid_a_result_gave_none(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Signal()

    def break_off(turn: int) -> bytes:
        frame = parallel._FRAME
        longer = SimpleNamespace(pack=lambda turn, length: frame.pack(turn, length + 1))
        monkeypatch.setattr(parallel, "_FRAME", longer)
        taken.send()
        return b"torn"

    def work(turn: int) -> None:
        if not here:
            taken.wait()
        here.append(turn)

    here: list[int] = []

    assert list(parallel.in_order(work, break_off, 2, 2)) == [b"", b""]
    assert sorted(here) == [0, 1]


def linger(turn: int) -> NoReturn:
    while True:
        pass


def test_what_fails_here_ends_all() -> None:
    def fail(turn: int) -> None:
        raise ValueError("here")

    before = open_files()
    with pytest.raises(ValueError, match="here"):
        list(parallel.in_order(fail, linger, 20, 3))
    assert open_files() == before


def test_whoever_stops_asking_ends_all() -> None:
    before = open_files()
    results = parallel.in_order(ignored, told, parallel.MOST_TURNS, 3)
    next(results)

    results.close()  # type: ignore[attr-defined]

    assert open_files() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def refused(*_: object) -> NoReturn:
    raise BlockingIOError(errno.EAGAIN, "no more processes")


@pytest.mark.parametrize("function", ["fork", "pipe"])
def test_where_no_process_can_be_started_this_one_does_all(monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    monkeypatch.setattr(os, function, refused)
    here: list[int] = []
    before = open_files()

    assert list(parallel.in_order(here.append, told, 20, 3)) == [b""] * 20
    assert here == list(range(20))
    assert open_files() == before
