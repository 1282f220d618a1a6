"""`sesls agents`."""

# Without `from __future__ import annotations`: see `sesls.commands.list`.

import sys
from shutil import get_terminal_size

import typer

from sesls import options, usage
from sesls.output import terminal

app = typer.Typer(add_completion=False)


@app.command("agents", cls=usage.Command, short_help="Show every agent that sesls knows, and where it looks.")
def agents(cache: options.CacheOption = True, json: options.JsonOption = False) -> None:
    """Show every agent that sesls knows, and where it looks for its sessions."""
    from sesls import inventory, parallel
    from sesls.clock import Clock

    environment = options.environment(cache)
    clock = Clock.of(environment)
    with terminal.progress(environment.variables) as progress:
        found, problems = inventory.agents(environment, processes=parallel.processes(), progress=progress)
    if json:
        warnings = {"warnings": [problem.to_dict() for problem in problems]} if problems else {}
        terminal.write_json({"agents": [agent.to_dict() for agent in found]} | warnings)
        return
    from sesls.output import agents as output
    from sesls.output import notes

    unicode, home, cells = terminal.shows_unicode(sys.stdout), environment.home, get_terminal_size().columns
    if not sys.stdout.isatty():
        terminal.write(*output.plain(found, clock, unicode=unicode))
    elif terminal.has_colour(sys.stdout, environment.variables):
        output.write_coloured(found, clock, sys.stdout, home=home, cells=cells)
    else:
        terminal.write(*output.fitted(found, clock, home=home, cells=cells, unicode=unicode))
    terminal.say(*notes.warnings(problems, home))
