"""The last survey of an agent's stores on disk: what was looked at, and in a file of their own the sessions found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from sesls import looks
from sesls.cache import disk, sections
from sesls.cache.sections import CANNOT_BE_KEPT, batches, encoded
from sesls.looks import Identity, Looks
from sesls.session import Summary, Survey

_OLD_NS = 600 * 10**9
"""How old the summaries may get where no listing can be sure of its own, in nanoseconds."""
_COMMON = ("agent", "parent_uuid", "project_dir", "launch_surface")
"""What many summaries have in common."""


class Kept(msgspec.Struct, array_like=True):
    """A survey, and what it was made from but for the paths, which follow."""

    survey: Survey
    seen: Looks
    token: bytes
    """What the file of its summaries begins with; empty where there are none."""
    sessions: int
    """How many summaries there are."""


class Surveys:
    """The two files of one agent. The summaries are written as they pass, before it is known whether they will hold."""

    def __init__(self, survey_path: str, summaries_path: str, version: str, now_ns: int) -> None:
        self._survey_path = survey_path
        self._summaries_path = summaries_path
        self._version = version
        self._now_ns = now_ns
        self._token: bytes | None = None
        """That of the summaries that passed last: empty while there are none, None where they cannot be kept."""
        self._sessions = 0
        """How many those were."""

    def last(
        self, variables: Mapping[str, str], cwd: str, known: Callable[[], dict[str, Identity | None]]
    ) -> Kept | None:
        """Return the last survey if it still holds; `known` is what was looked at already, and gets the rest.

        Raises ValueError where it is damaged.
        """
        pieces = disk.read(self._survey_path, self._version)
        first = next(pieces, None)
        if first is None:
            return None
        kept = msgspec.msgpack.decode(first, type=Kept)
        if not kept.seen.hold(variables, cwd, known()):
            return None
        for piece in pieces:
            paths = msgspec.msgpack.decode(piece, type=dict[str, Identity | None])
            if not looks.are_as_they_were(paths, known()):
                return None
        return kept

    def summaries(self, token: bytes | None = None) -> Iterator[Summary]:
        """Yield the summaries of a survey, or the last there are, without their sources.

        Raises ValueError where they are damaged, or another survey's.
        """
        if token == b"":
            return
        pieces = disk.read(self._summaries_path, self._version)
        first = next(pieces, None)
        if token not in (None, first):
            raise ValueError("of another survey")
        for number, piece in enumerate(pieces):
            summaries = msgspec.msgpack.decode(piece, type=list[Summary])
            if number * sections.PIECE >= sections.MANY:
                for summary in summaries:
                    sections.share(summary, _COMMON)
            yield from summaries

    def keeping(self, summaries: Iterable[Summary], seen: Looks) -> Iterator[Summary]:
        """Yield summaries, and keep them; `seen` is what was looked at so far.

        Where it is plain already that no listing can be sure of them, they are kept now and then, for whoever asks for
        the last ones.
        """
        if disk.age_ns(self._summaries_path, self._now_ns) < _OLD_NS and not is_sure(seen, self._now_ns):
            self._token = None
            yield from summaries
            return
        self._token, self._sessions = b"", 0
        with disk.replaced(self._summaries_path, self._version) as add:
            for some in batches(summaries, sections.PIECE):
                if self._token == b"":
                    self._token = os.urandom(8)
                    add(self._token)
                try:
                    add(encoded([replace(one, source=None) for one in some]))
                except CANNOT_BE_KEPT:  # the others are better than none for whoever asks for them
                    self._token = None
                self._sessions += len(some)
                yield from some

    def keep(self, survey: Survey, seen: Looks) -> None:
        """Keep a survey that can be sure of what it saw, and whose summaries have passed."""
        if self._token is not None:
            with suppress(*CANNOT_BE_KEPT):
                disk.write(self._survey_path, self._pieces(survey, seen, self._token), self._version)

    def _pieces(self, survey: Survey, seen: Looks, token: bytes) -> Iterator[bytes]:
        yield encoded(Kept(survey, seen.without_paths(), token, self._sessions))
        for paths in batches(seen.paths.items(), sections.PIECE):
            yield encoded(dict(paths))


def is_sure(seen: Looks, now_ns: int) -> bool:
    """Tell whether every change of what was seen will show."""
    return looks.CAN_TRUST_FOLDERS and seen.are_settled(now_ns)
