"""`sesls mcp`."""

from __future__ import annotations

import typer

from sesls import options, usage
from sesls.output import terminal

app = typer.Typer(add_completion=False)


@app.command("mcp", cls=usage.Command)
def mcp(redact: options.RedactOption = True) -> None:
    """Serve the list to agents, as an MCP server on stdin and stdout."""
    try:
        from sesls.mcp import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "sesls":
            raise
        terminal.say(
            "sesls: the MCP server needs a package that is not here; install it with: pip install 'sesls[mcp]'"
        )
        raise typer.Exit(1) from error
    serve(redact=redact)
