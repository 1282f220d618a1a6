"""The flow: find stores, read sessions, filter, sort, page, read details, redact.

Every surface (command line, Python, servers) asks here, and gets the same inventory.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from sesls import query as queries
from sesls import text
from sesls.adapters import chosen, known
from sesls.cache import Memory, memory_of, spread
from sesls.clock import Clock
from sesls.environment import Environment
from sesls.instants import rfc3339
from sesls.page import Page
from sesls.query import Query
from sesls.session import Found, Problem, Progress, Row, Session, Summary, Survey, unwatched

if TYPE_CHECKING:
    from sesls.agents import Agent
    from sesls.diagnostics import Diagnostics

Result = TypeVar("Result")

_ROWS_WORTH_A_PROCESS = 40
_AT_A_TIME = 5000
"""Of how many sessions all is in memory at a time."""


class Reader(msgspec.Struct, frozen=True):
    """What reads the sessions of one agent in one home."""

    agent: str
    environment: Environment
    memory: Memory
    home: str = ""
    """As a session names it; empty where no homes were asked for."""
    is_own: bool = True
    """Whether it is the home of whoever asks."""
    progress: Progress = unwatched

    def row(self, summary: Summary) -> Row | None:
        """Return what is shown of a session, if it is remembered."""
        return self.memory.row(summary, self.environment)


Readers = Mapping[tuple[str, str], Reader]
"""By home and agent."""


class Selection(msgspec.Struct, frozen=True):
    """The sessions that pass a query's filters."""

    found: Sequence[Found]
    """Everything there is of the agents asked for, before any filter; without sessions where nobody needs those."""
    summaries: Sequence[Summary]
    """Those that match, in the order asked for; where nobody will ask for others, those of one page."""
    rows: Sequence[Row] | None
    """Theirs, where a filter or the order needed all."""
    matching: int
    """How many match."""
    subagents: int
    """How many of those another session spawned."""
    sessions: int
    """How many there are before any filter."""
    candidates: Sequence[Row]
    """The rows that filters on rows were applied to."""
    problems: Sequence[Problem]
    """What could not be read so far."""


class Reading(msgspec.Struct, frozen=True):
    """Some sessions as they are shown."""

    sessions: tuple[Session, ...]
    """Empty where they were handed on."""
    redactions: Mapping[str, int]
    """How many secrets of which type were masked in them."""
    problems: tuple[Problem, ...]


def take(
    query: Query,
    environment: Environment,
    *,
    homes: Sequence[Environment] = (),
    clock: Clock | None = None,
    processes: int = 1,
    hand_on: Callable[[Session], None] | None = None,
    progress: Progress = unwatched,
) -> Page:
    """Return the page of sessions that a query asks for, read by so many processes where there is a lot to read.

    With `homes`, those are looked through instead of the environment's own, and every session names its home.
    `hand_on` gets every session as soon as it is read, and the page holds none; `progress` is told how far the reading
    is.

    Raises ValueError for an agent sesls does not know.
    """
    clock = clock or Clock.of(environment)
    readers = readers_of(query, environment, homes=homes, processes=processes, progress=progress)
    selection = _cut(select(query, clock, readers), query) if query.needs_rows else _choose(query, clock, readers)
    page = _page(selection, query, clock, readers, hand_on)
    return page if page.total else replace(page, diagnostics=_explanation(selection, query, clock, environment, homes))


def named(
    name: str,
    environment: Environment,
    *,
    most: int,
    redact: bool = True,
    clock: Clock | None = None,
    processes: int = 1,
    progress: Progress = unwatched,
) -> Page:
    """Return the sessions that a name may mean (see `naming`), the newest first, at most so many of them.

    The details of no others are read.
    """
    from sesls.naming import meant

    clock = clock or Clock.of(environment)
    query = Query(limit=most, redact=redact)
    readers = readers_of(query, environment, processes=processes, progress=progress)
    everything = select(query, clock, readers)
    found = meant(everything.summaries, name, known(environment.plugins), environment.cwd, environment.home)
    subagents = sum(one.is_noise for one in found)
    selection = replace(everything, summaries=found, matching=len(found), subagents=subagents)
    return _page(_cut(selection, query), query, clock, readers)


