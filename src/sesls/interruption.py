"""Ctrl-C ends sesls at once, whatever it is doing, as `kill` and a closed terminal do; what it would leave behind is
taken away first.

Python's own way would be a KeyboardInterrupt. SQLite swallows one that is raised while it works, and one that is raised
while modules are imported ends in a traceback. Where sesls is a library, Python's own way it is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

STATUS = 130
"""The exit status of what was interrupted, as shells have it."""

_left_behind: list[Callable[[], object]] = []
"""What takes away what an end at this moment would leave behind."""


SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Those that end sesls."""


def prepare() -> None:
    """Let these signals end this process from now on, unless it was started to ignore them."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)


@contextmanager
def cleared_by(clear: Callable[[], object]) -> Iterator[None]:
    """Have something called if a signal ends the process within."""
    _left_behind.append(clear)
    try:
        yield
    finally:
        _left_behind.remove(clear)


def forget() -> None:
    """Have nothing called any more: what the original of this process leaves behind is not its copy's to take away."""
    _left_behind.clear()


def _end(number: int, _: object) -> NoReturn:
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    for clear in reversed(_left_behind):
        with suppress(Exception):
            clear()
    if number != signal.SIGINT:  # whoever sent it wants to see that it was this signal
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(STATUS)
