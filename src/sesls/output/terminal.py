"""The two streams: the answer on stdout, everything said about it on stderr."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from sesls.session import Progress


def prepare() -> None:
    """Make both streams ready for any text and any end.

    What their encoding cannot show becomes `?`; a stream that was closed swallows what is written; a slow reader is
    waited for; and when whoever reads the answer goes away (`sesls list | head`), the program ends without a word, as
    Unix programs do.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout = _open_or_nowhere(sys.stdout)
    sys.stderr = _open_or_nowhere(sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
        if sys.platform != "win32":
            with suppress(OSError):  # else Python loses what a slow reader has no room for yet
                os.set_blocking(stream.fileno(), True)


def _open_or_nowhere(stream: TextIO | None) -> TextIO:
    return stream if stream is not None else open(os.devnull, "w", encoding="utf-8")


def abandon(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, so that the interpreter does not fail on it when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError:
        return


def is_reader_gone(error: OSError) -> bool:
    """Tell whether an error of writing says that nobody reads any more, where no signal has ended the program."""
    # Windows calls it an invalid argument.
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)


def shows_unicode(stream: TextIO) -> bool:
    """Tell whether a stream can show the few signs beyond ASCII that sesls itself uses."""
    try:
        "…—↳".encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def has_colour(stream: TextIO, variables: Mapping[str, str]) -> bool:
    """Tell whether a stream is a terminal whose reader wants colours."""
    wanted = not variables.get("NO_COLOR", "").strip() and variables.get("TERM", "") != "dumb"
    return wanted and stream.isatty() and _obeys_sequences(stream)


def _obeys_sequences(stream: TextIO) -> bool:
    """Tell whether a terminal obeys escape sequences; a console of Windows has to be told to."""
    if sys.platform != "win32":
        return True
    import ctypes
    import msvcrt

    console = ctypes.windll.kernel32
    handle = ctypes.c_void_p(msvcrt.get_osfhandle(stream.fileno()))
    mode = ctypes.c_uint32()
    # Another program's terminal (mintty) is no console, and obeys them.
    if not console.GetConsoleMode(handle, ctypes.byref(mode)):
        return True
    return bool(console.SetConsoleMode(handle, mode.value | 4))  # ENABLE_VIRTUAL_TERMINAL_PROCESSING, from Windows 10


def cells_of_stderr() -> int | None:
    """Return how wide the terminal is that stderr goes to; None where it goes to none."""
    return get_terminal_size().columns if sys.stderr.isatty() else None


def write(*lines: str) -> None:
    """Write the lines of an answer."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def write_json(answer: dict[str, Any]) -> None:
    """Write an answer as one JSON value."""
    from sesls.output.json import parts  # here: the version and help need none

    sys.stdout.buffer.writelines(parts(answer))


def say(*lines: str, dim: bool = False) -> None:
    """Write lines about the answer to stderr, after what stdout has so far; a terminal gets them wrapped at blanks."""
    sys.stdout.flush()
    cells = cells_of_stderr()
    for line in lines if cells is None else _wrapped(lines, cells):
        print(f"\x1b[2m{line}\x1b[0m" if dim else line, file=sys.stderr)


def _wrapped(lines: Sequence[str], cells: int) -> Iterator[str]:
    from sesls.output.widths import wrapped  # here: a pipe needs none

    return (part for line in lines for part in wrapped(line, cells, indent=2))


def progress(variables: Mapping[str, str], *, is_streaming: bool = False) -> AbstractContextManager[Progress]:
    """Return what shows how far a reading is, where there is a terminal for it that no answer is streaming to."""
    if not sys.stderr.isatty() or variables.get("TERM", "") == "dumb" or (is_streaming and sys.stdout.isatty()):
        from sesls.session import unwatched  # here: the version and help need no records

        return nullcontext(unwatched)
    from sesls.output import spinner

    return spinner.turning(sys.stderr)
