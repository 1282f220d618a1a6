"""Work in several processes, by copying this one: nothing has to be imported or handed over again.

Pays only where there is a lot to read: a copy costs some milliseconds.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sesls import interruption

_MOST = 8

MOST_TURNS = 1000
"""So many numbers fit into any pipe."""


def processes() -> int:
    """Return how many processes can work at once; one where copying a process is not safe."""
    if sys.platform == "linux":
        return min(len(os.sched_getaffinity(0)), _MOST)
    return 1


def run(
    here: Callable[[Iterator[int]], object], there: Callable[[Iterator[int]], bytes], turns: int, processes: int
) -> list[bytes]:
    """Do a work in some processes: here in this one, there in all others; return what those return.

    Both get the numbers of their turns: whichever process has done one takes the next of 0 to turns - 1, in order.
    There are at most `MOST_TURNS`. What a process that fails would have returned is left out; where the system starts
    no more processes, there are fewer. Only for systems that can copy a process.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    children: list[tuple[int, int]] = []
    results = []
    try:
        shared = _turns(turns)
    except OSError:  # too many files are open
        return []

    def end() -> None:
        for process, reader in children:
            with suppress(OSError):  # it has ended meanwhile
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            with suppress(OSError):
                os.close(reader)

    with interruption.cleared_by(end):
        try:
            with _uninterrupted(), suppress(OSError):
                for _ in range(1, processes):
                    children.append(_started(there, shared))
            here(_taken(shared))
        except BaseException:
            end()
            raise
        finally:
            os.close(shared)
        while children:
            results.append(_finished(*children[0]))
            del children[0]
    return [result for result in results if result]


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C waiting: no process may be started and not be known yet."""
    if sys.platform == "win32":
        raise NotImplementedError
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
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


def _taken(turns: int) -> Iterator[int]:
    while number := os.read(turns, 2):
        yield int.from_bytes(number)


def _started(work: Callable[[Iterator[int]], bytes], turns: int) -> tuple[int, int]:
    """Return a new process and where its result can be read."""
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
        return process, reader
    try:
        interruption.forget()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.close(reader)
        with open(writer, "wb") as stream:
            stream.write(work(_taken(turns)))
    finally:
        os._exit(0)  # whatever happens, the copy must not go on as if it were the program


def _finished(process: int, reader: int) -> bytes:
    with open(reader, "rb") as stream:
        result = stream.read()
    os.waitpid(process, 0)
    return result
