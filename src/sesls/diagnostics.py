"""Why an answer is empty: what was looked at, what was found there, and which filter removed it.

Built from what the inventory has already found: diagnosing reads no session a second time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from sesls import query as queries
from sesls.instants import rfc3339
from sesls.paths import is_within, normal
from sesls.query import Query
from sesls.session import State, Summary, Survey

_LINKS_FOLLOWED = 2000


class Place(msgspec.Struct, frozen=True):
    """A place that was looked at."""

    path: str
    state: State
    sessions: int


class Scanned(msgspec.Struct, frozen=True):
    """What was found of one agent, before any filter."""

    agent: str
    label: str
    sessions: int
    date_min: str | None
    date_max: str | None
    places: tuple[Place, ...]
    hint: str | None

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
    hints: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnostics as plain data, in the documented shape (docs/json.md)."""
        return {
            "scanned": [
                {
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
            "hints": list(self.hints),
        }


def explain(surveys: Sequence[Survey], query: Query) -> Diagnostics:
    """Return what all surveys together say about a query's answer."""
    summaries = [summary for survey in surveys for summary in survey.summaries]
    matching = len(queries.select(summaries, query))
    earliest, newest = _span(summaries)
    scanned = tuple(_scanned(survey) for survey in surveys)
    return Diagnostics(
        scanned=scanned,
        sessions=len(summaries),
        matching=matching,
        date_min=earliest,
        date_max=newest,
        filters=query.active_filters(),
        hints=tuple(_hints(scanned, summaries, query, matching)),
    )


def _scanned(survey: Survey) -> Scanned:
    earliest, newest = _span(survey.summaries)
    return Scanned(
        agent=survey.agent,
        label=survey.label,
        sessions=len(survey.summaries),
        date_min=earliest,
        date_max=newest,
        places=_places(survey),
        hint=_hint(survey),
    )


def _places(survey: Survey) -> tuple[Place, ...]:
    counts = dict.fromkeys((store.path for store, _ in survey.stores), 0)
    # The longest path first: a place may lie within another.
    prefixes = sorted(counts, key=len, reverse=True)
    for summary in survey.summaries:
        home = next((path for path in prefixes if is_within(summary.path, path)), None)
        if home is not None:
            counts[home] += 1
    return tuple(Place(store.path, state, counts[store.path]) for store, state in survey.stores)


def _hint(survey: Survey) -> str | None:
    """Say why an agent that has a place on this machine shows no session."""
    unreadable = [store.path for store, state in survey.stores if state == "unreadable"]
    found = [store.path for store, state in survey.stores if state == "found"]
    count = _count(survey.files, "file")
    if survey.summaries or not (unreadable or found):
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


def _hints(scanned: Sequence[Scanned], summaries: Sequence[Summary], query: Query, matching: int) -> Iterable[str]:
    if not any(item.source_found for item in scanned):
        names = ", ".join(item.label for item in scanned)
        yield f"No agent has kept sessions here: no directory of {names} exists."
    yield from (item.hint + "." for item in scanned if item.hint)
    if query.project_dir and "[REDACTED_" in query.project_dir:
        yield "The project directory holds a [REDACTED_…] mark copied from earlier output; give the real text."
    if matching and query.offset >= matching:
        verb = "matches" if matching == 1 else "match"
        yield f"The offset {query.offset} lies past the end: {_count(matching, 'session')} {verb}."
    if summaries and not matching:
        yield from _filter_hints(summaries, query)
        if query.project_dir is not None:
            yield from _directory_hints(summaries, query.project_dir)


def _filter_hints(summaries: Sequence[Summary], query: Query) -> Iterable[str]:
    """Say what each filter alone would leave, so that the one that removed everything stands out."""
    everything = Query()
    alone = {
        "agent " + ", ".join(query.agents): replace(everything, agents=query.agents) if query.agents else None,
        f"kind {query.kind}": replace(everything, kind=query.kind) if query.kind else None,
        f"noise {query.noise}": replace(everything, noise=query.noise) if query.noise != "include" else None,
        f"project directory {query.project_dir}": replace(everything, project_dir=query.project_dir)
        if query.project_dir is not None
        else None,
    }
    counts = {name: len(queries.select(summaries, single)) for name, single in alone.items() if single}
    total = _count(len(summaries), "session")
    removing = [name for name, count in counts.items() if count == 0]
    if removing:
        yield from (f"The filter {name} leaves none of {total}." for name in removing)
    else:
        left = "; ".join(f"{name} alone leaves {count}" for name, count in counts.items())
        yield f"No session of {total} passes all filters together: {left}."


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
