"""`sesls acp`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sesls import options, usage
from sesls.output import terminal

app = typer.Typer(add_completion=False)


@app.command("acp", cls=usage.Command, short_help="Answer an editor on stdin and stdout: Agent Client Protocol.")
def acp(
    agent: options.AgentOption = None,
    kind: options.KindOption = None,
    noise: options.NoiseOption = "include",
    redact: options.RedactOption = True,
    cache: options.CacheOption = True,
    watch: Annotated[
        float | None,
        typer.Option("--watch", metavar="SECONDS", min=0.1, help="Tell the client so often what changed."),
    ] = None,
) -> None:
    """Answer an editor on stdin and stdout, in the Agent Client Protocol."""
    from sesls import ask, parallel
    from sesls.acp.listing import Listing
    from sesls.acp.server import serve
    from sesls.clock import Clock

    environment = options.environment(cache)
    clock = Clock.of(environment)
    with options.usage_checked():
        query = ask.query(environment, clock, agent=agent, kind=kind, noise=noise, redact=redact)
    if sys.stdin is not None and sys.stdin.isatty():
        terminal.say("sesls acp is for editors: it waits for JSON-RPC on stdin. See docs/acp.md; Ctrl-D ends it.")
    # Copying a process that has threads is not safe.
    serve(Listing(query, environment, processes=parallel.processes() if watch is None else 1), watch)
