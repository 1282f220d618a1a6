"""Pages of sessions in the protocol's shape, each walk through them over one snapshot of the inventory."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import chain

from msgspec.structs import replace

from sesls import inventory
from sesls.acp import cursors
from sesls.acp.cursors import Position
from sesls.acp.parameters import wrong
from sesls.acp.sessions import session_ids, session_info
from sesls.acp.wire import Message
from sesls.clock import Clock
from sesls.environment import Environment
from sesls.inventory import Readers, Reading, Selection
from sesls.output.json import without_surrogates
from sesls.paths import absolute_or_none, is_within, normal
from sesls.query import Query
from sesls.session import Problem, Session, Summary

PAGE_SIZE = 100
_SNAPSHOTS = 8
"""How many snapshots are kept for walks that have not ended."""


class Snapshot:
    """The sessions as they were at one moment, the newest first, each with an id of its own."""

    def __init__(self, selection: Selection, readers: Readers) -> None:
        everything = [summary for found in selection.found for summary in found.summaries]
        # Ids are given before anything is filtered, so that a session has the same one whatever is asked for.
        ids = dict(zip(map(id, everything), session_ids(everything), strict=True))
        self.name = os.urandom(6).hex()
        self.selection = selection
        self.readers = readers
        self.summaries = [one for one in selection.summaries if absolute_or_none(one.project_dir) is not None]
        self.ids = [ids[id(summary)] for summary in self.summaries]
        self.directories = [normal(without_surrogates(summary.project_dir)) for summary in self.summaries]
        self.omitted = len(selection.summaries) - len(self.summaries)
        self.problems = tuple(selection.problems)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, directory in enumerate(self.directories):
            self._places[directory].append(place)

    def places(self, directory: str | None) -> Sequence[int]:
        """Return where the sessions of a directory stand, or all."""
        return range(len(self.summaries)) if directory is None else self._places.get(directory, ())

    def is_like(self, other: Snapshot) -> bool:
        """Tell whether both snapshots have the same pages."""
        return (
            self.ids == other.ids
            and self.directories == other.directories
            and [one.last_activity for one in self.summaries] == [one.last_activity for one in other.summaries]
        )

    def cursor(self, directory: str | None, offset: int) -> str:
        """Return the cursor of the page that starts after so many sessions of a directory, or of all."""
        last = self.places(directory)[offset - 1]
        return cursors.cursor(
            Position(directory, self.name, offset, self.ids[last], self.summaries[last].last_activity)
        )

    def offset(self, position: Position) -> int:
        """Return how many sessions come before a position that another snapshot gave."""
        places = self.places(position.directory)
        last = (-position.last_activity, position.session_id)
        keys = [(-self.summaries[place].last_activity, self.ids[place]) for place in places]
        if last in keys:
            return keys.index(last) + 1
        return next((offset for offset, key in enumerate(keys) if key > last), len(keys))


class Listing:
    """The inventory of one connection: its pages, and single sessions out of it."""

    def __init__(self, query: Query, environment: Environment, *, processes: int = 1, size: int = PAGE_SIZE) -> None:
        self._query = query
        self._environment = environment
        self._size = size
        self._readers = inventory.readers_of(query, environment, processes=processes)
        self._latest: Snapshot | None = None
        self._walked: list[Snapshot] = []
        """Those whose walks go on, the last used last."""

    def page(self, directory: str | None, cursor: str | None) -> Message:
        """Return a page as the answer to `session/list`.

        directory: only the sessions of exactly this one; None for all.
        cursor: the one that the page before gave; None for the first page.

        Raises ProtocolError for what is no cursor, and for one that was given for another directory.
        """
        directory = None if directory is None else normal(directory)
        snapshot, offset = (self._start(), 0) if cursor is None else self._resume(cursor, directory)
        places = snapshot.places(directory)
        shown = places[offset : offset + self._size]
        reading = self._read([snapshot.summaries[place] for place in shown], snapshot)
        about: Message = {"total": len(places), "omitted": snapshot.omitted}
        if reading.redactions:
            about["redactions"] = reading.redactions
        if problems := _warnings(snapshot.problems if cursor is None else (), reading.problems):
            about["warnings"] = problems
        sessions = [session_info(snapshot.ids[place], one) for place, one in zip(shown, reading.sessions, strict=True)]
        answer: Message = {"sessions": sessions, "_meta": {"sesls": about}}
        end = offset + len(shown)
        if end < len(places):
            answer["nextCursor"] = self._continued(snapshot).cursor(directory, end)
        if cursor is None or end == len(places):
            self.save()
        return answer

    def sessions(self, ids: Collection[str]) -> dict[str, Session]:
        """Return those of some sessions that are there, as they are now."""
        snapshot = self._look()
        places = [place for place, session_id in enumerate(snapshot.ids) if session_id in ids]
        reading = self._read([snapshot.summaries[place] for place in places], snapshot)
        return dict(zip((snapshot.ids[place] for place in places), reading.sessions, strict=True))

    def newest(self, directory: str, limit: int) -> tuple[Sequence[Session], int]:
        """Return the newest sessions of a directory and all below it, and how many there are."""
        snapshot = self._look()
        found = [one for one in snapshot.selection.summaries if is_within(one.project_dir, directory)]
        return self._read(found[:limit], snapshot).sessions, len(found)

    def save(self) -> None:
        """Keep for later listings what this one learnt."""
        if self._latest is not None:
            inventory.save(self._latest.readers)

    def _look(self) -> Snapshot:
        readers = {key: replace(one, memory=one.memory.again()) for key, one in self._readers.items()}
        self._latest = Snapshot(inventory.select(self._query, Clock.of(self._environment), readers), readers)
        return self._latest

    def _read(self, summaries: Sequence[Summary], snapshot: Snapshot) -> Reading:
        return inventory.read(summaries, Clock.of(self._environment), snapshot.readers)

    def _start(self) -> Snapshot:
        """Return a snapshot of now, under the name of an earlier one that is like it."""
        snapshot = self._look()
        like = next((one for one in self._walked if one.is_like(snapshot)), None)
        if like is not None:
            snapshot.name = like.name
            self._walked[self._walked.index(like)] = snapshot
        return snapshot

    def _resume(self, cursor: str, directory: str | None) -> tuple[Snapshot, int]:
        position = cursors.position(cursor)
        if position.directory != directory:
            raise wrong("cursor was given for another cwd")
        snapshot = next((one for one in self._walked if one.name == position.snapshot), None)
        if snapshot is not None:
            return snapshot, position.offset
        snapshot = self._start()
        return snapshot, snapshot.offset(position)

    def _continued(self, snapshot: Snapshot) -> Snapshot:
        """Keep a snapshot whose walk goes on, and return it."""
        self._walked = [*(one for one in self._walked if one is not snapshot), snapshot][-_SNAPSHOTS:]
        return snapshot


def _warnings(*problems: Sequence[Problem]) -> list[dict[str, str]]:
    return [problem.to_dict() for problem in dict.fromkeys(chain(*problems))]
