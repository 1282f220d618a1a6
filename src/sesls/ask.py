"""What people and programs ask in their own words, made a query. Raises ValueError, in one sentence, for anything else.

The command line and the Python function both come through here.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING

from sesls.adapters import chosen
from sesls.clock import Clock
from sesls.environment import Environment
from sesls.paths import absolute_dir
from sesls.query import Query
from sesls.terms import Activity, Kind, Noise, Sort

if TYPE_CHECKING:
    from datetime import date

Directory = str | os.PathLike[str]


def query(
    environment: Environment,
    clock: Clock,
    *,
    agent: str | Collection[str] | None = None,
    kind: Kind | None = None,
    noise: Noise = "include",
    project_dir: Directory | None = None,
    here: bool = False,
    since: str | date | None = None,
    until: str | date | None = None,
    activity: Activity | None = None,
    surface: str | None = None,
    model: str | None = None,
    branch: str | None = None,
    title: str | None = None,
    sort: Sort = "activity",
    reverse: bool = False,
    limit: int = 100,
    offset: int = 0,
    redact: bool = True,
) -> Query:
    """Return the query: words of time as instants, directories absolute, the worktrees of here.

    `agent` is a name, several, or None for all; `here` stands for the project that the environment's working directory
    belongs to; a day in `since` or `until` is a whole day.
    """
    agents = _several(agent, "agent", "a name")
    chosen(agents, environment.plugins)
    if not isinstance(here, bool):
        raise ValueError(f"here is true or false, not {here!r}")
    first = last = None
    if since is not None or until is not None:
        from sesls import when  # here: few listings need it

        first = None if since is None else when.start(since, clock.now)
        last = None if until is None else when.end(until, clock.now)
    return Query(
        agents=agents,
        kind=kind,
        noise=noise,
        project_dir=None if project_dir is None else absolute_dir(project_dir, environment.cwd, environment.home),
        here=_worktrees(environment) if here else (),
        since=first,
        until=last,
        activity=activity,
        surface=surface,
        model=model,
        branch=branch,
        title=title,
        sort=sort,
        reverse=reverse,
        limit=limit,
        offset=offset,
        redact=redact,
    )


def homes(environment: Environment, home: Directory | Collection[Directory] | None) -> tuple[Environment, ...]:
    """Return the environments of the homes that are to be looked through instead of the environment's own.

    Each once, though it be named twice; none where none is named.
    """
    found: dict[str, Environment] = {}
    for one in _several(home, "home", "a directory"):
        path = absolute_dir(one, environment.cwd, environment.home, name="home")
        if not os.path.isdir(path):
            raise ValueError(f"home is a directory, and there is none at {path!r}")
        found.setdefault(os.path.realpath(path), environment.of_home(path))
    return tuple(found.values())


def _worktrees(environment: Environment) -> tuple[str, ...]:
    from sesls import repository  # here: few listings need it

    return repository.worktrees(environment.cwd)


def _several(given: object, name: str, noun: str) -> tuple[str, ...]:
    if given is None:
        return ()
    several = (given,) if isinstance(given, str | os.PathLike) else given
    if not isinstance(several, Collection) or not all(isinstance(one, str | os.PathLike) for one in several):
        raise ValueError(f"{name} is {noun} or several, not {given!r}")
    return tuple(map(os.fspath, several))
