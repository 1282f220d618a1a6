"""Comma-separated values by RFC 4180, in UTF-8: a header, then one session a line, written as soon as it is read.

Text that a spreadsheet would take for a formula gets a `'` before it, at the start of a cell and after a semicolon
(which starts a new cell where the comma is the decimal sign): titles come from anywhere. JSON Lines are exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import BinaryIO

from sesls.output.fields import as_text, value
from sesls.session import Session
from sesls.terms import FIELDS

SEPARATOR = "|"
"""Between the items of a list."""

_LEFT_OUT = ("date", "home", "extra")
"""Of the fields, where none are named: the first is `last_activity` again, the last differs between agents."""
_FORMULA = re.compile(r"(^|;)(?=\s*[=+\-@＝＋－＠])")  # noqa: RUF001 - spreadsheets take the wide ones too
_QUOTED = re.compile(r'^ |[",;]| $')


def writer(
    stream: BinaryIO, fields: Sequence[str] | None = None, *, with_home: bool = False
) -> Callable[[Session], None]:
    """Write the header and return what writes one session: the fields named, or all that every agent may have."""
    if fields is None:
        fields = [name for name in FIELDS if name not in _LEFT_OUT or (name == "home" and with_home)]

    def write(session: Session) -> None:
        _write(stream, [_cell(value(session, name)) for name in fields])

    _write(stream, list(map(_cell, fields)))
    return write


def _write(stream: BinaryIO, cells: Sequence[str]) -> None:
    row = ",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' if _QUOTED.search(cell) else cell for cell in cells)
    stream.write(((row or '""') + "\r\n").encode())
    stream.flush()


def _cell(value: object) -> str:
    text = as_text(value, SEPARATOR)
    if isinstance(value, int | float) or (text[:1].isalnum() and ";" not in text):
        return text
    return _FORMULA.sub(r"\1'", text)
