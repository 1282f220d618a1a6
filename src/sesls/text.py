"""Stored text made fit to be shown: one line, nothing a terminal could obey, nothing invisible.

The order is a promise: strip, window, redact, fold, cut. Redacting comes after stripping, so that no invisible
character hides a secret, and before cutting, so that a secret never loses its tail and slips through.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache

from sesls import marks

TITLE_LIMIT = 200
"""The longest title, in characters, before its `…`."""

SEARCHED_LIMIT = 1000
"""How much of a title can be searched, in characters."""

_WINDOW = 4096
_VALUE_LIMIT = 1000
_LONGEST_SECRET = 600


def once(text: str | None) -> str | None:
    """Return the one copy of a text that a hundred thousand sessions may have in common."""
    return None if text is None else sys.intern(text)


@cache
def _escape_sequence() -> re.Pattern[str]:
    """Return what terminals obey.

    An introducer of a control string counts only with the string's end, or else alone: the eight-bit ones also come
    from text that was decoded wrongly.
    """
    return re.compile(
        r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,500}(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboard
        r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]{0,500}(?:\x1b\\|\x9c)"  # device control, private strings
        r"|\x1b\][^\x07\x1b\x9c\n]{0,500}"
        r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours, cursor movement, clearing
        r"|\x1b[ -/]*[0-~]?"
    )


@cache
def _invisible() -> re.Pattern[str]:
    """Return everything that Unicode calls a control or a format character, surrogates and variation selectors too.

    White space among it (tab, newline, NEL, separators) is folded, not dropped.
    """
    return re.compile(
        "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
        "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
        "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
        # Variation selectors belong to emoji (and keycaps); after other ASCII they only hide something.
        "|(?<=[!-~])[\ufe00-\ufe0f](?!\u20e3)"
    )


@cache
def _blank() -> re.Pattern[str]:
    return re.compile("[\\s\u2800\ufe00-\ufe0f]")


class Shown(str):
    """A text that is as it may be shown already."""

    __slots__ = ()


def strip(text: str) -> str:
    """Return text without escape sequences, control characters and invisible ones; white space stays."""
    if text.isascii() and text.isprintable():
        return text
    return _invisible().sub("", _escape_sequence().sub("", text))


def is_visible(text: str) -> bool:
    """Tell whether anything of a text can be seen."""
    return bool(_blank().sub("", strip(text[: 4 * _WINDOW])))


def one_line(text: str) -> str:
    """Return text stripped and on one line, every run of white space one space."""
    return " ".join(strip(text).split())


def title(text: str, redact: Callable[[str], str], limit: int = TITLE_LIMIT) -> str | None:
    """Return a stored title as it may be shown, or None when nothing of it can be seen."""
    if isinstance(text, Shown):
        return str(text)
    folded = " ".join(_redacted(text, redact, limit).split())
    return cut(folded, limit) if is_visible(folded) else None


def value(text: str, redact: Callable[[str], str]) -> str:
    """Return any other stored text as it may be shown, at most so long that it cannot fill a screen."""
    return cut(_redacted(text, redact, _VALUE_LIMIT), _VALUE_LIMIT)


def _redacted(text: str, redact: Callable[[str], str], limit: int) -> str:
    # Escape sequences and invisible characters may be most of a text, so a generous piece is stripped.
    piece = text[: 4 * (limit + _WINDOW)]
    stripped = strip(piece)
    window = stripped[: limit + _WINDOW]
    if len(window) == len(stripped) and len(piece) == len(text):
        return redact(window)
    redacted = redact(window)
    *_, last = redacted.rsplit(None, 1) or [""]
    # What the window cut may be the start of a secret, too short to look like one.
    return redacted[: len(redacted.rstrip()) - len(last)] if len(last) < _LONGEST_SECRET else redacted


def cut(text: str, limit: int) -> str:
    """Return text of at most `limit` characters and `…` where some were left out; no mark of a secret is halved."""
    if len(text) <= limit:
        return text
    kept = text[:limit]
    mark = marks.pattern().search(text, max(limit - marks.LONGEST, 0))
    while mark is not None and mark.end() <= limit:
        mark = marks.pattern().search(text, mark.end())
    if mark is not None and mark.start() < limit:
        kept = text[: mark.start()]
    return kept.rstrip() + "…"
