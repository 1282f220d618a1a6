"""What `--help` says: plain lines that fit a screen, options by what they are for, examples at the end.

The manual page says the same, from the same `sections`.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from typer._click import Command as AnyCommand
from typer._click import Context, HelpFormatter
from typer.core import TyperCommand, TyperGroup

from sesls.output import terminal


class Section(NamedTuple):
    """Words of a command line that belong together, each with what it means."""

    heading: str
    rows: list[tuple[str, str]]


def sections(command: AnyCommand, context: Context) -> list[Section]:
    """Return what a command takes: its commands and arguments, then its options by panel, those of none last."""
    found: dict[str, list[tuple[str, str]]] = {}
    if isinstance(command, TyperGroup):
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            if one is not None and not one.hidden:
                found.setdefault("Commands", []).append((name, one.get_short_help_str(200)))
    others = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or "--show-completion" in parameter.opts:
            continue
        if parameter.param_type_name == "argument":
            found.setdefault("Arguments", []).append(record)
        elif panel := getattr(parameter, "rich_help_panel", None):
            found.setdefault(panel, []).append(record)
        else:
            others.append(record)
    return [Section(heading, rows) for heading, rows in (*found.items(), ("Options", others)) if rows]


def write(command: AnyCommand, context: Context, formatter: HelpFormatter) -> None:
    """Write the help of a command."""
    bold = terminal.has_colour(sys.stdout, os.environ)

    def head(words: str) -> None:
        formatter.write(f"\x1b[1m{words}:\x1b[0m\n" if bold else f"{words}:\n")

    command.format_usage(context, formatter)
    with formatter.indentation():
        formatter.write_text(" ".join((command.help or "").split()))
    for heading, every in sections(command, context):
        # A screen is short, and who reads this knows the option.
        rows = [row for row in every if "--help" not in row[0]] if isinstance(command, TyperGroup) else every
        if rows:
            formatter.write_paragraph()
            head(heading)
            with formatter.indentation():
                formatter.write_dl(rows)
    if command.epilog:
        formatter.write_paragraph()
        head("Examples")
        formatter.write("".join(f"  {line}\n" for line in command.epilog.splitlines()))


class Command(TyperCommand):
    """A command whose help is this module's."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the help."""
        write(self, ctx, formatter)


class Group(TyperGroup):
    """A command of commands whose help is this module's."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the help."""
        write(self, ctx, formatter)
