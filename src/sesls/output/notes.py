"""What is said about an answer: what was left out, what could not be read, why there is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sesls.cache.disk import Kept
from sesls.diagnostics import Diagnostics, Scanned
from sesls.instants import rfc3339
from sesls.output import words
from sesls.output.widths import cut, cut_start, padded, width
from sesls.page import Page
from sesls.query import Query
from sesls.session import Problem
from sesls.text import one_line

_WARNINGS_SHOWN = 5
_HEAD = 12


def below(page: Page, query: Query) -> Iterator[str]:
    """Yield the lines below a table: what the page and the filters left out, and how to see it."""
    shown = len(page.sessions)
    if not page.total:
        return
    if not shown:
        yield f"The offset {page.offset:,} lies past the end: {words.count(page.total, 'session')}."
        return
    if page.offset or page.truncated:
        following = f"; next: --offset {page.offset + shown}" if page.truncated else ""
        place = f"{page.offset + 1:,} to {page.offset + shown:,} of {words.count(page.total, 'session')}"
        yield f"{place}{following}; all: --limit 0"
    else:
        yield words.count(page.total, "session")
    if page.subagents and query.noise == "include" and query.kind is None:
        yield f"{page.subagents:,} spawned by other sessions; without: --noise exclude"
    if query.active_filters() and page.filtered:
        yield f"{page.filtered:,} more without {words.joined(_flags(query))}"
    if masked := sum(page.redactions.values()):
        yield f"{words.count(masked, 'secret')} masked; shown: --no-redact"


def _flags(query: Query) -> list[str]:
    flags = []
    for name, value in query.active_filters().items():
        flag = f"--{name.replace('_', '-')}"
        if name in ("here", "since", "until"):  # as typed they are gone
            flags.append(flag)
        else:
            flags += [f"{flag} {one_line(one)}" for one in (value if isinstance(value, list) else [value])]
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
    asked = found.filters.get("agent", ())
    here = [item for item in found.scanned if item.source_found or item.agent in asked]
    yield from _agents(here, home, everything=False)
    if here and (others := len(found.scanned) - len(here)):
        verb = "has" if others == 1 else "have"
        yield f"{words.count(others, 'more agent')} {verb} no place here; where it would be: sesls agents"
    yield from (f"  {one_line(hint)}" for hint in found.hints)


def diagnosis(found: Diagnostics, problems: Sequence[Problem], home: str, cells: int | None = None) -> Iterator[str]:
    """Yield the whole of what `sesls diagnostics` has to say.

    For a terminal of so many cells, missing places are counted and paths cut.
    """
    yield from _agents(found.scanned, home, everything=cells is None, cells=cells)
    yield _headed("total", f"{words.count(found.sessions, 'session')}{_span(found.date_min, found.date_max)}")
    if found.filters:
        filters = ", ".join(f"{name} {_words(value)}" for name, value in found.filters.items())
        verb = "matches" if found.matching == 1 else "match"
        yield _headed("filters", f"{filters}: {words.count(found.matching, 'session')} {verb}")
        yield _headed("removed", ", ".join(f"{name} {count:,}" for name, count in found.removed.items()))
    yield from (_headed("hint", one_line(hint)) for hint in found.hints)
    for problem in problems:
        where = words.directory(problem.path, home)
        yield _headed("warning", f"{problem.agent}: {where}: {one_line(problem.problem)}")


def _headed(head: str, text: str) -> str:
    return f"{head:<{_HEAD}}{text}"


def kept(agents: Sequence[Kept]) -> Iterator[str]:
    """Yield how much is remembered of each agent."""
    for one in agents:
        yield f"{one.agent:<12} {words.size(one.size):>9}   {rfc3339(one.changed)[:16].replace('T', ' ')} UTC"
    yield f"{'total':<12} {words.size(sum(one.size for one in agents)):>9}"


def _agents(scanned: Sequence[Scanned], home: str, *, everything: bool, cells: int | None = None) -> Iterator[str]:
    last = ""
    for item in scanned:
        if item.home != last:
            yield _headed("home", words.directory(item.home, home))
            last = item.home
        yield from _agent(item, home, everything=everything, cells=cells)


def _agent(item: Scanned, home: str, *, everything: bool, cells: int | None) -> Iterator[str]:
    yield _headed(item.agent, f"{words.count(item.sessions, 'session')}{_span(item.date_min, item.date_max)}")
    # The first place is where the agent keeps sessions by default: that it is missing is worth a line.
    told = [place for place in item.places if everything or place.state != "missing" or place is item.places[0]]
    for place in told:
        state = words.count(place.sessions, "session") if place.state == "found" else place.state
        start, path = _headed("", f"{state:<16} "), words.directory(place.path, home)
        yield start + (path if cells is None else cut_start(path, max(cells - len(start), 8), "…"))
    if hidden := len(item.places) - len(told):
        yield _headed("", f"{words.count(hidden, 'more place')} looked at, not there")


def _span(earliest: str | None, newest: str | None) -> str:
    if earliest is None or newest is None:
        return ""
    return f", {earliest[:10]} to {newest[:10]}" if earliest[:10] != newest[:10] else f", {newest[:10]}"


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else one_line(str(value))
