"""The command that reopens a session, quoted so that it can be pasted into a shell of the system that sesls runs on."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z0-9_=-]+")
# What a quoted word cannot hold: its end, also as printers set it (PowerShell); `%` (cmd), `$` and `` ` `` (PowerShell,
# bash), which stand for something else; a line's end; a backslash before its end (bash, and many programs).
_NEVER = re.compile(r'["\u201c-\u201e%$`\x00-\x1f\x7f]|\\\Z')


def command(project_dir: str | None, *steps: tuple[str, ...], system: str = os.name) -> str | None:
    """Return steps joined by `&&`, after a change to the project directory where it is known.

    system: whose shells are to take it, as `os.name` tells. None where no command does the same in all of them.
    """
    if system == "nt":
        return _of_windows(project_dir, steps)
    everything = ([("cd", project_dir)] if project_dir else []) + list(steps)
    return " && ".join(shlex.join(step) for step in everything)


def _of_windows(project_dir: str | None, steps: Iterable[tuple[str, ...]]) -> str | None:
    """Return the same for cmd, PowerShell 7 and Git's bash, which have little in common.

    `cd` stays on its drive in cmd, `pushd` does not, and takes shares too. Nothing sets a variable for one command.
    """
    everything = list(steps)
    if project_dir:
        directory = project_dir.rstrip("\\/")
        everything.insert(0, ("pushd", directory if directory and directory[-1] != ":" else f"{directory}/"))
    words = [word for step in everything for word in step]
    if any(step[0] == "env" for step in everything) or any(_NEVER.search(word) for word in words):
        return None
    return " && ".join(" ".join(map(_quoted, step)) for step in everything)


def _quoted(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else f'"{word}"'
