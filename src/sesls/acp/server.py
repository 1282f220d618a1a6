"""The two streams of a connection: requests on stdin, answers on stdout, and nothing else on either."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout

from sesls.acp import wire
from sesls.acp.connection import Connection
from sesls.acp.listing import Listing
from sesls.output import terminal

_CHUNK = 65_536
_WAITING = 8
"""How many lines may wait for their answers before no more are read."""


def serve(listing: Listing, watch: float | None = None) -> None:
    """Answer what comes on stdin until it ends, or until nobody reads the answers any more.

    watch: after how many seconds to look again for changes in the sessions that the client has seen; None: never.
    """
    if sys.stdin is None:  # it was closed
        return
    requests, answers = sys.stdin.fileno(), sys.stdout.fileno()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a client that goes away is an end like any other
    if sys.platform != "win32":
        for descriptor in (requests, answers):  # whoever started us may have left them otherwise
            os.set_blocking(descriptor, True)
    connection = Connection(listing, watch=watch is not None)
    lines = wire.lines(_chunks(requests))
    messages = _answers(connection, lines) if watch is None else _watched(connection, lines, watch)
    # Whatever anything else prints must never get between two messages.
    with redirect_stdout(sys.stderr):
        try:
            for message in messages:
                _write(answers, message)
        except OSError as error:
            if not terminal.is_reader_gone(error):
                raise
    connection.end()


def _answers(connection: Connection, lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield from connection.answers(line)


def _watched(connection: Connection, lines: Iterable[bytes], seconds: float) -> Iterator[bytes]:
    """Yield the same, and what changed every so many seconds."""
    # Imported here, since few watch. The thread only waits for lines: everything else stays in this one.
    from queue import Empty, Queue
    from threading import Thread

    waiting: Queue[bytes | None] = Queue(_WAITING)

    def fill() -> None:
        for line in lines:
            waiting.put(line)
        waiting.put(None)

    Thread(target=fill, daemon=True).start()
    due = time.monotonic() + seconds
    while True:
        try:
            line = waiting.get(timeout=max(0.0, due - time.monotonic()))
        except Empty:
            yield from connection.updates()
            due = time.monotonic() + seconds
            continue
        if line is None:
            return
        yield from connection.answers(line)


def _chunks(descriptor: int) -> Iterator[bytes]:
    while chunk := os.read(descriptor, _CHUNK):
        yield chunk


def _write(descriptor: int, message: bytes) -> None:
    left = memoryview(message)
    while left:
        left = left[os.write(descriptor, left) :]