def _page(
    selection: Selection,
    query: Query,
    clock: Clock,
    readers: Readers,
    hand_on: Callable[[Session], None] | None = None,
) -> Page:
    """Return the sessions that are left of a selection for a query's page, and keep what was learnt."""
    reading = read(selection.summaries, clock, readers, rows=selection.rows, hand_on=hand_on)
    save(readers)
    return Page(
        sessions=reading.sessions,
        shown=len(selection.summaries),
        total=selection.matching,
        subagents=selection.subagents,
        filtered=selection.sessions - selection.matching,
        offset=query.offset,
        limit=query.limit,
        redactions=reading.redactions,
        warnings=tuple(dict.fromkeys((*selection.problems, *reading.problems))),
        diagnostics=None,
    )


def readers_of(
    query: Query,
    environment: Environment,
    *,
    homes: Sequence[Environment] = (),
    processes: int = 1,
    progress: Progress = unwatched,
) -> Readers:
    """Return what reads the sessions of the agents that a query asks for, in the environment's own home or in others.

    Raises ValueError for an agent sesls does not know.
    """
    agents = chosen(query.agents, environment.plugins)
    return _readers(agents, environment, homes, redact=query.redact, processes=processes, progress=progress)


def diagnose(
    query: Query,
    environment: Environment,
    *,
    homes: Sequence[Environment] = (),
    clock: Clock | None = None,
    processes: int = 1,
    progress: Progress = unwatched,
) -> tuple[Diagnostics, tuple[Problem, ...]]:
    """Return what there is of all agents, why a query's answer is what it is, and what could not be read."""
    from sesls.diagnostics import explain

    chosen(query.agents, environment.plugins)
    clock = clock or Clock.of(environment)
    everyone = known(environment.plugins)
    readers = _readers(everyone, environment, homes, redact=query.redact, processes=processes, progress=progress)
    selection = select(replace(query, sort="activity"), clock, readers)  # another order would ask for all rows
    save(readers)
    return explain(selection.found, query, clock, selection.candidates), tuple(dict.fromkeys(selection.problems))


def agents(
    environment: Environment, *, processes: int = 1, progress: Progress = unwatched
) -> tuple[list[Agent], tuple[Problem, ...]]:
    """Return what there is to know of every agent, and what could not be read."""
    from sesls.agents import about

    readers = _readers(known(environment.plugins), environment, (), processes=processes, progress=progress)
    found = [_found(reader) for reader in readers.values()]
    return [about(one, environment) for one in found], tuple(_problems(one.survey for one in found))


def _readers(
    agents: Iterable[str],
    environment: Environment,
    homes: Sequence[Environment],
    *,
    redact: bool = True,
    processes: int = 1,
    remember: bool = True,
    progress: Progress = unwatched,
) -> Readers:
    found = {}
    for one in homes or (environment,):
        home = one.home if homes else ""
        for agent in agents:
            memory = memory_of(agent, one, redact=redact, processes=processes) if remember else Memory(agent)
            is_own = one.home == environment.home
            found[home, agent] = Reader(agent, one, memory, home, is_own=is_own, progress=progress)
    return found


def _survey(
    reader: Reader, make: Callable[[Iterable[Summary]], Result], *, for_all_rows: bool = False
) -> tuple[Survey, Result]:
    """Return what there is in the stores of a reader's agent, and what is made of the sessions as they pass."""

    def make_of_named(summaries: Iterable[Summary]) -> Result:
        return make(replace(one, home=reader.home) for one in summaries)

    make_of = make_of_named if reader.home else make
    surveyed = reader.memory.survey(reader.environment, make_of, for_all_rows=for_all_rows)
    if surveyed is None:
        from sesls.survey import look_through  # here: a listing from the cache alone needs none

        surveyed = look_through(reader.agent, reader.environment, reader.memory, make_of, reader.progress)
    survey, result = surveyed
    return replace(survey, home=reader.home) if reader.home else survey, result


