"""`sesls show`."""

# Without `from __future__ import annotations`: see `sesls.commands.list`.

import sys
from shutil import get_terminal_size

import typer

from sesls import options, usage
from sesls.adapters import known
from sesls.output import terminal

_EXAMPLES = """\
sesls show cd613e30
sesls show codex:019a --json
"""

app = typer.Typer(add_completion=False)


@app.command("show", cls=usage.Command, epilog=_EXAMPLES)
def show(
    name: options.NameArgument,
    redact: options.RedactOption = True,
    cache: options.CacheOption = True,
    json: options.JsonOption = False,
) -> None:
    """Show all that is known of one session."""
    environment = options.environment(cache)
    session = options.session(name, environment, redact=redact)
    if json:
        terminal.write_json(session.to_dict())
        return
    from sesls.output import panel

    unicode = terminal.shows_unicode(sys.stdout)
    fields = panel.fields(session, unicode=unicode)
    if not sys.stdout.isatty():
        terminal.write(*panel.plain(fields, unicode=unicode))
        return
    colour = None
    if terminal.has_colour(sys.stdout, environment.variables):
        from sesls.output.table import colour_of

        colour = colour_of(session.agent, known(environment.plugins))
    panel.draw(fields, sys.stdout, cells=get_terminal_size().columns, colour=colour)
