"""The names that Pi and oh-my-pi give the files of sessions: `<time>_<id>.jsonl`."""

from __future__ import annotations

import ntpath
import re

TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z"

_SESSION_NAME = re.compile(rf"{TIME}_(.+)\.jsonl", re.DOTALL)


def id_in_name(path: str) -> str | None:
    """Return the id in the name of a session's file, on any system; None for another kind of name."""
    match = _SESSION_NAME.fullmatch(ntpath.basename(path))
    return match[1] if match is not None else None
