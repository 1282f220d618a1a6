"""Why an answer is empty: what was looked at, what was found there, and which filter removed it.

Built from what the inventory has already found: diagnosing reads no session a second time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sesls import marks
from sesls import query as queries
from sesls.clock import Clock
from sesls.instants import rfc3339
from sesls.paths import is_within, normal
from sesls.query import Filter, Item, Query
from sesls.session import Found, Row, State, Summary, Survey

_LINKS_FOLLOWED = 2000
_VALUES_SHOWN = 6


class Place(msgspec.Struct, frozen=True):
    """A place that was looked at."""

    path: str
    state: State
    sessions: int


class Scanned(msgspec.Struct, frozen=True):
    """What was found of one agent, before any filter."""

    agent: str
    sessions: int
    date_min: str | None
    date_max: str | None
    places: tuple[Place, ...]
    hint: str | None
    home: str = ""
    """The home it was found in, where homes were asked for."""

    @property
    def source_found(self) -> bool:
        """Tell whether any of the agent's places exists."""
        return any(place.state != "missing" for place in self.places)


class Diagnostics(msgspec.Struct, frozen=True):
    """What was looked at, what it held, and why the answer is what it is."""

    scanned: tuple[Scanned, ...]
    sessions: int
    """How many sessions there are before any filter."""
    matching: int
    date_min: str | None
    date_max: str | None
    filters: Mapping[str, Any]
    """The active ones."""
    removed: Mapping[str, int]
    """How many sessions each of them, in this order, removes of those that the ones before it left."""
    hints: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnostics as plain data, in the documented shape (docs/json.md)."""
        return {
            "scanned": [
                {
                    **({"home": item.home} if item.home else {}),
                    "agent": item.agent,
                    "sessions": item.sessions,
                    "date_min": item.date_min,
                    "date_max": item.date_max,
                    "source_found": item.source_found,
                    "roots": [
                        {"path": place.path, "state": place.state, "sessions": place.sessions} for place in item.places
                    ],
                    **({"hint": item.hint} if item.hint else {}),
                }
                for item in self.scanned
            ],
            "corpus": {"sessions": self.sessions, "date_min": self.date_min, "date_max": self.date_max},
            "filters": dict(self.filters),
            **({"removed": dict(self.removed)} if self.removed else {}),
            "hints": list(self.hints),
        }


def explain(found: Sequence[Found], query: Query, clock: Clock, rows: Sequence[Row] = ()) -> Diagnostics:
    """Return what everything that was found says about a query's answer.

    `rows` are those of the sessions that pass all filters on summaries, where the query has filters on rows.
    """
    summaries = [summary for one in found for summary in one.summaries]
    on_summaries, on_rows = queries.summary_filters(query, clock), queries.row_filters(query)
    left, removed = queries.narrowed(summaries, on_summaries)
    matching = len(left)
    if on_rows:
        left_rows, removed_rows = queries.narrowed(rows, on_rows)
        matching, removed = len(left_rows), removed | removed_rows
    earliest, newest = _span(summaries)
    scanned = tuple(map(_scanned, found))
    shown = query.active_filters()
    hints = [*_places_hints(scanned), *_asked_hints(query, matching)]
    if summaries and not left:
        hints += _filter_hints(summaries, on_summaries, shown)
    elif left and on_rows and not matching:
        hints += _filter_hints(rows, on_rows, shown)
    if summaries and not matching:
        hints += _value_hints(summaries, rows, query)
    if summaries and not matching and query.project_dir is not None:
        hints += _directory_hints(summaries, query.project_dir)
    return Diagnostics(
        scanned=scanned,
        sessions=len(summaries),
        matching=matching,
        date_min=earliest,
        date_max=newest,
        filters=shown,
        removed=removed,
        hints=tuple(hints),
    )


def _scanned(found: Found) -> Scanned:
    earliest, newest = _span(found.summaries)
    return Scanned(
        agent=found.survey.agent,
        sessions=len(found.summaries),
        date_min=earliest,
        date_max=newest,
        places=places(found),
        hint=None if found.summaries else _hint(found.survey),
        home=found.survey.home,
    )


def places(found: Found) -> tuple[Place, ...]:
    """Return the places that were looked at, each with its sessions; of places within another the inner one's."""
    stores = found.survey.stores
    counts = dict.fromkeys((store.path for store, _ in stores), 0)
    # The longest path first: a place may lie within another.
    prefixes = sorted(counts, key=len, reverse=True)
    for summary in found.summaries:
        home = next((path for path in prefixes if is_within(summary.path, path)), None)
        if home is not None:
            counts[home] += 1
    return tuple(Place(store.path, state, counts[store.path]) for store, state in stores)


