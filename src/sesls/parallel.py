"""Work in several processes, by copying this one: nothing has to be imported or handed over again.

Pays only where there is a lot to read: a copy costs some milliseconds.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sesls import interruption

_MOST = 8

MOST_TURNS = 250
"""Fewer share the work less evenly; each costs some tens of microseconds, and all numbers have to fit into a pipe."""

_AHEAD = 1 << 20
"""How much a process may have done before any of it is taken over, in bytes; Linux allows that much."""

_FRAME = struct.Struct("=Hq")
"""What stands before the result of a turn: its number, and how long the result is."""


def processes() -> int:
    """Return how many processes can work at once; one where copying a process is not safe."""
    if sys.platform == "linux":
        return min(len(os.sched_getaffinity(0)), _MOST)
    return 1


def in_order(
    here: Callable[[int], object], there: Callable[[int], bytes], turns: int, processes: int
) -> Iterator[bytes]:
    """Do a work in so many turns, and yield the result of each, from turn 0 on, as soon as it is known.

    Whichever of some processes has done a turn takes the next: this one with `here`, whose results are empty, all
    others with `there`. There are at most `MOST_TURNS`. What a process that fails had taken is done here; where the
    system starts no more processes, there are fewer. Only for systems that can copy a process.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    children: dict[int, int] = {}

    def end() -> None:
        for reader, process in list(children.items()):
            with suppress(OSError):  # it has ended meanwhile
                os.kill(process, signal.SIGKILL)
            _part_with(reader, children)

    shared = None
    with interruption.cleared_by(end):
        try:
            with suppress(OSError), _uninterrupted():  # where too much is open or running, what there is goes on
                shared = _turns(turns)
                for _ in range(1, processes):
                    _start(there, shared, children)
            yield from _results(here, turns, _taken(shared), children)
        finally:
            if shared is not None:
                os.close(shared)
            end()


def _results(
    here: Callable[[int], object], turns: int, taken: Iterator[int], children: dict[int, int]
) -> Iterator[bytes]:
    done: dict[int, bytes] = {}
    for turn in range(turns):
        while turn not in done:
            own = next(taken, None if children else turn)
            if own is not None:
                here(own)
                done[own] = b""
            if children:
                _receive(children, done, wait=own is None)
        yield done.pop(turn)


def _receive(children: dict[int, int], done: dict[int, bytes], *, wait: bool) -> None:
    """Take over what other processes have done so far; with `wait`, until there is something or one has ended."""
    if sys.platform == "win32":
        raise NotImplementedError
    import select

    poll = select.poll()
    for reader in children:
        poll.register(reader, select.POLLIN)
    timeout = None if wait else 0
    while children and (ready := poll.poll(timeout)):
        timeout = 0
        for reader, _ in ready:
            try:
                turn, length = _FRAME.unpack(_read(reader, _FRAME.size))
                done[turn] = _read(reader, length)
            except EOFError:
                poll.unregister(reader)
                _part_with(reader, children)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep signals waiting that would end this one: no process may be started and not be known yet."""
    if sys.platform == "win32":
        raise NotImplementedError
    before = signal.pthread_sigmask(signal.SIG_BLOCK, interruption.SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _turns(count: int) -> int:
    """Return a pipe that holds so many numbers; what one process reads no other gets."""
    reader, writer = os.pipe()
    os.write(writer, b"".join(number.to_bytes(2) for number in range(count)))
    os.close(writer)
    return reader


def _taken(shared: int | None) -> Iterator[int]:
    while shared is not None and (number := os.read(shared, 2)):
        yield int.from_bytes(number)


def _start(work: Callable[[int], bytes], shared: int, children: dict[int, int]) -> None:
    """Start a process and add it to those there are, by where its results can be read. Raises OSError."""
    if sys.platform == "win32":
        raise NotImplementedError
    reader, writer = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        raise
    if process:
        os.close(writer)
        children[reader] = process
        return
    try:
        import fcntl

        interruption.forget()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, interruption.SIGNALS)
        for other in (reader, *children):
            os.close(other)
        with suppress(OSError):
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, _AHEAD)
        with open(writer, "wb") as stream:
            for turn in _taken(shared):
                result = work(turn)
                stream.write(_FRAME.pack(turn, len(result)) + result)
                stream.flush()
    finally:
        os._exit(0)  # whatever happens, the copy must not go on as if it were the program


def _read(reader: int, length: int) -> bytes:
    """Return so many bytes. Raises EOFError where a process ended before it wrote them."""
    pieces = []
    while length and (piece := os.read(reader, length)):
        pieces.append(piece)
        length -= len(piece)
    if length:
        raise EOFError
    return b"".join(pieces)


def _part_with(reader: int, children: dict[int, int]) -> None:
    """Wait for the end of a process, and forget it."""
    with suppress(OSError):
        os.waitpid(children.pop(reader), 0)
    with suppress(OSError):
        os.close(reader)
