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


def processes() -> int:
    """Return how many processes can work at once; one where copying a process is not safe."""
    if sys.platform == "linux":
        return min(len(os.sched_getaffinity(0)), _MOST)
    return 1


def run(work: Callable[[int], bytes], count: int) -> list[bytes]:
    """Return what work returns for the places 0 to count - 1, each done in a process of its own, the first in this one.

    What a process that fails would have returned is left out. Only for systems that can copy a process.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    children: list[tuple[int, int]] = []

    def end() -> None:
        for process, _ in children:
            with suppress(OSError):  # it has ended meanwhile
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)

    with interruption.cleared_by(end):
        try:
            with _uninterrupted():
                for place in range(1, count):
                    children.append(_started(work, place))
            results = [work(0)]
        except BaseException:
            end()
            raise
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


def _started(work: Callable[[int], bytes], place: int) -> tuple[int, int]:
    """Return a new process and where its result can be read."""
    if sys.platform == "win32":
        raise NotImplementedError
    reader, writer = os.pipe()
    process = os.fork()
    if process:
        os.close(writer)
        return process, reader
    try:
        interruption.forget()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.close(reader)
        with open(writer, "wb") as stream:
            stream.write(work(place))
    finally:
        os._exit(0)  # whatever happens, the copy must not go on as if it were the program


def _finished(process: int, reader: int) -> bytes:
    with open(reader, "rb") as stream:
        result = stream.read()
    os.waitpid(process, 0)
    return result
