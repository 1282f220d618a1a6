"""What is said about an answer: what was left out, what could not be read, why there is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sesls.cache.disk import Kept
from sesls.diagnostics import Diagnostics, Scanned
from sesls.instants import rfc3339
from sesls.output import words
from sesls.output.widths import cut, cut_start, padded, width, wrapped
from sesls.page import Page
from sesls.query import Query
from sesls.session import Problem
from sesls.text import one_line

_WARNINGS_SHOWN = 5
_HEAD = 13
_STATE = 17


def below(page: Page, query: Query) -> Iterator[str]:
    """Yield the lines below a table: what the page and the filters left out, and how to see it."""
    if not page.total:
        return
    if not page.shown:
        yield f"The offset {page.offset:,} lies past the end: {words.count(page.total, 'session')}."
        return
    if page.offset or page.truncated:
        following = f"; next: --offset {page.offset + page.shown}" if page.truncated else ""
        place = f"{page.offset + 1:,} to {page.offset + page.shown:,} of {words.count(page.total, 'session')}"
        yield f"{place}{following}; all: --limit 0"
    else:
        yield words.count(page.total, "session")
    if page.subagents and query.noise == "include" and query.kind is None:
        yield f"{page.subagents:,} spawned by other sessions; without: --noise exclude"
    if page.filtered:
        yield f"{page.filtered:,} more without {words.joined(_flags(query))}"
    if masked := sum(page.redactions.values()):
        yield f"{words.count(masked, 'secret')} masked; shown: --no-redact"


def _flags(query: Query) -> list[str]:
    """Return the options that leave out sessions of the agents asked for."""
    flags = []
    for name, value in query.active_filters().items():
        flag = f"--{name.replace('_', '-')}"
        if name in ("here", "since", "until"):  # as typed they are gone
            flags.append(flag)
        elif name != "agent":
            flags.append(f"{flag} {one_line(value)}")
    return flags


def warnings(problems: Sequence[Problem], home: str) -> Iterator[str]:
    """Yield a line for each of the first problems, and one that counts the others."""
    for problem in problems[:_WARNINGS_SHOWN]:
        yield f"warning: {problem.agent}: {words.directory(problem.path, home)}: {one_line(problem.problem)}"
    if len(problems) > _WARNINGS_SHOWN:
        others = words.count(len(problems) - _WARNINGS_SHOWN, "warning")
        yield f"and {others} more (sesls diagnostics lists all)."


def unknown(name: str, page: Page) -> Iterator[str]:
    """Yield that no session has such an id."""
    unread = words.count(len(page.warnings), "warning")
    reason = f"; {unread}, see sesls diagnostics" if page.warnings else ""
    yield f"sesls: there is no session {name!r}{reason}"


def candidates(name: str, page: Page, cells: int | None) -> Iterator[str]:
    """Yield the sessions that a name may mean, no line wider than so many cells."""
    yield f"sesls: {name!r} may be any of {words.count(page.total, 'session')}:"
    ids = [one.uuid for one in page.sessions]
    # On a terminal room is short; in a pipe, and where others begin alike, ids are whole.
    shown = dict(zip(ids, ids, strict=True)) if cells is None or page.truncated else words.short_ids(ids)
    rows = [(shown[one.uuid], one.agent, words.age(one.age_sec), one.title or "-") for one in page.sessions]
    if len({row[:2] for row in rows}) < len(rows):  # one id in several places: the file tells them apart
        rows = [(path, *row[1:]) for row, path in zip(rows, (one.path for one in page.sessions), strict=True)]
    widest = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(padded(one_line(cell), most) for cell, most in zip(row, widest, strict=True)).rstrip()
        yield "  " + (line if cells is None else cut(line, cells - 2, "…"))
    if page.truncated:
        yield f"  and {words.count(page.total - len(rows), 'older one')}"


def explanation(found: Diagnostics, home: str) -> Iterator[str]:
    """Yield why there is no session to list: each agent's places that exist, and what removed the sessions."""
    yield "No session to list."
    yield from _agents(found, home, everything=False)
    yield from (f"  {one_line(hint)}" for hint in found.hints)


def diagnosis(found: Diagnostics, problems: Sequence[Problem], home: str, cells: int | None = None) -> Iterator[str]:
    """Yield the whole of what `sesls diagnostics` has to say.

    For a terminal of so many cells, places that are missing are counted, paths cut and sentences wrapped.
    """
    for line in _agents(found, home, everything=cells is None):
        yield line if cells is None else _cut(line, cells)
    for line in _conclusion(found, problems, home):
        yield from [line] if cells is None else wrapped(line, cells, indent=_HEAD)


def _conclusion(found: Diagnostics, problems: Sequence[Problem], home: str) -> Iterator[str]:
    yield f"total        {words.count(found.sessions, 'session')}{_span(found.date_min, found.date_max)}"
    if found.filters:
        filters = ", ".join(f"{name} {_words(value)}" for name, value in found.filters.items())
        verb = "matches" if found.matching == 1 else "match"
        yield f"filters      {filters}: {words.count(found.matching, 'session')} {verb}"
        removed = ", ".join(f"{name} {count:,}" for name, count in found.removed.items())
        yield f"removed      {removed}"
    yield from (f"hint         {one_line(hint)}" for hint in found.hints)
    for problem in problems:
        yield f"warning      {problem.agent}: {words.directory(problem.path, home)}: {one_line(problem.problem)}"


def kept(agents: Sequence[Kept]) -> Iterator[str]:
    """Yield how much is remembered of each agent."""
    for one in agents:
        yield f"{one.agent:<12} {words.size(one.size):>9}   {rfc3339(one.changed)[:16].replace('T', ' ')} UTC"
    yield f"{'total':<12} {words.size(sum(one.size for one in agents)):>9}"


def _agents(found: Diagnostics, home: str, *, everything: bool) -> Iterator[str]:
    last = ""
    for item in found.scanned:
        if item.home != last:
            yield f"home         {words.directory(item.home, home)}"
            last = item.home
        yield from _agent(item, home, everything=everything)


def _agent(item: Scanned, home: str, *, everything: bool) -> Iterator[str]:
    if item.places and not item.source_found and not everything:
        first, *others = item.places
        more = f", nor {words.count(len(others), 'more place')}" if others else ""
        yield f"{item.agent:<12} no {words.directory(first.path, home)}{more}"
        return
    yield f"{item.agent:<12} {words.count(item.sessions, 'session')}{_span(item.date_min, item.date_max)}"
    for place in item.places:
        # The first place is where the agent keeps sessions by default: that it is missing is worth a line.
        if place.state == "missing" and place is not item.places[0] and not everything:
            continue
        state = words.count(place.sessions, "session") if place.state == "found" else place.state
        yield f"{'':<12} {state:<16} {words.directory(place.path, home)}"
    hidden = [place for place in item.places[1:] if place.state == "missing"]
    if hidden and not everything:
        yield f"{'':<12} {words.count(len(hidden), 'more place')} looked at, not there"


def _cut(line: str, cells: int) -> str:
    """Return a line about a place, of at most so many cells; where it begins with words, the path's end stays."""
    start = line[: _HEAD + _STATE]
    if width(line) <= cells or not start.endswith(" "):
        return cut(line, cells, "…")
    return start + cut_start(line[len(start) :], max(cells - len(start), 8), "…")


def _span(earliest: str | None, newest: str | None) -> str:
    if earliest is None or newest is None:
        return ""
    return f", {earliest[:10]} to {newest[:10]}" if earliest[:10] != newest[:10] else f", {newest[:10]}"


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else one_line(str(value))
