"""What is remembered of one kind, entry by entry, and the form in which entries are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TypeVar

import msgspec

from sesls import text

Record = TypeVar("Record", bound=msgspec.Struct)
Item = TypeVar("Item")

CANNOT_BE_KEPT = (TypeError, ValueError, OverflowError)
"""What `encoded` raises: for a lone surrogate, from a name that is no UTF-8 or half an emoji, and for huge numbers."""


class Section:
    """Entries by key, read back from disk as far as they are asked for."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._entries: dict[str, msgspec.Raw] = {}
        self._unread = pieces

    def get(self, key: str) -> msgspec.Raw | None:
        """Return an entry; None where there is none."""
        while (entry := self._entries.get(key)) is None and self._read_on():
            pass
        return entry

    def all(self) -> dict[str, msgspec.Raw]:
        """Return all entries, to be changed."""
        while self._read_on():
            pass
        return self._entries

    def keep(self, keys: Iterable[str]) -> bool:
        """Drop all entries but those of some keys, and put those in that order; tell whether any was dropped."""
        entries = self.all()
        self._entries = {key: entries[key] for key in keys if key in entries}
        return len(self._entries) < len(entries)

    def _read_on(self) -> bool:
        try:
            piece = next(self._unread, None)
            if piece is not None:
                self._entries |= msgspec.msgpack.decode(piece, type=dict[str, msgspec.Raw])
        except ValueError:  # what follows is lost
            return False
        return piece is not None


def pieces(entries: Mapping[str, msgspec.Raw], size: int) -> Iterator[bytes]:
    """Yield what a `Section` reads back, so many entries in each piece."""
    for some in batches(entries.items(), size):
        yield msgspec.msgpack.encode(dict(some))


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield items in lists of so many."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def decoded(entry: msgspec.Raw, kind: type[Record]) -> Record | None:
    """Return an entry as what it was; None where it is something else."""
    try:
        record: Record = _decoder(kind).decode(entry)
    except msgspec.DecodeError:
        return None
    return record


@cache
def _decoder(kind: type[Record]) -> msgspec.msgpack.Decoder[Record]:
    return msgspec.msgpack.Decoder(kind)


def encoded(value: object) -> bytes:
    """Return a value as it is kept. Raises what `CANNOT_BE_KEPT` names."""
    return msgspec.msgpack.encode(value, enc_hook=_plain)


def _plain(value: object) -> str:
    if isinstance(value, text.Shown):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be kept")
