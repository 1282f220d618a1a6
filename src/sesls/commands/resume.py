"""`sesls resume`."""

# Without `from __future__ import annotations`: see `sesls.commands.list`.

import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from sesls import options, usage
from sesls.output import terminal

if TYPE_CHECKING:
    from sesls.session import Session

_EXAMPLES = """\
sesls resume cd613e30
sesls resume cd613e30 --exec
"""

app = typer.Typer(add_completion=False)


@app.command("resume", cls=usage.Command, epilog=_EXAMPLES)
def resume(
    name: options.NameArgument,
    execute: Annotated[bool, typer.Option("--exec", help="Run the command instead of printing it.")] = False,
    cache: options.CacheOption = True,
) -> None:
    """Print the command that reopens one session in its agent."""
    session = options.session(name, options.environment(cache))
    if reason := _obstacle(session):
        _refuse(reason)
    if execute:
        _run(session)
    terminal.write(str(session.resume_command))


def _obstacle(session: "Session") -> str | None:
    """Return why a session cannot be reopened, if so."""
    from sesls.text import one_line

    if session.resume_command is None:
        if session.kind == "subagent":
            parent = f"; that is {one_line(session.parent_uuid)}" if session.parent_uuid else ""
            return f"another session spawned this one, and only that one can be reopened{parent}"
        return f"{one_line(session.agent)} has no command that reopens this session"
    if session.project_dir is not None and not os.path.isdir(session.project_dir):
        return f"its directory is gone: {one_line(session.project_dir)}"
    return None


def _run(session: "Session") -> NoReturn:
    """Become the command, in the session's directory."""
    if os.name == "nt":
        _refuse("on Windows no program can become another one; run what is printed without --exec")
    command = str(session.resume_command)
    if session.project_dir is not None:
        os.chdir(session.project_dir)
        command = command.removeprefix(f"{shlex.join(('cd', session.project_dir))} && ")
    program = shlex.split(command)[0]
    if shutil.which(program) is None:
        _refuse(f"there is no program {program}")
    sys.stdout.flush()
    # With several steps the shell has to stay, to take the second.
    os.execv("/bin/sh", ["sh", "-c", command if " && " in command else f"exec {command}"])


def _refuse(reason: str) -> NoReturn:
    terminal.say(f"sesls: {reason}")
    raise typer.Exit(1)
