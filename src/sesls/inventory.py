"""The flow: find stores, read sessions, filter, sort, page, read details, redact.

Every surface (command line, Python, servers) asks here, and gets the same inventory.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from sesls import query as queries
from sesls.adapters import chosen, known
from sesls.cache import Memory
from sesls.cache.disk import folder
from sesls.environment import Environment
from sesls.instants import Instant, rfc3339
from sesls.page import Page
from sesls.query import Query
from sesls.session import Problem, Row, Session, Summary, Survey

if TYPE_CHECKING:
    from sesls.diagnostics import Diagnostics

_FRESH_SECONDS = 600.0


class Selection(msgspec.Struct, frozen=True):
    """All sessions that match a query, before any page of them is read."""

    surveys: tuple[Survey, ...]
    """Everything there is of the agents asked for, before any filter."""
    summaries: tuple[Summary, ...]
    """Those that match, newest first."""


class Reading(msgspec.Struct, frozen=True):
    """Some sessions as they are shown."""

    sessions: tuple[Session, ...]
    redactions: Mapping[str, int]
    """How many secrets of which type were masked in them."""
    problems: tuple[Problem, ...]


def take(query: Query, environment: Environment, *, processes: int = 1) -> Page:
    """Return the page of sessions that a query asks for, read by so many processes where there is a lot to read.

    Raises ValueError for an agent sesls does not know.
    """
    memories = remembered(query, environment, processes=processes)
    selection = select(query, environment, memories)
    reading = read(queries.page(selection.summaries, query), environment, memories)
    save(selection, memories)
    selected, surveys = selection.summaries, selection.surveys
    problems = (*(problem for item in surveys for problem in item.problems), *reading.problems)
    return Page(
        sessions=reading.sessions,
        total=len(selected),
        subagents=sum(summary.is_noise for summary in selected),
        filtered=sum(len(item.summaries) for item in surveys) - len(selected),
        offset=query.offset,
        limit=query.limit,
        redactions=reading.redactions,
        warnings=tuple(dict.fromkeys(problems)),
        diagnostics=None if selected else _explanation(surveys, query, environment),
    )


def remembered(query: Query, environment: Environment, *, processes: int = 1) -> Mapping[str, Memory]:
    """Return what is remembered of each agent that a query asks for. Raises ValueError for one sesls does not know."""
    return {
        agent: _memory(agent, environment, redact=query.redact, processes=processes)
        for agent in chosen(query.agents, environment.plugins)
    }


def select(query: Query, environment: Environment, memories: Mapping[str, Memory]) -> Selection:
    """Return all sessions that match a query; its offset and limit do not matter here."""
    surveys = tuple(_survey(agent, environment, memory) for agent, memory in memories.items())
    return Selection(surveys, tuple(queries.select((one for item in surveys for one in item.summaries), query)))


def read(summaries: Sequence[Summary], environment: Environment, memories: Mapping[str, Memory]) -> Reading:
    """Return some of the selected sessions as they are shown."""
    problems: list[Problem] = []
    rows = _rows(summaries, environment, memories, problems)
    now = time.time_ns() // 1_000_000
    fresh_seconds = _fresh_seconds(environment)
    return Reading(
        tuple(_session(summary, row, now, fresh_seconds) for summary, row in zip(summaries, rows, strict=True)),
        _totals(row.redactions for row in rows if row.redactions),
        tuple(dict.fromkeys(problems)),
    )


def save(selection: Selection, memories: Mapping[str, Memory]) -> None:
    """Keep for the next listing what this one learnt."""
    for survey in selection.surveys:
        memories[survey.agent].save(survey.summaries)


def diagnose(query: Query, environment: Environment) -> tuple[Diagnostics, tuple[Problem, ...]]:
    """Return what there is of all agents, why a query's answer is what it is, and what could not be read."""
    from sesls.diagnostics import explain

    chosen(query.agents, environment.plugins)
    everyone = known(environment.plugins)
    surveys = [_survey(agent, environment, _memory(agent, environment)) for agent in everyone]
    return explain(surveys, query), tuple(problem for item in surveys for problem in item.problems)


def _memory(agent: str, environment: Environment, *, redact: bool = True, processes: int = 1) -> Memory:
    version = str(environment.plugins.get(agent, ""))
    return Memory(agent, folder(environment), version=version, redact=redact, processes=processes)


def _survey(agent: str, environment: Environment, memory: Memory) -> Survey:
    survey = memory.survey(environment)
    if survey is None:
        from sesls.survey import look_through  # here: a listing from the cache alone needs none

        survey = look_through(agent, environment, memory)
    return survey


def _explanation(surveys: Sequence[Survey], query: Query, environment: Environment) -> Diagnostics:
    """Explain an empty answer, looking now at the agents a query left out: an explanation has to know of them."""
    from sesls.diagnostics import explain

    done = {item.agent: item for item in surveys}
    everyone = known(environment.plugins)
    return explain([done.get(agent) or _survey(agent, environment, Memory(agent)) for agent in everyone], query)


def _rows(
    summaries: Sequence[Summary],
    environment: Environment,
    memories: Mapping[str, Memory],
    problems: list[Problem],
) -> list[Row]:
    """Return what is shown of some sessions, as it is remembered or else as it is read now."""
    rows = [memories[summary.agent].row(summary, environment) for summary in summaries]
    unknown: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row is None:
            unknown[summaries[place].agent].append(place)
    for agent, places in unknown.items():
        from sesls.details import read_rows  # here: a listing from the cache alone needs none

        own = [summaries[place] for place in places]
        for place, row in zip(places, read_rows(agent, own, environment, memories[agent], problems), strict=True):
            rows[place] = row
    return [row for row in rows if row is not None]


def _session(summary: Summary, row: Row, now: Instant, fresh_seconds: float) -> Session:
    """Return the public record of a session."""
    age = max(0, now - summary.last_activity) // 1000
    last_activity = rfc3339(summary.last_activity)
    return Session(
        uuid=summary.uuid,
        agent=summary.agent,
        title=row.title,
        kind=summary.kind,
        parent_uuid=row.parent_uuid or summary.parent_uuid,
        project_dir=summary.project_dir,
        launch_surface=summary.launch_surface,
        models=row.models,
        last_activity=last_activity,
        date=last_activity,
        age_sec=age,
        activity="fresh" if age <= fresh_seconds else "stale",
        created=None if row.created is None else rfc3339(row.created),
        size_bytes=row.size_bytes,
        message_count=row.message_count,
        path=summary.path,
        resume_command=row.resume_command,
        extra=row.extra,
    )


def _totals(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            totals[name] = totals.get(name, 0) + count
    return dict(sorted(totals.items()))


def _fresh_seconds(environment: Environment) -> float:
    value = environment.value("SESLS_STALL_SEC") or environment.value("AI_R_STALL_SEC") or ""
    try:
        seconds = float(value)
    except ValueError:
        return _FRESH_SECONDS
    return seconds if 0 < seconds < math.inf else _FRESH_SECONDS
