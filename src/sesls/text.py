"""Stored text made fit to be shown: one line, nothing a terminal could obey, nothing invisible.

The order is a promise: strip, window, redact, fold, cut. Redacting comes after stripping, so that no invisible
character hides a secret, and before cutting, so that a secret never loses its tail and slips through.
"""

from __future__ import annotations

import re
from collections.abc import Callable

TITLE_LIMIT = 200
"""The longest title, in characters, before its `…`."""

_WINDOW = 4096
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # operating system commands: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # device control and private strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours, cursor movement, clearing
    r"|\x1b[ -/]*[0-~]?"
)
# Everything Unicode calls a control or a format character, surrogates and private planes' tags included;
# white space among it (tab, newline, NEL, separators) is folded, not dropped.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def strip(text: str) -> str:
    """Return text without escape sequences, control characters and invisible ones; white space stays."""
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub("", _ESCAPE_SEQUENCE.sub("", text))


def one_line(text: str) -> str:
    """Return text stripped and on one line, every run of white space one space."""
    return " ".join(strip(text).split())


def title(text: str | None, redact: Callable[[str], str], limit: int = TITLE_LIMIT) -> str | None:
    """Return a stored title as it may be shown, or None when nothing of it can be seen."""
    if text is None:
        return None
    # Escape sequences and invisible characters may be most of a text, so a generous piece is stripped.
    stripped = strip(text[: 4 * (limit + _WINDOW)])[: limit + _WINDOW]
    return cut(" ".join(redact(stripped).split()), limit) or None


def cut(text: str, limit: int) -> str:
    """Return text of at most `limit` characters and `…` where some were left out; no mark of a secret is halved."""
    if len(text) <= limit:
        return text
    kept = text[:limit]
    mark = kept.rfind("[REDACTED_")
    if mark >= 0 and "]" not in kept[mark:] and "]" in text[mark : mark + 60]:
        kept = kept[:mark]
    return kept.rstrip() + "…"
