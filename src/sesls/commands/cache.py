"""`sesls cache`."""

from __future__ import annotations

import sys

import typer

from sesls import options, usage
from sesls.output import terminal

app = typer.Typer(
    name="cache",
    cls=usage.Group,
    help="See and clear what sesls remembers of the files it read.",
    add_completion=False,
)


@app.command(cls=usage.Command)
def path() -> None:
    """Print the folder in which sesls remembers what it read."""
    folder = str(options.environment(with_plugins=False).cache_home)
    if sys.stdout.isatty():  # a pipe gets the name as it is, to be used
        from sesls.text import one_line

        folder = one_line(folder)
    terminal.write(folder)


@app.command(cls=usage.Command)
def info(json: options.JsonOption = False) -> None:
    """Show how much is remembered of which agent."""
    from sesls.cache.disk import kept

    agents = kept(options.environment(with_plugins=False))
    if json:
        terminal.write_json(
            {"agents": [one.to_dict() for one in agents], "size_bytes": sum(one.size for one in agents)}
        )
    else:
        from sesls.output import notes

        terminal.write(*notes.kept(agents))


@app.command(cls=usage.Command)
def clear() -> None:
    """Forget everything: the next listing reads all files again."""
    from sesls.cache.disk import clear

    clear(options.environment(with_plugins=False))
