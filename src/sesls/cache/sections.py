"""What is remembered of one kind, entry by entry, and the form in which entries are kept.

However many there are, few are in memory at a time, as long as they are asked for in the order in which they lie on
disk.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import TypeVar

import msgspec
from msgspec.structs import force_setattr

from sesls import text

Record = TypeVar("Record", bound=msgspec.Struct)
Item = TypeVar("Item")

_MOST_NEW = 4096
"""How many new entries are in memory before half of them are put aside."""
_PIECE_ASIDE = 64
"""How many entries are put aside, and read back from there, at a time."""
MANY = 20_000
"""From so many on, what is remembered is held with more thrift: it takes more time, and less memory."""
PIECE = 512
"""How many entries are written and read back at a time: all at once would be in memory twice."""

Aside = Callable[[Iterable[bytes]], Callable[[], Iterator[bytes]]]
"""Puts pieces aside, and returns what reads them back. Raises OSError."""

CANNOT_BE_KEPT = (TypeError, ValueError, OverflowError)
"""What `encoded` raises: for a lone surrogate, from a name that is no UTF-8 or half an emoji, and for huge numbers."""


Entries = dict[str, msgspec.Raw]


class Section:
    """Entries by key: new ones, and those on disk, the least keys first, read back as far as they are asked for."""

    def __init__(self, read: Callable[[], Iterator[bytes]], aside: Aside | None, *, holds: bool) -> None:
        self._read = read
        self._unread = read_back(read())
        self._known: Entries = {}
        self._last: str | None = None
        """The last key that was read back."""
        self._new: Entries = {}
        self._aside = aside
        self._runs: list[Callable[[], Iterator[bytes]]] = []
        """New ones that were put aside on disk: a hundred thousand would fill the memory."""
        self._most_new = _MOST_NEW
        self._holds = holds
        """Whether an entry may be asked for twice."""

    def get(self, key: str) -> msgspec.Raw | None:
        """Return an entry; None where there is none."""
        if key in self._new:
            is_needed = self._holds or self._aside is not None  # to be written in the end
            return self._new[key] if is_needed else self._new.pop(key)
        while key not in self._known and (self._last is None or key > self._last) and self._read_on():
            pass
        return self._known.get(key) if self._holds else self._known.pop(key, None)

    def part_ways(self) -> None:
        """In a copy of a process, do nothing more with files that the other one has open: both share the place in them.

        What is on disk is read back from its start, and nothing is put aside.
        """
        self._unread, self._last = read_back(self._read()), None
        self._most_new = sys.maxsize

    def close(self) -> None:
        """Read back nothing more: Windows replaces no file that is open."""
        self._unread = iter(())

    def _read_on(self) -> bool:
        entries = next(self._unread, None)
        if entries:
            self._known |= entries
            self._last = next(reversed(entries))
        return bool(entries)

    def put(self, key: str, entry: msgspec.Raw) -> None:
        """Add an entry in place of what is on disk."""
        self._new[key] = entry
        if self._aside is not None and len(self._new) >= self._most_new:
            oldest = sorted(islice(self._new.items(), self._most_new // 2), key=itemgetter(0))
            try:
                self._runs.append(self._aside(pieces(oldest, _PIECE_ASIDE)))
            except OSError:
                self._most_new *= 2
                return
            self._new = dict(islice(self._new.items(), len(oldest), None))

    def drop(self, keys: Container[str]) -> None:
        """Drop the new entries of some keys."""
        self._new = {key: entry for key, entry in self._new.items() if key not in keys}

    @property
    def is_changed(self) -> bool:
        """Tell whether anything was added."""
        return bool(self._new or self._runs)

    def all_keys(self) -> Iterator[str]:
        """Yield the keys of what is on disk, and of what is new and not put aside."""
        yield from (key for key, _ in _each(self._read()))
        yield from self._new

    def all(self, dropped: Container[str] = ()) -> Iterator[tuple[str, msgspec.Raw]]:
        """Yield all entries but those of some keys, the least key first."""
        from heapq import merge  # here: a listing that learns nothing needs none

        new = sorted(self._new.items(), key=itemgetter(0))
        runs = [_each(read()) for read in reversed(self._runs)]
        last = None
        for key, entry in merge(new, *runs, _each(self._read()), key=itemgetter(0)):
            if key != last and key not in dropped:  # of two with one key the first is the newer
                yield key, entry
            last = key


def read_back(pieces: Iterator[bytes]) -> Iterator[Entries]:
    """Yield the entries of each piece, up to the first that is damaged."""
    with suppress(ValueError):
        for piece in pieces:
            yield msgspec.msgpack.decode(piece, type=Entries)


def _each(pieces: Iterator[bytes]) -> Iterator[tuple[str, msgspec.Raw]]:
    return (one for entries in read_back(pieces) for one in entries.items())


def pieces(entries: Iterable[tuple[str, msgspec.Raw]], size: int) -> Iterator[bytes]:
    """Yield what is read back, so many entries in each piece."""
    for some in batches(entries, size):
        yield msgspec.msgpack.encode(dict(some))


@contextmanager
def written(add: Callable[[bytes], object]) -> Iterator[Callable[[str, msgspec.Raw], None]]:
    """Add what is read back, entry by entry."""
    entries: Entries = {}

    def put(key: str, entry: msgspec.Raw) -> None:
        entries[key] = entry
        if len(entries) == PIECE:
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


def share(record: msgspec.Struct, names: Iterable[str]) -> None:
    """Make a record use the one copy of each of some texts that other records have too."""
    for name in names:
        if type(value := getattr(record, name)) is str:
            force_setattr(record, name, sys.intern(value))


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
