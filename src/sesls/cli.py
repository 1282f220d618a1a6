"""The command line: names the commands, imports the one that is asked for, and turns failures into exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, NoReturn

import typer
from typer._click import Command, Context
from typer._click.exceptions import ClickException

from sesls import __version__, usage
from sesls.output import terminal

COMMANDS: Sequence[str] = (
    *("list", "show", "path", "resume", "agents", "diagnostics", "demo"),
    *("cache", "schema", "acp", "mcp"),
)
"""In the order of the help; each is a module of `sesls.commands`."""


COMPLETING = "_SESLS_COMPLETE"
"""The variable by which a shell asks what may follow on a command line."""


class _Commands(usage.Group):
    """The commands, each imported when it is asked for: all at once would cost every start what all of them cost."""

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = typer.main.get_command(import_module(f"sesls.commands.{cmd_name}").app)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        if args[0] not in COMMANDS:
            for name in COMMANDS:  # to suggest what may have been meant
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="sesls",
    cls=_Commands,
    help="ls for coding-agent sessions: what Claude Code, Codex and others left here.",
    epilog="sesls list --project-dir . --since 7d      what was worked on here in a week\n"
    "sesls resume cd613e30 --exec               go on with one of them",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version and exit.")] = False,
) -> None:
    if version:
        print(f"sesls {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from sesls.commands.list import list_sessions

        list_sessions()


def main() -> NoReturn:
    """Run the command line and exit: 0 with an answer, 2 for bad usage, 1 for a failure that left no answer."""
    terminal.prepare()
    if COMPLETING in os.environ:
        from sesls import completion

        completion.answer(app)
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except ClickException as error:
        from sesls.text import one_line  # here, for what was typed may have been pasted

        terminal.say(one_line(f"sesls: {error.format_message()}"))
        status = error.exit_code
    except typer.Abort:
        status = 1
    except OSError as error:
        terminal.abandon(sys.stdout)
        if not terminal.is_reader_gone(error):
            terminal.say(f"sesls: no answer: {(error.strerror or str(error)).lower()}")
        status = 1
    sys.exit(status if isinstance(status, int) else 0)
