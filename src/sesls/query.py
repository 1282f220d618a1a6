"""What is asked for: filters, order and page. Nothing here knows an agent or a file.

Most filters need a session's summary alone. Those that need its row cost the reading of it, so they come after all
others.
"""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar, get_args

import msgspec

from sesls import marks
from sesls.clock import Clock
from sesls.instants import Instant, rfc3339
from sesls.paths import is_within
from sesls.session import Row, Summary
from sesls.terms import Activity, Kind, Noise, Sort
from sesls.text import one_line

Item = TypeVar("Item")


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A question to the inventory. Raises ValueError, in one sentence, for what cannot be asked.

    `agents` empty means all; directories are absolute (see `paths.absolute_dir`); `limit` 0 means no limit.
    """

    agents: tuple[str, ...] = ()
    kind: Kind | None = None
    noise: Noise = "include"
    project_dir: str | None = None
    here: tuple[str, ...] = ()
    """Any of these directories, or below; empty: any at all."""
    since: Instant | None = None
    until: Instant | None = None
    """Both ends are part of it."""
    activity: Activity | None = None
    surface: str | None = None
    model: str | None = None
    branch: str | None = None
    """Patterns of whole names; see `pattern`."""
    title: str | None = None
    sort: Sort = "activity"
    reverse: bool = False
    limit: int = 100
    offset: int = 0
    redact: bool = True

    def __post_init__(self) -> None:
        for name, word, words in (
            ("kind", self.kind, (None, *get_args(Kind))),
            ("noise", self.noise, get_args(Noise)),
            ("activity", self.activity, (None, *get_args(Activity))),
            ("sort", self.sort, get_args(Sort)),
        ):
            if word not in words:
                raise ValueError(f"{name} is one of {_words([one for one in words if one])}, not {word!r}")
        for name, number in (("limit", self.limit), ("offset", self.offset)):
            if isinstance(number, bool) or not isinstance(number, int):
                raise ValueError(f"{name} is a whole number, not {number!r}")
            if number < 0:
                raise ValueError(f"{name} is zero or more, not {number}")
        for name, flag in (("redact", self.redact), ("reverse", self.reverse)):
            if not isinstance(flag, bool):
                raise ValueError(f"{name} is true or false, not {flag!r}")
        if self.since is not None and self.until is not None and self.since > self.until:
            raise ValueError(f"since is no later than until, which is {rfc3339(self.until)}")
        for name, text in (
            ("surface", self.surface),
            ("model", self.model),
            ("branch", self.branch),
            ("title", self.title),
        ):
            if text is not None and (not isinstance(text, str) or not searchable(text)):
                raise ValueError(f"{name} is a text to look for, not {text!r}")

    @property
    def needs_rows(self) -> bool:
        """Tell whether all rows have to be read to answer."""
        return bool(self.model or self.branch or self.title) or self.sort != "activity"

    def active_filters(self) -> dict[str, Any]:
        """Return the filters that can remove sessions, by name, as they are told: what is searched may be a secret."""
        filters = {one.name: one.value for one in summary_filters(self, Clock(0))}
        filters |= {one.name: one.value for one in row_filters(self)}
        return {
            name: self.told(value) if name in ("surface", "model", "branch", "title") else value
            for name, value in filters.items()
        }

    def told(self, text: str) -> str:
        """Return a text as it may be told of in an answer to this query."""
        if not self.redact:
            return text
        from sesls import redaction  # here: few answers need it

        return redaction.redact(text)


class Filter(msgspec.Struct, Generic[Item], frozen=True):
    """One condition of a query."""

    name: str
    value: Any
    """As it is told in diagnostics."""
    passes: Callable[[Item], bool]


def summary_filters(query: Query, clock: Clock) -> list[Filter[Summary]]:
    """Return the conditions on summaries that a query holds, in the order in which they are applied."""
    found: list[Filter[Summary]] = []

    def add(name: str, value: object, passes: Callable[[Summary], bool]) -> None:
        found.append(Filter(name, value, passes))

    if agents := query.agents:
        add("agent", list(agents), lambda one: one.agent in agents)
    if (kind := query.kind) is not None:
        add("kind", kind, lambda one: one.kind == kind)
    if query.noise != "include":
        is_noise = query.noise == "only"
        add("noise", query.noise, lambda one: one.is_noise == is_noise)
    if (directory := query.project_dir) is not None:
        add("project_dir", directory, lambda one: is_within(one.project_dir, directory))
    if places := query.here:
        add("here", list(places), lambda one: any(is_within(one.project_dir, place) for place in places))
    if (since := query.since) is not None:
        add("since", rfc3339(since), lambda one: one.last_activity >= since)
    if (until := query.until) is not None:
        add("until", rfc3339(until), lambda one: one.last_activity <= until)
    if (activity := query.activity) is not None:
        add("activity", activity, lambda one: clock.activity(one.last_activity) == activity)
    if query.surface is not None:
        surface = pattern(query.surface)
        add("surface", query.surface, lambda one: surface(one.launch_surface))
    return found


def row_filters(query: Query) -> list[Filter[Row]]:
    """Return the conditions on rows that a query holds, in the order in which they are applied."""
    found: list[Filter[Row]] = []
    if query.model is not None:
        model = pattern(query.model)
        found.append(Filter("model", query.model, lambda row: any(map(model, row.models))))
    if query.branch is not None:
        branch = pattern(query.branch)
        found.append(Filter("branch", query.branch, lambda row: branch(row.branch)))
    if query.title is not None:
        words = searchable(query.title)
        found.append(Filter("title", query.title, lambda row: words in searchable(row.title or "")))
    return found


def passing(rows: Sequence[Row], query: Query) -> list[int]:
    """Return the places of those rows that pass all conditions on them."""
    filters = row_filters(query)
    return [place for place, row in enumerate(rows) if all(one.passes(row) for one in filters)]


def hides_what_is_searched(row: Row, query: Query) -> bool:
    """Tell whether the mark of a secret stands in what a query searches: filters see the text as it is stored."""
    searched = (row.title if query.title is not None else None, row.branch if query.branch is not None else None)
    return any(text is not None and marks.may_be_in(text) for text in searched)


def pattern(glob: str) -> Callable[[str | None], bool]:
    """Return a test of whether a pattern (`*`, `?`, `[…]`) describes the whole of a text, case ignored; None never."""
    matches = re.compile(fnmatch.translate(searchable(glob))).match
    return lambda text: text is not None and matches(searchable(text)) is not None


def searchable(text: str) -> str:
    """Return the form in which texts are compared: on one line, composed, in one case."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return one_line(text).casefold()


