"""The options that several commands take, and the query and the environment that they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sesls.adapters import REGISTRY, chosen, known
from sesls.terms import Kind, Noise

if TYPE_CHECKING:
    from sesls.environment import Environment
    from sesls.query import Query


def _agents(incomplete: str) -> list[str]:
    return [agent for agent in known(environment().plugins) if agent.startswith(incomplete)]


AgentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        "-a",
        metavar="AGENT",
        help=f"Only this agent's sessions; repeatable. One of: {', '.join(REGISTRY)}.",
        autocompletion=_agents,
    ),
]
KindOption = Annotated[
    Kind | None,
    typer.Option("--kind", help="Only sessions that people started, or only those that sessions spawned."),
]
NoiseOption = Annotated[Noise, typer.Option("--noise", help="What to do with sessions that other sessions spawned.")]
ProjectDirOption = Annotated[
    str | None,
    typer.Option("--project-dir", "-d", metavar="PATH", help="Only sessions that ran in this directory or below it."),
]
LimitOption = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="How many sessions at most; 0 for all.")]
OffsetOption = Annotated[int, typer.Option("--offset", metavar="N", help="How many of the newest to skip.")]
RedactOption = Annotated[bool, typer.Option("--redact/--no-redact", help="Mask secrets in titles and extras.")]
CacheOption = Annotated[bool, typer.Option("--cache/--no-cache", help="Remember what was read for the next time.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON value instead of the table.")]


def environment(cache: bool = True, *, with_plugins: bool = True) -> Environment:
    """Return the environment of this process, with a cache and plug-ins, or without."""
    from sesls.environment import Environment

    return Environment.current(remember=cache, with_plugins=with_plugins)


def query(
    environment: Environment,
    agent: list[str] | None,
    kind: Kind | None,
    noise: Noise,
    project_dir: str | None,
    limit: int = 100,
    offset: int = 0,
    redact: bool = True,
) -> Query:
    """Return the query that options come to. Raises BadParameter, in one sentence, for what cannot be asked."""
    from sesls.paths import absolute_dir
    from sesls.query import Query

    try:
        chosen(agent or (), environment.plugins)
        if project_dir is not None:
            project_dir = absolute_dir(project_dir, environment.cwd, environment.home)
        return Query(
            agents=tuple(agent or ()),
            kind=kind,
            noise=noise,
            project_dir=project_dir,
            limit=limit,
            offset=offset,
            redact=redact,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
