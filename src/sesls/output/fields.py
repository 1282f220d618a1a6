"""The fields of a session by name, and their values as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sesls.output.json import plain
from sesls.session import Session
from sesls.text import strip

_WHITE = re.compile(r"[^\S ]")


def value(session: Session, name: str) -> object:
    """Return what a field holds: `title`, or `extra.git_branch`; None where there is nothing of that name."""
    own, _, rest = name.partition(".")
    found: object = getattr(session, own)
    for part in rest.split(".") if rest else ():
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def as_text(value: object, separator: str) -> str:
    """Return a value on one line without control characters: lists joined, objects as JSON, nothing as no text."""
    if value is None:
        return ""
    if isinstance(value, str):
        stripped = strip(value)
        return stripped if stripped.isprintable() else _WHITE.sub(" ", stripped)
    if isinstance(value, Sequence) and all(isinstance(item, str | int | float) for item in value):
        return separator.join(as_text(item, separator) for item in value)
    if isinstance(value, Mapping) and not value:
        return ""
    return plain(value)
