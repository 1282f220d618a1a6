"""What a person asked for, out of what Cline stores: 3.x wraps every prompt in a mark of its own."""

from __future__ import annotations

import re

from sesls.text import is_visible

# Cline 3.0.65 takes the same away for its titles. Of a long text the end of the mark may be cut off.
_WRAPPED = re.compile(r"<(user_input|user_command)(?:\s[^>]*)?>(.*?)(?:</\1>|\Z)", re.DOTALL)
_NOTICE = re.compile(r"<mode_notice>.*?</mode_notice>", re.DOTALL)


def request(text: str | None) -> str | None:
    """Return a prompt without what Cline put around it, or None where nothing of it can be seen."""
    asked = _NOTICE.sub("", text or "").strip()
    while (wrapped := _WRAPPED.match(asked)) is not None:
        asked = wrapped[2].strip()
    return asked if is_visible(asked) else None
