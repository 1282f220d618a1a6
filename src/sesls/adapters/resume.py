"""The command that reopens a session, quoted so that it can be pasted into a shell."""

from __future__ import annotations

import shlex


def command(project_dir: str | None, *steps: tuple[str, ...]) -> str:
    """Return steps joined by `&&`, after a `cd` to the project directory where it is known."""
    everything = ([("cd", project_dir)] if project_dir else []) + list(steps)
    return " && ".join(shlex.join(step) for step in everything)
