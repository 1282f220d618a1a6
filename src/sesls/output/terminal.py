"""The two streams: the answer on stdout, everything said about it on stderr."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def quiet_pipe() -> Iterator[None]:
    """End the program quietly, with exit status 0, when whoever reads its answer has gone: `sesls list | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes stdout once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def prepare() -> None:
    """Make both streams take any text: what their encoding cannot show becomes `?`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def shows_unicode(stream: TextIO) -> bool:
    """Tell whether a stream can show the few signs beyond ASCII that sesls itself uses."""
    try:
        "…—↳".encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def say(*lines: str, colour: bool = False) -> None:
    """Write lines about the answer to stderr, dim where it shows colours, after what stdout has so far."""
    sys.stdout.flush()
    for line in lines:
        print(f"\x1b[2m{line}\x1b[0m" if colour else line, file=sys.stderr)
