"""What is remembered of one kind, entry by entry, and the form in which entries are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
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

    def __init__(self, unread: Iterator[bytes], entries: Mapping[str, msgspec.Raw] | None = None) -> None:
        self._entries: dict[str, msgspec.Raw | None] = dict(entries or {})
        self._unread = unread

    def get(self, key: str) -> msgspec.Raw | None:
        """Return an entry; None where there is none."""
        while key not in self._entries and self._read_on():
            pass
        return self._entries.get(key)

    def put(self, key: str, entry: msgspec.Raw | None) -> None:
        """Add an entry, or None to say that there is none, in place of what is on disk."""
        self._entries[key] = entry

    def take(self, key: str) -> msgspec.Raw | None:
        """Return an entry that was asked for, or put, and forget it."""
        return self._entries.pop(key, None)

    def all(self) -> dict[str, msgspec.Raw]:
        """Return all entries."""
        while self._read_on():
            pass
        return {key: entry for key, entry in self._entries.items() if entry is not None}

    def _read_on(self) -> bool:
        try:
            piece = next(self._unread, None)
            if piece is not None:
                read = msgspec.msgpack.decode(piece, type=dict[str, msgspec.Raw])
                for key in read.keys() & self._entries.keys():
                    del read[key]
                self._entries |= read
        except ValueError:  # what follows is lost
            return False
        return piece is not None


def pieces(entries: Mapping[str, msgspec.Raw], size: int) -> Iterator[bytes]:
    """Yield what a `Section` reads back, so many entries in each piece."""
    for some in batches(entries.items(), size):
        yield msgspec.msgpack.encode(dict(some))


@contextmanager
def written(add: Callable[[bytes], object], size: int) -> Iterator[Callable[[str, msgspec.Raw], None]]:
    """Add what a `Section` reads back, entry by entry, so many in each piece."""
    entries: dict[str, msgspec.Raw] = {}

    def put(key: str, entry: msgspec.Raw) -> None:
        entries[key] = entry
        if len(entries) == size:
            flush()

    def flush() -> None:
        add(msgspec.msgpack.encode(entries))
        entries.clear()

    yield put
    if entries:
        flush()


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
