"""What the first readings of files told, one entry for each path, in the order in which the files are listed.

Entries are read back, used and written anew while the files are gone through, so that of a hundred thousand only a few
are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from sesls.cache import disk, sections
from sesls.cache.sections import Entries
from sesls.session import Candidate


class Facts:
    """The entries of one agent's files, in a file or, where there is no place for one, in memory if asked to."""

    def __init__(self, path: str | None, version: str) -> None:
        self._path = path
        self._version = version
        self.is_needed_again = False
        """Whether to keep in memory what has no file."""
        self._held: Entries = {}
        self._known: dict[str, msgspec.Raw | None] = {}
        """What was read back and not yet passed on, and what is new; None where there is nothing on disk."""
        self._unread: Iterator[Entries] = iter(())
        self._renew: Callable[[str, msgspec.Raw], object] = self._held.__setitem__

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Have what is passed on within remembered from now on, in that order, in place of all that was."""
        self._known, self._unread = dict(self._held), self._read_back()
        self._held = {}
        if self._path is None:
            self._renew = self._held.__setitem__
            yield
            self._known = {}
        else:
            with disk.replaced(self._path, self._version) as add, sections.written(add) as self._renew:
                yield
                self._known, self._unread = {}, iter(())  # Windows replaces no file that is open

    def unread(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return those files of which no first reading is remembered."""
        unknown = {candidate.path: candidate for candidate in candidates}
        for path in self._known:
            unknown.pop(path, None)
        for entries in self._read_back():
            for path in entries:
                unknown.pop(path, None)
        if len(unknown) < len(candidates):  # else there is nothing that could be read back in search of them
            self._known |= dict.fromkeys(unknown)
        return list(unknown.values())

    def get(self, path: str) -> msgspec.Raw | None:
        """Return the entry of a file; None where there is none."""
        while path not in self._known and (entries := next(self._unread, None)) is not None:
            for known, entry in entries.items():
                self._known.setdefault(known, entry)
        return self._known.get(path)

    def put(self, path: str, entry: msgspec.Raw) -> None:
        """Take an entry for that of a file."""
        self._known[path] = entry

    def pass_on(self, path: str) -> None:
        """Have the entry of a file remembered, if there is one, and let it go here."""
        entry = self._known.pop(path, None)
        if entry is not None and (self.is_needed_again or self._path is not None):
            self._renew(path, entry)

    def _read_back(self) -> Iterator[Entries]:
        return iter(()) if self._path is None else sections.read_back(disk.read(self._path, self._version))
