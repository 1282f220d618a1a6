"""Every agent that sesls knows, each with its places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from sesls.agents import Agent
from sesls.clock import Clock
from sesls.diagnostics import Place
from sesls.output import words
from sesls.output.table import colour_of
from sesls.output.widths import cut, cut_start, padded, width
from sesls.text import one_line

_HEADINGS = ("AGENT", "SESSIONS", "NEWEST", "BASIS", "VERSIONS")
_SESSIONS = 1
_GAP = "  "

Piece = tuple[str, str]
"""A text and the style it has where there are colours."""


def plain(agents: Sequence[Agent], clock: Clock, *, unicode: bool) -> Iterator[str]:
    """Yield the lines for a pipe: every place, whole values."""
    lines = _lines(agents, clock, home="", cells=None, unicode=unicode)
    return ("".join(text for text, _ in line).rstrip() for line in lines)


def fitted(agents: Sequence[Agent], clock: Clock, *, home: str, cells: int, unicode: bool) -> Iterator[str]:
    """Yield the lines for a terminal of so many cells: the places that are there, and the first of the others."""
    lines = _lines(agents, clock, home=home, cells=cells, unicode=unicode)
    return ("".join(text for text, _ in line).rstrip() for line in lines)


def write_coloured(agents: Sequence[Agent], clock: Clock, stream: TextIO, *, home: str, cells: int) -> None:
    """Write the same with colours."""
    from rich.console import Console  # both here: a pipe needs none of it
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, legacy_windows=False)
    for line in _lines(agents, clock, home=home, cells=cells, unicode=not console.options.ascii_only):
        console.print(Text.assemble(*line), soft_wrap=True)


def _lines(
    agents: Sequence[Agent], clock: Clock, *, home: str, cells: int | None, unicode: bool
) -> Iterator[Sequence[Piece]]:
    absent, mark = ("—", "…") if unicode else ("-", "~")
    rows = [_row(agent, clock, absent) for agent in agents]
    widest = [max(map(width, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    names = [one.agent for one in agents]
    yield [(_fit(_HEADINGS, widest, cells, mark), "dim")]
    for agent, row in zip(agents, rows, strict=True):
        line = _fit(row, widest, cells, mark)
        first = len(padded(row[0], widest[0]))
        yield [(line[:first], colour_of(agent.agent, names) if agent.sessions else "dim"), (line[first:], "")]
        told = agent.places if cells is None else _told(agent)
        hidden = len(agent.places) - len(told)
        for place in told:
            is_last = place is told[-1] and place.state == "missing"
            yield _place(place, agent, home, cells, mark, hidden if is_last else 0)
        if hidden and told[-1].state != "missing":
            yield [(f"  {'missing':<12}{words.count(hidden, 'more place')}", "dim")]


def _row(agent: Agent, clock: Clock, absent: str) -> tuple[str, ...]:
    newest = absent if agent.newest is None else words.age(clock.age(agent.newest))
    basis = {None: absent, True: "described", False: "stores"}[agent.is_described]
    versions = one_line(agent.versions or absent) + (f" ({one_line(agent.plugin)})" if agent.plugin else "")
    return agent.agent, f"{agent.sessions:,}", newest, basis, versions


def _fit(row: Sequence[str], widest: Sequence[int], cells: int | None, mark: str) -> str:
    parts = [
        padded(cell, most, right=place == _SESSIONS) for place, (cell, most) in enumerate(zip(row, widest, strict=True))
    ]
    line = _GAP.join(parts).rstrip()
    return line if cells is None else cut(line, cells, mark)


def _told(agent: Agent) -> Sequence[Place]:
    """Return the places that a terminal has lines for: what is there, and of what is not the first of each reason."""
    told, reasons = [], set()
    for place in agent.places:
        reason = agent.moved.get(place.path, ())
        if place.state != "missing" or reason not in reasons:
            told.append(place)
        if place.state == "missing" or not reason:
            reasons.add(reason)
    return told


def _place(place: Place, agent: Agent, home: str, cells: int | None, mark: str, hidden: int) -> Sequence[Piece]:
    """Return the line of a place; of a missing one also how many more there are."""
    variables = ", ".join(agent.moved.get(place.path, ()))
    moved = f" ({variables})" if variables else ""
    start = f"  {place.state:<12}"
    path = words.directory(place.path, home) if home else one_line(place.path)
    end = f"{_GAP}{words.count(place.sessions, 'session')}" if place.sessions else ""
    end += f" and {hidden:,} more" if hidden else ""
    if cells is not None:
        path = cut_start(path, max(cells - width(start + moved + end), 8), mark)
    style = {"found": "", "missing": "dim", "unreadable": "red"}[place.state]
    return [(start, style), (path, style), (moved, "yellow" if place.state != "missing" else "dim"), (end, "dim")]
