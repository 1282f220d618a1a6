"""The marks that stand in the place of secrets: `[REDACTED_<KIND>]`."""

from __future__ import annotations

import re
from functools import cache

LONGEST = 52
"""How many characters one has at most."""


def of(kind: str) -> str:
    """Return the mark of a kind of secret."""
    return f"[REDACTED_{kind}]"


def may_be_in(text: str) -> bool:
    """Tell whether a text may hold a mark, or the start of one."""
    return "[REDACTED_" in text


@cache
def pattern() -> re.Pattern[str]:
    """Return what finds a mark; its group is the kind."""
    return re.compile(r"\[REDACTED_([A-Z0-9_]{1,40})\]")
