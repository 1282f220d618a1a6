"""`sesls list`, and `sesls` alone."""

# Without `from __future__ import annotations`: Typer would compile each annotation, twice, which costs 0.6 ms.

import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import typer

from sesls import options, usage
from sesls.adapters import known
from sesls.output import terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from sesls.environment import Environment
    from sesls.page import Page
    from sesls.query import Query
    from sesls.session import Session
    from sesls.terms import Format

_EXAMPLES = """\
sesls list --project-dir . --since 7d
sesls list --agent codex --noise exclude --limit 20
sesls list --format tree
sesls list --json | jq -r '.sessions[].title'
"""

app = typer.Typer(add_completion=False)


@app.command("list", cls=usage.Command, epilog=_EXAMPLES)
def list_sessions(
    agent: options.AgentOption = None,
    kind: options.KindOption = None,
    noise: options.NoiseOption = "include",
    project_dir: options.ProjectDirOption = None,
    here: options.HereOption = False,
    since: options.SinceOption = None,
    until: options.UntilOption = None,
    activity: options.ActivityOption = None,
    surface: options.SurfaceOption = None,
    home: options.HomeOption = None,
    model: options.ModelOption = None,
    title: options.TitleOption = None,
    branch: options.BranchOption = None,
    sort: options.SortOption = "activity",
    reverse: options.ReverseOption = False,
    limit: options.LimitOption = 100,
    offset: options.OffsetOption = 0,
    shape: options.FormatOption = None,
    json: options.JsonOption = False,
    fields: options.FieldsOption = None,
    redact: options.RedactOption = True,
    cache: options.CacheOption = True,
) -> None:
    """List sessions, newest first. This is what sesls does without a command."""
    from sesls import ask, parallel
    from sesls.clock import Clock
    from sesls.inventory import take

    shape = options.shape(shape, json)
    names = options.fields(fields, shape)
    environment = options.environment(cache)
    clock = Clock.of(environment)
    with options.usage_checked():
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
        homes = ask.homes(environment, home)
    hand_on: Callable[[Session], None] | None = None
    answer = None
    if shape == "json":
        from sesls.output.json import Writer
        from sesls.page import SCHEMA_VERSION

        answer = Writer(sys.stdout.buffer, {"schema_version": SCHEMA_VERSION}, "sessions")
        hand_on = None if sys.stdout.isatty() else answer.add  # a terminal shows progress until all is read
    elif shape == "jsonl":
        from sesls.output import lines

        hand_on = lines.writer(sys.stdout.buffer, names)
    elif shape == "csv":
        from sesls.output import csv

        hand_on = csv.writer(sys.stdout.buffer, names, with_home=bool(homes))
    with terminal.progress(environment.variables, is_streaming=hand_on is not None) as progress:
        page = take(
            query,
            environment,
            homes=homes,
            clock=clock,
            processes=parallel.processes(),
            hand_on=hand_on,
            progress=progress,
        )
    if answer is not None:
        for session in page.sessions:
            answer.add(session)
        answer.finish(page.about())
        return
    if hand_on is None and page.sessions:
        draw(page, shape, names, environment)
    say(page, query, environment)


def draw(page: "Page", shape: "Format", fields: tuple[str, ...] | None, environment: "Environment") -> None:
    """Write a table or a tree: as wide as the terminal, or whole values in a pipe."""
    from sesls.output import table, tree

    unicode = terminal.shows_unicode(sys.stdout)
    lines = (tree if shape == "tree" else table).lines(page.sessions, unicode=unicode)
    if not sys.stdout.isatty():
        table.write_plain(lines, sys.stdout, fields=fields)
        return
    home, cells = environment.home, get_terminal_size().columns
    if terminal.has_colour(sys.stdout, environment.variables):
        agents = known(environment.plugins)
        missing = table.write_coloured(lines, sys.stdout, home=home, cells=cells, agents=agents, fields=fields)
    else:
        missing = table.write_fitted(lines, sys.stdout, home=home, cells=cells, fields=fields)
    if fields is not None and missing:
        terminal.say(f"no room for {', '.join(missing)}")


def say(page: "Page", query: "Query", environment: "Environment") -> None:
    """Say on stderr what there is to say about a page."""
    from sesls.output import notes

    terminal.say(*notes.warnings(page.warnings, environment.home))
    if page.diagnostics is not None:
        terminal.say(*notes.explanation(page.diagnostics, environment.home))
        if not page.diagnostics.sessions:
            terminal.say("  What a list looks like: sesls demo")
    else:
        terminal.say(*notes.below(page, query), dim=terminal.has_colour(sys.stderr, environment.variables))
