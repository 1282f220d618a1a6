"""How far a long reading is: one line of a terminal, there after a moment and gone when it is done."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TextIO

from sesls import interruption
from sesls.output.terminal import shows_unicode
from sesls.output.widths import cut
from sesls.session import Progress

_PATIENCE = 0.3
"""How long something may take before a word is said about it, in seconds."""
_BETWEEN = 0.1
_UNICODE = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII = "|/-\\"
_CLEAR = b"\r\x1b[K"


@contextmanager
def turning(stream: TextIO) -> Iterator[Progress]:
    """Show on a terminal what is told within, and take it away at the end."""
    frames = _UNICODE if shows_unicode(stream) else _ASCII
    own, descriptor, cells = os.getpid(), stream.fileno(), get_terminal_size().columns
    start = drawn = time.monotonic()
    turns = 0

    def tell(agent: str, done: int, of: int) -> None:
        nonlocal drawn, turns
        now = time.monotonic()
        if now - start < _PATIENCE or now - drawn < _BETWEEN or os.getpid() != own:  # a copy of this process is quiet
            return
        drawn, turns = now, turns + 1
        line = cut(f"{frames[turns % len(frames)]} {_words(agent, done, of)}", cells - 1, "")
        os.write(descriptor, _CLEAR + line.encode(stream.encoding, "replace"))

    def clear() -> None:
        if turns and os.getpid() == own:
            os.write(descriptor, _CLEAR)

    with interruption.cleared_by(clear):
        try:
            yield tell
        finally:
            clear()


def _words(agent: str, done: int, of: int) -> str:
    return f"reading {agent}: {done:,} of {of:,}" if of else f"looking through {agent}: {done:,} files"