def narrowed(items: Iterable[Item], filters: Sequence[Filter[Item]]) -> tuple[list[Item], dict[str, int]]:
    """Return what passes all filters, and how much each removes of what those before it left."""
    left, removed = list(items), {}
    for one in filters:
        passing = list(filter(one.passes, left))
        removed[one.name] = len(left) - len(passing)
        left = passing
    return left, removed


def select(summaries: Iterable[Summary], query: Query, clock: Clock) -> list[Summary]:
    """Return the summaries that pass all conditions on them, newest first; ties by agent, uuid, path and home.

    With `reverse`, the oldest come first where that is the order asked for.
    """
    found, _ = narrowed(summaries, summary_filters(query, clock))
    return _in_order(found, query)


class Chosen(msgspec.Struct, frozen=True):
    """What a query asks for of some sessions that were only passing."""

    summaries: list[Summary]
    """Those that pass all conditions on summaries and may be on the page, in any order."""
    matching: int
    """How many pass."""
    subagents: int
    """How many of those another session spawned."""
    sessions: int
    """How many there were."""
    others: list[Summary]
    """All there were, where none passes: to explain that."""


def choose(summaries: Iterable[Summary], query: Query, clock: Clock) -> Chosen:
    """Return what a query that needs no rows asks for of some sessions; those that it leaves out are not held."""
    filters = summary_filters(query, clock)
    others: list[Summary] = []
    sessions = matching = subagents = 0

    def passing() -> Iterator[Summary]:
        nonlocal sessions, matching, subagents
        for one in summaries:
            sessions += 1
            for condition in filters:
                if not condition.passes(one):
                    if not matching:
                        others.append(one)
                    break
            else:
                matching += 1
                subagents += one.is_noise
                others.clear()
                yield one

    if query.limit:
        from heapq import nsmallest

        sign = 1 if _is_oldest_first(query) else -1
        first = query.offset + query.limit
        found = nsmallest(first, passing(), key=lambda one: (sign * one.last_activity, *_names(one)))
    else:
        found = list(passing())
    return Chosen(found, matching, subagents, sessions, others)


def merged(found: Iterable[Chosen], query: Query) -> list[Summary]:
    """Return what was chosen of the sessions of several agents, in the order of `select`."""
    return _in_order([summary for one in found for summary in one.summaries], query)


def _in_order(found: list[Summary], query: Query) -> list[Summary]:
    found.sort(key=_last_activity, reverse=not _is_oldest_first(query))
    start = 0
    for end in range(1, len(found) + 1):
        if end == len(found) or found[end].last_activity != found[start].last_activity:
            if end - start > 1:  # few are of the same moment: the names of all would take time
                found[start:end] = _by_names(found[start:end])
            start = end
    return found


def _by_names(found: list[Summary]) -> list[Summary]:
    for name in reversed(_NAMES):  # one after the other: a key of all four for each would take memory
        found.sort(key=attrgetter(name))
    return found


def _is_oldest_first(query: Query) -> bool:
    return query.reverse and query.sort == "activity"


_last_activity = attrgetter("last_activity")
_NAMES = ("agent", "uuid", "path", "home")
_names = attrgetter(*_NAMES)


def ordered(found: Iterable[tuple[Summary, Row]], query: Query) -> list[tuple[Summary, Row]]:
    """Return selected sessions in the order asked for, those without such a value last; ties stay as they are."""
    if query.sort == "activity":
        return list(found)
    values = [(_ORDERS[query.sort](row), summary, row) for summary, row in found]
    known = [one for one in values if one[0] is not None]
    known.sort(key=lambda one: one[0], reverse=query.reverse == (query.sort == "title"))
    return [(summary, row) for _, summary, row in (*known, *(one for one in values if one[0] is None))]


_ORDERS: dict[str, Callable[[Row], Any]] = {
    "created": lambda row: row.created,
    "size": lambda row: row.size_bytes,
    "title": lambda row: None if row.title is None else searchable(row.title),
}


def page(found: Sequence[Item], query: Query) -> Sequence[Item]:
    """Return the part that offset and limit leave."""
    end = query.offset + query.limit if query.limit else None
    return found[query.offset : end]


def _words(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]
