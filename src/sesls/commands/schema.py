"""`sesls schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from sesls import usage
from sesls.output import terminal
from sesls.terms import Shape

app = typer.Typer(add_completion=False)


@app.command("schema", cls=usage.Command, epilog="sesls schema diagnostics")
def schema(
    shape: Annotated[
        Shape, typer.Argument(metavar="COMMAND", help="list, show, agents, diagnostics or cache.")
    ] = "list",
) -> None:
    """Print the JSON Schema of what a command prints with --json."""
    import msgspec

    from sesls.schema import schema

    terminal.write(msgspec.json.format(msgspec.json.encode(schema(shape)), indent=2).decode())
