"""JSON Lines: one session a line, written as soon as it is read, safe to show in a terminal as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO

from sesls.output import fields as named
from sesls.output.json import line
from sesls.session import Session


def writer(stream: BinaryIO, fields: Sequence[str] | None = None) -> Callable[[Session], None]:
    """Return what writes one session: all of it, or an object with some of its fields, in the order given."""

    def write(session: Session) -> None:
        stream.write(line(session if fields is None else {name: named.value(session, name) for name in fields}))
        stream.flush()

    return write
