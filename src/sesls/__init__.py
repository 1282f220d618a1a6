"""sesls: `ls` for coding-agent sessions, as a library.

import sesls

page = sesls.list_sessions(agent="claude", project_dir="~/src/shop", limit=10)
for session in page.sessions:
    print(session.last_activity, session.title)
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = ["Page", "Problem", "Session", "__version__", "list_sessions"]

if TYPE_CHECKING:
    from datetime import date
    from os import PathLike

    from sesls.page import Page
    from sesls.session import Problem, Session
    from sesls.terms import Activity, Kind, Noise, Sort


def list_sessions(
    agent: str | Collection[str] | None = None,
    limit: int = 100,
    offset: int = 0,
    kind: Kind | None = None,
    noise: Noise = "include",
    project_dir: str | PathLike[str] | None = None,
    redact: bool = True,
    *,
    here: bool = False,
    since: str | date | None = None,
    until: str | date | None = None,
    activity: Activity | None = None,
    surface: str | None = None,
    home: str | PathLike[str] | Collection[str | PathLike[str]] | None = None,
    model: str | None = None,
    title: str | None = None,
    branch: str | None = None,
    sort: Sort = "activity",
    reverse: bool = False,
) -> Page:
    """Return one page of the sessions on this machine, newest first.

    agent: an agent's name (`"claude"`), several, or None for all.
    limit: how many sessions at most; 0 for all.
    offset: how many to skip.
    kind: `"agent"` for sessions that people started, `"subagent"` for those other sessions spawned, None for both.
    noise: what to do with spawned sessions: `"include"`, `"exclude"` or `"only"`.
    project_dir: only sessions that ran in this directory or below it; relative and `~` paths are resolved.
    redact: whether secrets in titles and extras are masked.
    here: only sessions of the current directory's project and the other worktrees of its repository.
    since, until: only sessions last active between the two, both included: a datetime (without a zone: local time), a
        date (all of that day), or what `--since` takes (`"7d"`, `"yesterday"`).
    activity: `"fresh"` or `"stale"`.
    surface, model, branch: patterns (`"*opus*"`) of whole names, case ignored.
    title: a text that the title has to hold, as it is stored, case ignored.
    home: another home directory, or several, to look through instead of this user's own.
    sort: `"activity"`, `"created"`, `"size"` (the newest or largest first) or `"title"`; `reverse` turns it round.

    `page.to_dict()` is what `sesls list --json` prints. Raises ValueError, in one sentence, for arguments that make
    no sense; what cannot be read is in `page.warnings`, never an exception.
    """
    from sesls import ask
    from sesls.clock import Clock
    from sesls.environment import Environment
    from sesls.inventory import take

    environment = Environment.current()
    clock = Clock.of(environment)
    query = ask.query(
        environment,
        clock,
        agent=agent,
        kind=kind,
        noise=noise,
        project_dir=project_dir,
        here=here,
        since=since,
        until=until,
        activity=activity,
        surface=surface,
        model=model,
        title=title,
        branch=branch,
        sort=sort,
        reverse=reverse,
        limit=limit,
        offset=offset,
        redact=redact,
    )
    return take(query, environment, homes=ask.homes(environment, home), clock=clock)


def __getattr__(name: str) -> object:
    """Import the record types when they are first asked for: the command line needs none of them to start."""
    if name == "Page":
        from sesls.page import Page

        return Page
    if name in ("Problem", "Session"):
        from sesls import session

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
