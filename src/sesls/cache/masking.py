"""Records as they may be kept: no secret in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial

import msgspec
from msgspec.structs import replace

from sesls import redaction, text
from sesls.cache.sections import Record

_SHORTEST_SECRET = 12
_ID = re.compile(r"[0-9a-fA-F-]{32,36}")


def masked(record: Record) -> tuple[Record, bool]:
    """Return a record with its `titles` as they are shown, and whether that masks a secret.

    Raises ValueError where anything else in it holds one.
    """
    titles: dict[str, str] = getattr(record, "titles", None) or {}
    counts: Counter[str] = Counter()
    if titles:
        redact = partial(redaction.redact, counts=counts)
        shown = {name: text.title(title, redact, text.SEARCHED_LIMIT) for name, title in titles.items()}
        record = replace(record, titles={name: title for name, title in shown.items() if title is not None})
    # Thousands of ids may be among the rest, which no person wrote.
    others = [name for name in record.__struct_fields__ if name != "titles" and not name.endswith("_ids")]
    if any(_holds_secret(text) for name in others for text in _texts(getattr(record, name))):
        raise ValueError("holds a secret")
    return record, bool(counts)


def _texts(value: object) -> Iterator[str]:
    """Yield all texts of a record's field that are long enough to be a secret, but for ids."""
    if isinstance(value, msgspec.Struct):
        value = [getattr(value, name) for name in value.__struct_fields__]
    if isinstance(value, str):
        if len(value) >= _SHORTEST_SECRET and not _ID.fullmatch(value):
            yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(name)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


@lru_cache(maxsize=4096)
def _holds_secret(text: str) -> bool:
    counts: Counter[str] = Counter()
    redaction.redact(text, counts)
    return bool(counts)
