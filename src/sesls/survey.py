"""Everything one agent's stores hold, before any filter: the first of the two readings."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import TypeVar

from msgspec.structs import replace

from sesls import looks
from sesls.adapters import adapter
from sesls.adapters.interface import Adapter, Finding
from sesls.cache import Memory, digest, spread
from sesls.environment import Environment
from sesls.formats import files
from sesls.looks import Looks
from sesls.session import Candidate, Problem, Progress, State, Store, Summary, Survey, unwatched

Item = TypeVar("Item")
Result = TypeVar("Result")

_FILES_WORTH_A_PROCESS = 300


def look_through(
    agent: str,
    environment: Environment,
    memory: Memory,
    make: Callable[[Iterable[Summary]], Result],
    progress: Progress = unwatched,
) -> tuple[Survey, Result]:
    """Look through all stores of one agent, and return what there is, and what is made of the sessions as they pass.

    Never raises for anything that a store holds.
    """
    tell = partial(progress, agent)
    problems: dict[Problem, None] = {}

    def report(path: str, problem: str) -> None:
        problems[Problem(agent, path, problem)] = None

    try:
        source = adapter(agent, environment.plugins)
    except ValueError as error:
        report(str(environment.plugins[agent]), str(error))
        return Survey(agent, agent, (), 0, tuple(problems)), make(())
    with looks.noted() as seen:
        stores = tuple((store, _state(store)) for store in source.stores(environment))
        there = [store for store, state in stores if state != "missing"]
        candidates = list(_candidates(source, there, report, tell))

        def read() -> list[Finding]:
            with memory.first_readings():
                return list(_findings(source, candidates, memory, seen, report, tell))

        result = _united(source, read, environment, report, lambda found: make(memory.keeping(found, seen)))
    survey = Survey(agent, source.LABEL, stores, len(candidates), tuple(problems))
    memory.keep_survey(survey, seen)
    return survey, result


def _candidates(
    source: Adapter, stores: Sequence[Store], report: files.Report, tell: Callable[[int, int], None]
) -> Iterable[Candidate]:
    """Return the files of all stores; of one that is reached twice, by links, only the file itself."""
    found: dict[object, Candidate] = {}
    for store in stores:
        try:
            for candidate in source.find(store, report):
                file: object = candidate.inode or candidate.path
                known = found.get(file)
                if known is not None and (device := _device(candidate)) != _device(known):
                    file = (device, candidate.inode)
                    known = found.get(file)
                if known is None or _is_nearer(candidate.path, known.path):
                    found[file] = candidate
                    tell(len(found), 0)
        except Exception as error:  # one store must never cost the others
            report(store.path, unexpected(error))
    return found.values()


def _device(candidate: Candidate) -> int | None:
    status = files.status(candidate.path)
    return None if status is None else status.st_dev


def _is_nearer(path: str, other: str) -> bool:
    """Tell whether a path shares more of its end with the file it leads to than another path to the same file."""
    real = os.path.realpath(path)
    return _shared_end(path, real) > _shared_end(other, real)


def _shared_end(path: str, real: str) -> int:
    pairs = zip(reversed(path.split(os.sep)), reversed(real.split(os.sep)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _findings(
    source: Adapter,
    candidates: Sequence[Candidate],
    memory: Memory,
    seen: Looks,
    report: files.Report,
    tell: Callable[[int, int], None],
) -> Iterator[Finding]:
    """Yield what the first reading of each file tells, remembered or new; of many new ones, several processes read."""
    ahead: Iterator[Candidate] = iter(())
    if source.FACTS is not None:
        read = partial(_read_ahead, source, memory)
        ahead = spread([memory], read, memory.unread(candidates), _FILES_WORTH_A_PROCESS)
    read_next = next(ahead, None)
    for candidate in _counted(candidates, len(candidates), tell):
        facts: object = None
        if source.FACTS is not None:
            facts = memory.facts(candidate.path, source.FACTS, seen)
        if facts is None:
            try:
                facts = _summarised(source, candidate, memory)
            except OSError as error:
                files.failed(candidate.path, error, report)
            except Exception as error:  # one file must never cost the others
                report(candidate.path, unexpected(error))
        memory.pass_on(candidate.path)
        if candidate is read_next:
            read_next = next(ahead, None)
        if facts is not None:
            yield Finding(candidate, facts)


def _read_ahead(source: Adapter, memory: Memory, candidate: Candidate) -> None:
    """Read a file and remember what it tells; where it fails, that is told when it is read again."""
    with suppress(Exception):
        _summarised(source, candidate, memory)


def _counted(items: Iterable[Item], of: int, tell: Callable[[int, int], None]) -> Iterator[Item]:
    """Yield items, and tell how far that is."""
    for done, item in enumerate(items, 1):
        yield item
        tell(done, of)


def _summarised(source: Adapter, candidate: Candidate, memory: Memory) -> object:
    with looks.noted() as seen:
        facts = source.summarise(candidate)
    if source.FACTS is not None and isinstance(facts, source.FACTS):
        memory.keep_facts(candidate.path, facts, seen)
    return facts


def _united(
    source: Adapter,
    read: Callable[[], list[Finding]],
    environment: Environment,
    report: files.Report,
    make: Callable[[Iterable[Summary]], Result],
) -> Result:
    """Return what is made of the sessions that findings tell of.

    Adapters may let go of findings as they go on, so they are read once more where that fails.
    """
    try:
        return make(replace(one, digest=digest(one)) for one in source.unite(read(), environment, report))
    except Exception as error:  # one file must never cost the others
        findings = read()
        failing = list(_failing(source, findings, environment))
        excluded = {finding.candidate.path for finding, _ in failing}
        sound = [finding for finding in findings if finding.candidate.path not in excluded]
        if not failing or not sound:
            report(findings[0].candidate.store.path if findings else source.LABEL, unexpected(error))
            return make(())
    for finding, own_error in failing:
        report(finding.candidate.path, unexpected(own_error))
    return _united(source, lambda: sound, environment, report, make)


def _failing(
    source: Adapter, findings: Sequence[Finding], environment: Environment
) -> Iterator[tuple[Finding, Exception]]:
    """Yield the findings that cannot be united even alone, found by halves."""
    try:
        list(source.unite(findings, environment, files.ignore))
    except Exception as error:
        if len(findings) == 1:
            yield findings[0], error
        elif findings:
            middle = len(findings) // 2
            yield from _failing(source, findings[:middle], environment)
            yield from _failing(source, findings[middle:], environment)


def _state(store: Store) -> State:
    hear, problems = files.heard(files.ignore)
    status = files.status(store.path, hear)
    if status is None:
        return "unreadable" if problems else "missing"
    needed = os.R_OK | (os.X_OK if stat.S_ISDIR(status.st_mode) else 0)
    return "found" if os.access(store.path, needed) else "unreadable"


def unexpected(error: Exception) -> str:
    """Return an error in words: a ValueError's are made for people, another's nobody thought of."""
    if type(error) is ValueError:
        return str(error)
    looks.unsure()
    return f"unexpected {type(error).__name__}: {error}"
