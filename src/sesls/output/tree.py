"""The tree for people: spawned sessions under those that spawned them, in the columns of the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sesls.output.table import Line, mark
from sesls.session import Session

_MOST = 8
"""The most sessions that are all shown under one; of more, only the first."""
_FIRST = 5
_DEEPEST = 4
"""Deeper ones are drawn no deeper."""


class _Guides(NamedTuple):
    """What stands before a session under another one, and before those under it in turn: three characters each."""

    child: str
    last: str
    beside: str
    below: str


_UNICODE = _Guides("├─ ", "└─ ", "│  ", "   ")
_ASCII = _Guides("|- ", "`- ", "|  ", "   ")


def lines(sessions: Sequence[Session], *, unicode: bool) -> list[Line]:
    """Return the lines of a tree, in the order of the sessions.

    A session whose parent is not among them stands at its own place. Where one has many under it, a last line counts
    those that are not shown, with all that are under those.
    """
    guides = _UNICODE if unicode else _ASCII
    children = _children(sessions)
    found: list[Line] = []
    waiting: list[tuple[int | None, str, str]] = [
        (place, mark(sessions[place], unicode=unicode), "") for place in reversed(_roots(sessions, children))
    ]
    while waiting:
        place, before, around = waiting.pop()
        if place is None:
            found.append(Line(None, before))
            continue
        found.append(Line(sessions[place], before))
        own = children.get(place, ())
        shown = own if len(own) <= _MOST else own[:_FIRST]
        below: list[tuple[int | None, str, str]] = []
        for number, child in enumerate(shown, start=1):
            is_last = number == len(own)
            deeper = around + (guides.below if is_last else guides.beside)
            is_deepest = len(deeper) > _DEEPEST * len(guides.below)
            below.append((child, around + (guides.last if is_last else guides.child), around if is_deepest else deeper))
        if len(shown) < len(own):
            folded = sum(1 for _ in _reached(own[len(shown) :], children))
            below.append((None, f"{around}{guides.last}{folded:,} more", ""))
        waiting += reversed(below)
    return found


def _children(sessions: Sequence[Session]) -> dict[int, list[int]]:
    """Return for each session the places of those that it spawned."""
    places: dict[tuple[str | None, str, str], int] = {}
    for place, session in enumerate(sessions):
        places.setdefault((session.home, session.agent, session.uuid), place)
    children: dict[int, list[int]] = defaultdict(list)
    for place, session in enumerate(sessions):
        if session.parent_uuid is not None:
            parent = places.get((session.home, session.agent, session.parent_uuid))
            if parent is not None and parent != place:
                children[parent].append(place)
    return children


def _roots(sessions: Sequence[Session], children: dict[int, list[int]]) -> list[int]:
    """Return the places of those that stand under no other; where some stand under each other, the first is freed."""
    parents = {child: parent for parent, several in children.items() for child in several}
    roots = [place for place in range(len(sessions)) if place not in parents]
    reached = set(_reached(roots, children))
    for place in range(len(sessions)):
        if place not in reached:
            children[parents[place]].remove(place)
            roots.append(place)
            reached.update(_reached([place], children))
    return sorted(roots)


def _reached(places: Iterable[int], children: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Yield places and all that stand under them."""
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        yield place
        waiting += children.get(place, ())
