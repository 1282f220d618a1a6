"""Everything one agent's stores hold, before any filter: the first of the two readings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Literal

import msgspec

from sesls.adapters import adapter
from sesls.adapters.interface import Adapter, Finding
from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Problem, Store, Summary

State = Literal["found", "missing", "unreadable"]


class Survey(msgspec.Struct, frozen=True):
    """What looking through all stores of one agent gave."""

    agent: str
    label: str
    stores: tuple[tuple[Store, State], ...]
    files: int
    """How many files might have held a session."""
    summaries: tuple[Summary, ...]
    problems: tuple[Problem, ...]


def survey(agent: str, environment: Environment) -> Survey:
    """Look through all stores of one agent. Never raises for anything that a store holds."""
    source = adapter(agent)
    problems: dict[Problem, None] = {}

    def report(path: str, problem: str) -> None:
        problems[Problem(agent, path, problem)] = None

    stores = tuple((store, _state(store)) for store in source.stores(environment))
    candidates = list(_candidates(source, [store for store, state in stores if state != "missing"], report))
    findings = list(_findings(source, candidates, report))
    summaries = tuple(_united(source, findings, environment, report))
    return Survey(agent, source.LABEL, stores, len(candidates), summaries, tuple(problems))


def _candidates(source: Adapter, stores: Sequence[Store], report: files.Report) -> Iterable[Candidate]:
    """Return the files of all stores; of one that is reached twice, by links, only the file itself."""
    found: dict[object, Candidate] = {}
    for store in stores:
        try:
            for candidate in source.find(store, report):
                identity = (candidate.device, candidate.inode) if candidate.inode else candidate.path
                known = found.get(identity)
                if known is None or _is_nearer(candidate.path, known.path):
                    found[identity] = candidate
        except Exception as error:  # one store must never cost the others
            report(store.path, _words(error))
    return found.values()


def _is_nearer(path: str, other: str) -> bool:
    """Tell whether a path shares more of its end with the file it leads to than another path to the same file."""
    real = os.path.realpath(path)
    return _shared_end(path, real) > _shared_end(other, real)


def _shared_end(path: str, real: str) -> int:
    pairs = zip(reversed(path.split(os.sep)), reversed(real.split(os.sep)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _findings(source: Adapter, candidates: Iterable[Candidate], report: files.Report) -> Iterator[Finding]:
    for candidate in candidates:
        try:
            facts = source.summarise(candidate)
        except OSError as error:
            if not files.is_absence(error):
                report(candidate.path, files.reason(error))
        except Exception as error:  # one file must never cost the others
            report(candidate.path, _words(error))
        else:
            if facts is not None:
                yield Finding(candidate, facts)


def _united(
    source: Adapter, findings: Sequence[Finding], environment: Environment, report: files.Report
) -> list[Summary]:
    try:
        return list(source.unite(findings, environment, report))
    except Exception as error:  # one file must never cost the others: unite each half, down to the one that fails
        if len(findings) <= 1:
            for finding in findings:
                report(finding.candidate.path, _words(error))
            return []
    middle = len(findings) // 2
    return [
        summary
        for half in (findings[:middle], findings[middle:])
        for summary in _united(source, half, environment, report)
    ]


def _state(store: Store) -> State:
    try:
        status = os.stat(store.path)
    except OSError as error:
        return "missing" if files.is_absence(error) else "unreadable"
    readable = os.access(store.path, os.R_OK | (os.X_OK if os.path.isdir(store.path) else 0))
    return "found" if readable and status else "unreadable"


def _words(error: Exception) -> str:
    return str(error) if type(error) is ValueError else f"unexpected {type(error).__name__}: {error}"
