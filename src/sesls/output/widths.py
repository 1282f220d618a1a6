"""How many cells of a terminal a text takes.

Counted by code point, so never less than a terminal needs: some draw an emoji and its modifiers in two cells, others
one after the other.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def width(text: str) -> int:
    """Return the number of cells."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if combining(character) or character in _JOINERS:
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def wrapped(text: str, cells: int, indent: int) -> list[str]:
    """Return the lines of so many cells that a text takes, broken at blanks alone, all but the first one indented."""
    if width(text) <= cells:
        return [text]
    from textwrap import wrap  # here: few texts are so long

    return wrap(text, cells, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def cut(text: str, cells: int, mark: str) -> str:
    """Return text of at most so many cells, a mark at the end of what was cut."""
    if width(text) <= cells:
        return text
    left = cells - width(mark)
    for place, character in enumerate(text):
        left -= _width(character)
        if left < 0:
            return text[:place].rstrip() + mark
    return text


def cut_start(text: str, cells: int, mark: str) -> str:
    """Return the end of a text, of at most so many cells, a mark before what was cut."""
    if width(text) <= cells:
        return text
    left = cells - width(mark)
    for place in range(len(text) - 1, -1, -1):
        left -= _width(text[place])
        if left < 0:
            return mark + text[place + 1 :]
    return text


def padded(text: str, cells: int, *, right: bool = False) -> str:
    """Return text with blanks to its right, or left of it, so that it takes so many cells."""
    blanks = " " * max(cells - width(text), 0)
    return blanks + text if right else text + blanks
