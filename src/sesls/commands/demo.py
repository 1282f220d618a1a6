"""`sesls demo`."""

# Without `from __future__ import annotations`: see `sesls.commands.list`.

import typer
from msgspec.structs import replace

from sesls import options, usage
from sesls.output import terminal

app = typer.Typer(add_completion=False)


@app.command("demo", cls=usage.Command, epilog="sesls demo\nsesls demo --no-redact")
def demo(redact: options.RedactOption = True) -> None:
    """List made-up sessions of five agents, for a first look."""
    from sesls.clock import Clock
    from sesls.commands import list as listing
    from sesls.demo import HOME, page
    from sesls.query import Query

    environment = replace(options.environment(False), home=HOME)
    made = page(Clock.of(environment), redact=redact)
    listing.draw(made, "table", None, environment)
    listing.say(made, Query(redact=redact), environment)
    terminal.say("These sessions are made up. Yours: sesls list")
