"""The flow: find stores, read sessions, filter, sort, page, read details, redact.

Every surface (command line, Python, servers) asks here, and gets the same inventory.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import islice

from sesls import query as queries
from sesls import redaction, text
from sesls.adapters import REGISTRY, adapter, chosen
from sesls.diagnostics import Diagnostics, explain
from sesls.environment import Environment
from sesls.instants import Instant, rfc3339
from sesls.page import Page
from sesls.query import Query
from sesls.session import Details, Problem, Session, Summary
from sesls.survey import Survey, survey

_FRESH_SECONDS = 600.0
_EXTRA_DEPTH = 6
_EXTRA_ITEMS = 100


def take(query: Query, environment: Environment) -> Page:
    """Return the page of sessions that a query asks for. Raises ValueError for an agent sesls does not know."""
    surveys = [survey(agent, environment) for agent in chosen(query.agents)]
    selected = queries.select((summary for item in surveys for summary in item.summaries), query)
    problems = [problem for item in surveys for problem in item.problems]
    shown = queries.page(selected, query)
    found = _details(shown, environment, problems)
    counts: Counter[str] = Counter()
    now = time.time_ns() // 1_000_000
    fresh_seconds = _fresh_seconds(environment)
    sessions = tuple(
        _session(summary, details, now, fresh_seconds, counts if query.redact else None)
        for summary, details in zip(shown, found, strict=True)
    )
    return Page(
        sessions=sessions,
        total=len(selected),
        subagents=sum(summary.is_noise for summary in selected),
        filtered=sum(len(item.summaries) for item in surveys) - len(selected),
        offset=query.offset,
        limit=query.limit,
        redactions=dict(sorted(counts.items())),
        warnings=tuple(dict.fromkeys(problems)),
        diagnostics=None if selected else explain(_everything(surveys, environment), query),
    )


def diagnose(query: Query, environment: Environment) -> tuple[Diagnostics, tuple[Problem, ...]]:
    """Return what there is of all agents, why a query's answer is what it is, and what could not be read."""
    chosen(query.agents)
    surveys = [survey(agent, environment) for agent in REGISTRY]
    return explain(surveys, query), tuple(problem for item in surveys for problem in item.problems)


def _everything(surveys: Sequence[Survey], environment: Environment) -> list[Survey]:
    """Return surveys of all agents, looking now at those a query left out: an explanation has to know of them."""
    known = {item.agent: item for item in surveys}
    return [known.get(agent) or survey(agent, environment) for agent in REGISTRY]


def _details(summaries: Sequence[Summary], environment: Environment, problems: list[Problem]) -> list[Details]:
    """Return the details of some sessions, asking each adapter once for all of its own."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, summary in enumerate(summaries):
        places[summary.agent].append(place)
    found = [Details()] * len(summaries)
    for agent, own in places.items():

        def report(path: str, problem: str, agent: str = agent) -> None:
            problems.append(Problem(agent, path, problem))

        details = adapter(agent).details
        try:
            answers = details([summaries[place] for place in own], environment, report)
        except Exception:  # one session must never cost the others: ask for each alone
            answers = []
            for place in own:
                try:
                    answers.extend(details([summaries[place]], environment, report))
                except Exception as error:
                    report(summaries[place].path, f"unexpected {type(error).__name__}: {error}")
                    answers.append(Details())
        for place, answer in zip(own, answers, strict=True):
            found[place] = answer
    return found


def _session(
    summary: Summary, details: Details, now: Instant, fresh_seconds: float, counts: Counter[str] | None
) -> Session:
    """Return the public record of a session, its texts cleaned and, where secrets are counted, redacted."""

    def redact(value: str) -> str:
        return value if counts is None else redaction.redact(value, counts)

    titles = (text.title(one, redact) for one in details.titles if one is not None)
    extra = {name: _plain(value, redact) for name, value in details.extra.items() if value is not None}
    age = max(0, now - summary.last_activity) // 1000
    return Session(
        uuid=summary.uuid,
        agent=summary.agent,
        title=next(filter(None, titles), None),
        kind=summary.kind,
        parent_uuid=details.parent_uuid or summary.parent_uuid,
        project_dir=summary.project_dir,
        launch_surface=summary.launch_surface,
        models=details.models,
        last_activity=rfc3339(summary.last_activity),
        age_sec=age,
        activity="fresh" if age <= fresh_seconds else "stale",
        created=None if details.created is None else rfc3339(details.created),
        size_bytes=details.size_bytes,
        message_count=details.message_count,
        path=summary.path,
        resume_command=details.resume_command,
        extra=extra,
    )


def _plain(value: object, redact: Callable[[str], str], depth: int = 0) -> object:
    """Return a value of an extra with its texts fit to be shown, and no larger or deeper than anyone wants to read."""
    if isinstance(value, str):
        return text.value(value, redact)
    if isinstance(value, dict | list | tuple):
        if depth == _EXTRA_DEPTH:
            return None
        if isinstance(value, dict):
            items = islice(value.items(), _EXTRA_ITEMS)
            return {text.value(str(key), redact): _plain(item, redact, depth + 1) for key, item in items}
        return [_plain(item, redact, depth + 1) for item in value[:_EXTRA_ITEMS]]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _fresh_seconds(environment: Environment) -> float:
    value = environment.value("SESLS_STALL_SEC") or environment.value("AI_R_STALL_SEC") or ""
    try:
        seconds = float(value)
    except ValueError:
        return _FRESH_SECONDS
    return seconds if 0 < seconds < math.inf else _FRESH_SECONDS
