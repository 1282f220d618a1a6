"""Several processes share a work: each part is done once, and what fails costs its own part alone."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import NoReturn

import pytest

from sesls import parallel

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied there")


def told(turns: Iterator[int]) -> bytes:
    return b"".join(b"%d " % turn for turn in turns)


@pytest.mark.parametrize("turns", [0, 1, 7, parallel.MOST_TURNS])
def test_every_turn_is_taken_once(turns: int) -> None:
    here: list[int] = []

    there = parallel.run(here.extend, told, turns, 3)

    assert sorted([*here, *(int(turn) for result in there for turn in result.split())]) == list(range(turns))


def test_whoever_is_done_takes_the_next() -> None:
    reader, writer = os.pipe()

    def wait(turns: Iterator[int]) -> bytes:
        first = next(turns)
        os.read(reader, 1)
        return b"%d" % first

    here: list[int] = []

    def rest(turns: Iterator[int]) -> None:
        here.extend(turns)
        os.write(writer, b"!")

    there = parallel.run(rest, wait, 50, 2)

    assert sorted([*here, *map(int, there)]) == list(range(50))


def test_what_fails_is_left_out() -> None:
    def fail(turns: Iterator[int]) -> bytes:
        raise ValueError(next(turns))

    here: list[int] = []

    assert parallel.run(here.extend, fail, 20, 3) == []
    assert here == sorted(here)


def test_what_fails_here_ends_all() -> None:
    def fail(turns: Iterator[int]) -> None:
        raise ValueError("here")

    def linger(turns: Iterator[int]) -> bytes:
        while True:
            pass

    before = len(os.listdir("/dev/fd"))
    with pytest.raises(ValueError, match="here"):
        parallel.run(fail, linger, 20, 3)
    assert len(os.listdir("/dev/fd")) == before


def refused(*_: object) -> NoReturn:
    raise BlockingIOError(errno.EAGAIN, "no more processes")


def test_where_no_process_can_be_started_this_one_does_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", refused)
    here: list[int] = []
    before = len(os.listdir("/dev/fd"))

    assert parallel.run(here.extend, told, 20, 3) == []
    assert here == list(range(20))
    assert len(os.listdir("/dev/fd")) == before


def test_where_no_pipe_can_be_opened_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pipe", refused)

    assert parallel.run(refused, told, 20, 3) == []
