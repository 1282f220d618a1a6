"""`sesls path`."""

# Without `from __future__ import annotations`: see `sesls.commands.list`.

import os
import sys

import typer

from sesls import options, usage

app = typer.Typer(add_completion=False)


@app.command("path", cls=usage.Command, epilog='less "$(sesls path cd613e30)"')
def path(name: options.NameArgument, cache: options.CacheOption = True) -> None:
    """Print the file that holds one session."""
    session = options.session(name, options.environment(cache))
    # Byte for byte: what follows opens it.
    sys.stdout.buffer.write(os.fsencode(session.path) + b"\n")
