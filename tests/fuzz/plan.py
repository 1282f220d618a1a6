"""The bytes of one fuzzing input, taken from the front: every input, however short, is a plan of what to damage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Plan:
    """Takes numbers, choices and bytes from an input; when it is used up, all of them are zero, first and empty."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def __bool__(self) -> bool:
        return self._position < len(self._data)

    def take(self, size: int) -> bytes:
        taken = self._data[self._position : self._position + size]
        self._position += size
        return taken

    def rest(self) -> bytes:
        return self.take(len(self._data))

    def number(self, below: int) -> int:
        """Return a number from 0 on: of one byte where that is enough, else of three."""
        if below < 2:
            return 0
        return int.from_bytes(self.take(1 if below <= 256 else 3), "little") % below

    def choice(self, items: Sequence[Item]) -> Item:
        return items[self.number(len(items))]

    def short(self) -> bytes:
        """Return at most 31 bytes, after the byte that tells how many."""
        return self.take(self.number(32))
