"""What is shown of the sessions of a page: the second of the two readings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from sesls import looks, marks, redaction, text
from sesls.adapters import adapter
from sesls.adapters.interface import Adapter
from sesls.cache import Memory
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import rfc3339
from sesls.session import Details, Problem, Row, Summary
from sesls.survey import look_through, unexpected

_EXTRA_DEPTH = 6
_EXTRA_ITEMS = 100


def row_reader(
    agent: str,
    summaries: Sequence[Summary],
    page: Sequence[Summary],
    environment: Environment,
    memory: Memory,
    problems: list[Problem],
) -> Callable[[Summary], Row]:
    """Return what reads what is shown of any of some sessions of one agent, on a page with others.

    Never raises for anything that a store holds, nor does what it returns.
    """

    def report(path: str, problem: str) -> None:
        looks.unsure()
        problems.append(Problem(agent, path, problem))

    def nothing(_: Summary) -> Row:
        return _row(Details(), redact=memory.redact)

    try:
        source = adapter(agent, environment.plugins)
    except ValueError as error:
        report(str(environment.plugins[agent]), str(error))
        return nothing
    known = _with_sources(agent, summaries, page, environment, memory)
    try:
        with looks.noted() as shared:
            hints = source.hints([one for one in known.values() if one.source is not None], environment, report)
    except Exception as error:
        if len(summaries) > 1:  # one session must never cost the others
            return lambda summary: row_reader(agent, [summary], page, environment, memory, problems)(summary)
        report(summaries[0].path, unexpected(error))
        return nothing

    def read(summary: Summary) -> Row:
        row = memory.row(summary, environment)
        if row is None:
            with looks.noted() as seen:
                seen.include(shared)
                found = _details(source, known[_name(summary)], hints, environment, report, memory)
            row = _row(found, redact=memory.redact)
            memory.keep_row(summary, row, seen)
        return row

    return read


def _details(
    source: Adapter, summary: Summary, hints: object, environment: Environment, report: files.Report, memory: Memory
) -> Details:
    if summary.source is None:  # gone since the last look
        return Details()
    try:
        return source.details(summary, hints, environment, report, memory.read)
    except Exception as error:  # one session must never cost the others
        report(summary.path, unexpected(error))
        return Details()


def _with_sources(
    agent: str, summaries: Sequence[Summary], page: Sequence[Summary], environment: Environment, memory: Memory
) -> Mapping[tuple[str, str], Summary]:
    """Return the same summaries with what details are read from; those out of the cache are found anew."""
    given = {_name(one): one for one in summaries}
    if all(summary.source is not None for summary in summaries):
        return given
    if memory.sources is None:
        wanted = {_name(one) for one in page if one.agent == agent}

        def those_wanted(found: Iterable[Summary]) -> dict[tuple[str, str], Summary]:
            return {name: one for one in found if (name := _name(one)) in wanted}

        _, found = look_through(agent, environment, memory, those_wanted)
        memory.sources = memory.sources or found
    return {name: memory.sources.get(name, one) for name, one in given.items()}


def _name(summary: Summary) -> tuple[str, str]:
    return summary.uuid, summary.path


def _row(details: Details, *, redact: bool) -> Row:
    """Return details with their texts cleaned and, if asked for, redacted."""
    hits: Counter[str] = Counter()

    def clean(text: str, name: str = "") -> str:
        return redaction.redact_field(name, text, hits) if redact else text

    titles = (text.title(one, clean, text.SEARCHED_LIMIT) for one in details.titles if one is not None)
    title = next(filter(None, titles), None)
    extra = {name: _plain(value, clean, name) for name, value in details.extra.items() if value is not None}
    shown = None if title is None else text.cut(title, text.TITLE_LIMIT)
    counts = Counter(_marks(shown)) + Counter(_marks(extra)) if redact else Counter[str]()
    return Row(
        title=title,
        parent_uuid=details.parent_uuid,
        models=details.models,
        created=None if details.created is None else rfc3339(details.created),
        size_bytes=details.size_bytes,
        message_count=details.message_count,
        resume_command=details.resume_command,
        extra=extra,
        redactions=dict(counts),
        is_masked=bool(hits or counts),
    )


def _marks(value: object) -> Iterator[str]:
    """Yield the type of every secret that is masked in a value."""
    if isinstance(value, str):
        if marks.may_be_in(value):
            yield from marks.pattern().findall(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _marks(item)
    elif isinstance(value, list):
        for item in value:
            yield from _marks(item)


def _plain(value: object, clean: Callable[[str, str], str], name: str = "", depth: int = 0) -> object:
    """Return a value of an extra with its texts fit to be shown, and no larger or deeper than anyone wants to read."""
    if isinstance(value, str):
        return text.value(value, lambda text: clean(text, name))
    if isinstance(value, dict | list | tuple):
        if depth == _EXTRA_DEPTH:
            return None
        if isinstance(value, dict):
            items = islice(value.items(), _EXTRA_ITEMS)
            return {
                text.value(str(key), lambda text: clean(text, "")): _plain(item, clean, str(key), depth + 1)
                for key, item in items
            }
        return [_plain(item, clean, name, depth + 1) for item in value[:_EXTRA_ITEMS]]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