def _hint(survey: Survey) -> str | None:
    """Say why an agent that has a place on this machine shows no session."""
    unreadable = [store.path for store, state in survey.stores if state == "unreadable"]
    found = [store.path for store, state in survey.stores if state == "found"]
    count = _count(survey.files, "file")
    if not (unreadable or found):
        reason = None
    elif unreadable:
        reason = f"{unreadable[0]} exists and cannot be read"
    elif survey.files and survey.problems:
        reason = f"{count} found, none of which could be read as a session"
    elif survey.files:
        reason = f"{count} found, none of which holds a conversation"
    elif survey.problems:
        reason = f"{survey.problems[0].path}: {survey.problems[0].problem}"
    else:
        reason = f"{found[0]} exists and holds no sessions"
    return None if reason is None else f"{survey.label}: {reason}"


def _places_hints(scanned: Sequence[Scanned]) -> Iterator[str]:
    if not any(item.source_found for item in scanned):
        yield "No agent has kept sessions here: none of the places that sesls looks at exists."
    yield from (item.hint + "." for item in scanned if item.hint)


def _asked_hints(query: Query, matching: int) -> Iterator[str]:
    for name, text in (("project directory", query.project_dir), ("title", query.title), ("branch", query.branch)):
        if text and marks.may_be_in(text):
            yield f"The {name} holds a [REDACTED_…] mark copied from earlier output; give the real text."
    if matching and query.offset >= matching:
        verb = "matches" if matching == 1 else "match"
        yield f"The offset {query.offset} lies past the end: {_count(matching, 'session')} {verb}."


def _filter_hints(items: Sequence[Item], filters: Sequence[Filter[Item]], shown: Mapping[str, Any]) -> Iterator[str]:
    """Say what each filter alone would leave, so that the one that removed everything stands out."""
    counts = {_named(one.name, shown[one.name]): sum(1 for item in items if one.passes(item)) for one in filters}
    total = _count(len(items), "session")
    removing = [name for name, count in counts.items() if count == 0]
    if removing:
        yield from (f"The filter {name} leaves none of {total}." for name in removing)
    else:
        left = "; ".join(f"{name} alone leaves {count}" for name, count in counts.items())
        yield f"No session of {total} passes all filters together: {left}."


def _named(name: str, value: Any) -> str:
    words = ", ".join(value) if isinstance(value, list) else str(value)
    return f"{name.replace('project_dir', 'project directory')} {words}"


def _value_hints(summaries: Sequence[Summary], rows: Sequence[Row], query: Query) -> Iterator[str]:
    """Say what there is, where a pattern describes none of it."""
    for name, glob, values in (
        ("surface", query.surface, (summary.launch_surface for summary in summaries)),
        ("model", query.model, (model for row in rows for model in row.models)),
        ("branch", query.branch, (row.branch for row in rows)),
    ):
        known = Counter(value for value in values if value is not None) if glob is not None else None
        if known and glob is not None and not any(map(queries.pattern(glob), known)):
            most = [query.told(value) for value, _ in known.most_common(_VALUES_SHOWN)]
            others = f" and {len(known) - len(most)} more" if len(known) > len(most) else ""
            yield f"A {name} is matched as a whole (*text* finds a part); there are {', '.join(most)}{others}."


def _directory_hints(summaries: Sequence[Summary], wanted: str) -> Iterable[str]:
    known = sorted({summary.project_dir for summary in summaries if summary.project_dir is not None})
    folded = normal(wanted).casefold()
    if any(is_within(path, wanted) for path in known):
        return
    if same := [path for path in known if is_within(path.casefold(), folded)]:
        yield f"Sessions exist in {same[0]}, which differs only by case."
        return
    real = _followed(wanted)
    if real != wanted and any(is_within(path, real) for path in known):
        yield f"{wanted} is a link to {real}, where sessions exist; give that directory."
        return
    for path in known[:_LINKS_FOLLOWED]:
        target = _followed(path)
        if target != path and is_within(target, wanted):
            yield f"Sessions exist in {path}, a link to {target}; give that directory."
            return
    above = [path for path in known if is_within(wanted, path) and normal(path) != "/"]
    if above:
        nearest = max(above, key=len)
        yield f"Sessions exist in {nearest}, a parent of that directory."


def _followed(path: str) -> str:
    """Return where a path leads, or the path itself where that cannot be told."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _span(summaries: Iterable[Summary]) -> tuple[str | None, str | None]:
    moments = [summary.last_activity for summary in summaries]
    return (rfc3339(min(moments)), rfc3339(max(moments))) if moments else (None, None)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
