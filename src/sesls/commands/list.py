"""`sesls list`, and `sesls` alone."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import typer

from sesls import options
from sesls.adapters import known
from sesls.output import terminal

if TYPE_CHECKING:
    from sesls.environment import Environment
    from sesls.page import Page
    from sesls.query import Query

app = typer.Typer(add_completion=False)


@app.command("list")
def list_sessions(
    agent: options.AgentOption = None,
    kind: options.KindOption = None,
    noise: options.NoiseOption = "include",
    project_dir: options.ProjectDirOption = None,
    limit: options.LimitOption = 100,
    offset: options.OffsetOption = 0,
    redact: options.RedactOption = True,
    cache: options.CacheOption = True,
    json: options.JsonOption = False,
) -> None:
    """List sessions, newest first. This is what sesls does without a command."""
    from sesls import parallel
    from sesls.inventory import take

    environment = options.environment(cache)
    query = options.query(environment, agent, kind, noise, project_dir, limit, offset, redact)
    page = take(query, environment, processes=parallel.processes())
    if json:
        terminal.write_json(page.answer())
    else:
        _write(page, query, environment)


def _write(page: Page, query: Query, environment: Environment) -> None:
    from sesls.output import notes, table

    if page.sessions and not sys.stdout.isatty():
        table.write_plain(page.sessions, sys.stdout)
    elif page.sessions:
        cells = get_terminal_size().columns
        if terminal.has_colour(sys.stdout, environment.variables):
            agents = known(environment.plugins)
            table.write_coloured(page.sessions, sys.stdout, home=environment.home, cells=cells, agents=agents)
        else:
            table.write_fitted(page.sessions, sys.stdout, home=environment.home, cells=cells)
    terminal.say(*notes.warnings(page.warnings, environment.home))
    if page.diagnostics is not None:
        terminal.say(*notes.explanation(page.diagnostics, environment.home))
    else:
        terminal.say(*notes.below(page, query), dim=terminal.has_colour(sys.stderr, environment.variables))
