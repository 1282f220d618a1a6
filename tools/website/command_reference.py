"""The command line as a Markdown page, made of the program itself, so that it tells what there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from sesls.cli import app

_INTRODUCTION = """\
# Command line reference

What `sesls --help` and `sesls COMMAND --help` say, written by the program itself. What it means is told by
[the list command](../list.md) and [the tasks](../tasks/yesterday.md).
"""


def reference() -> str:
    """Return the page: every command with its subcommands, in the order of the help, with what each takes."""
    return "\n".join([_INTRODUCTION, *_command("sesls", typer.main.get_command(app))])


def _command(name: str, command: Any) -> Iterator[str]:
    """Yield the lines about a command, then those about its subcommands."""
    parameters = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [one for one in parameters if _is_argument(one)]
    options = [one for one in parameters if not _is_argument(one)]
    parameters = arguments + options
    names = list(_subcommands(command))
    usage = [name, "[OPTIONS]" if options else "", *map(_placeholder, arguments), "COMMAND" if names else ""]
    yield from (f"{'#' * max(len(name.split()), 2)} {name}", "", (command.help or "").strip(), "")
    yield from ("```text", " ".join(filter(None, usage)), "```", "")
    panels = list(dict.fromkeys(map(_panel, parameters)))
    for panel in panels:
        yield from ((f"**{panel or 'Others'}**", "") if len(panels) > 1 else ())
        yield from ("| | default | meaning |", "|---|---|---|")
        yield from (_row(one) for one in parameters if _panel(one) == panel)
        yield ""
    for sub, below in _subcommands(command):
        yield from _command(f"{name} {sub}", below)


def _subcommands(command: Any) -> Iterator[tuple[str, Any]]:
    """Yield the commands of a group that its help shows; nothing for a single command."""
    if not hasattr(command, "list_commands"):
        return
    context = command.context_class(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        if below is not None and not below.hidden:
            yield name, below


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _panel(parameter: Any) -> str:
    """Return the heading under which the help has a parameter; an empty one where it has none."""
    return str(getattr(parameter, "rich_help_panel", None) or "")


def _row(parameter: Any) -> str:
    spelling = f"`{_placeholder(parameter)}`" if _is_argument(parameter) else _spelling(parameter)
    return f"| {spelling} | {_default(parameter)} | {_cell(getattr(parameter, 'help', None) or '')} |"


def _placeholder(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


def _spelling(option: Any) -> str:
    """Return how an option is written: its names, the one that turns it off, and its value."""
    names = [*option.opts, *option.secondary_opts]
    value = "" if option.is_flag else f" {_value(option)}"
    return ", ".join(f"`{name}{value}`" for name in sorted(names, key=lambda name: not name.startswith("--")))


def _value(option: Any) -> str:
    choices = getattr(option.type, "choices", None)
    return option.metavar or ("|".join(choices) if choices else option.type.name.upper())


def _default(parameter: Any) -> str:
    default = parameter.default
    if getattr(parameter, "is_flag", False):
        if not parameter.secondary_opts:
            return ""
        return f"`{(parameter.opts if default else parameter.secondary_opts)[0]}`"
    return "" if default is None or callable(default) or default == () else f"`{default}`"


def _cell(text: str) -> str:
    return re.sub(r"([\\|*_`<\[])", r"\\\1", " ".join(text.split()))