def _found(reader: Reader) -> Found:
    return Found(*_survey(reader, list))


def _problems(surveys: Iterable[Survey]) -> list[Problem]:
    return [problem for survey in surveys for problem in survey.problems]


def _explanation(
    selection: Selection, query: Query, clock: Clock, environment: Environment, homes: Sequence[Environment]
) -> Diagnostics:
    """Explain an empty answer, looking now at the agents a query left out: an explanation has to know of them."""
    from sesls.diagnostics import explain

    done = {(one.survey.home, one.survey.agent): one for one in selection.found}
    readers = _readers(known(environment.plugins), environment, homes, remember=False)
    found = [done.get(key) or _found(reader) for key, reader in readers.items()]
    return explain(found, query, clock, selection.candidates)


def select(query: Query, clock: Clock, readers: Readers) -> Selection:
    """Return all sessions that match a query; its offset and limit do not matter here.

    All rows are read only where a filter or the order needs them.
    """
    everything = [_found(reader) for reader in readers.values()]
    sessions = sum(len(one.summaries) for one in everything)
    problems = _problems(one.survey for one in everything)
    selected = queries.select((summary for one in everything for summary in one.summaries), query, clock)
    rows: list[Row] | None = None
    candidates: Sequence[Row] = ()
    if query.needs_rows:
        rows = list(_rows(selected, readers, problems))
        candidates = _unmasked(selected, rows, query, readers) if query.redact else rows
        passing = queries.passing(candidates, query)
        found = queries.ordered([(selected[place], rows[place]) for place in passing], query)
        selected, rows = [one for one, _ in found], [row for _, row in found]
    subagents = sum(one.is_noise for one in selected)
    return Selection(
        found=everything,
        summaries=selected,
        rows=rows,
        matching=len(selected),
        subagents=subagents,
        sessions=sessions,
        candidates=candidates,
        problems=problems,
    )


def _cut(selection: Selection, query: Query) -> Selection:
    """Return a selection of which only a query's page is left."""
    rows = None if selection.rows is None else queries.page(selection.rows, query)
    return replace(selection, summaries=queries.page(selection.summaries, query), rows=rows)


def _choose(query: Query, clock: Clock, readers: Readers) -> Selection:
    """Return the page of a query that needs no rows: of all other sessions none is in memory for long."""
    choose = partial(queries.choose, query=query, clock=clock)
    is_all = not query.limit and not queries.summary_filters(query, clock)
    surveyed = [_survey(reader, choose, for_all_rows=is_all) for reader in readers.values()]
    choices = [choice for _, choice in surveyed]
    return Selection(
        found=[Found(survey, choice.others) for survey, choice in surveyed],
        summaries=queries.page(queries.merged(choices, query), query),
        rows=None,
        matching=sum(choice.matching for choice in choices),
        subagents=sum(choice.subagents for choice in choices),
        sessions=sum(choice.sessions for choice in choices),
        candidates=(),
        problems=_problems(survey for survey, _ in surveyed),
    )


def read(
    summaries: Sequence[Summary],
    clock: Clock,
    readers: Readers,
    *,
    rows: Iterable[Row] | None = None,
    hand_on: Callable[[Session], None] | None = None,
) -> Reading:
    """Return some of the selected sessions as they are shown, or hand on each as soon as it is read.

    `rows` are theirs where they are read already.
    """
    problems: list[Problem] = []
    sessions: list[Session] = []
    redactions: dict[str, int] = {}
    hand = sessions.append if hand_on is None else hand_on
    for summary, row in zip(summaries, _rows(summaries, readers, problems) if rows is None else rows, strict=True):
        session = _session(summary, row, clock, is_own=readers[summary.home, summary.agent].is_own)
        for name, count in row.redactions.items():
            redactions[name] = redactions.get(name, 0) + count
        hand(session)
    return Reading(tuple(sessions), dict(sorted(redactions.items())), tuple(dict.fromkeys(problems)))


