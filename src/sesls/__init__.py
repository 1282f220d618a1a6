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
    from os import PathLike

    from sesls.page import Page
    from sesls.session import Problem, Session
    from sesls.terms import Kind, Noise


def list_sessions(
    agent: str | Collection[str] | None = None,
    limit: int = 100,
    offset: int = 0,
    kind: Kind | None = None,
    noise: Noise = "include",
    project_dir: str | PathLike[str] | None = None,
    redact: bool = True,
) -> Page:
    """Return one page of the sessions on this machine, newest first.

    agent: an agent's name (`"claude"`), several, or None for all.
    limit: how many sessions at most; 0 for all.
    offset: how many of the newest to skip.
    kind: `"agent"` for sessions that people started, `"subagent"` for those other sessions spawned, None for both.
    noise: what to do with spawned sessions: `"include"`, `"exclude"` or `"only"`.
    project_dir: only sessions that ran in this directory or below it; relative and `~` paths are resolved.
    redact: whether secrets in titles and extras are masked.

    `page.to_dict()` is what `sesls list --json` prints. Raises ValueError, in one sentence, for arguments that make
    no sense; what cannot be read is in `page.warnings`, never an exception.
    """
    from sesls.environment import Environment
    from sesls.inventory import take
    from sesls.paths import absolute_dir
    from sesls.query import Query

    environment = Environment.current()
    query = Query(
        agents=_names(agent),
        kind=kind,
        noise=noise,
        project_dir=None if project_dir is None else absolute_dir(project_dir, environment.cwd, environment.home),
        limit=limit,
        offset=offset,
        redact=redact,
    )
    return take(query, environment)


def _names(agent: str | Collection[str] | None) -> tuple[str, ...]:
    if agent is None:
        return ()
    names = (agent,) if isinstance(agent, str) else agent
    if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"agent is a name or several, not {agent!r}")
    return tuple(names)


def __getattr__(name: str) -> object:
    """Import the record types when they are first asked for: the command line needs none of them to start."""
    if name == "Page":
        from sesls.page import Page

        return Page
    if name in ("Problem", "Session"):
        from sesls import session

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
