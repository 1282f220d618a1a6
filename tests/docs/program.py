"""The commands and options that the program has, to tell those that a page names and it has not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer

from sesls.cli import app


def unknown(words: Sequence[str]) -> list[str]:
    """Return which of the words after `sesls` no command or option is called."""
    command: Any = typer.main.get_command(app)
    names: list[str] = []
    for word in (re.split(r"[=\]…,]", one.lstrip("["))[0] for one in words):
        if hasattr(command, "get_command"):
            if word.startswith("-") and word in _options(command):
                continue
            below = command.get_command(command.context_class(command), word) if word.isidentifier() else None
            if below is not None:
                command = below
            elif word and not word.isupper():
                names.append(word)
        elif word.startswith("-") and word != "-" and word not in _options(command):
            names.append(word)
    return names


def _options(command: Any) -> set[str]:
    own = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return own | {"--help", "-h", "--"}