def save(readers: Readers) -> None:
    """Keep for the next listing what this one learnt."""
    for reader in readers.values():
        reader.memory.save()


def _unmasked(summaries: Sequence[Summary], rows: Sequence[Row], query: Query, readers: Readers) -> Sequence[Row]:
    """Return rows to be searched: those in which a secret hides what is searched are read anew, and not kept."""
    hidden = [place for place, row in enumerate(rows) if queries.hides_what_is_searched(row, query)]
    if not hidden:
        return rows
    raw = {
        key: replace(one, memory=memory_of(one.agent, one.environment, redact=False)) for key, one in readers.items()
    }
    searched = list(rows)
    for place, row in zip(hidden, _rows([summaries[place] for place in hidden], raw, []), strict=True):
        searched[place] = row
    return searched


def _rows(summaries: Sequence[Summary], readers: Readers, problems: list[Problem]) -> Iterator[Row]:
    """Yield what is shown of some sessions, as it is remembered or else as it is read now."""
    for start in range(0, len(summaries), _AT_A_TIME):
        some = summaries[start : start + _AT_A_TIME]
        remembered = [readers[one.home, one.agent].row(one) for one in some]
        unknown = [one for one, row in zip(some, remembered, strict=True) if row is None]
        read = _read_rows(unknown, summaries, readers, problems)
        for row in remembered:
            yield row if row is not None else next(read)
        next(read, None)  # there is none, but now other processes end


def _read_rows(
    summaries: Sequence[Summary], page: Sequence[Summary], readers: Readers, problems: list[Problem]
) -> Iterator[Row]:
    """Yield what is shown of some sessions of a page, read now, in several processes if they are many."""
    if not summaries:
        return
    from sesls.details import row_reader  # here: a listing from the cache alone needs none

    of_reader: dict[tuple[str, str], list[Summary]] = defaultdict(list)
    for summary in summaries:
        of_reader[summary.home, summary.agent].append(summary)
    reads = {
        key: row_reader(key[1], own, page, readers[key].environment, readers[key].memory, problems)
        for key, own in of_reader.items()
    }

    def read(summary: Summary) -> Row:
        return reads[summary.home, summary.agent](summary)

    done: Counter[tuple[str, str]] = Counter()
    for summary in spread([readers[key].memory for key in reads], read, summaries, _ROWS_WORTH_A_PROCESS):
        key = (summary.home, summary.agent)
        yield read(summary)
        done[key] += 1
        readers[key].progress(summary.agent, done[key], len(of_reader[key]))


def _session(summary: Summary, row: Row, clock: Clock, *, is_own: bool) -> Session:
    """Return the public record of a session."""
    last_activity = rfc3339(summary.last_activity)
    return Session(
        uuid=summary.uuid,
        agent=summary.agent,
        title=None if row.title is None else text.cut(row.title, text.TITLE_LIMIT),
        kind=summary.kind,
        parent_uuid=row.parent_uuid or summary.parent_uuid,
        project_dir=summary.project_dir,
        launch_surface=summary.launch_surface,
        models=row.models,
        last_activity=last_activity,
        date=last_activity,
        age_sec=clock.age(summary.last_activity),
        activity=clock.activity(summary.last_activity),
        created=row.created,
        size_bytes=row.size_bytes,
        message_count=row.message_count,
        path=summary.path,
        home=summary.home or None,
        # What reopens it looks into the home of whoever types it.
        resume_command=row.resume_command if is_own else None,
        extra=row.extra,
    )
