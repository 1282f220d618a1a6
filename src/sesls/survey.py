"""Everything one agent's stores hold, before any filter: the first of the two readings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sesls.adapters import adapter
from sesls.adapters.interface import Adapter, Finding
from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Problem, Store, Summary

State = Literal["found", "missing", "unreadable"]


@dataclass(frozen=True, slots=True)
class Survey:
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
    chosen = adapter(agent)
    problems: dict[tuple[str, str], Problem] = {}

    def report(path: str, problem: str) -> None:
        problems[path, problem] = Problem(agent, path, problem)

    stores = tuple((store, _state(store)) for store in chosen.stores(environment))
    findings: list[Finding] = []
    count = 0
    for candidate in _candidates(chosen, stores, report):
        count += 1
        try:
            facts = chosen.summarise(candidate)
        except OSError as error:
            if not files.is_absence(error):
                report(candidate.path, files.reason(error))
        except Exception as error:  # a file must never cost more than itself
            report(candidate.path, _words(error))
        else:
            if facts is not None:
                findings.append(Finding(candidate, facts))
    summaries = tuple(chosen.unite(findings, environment, report))
    return Survey(agent, chosen.LABEL, stores, count, summaries, tuple(problems.values()))


def _candidates(chosen: Adapter, stores: tuple[tuple[Store, State], ...], report: files.Report) -> Iterator[Candidate]:
    """Yield the files of all stores; one that is reached twice, by links, only once."""
    seen: set[tuple[int, int]] = set()
    for store, state in stores:
        if state == "missing":
            continue
        for candidate in chosen.find(store, report):
            identity = (candidate.device, candidate.inode)
            if candidate.inode and identity in seen:
                continue
            seen.add(identity)
            yield candidate


def _state(store: Store) -> State:
    try:
        status = os.stat(store.path)
    except OSError as error:
        return "missing" if files.is_absence(error) else "unreadable"
    readable = os.access(store.path, os.R_OK | (os.X_OK if os.path.isdir(store.path) else 0))
    return "found" if readable and status else "unreadable"


def _words(error: Exception) -> str:
    return str(error) if type(error) is ValueError else f"unexpected {type(error).__name__}: {error}"
