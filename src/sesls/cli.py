"""The command line: turns flags into a query, asks the inventory, hands the answer to an output."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO

import typer
from typer._click.exceptions import ClickException

from sesls import __version__
from sesls.adapters import REGISTRY, chosen
from sesls.output import terminal
from sesls.terms import Kind, Noise

if TYPE_CHECKING:
    from sesls.environment import Environment
    from sesls.page import Page
    from sesls.query import Query

app = typer.Typer(
    name="sesls",
    help="ls for coding-agent sessions: what Claude Code, Codex and others left on this machine.",
    epilog="Example: sesls list --agent claude --project-dir . --noise exclude",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


cache_app = typer.Typer(help="See and clear what sesls remembers of the files it read.")
app.add_typer(cache_app, name="cache")


def _agents(incomplete: str) -> list[str]:
    return [agent for agent in REGISTRY if agent.startswith(incomplete)]


_Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        "-a",
        metavar="AGENT",
        help=f"Only this agent's sessions; repeatable. One of: {', '.join(REGISTRY)}.",
        autocompletion=_agents,
    ),
]
_Kind = Annotated[
    Kind | None,
    typer.Option("--kind", help="Only sessions that people started, or only those that sessions spawned."),
]
_Noise = Annotated[Noise, typer.Option("--noise", help="What to do with sessions that other sessions spawned.")]
_ProjectDir = Annotated[
    str | None,
    typer.Option("--project-dir", "-d", metavar="PATH", help="Only sessions that ran in this directory or below it."),
]
_Cache = Annotated[bool, typer.Option("--cache/--no-cache", help="Remember what was read for the next time.")]
_Json = Annotated[bool, typer.Option("--json", help="One JSON value instead of the table.")]


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version and exit.")] = False,
) -> None:
    if version:
        print(f"sesls {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        list_command()


@app.command("list")
def list_command(
    agent: _Agents = None,
    kind: _Kind = None,
    noise: _Noise = "include",
    project_dir: _ProjectDir = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", help="How many sessions at most; 0 for all.")
    ] = 100,
    offset: Annotated[int, typer.Option("--offset", metavar="N", help="How many of the newest to skip.")] = 0,
    redact: Annotated[bool, typer.Option("--redact/--no-redact", help="Mask secrets in titles and extras.")] = True,
    cache: _Cache = True,
    json: _Json = False,
) -> None:
    """List sessions, newest first. This is what sesls does without a command."""
    # All that a listing needs is imported by the commands themselves: help and completion do without.
    from sesls import parallel
    from sesls.inventory import take

    environment = _environment(cache)
    query = _query(environment, agent, kind, noise, project_dir, limit, offset, redact)
    page = take(query, environment, processes=parallel.processes())
    if json:
        _write_json(page.answer())
    else:
        _write_page(page, query, environment)


@app.command("diagnostics")
def diagnostics_command(
    agent: _Agents = None,
    kind: _Kind = None,
    noise: _Noise = "include",
    project_dir: _ProjectDir = None,
    cache: _Cache = True,
    json: _Json = False,
) -> None:
    """Show every place looked at and what was found there, and which filter removes what."""
    from sesls.inventory import diagnose

    environment = _environment(cache)
    query = _query(environment, agent, kind, noise, project_dir)
    found, problems = diagnose(query, environment)
    if json:
        warnings = {"warnings": [problem.to_dict() for problem in problems]} if problems else {}
        _write_json(found.to_dict() | warnings)
    else:
        from sesls.output import notes

        sys.stdout.writelines(f"{line}\n" for line in notes.diagnosis(found, problems, environment.home))


@cache_app.command("path")
def cache_path_command() -> None:
    """Print the folder in which sesls remembers what it read."""
    print(_environment().cache_home)


@cache_app.command("info")
def cache_info_command(json: _Json = False) -> None:
    """Show how much is remembered of which agent."""
    from sesls.cache import kept

    agents = kept(_environment())
    if json:
        _write_json({"agents": [one.to_dict() for one in agents], "size_bytes": sum(one.size for one in agents)})
    else:
        from sesls.output import notes

        sys.stdout.writelines(f"{line}\n" for line in notes.kept(agents))


@cache_app.command("clear")
def cache_clear_command() -> None:
    """Forget everything: the next listing reads all files again."""
    from sesls.cache import clear

    clear(_environment())


def _environment(cache: bool = True) -> Environment:
    from sesls.environment import Environment

    return Environment.current(remember=cache)


def _query(
    environment: Environment,
    agent: list[str] | None,
    kind: Kind | None,
    noise: Noise,
    project_dir: str | None,
    limit: int = 100,
    offset: int = 0,
    redact: bool = True,
) -> Query:
    from sesls.paths import absolute_dir
    from sesls.query import Query

    try:
        chosen(agent or ())
        if project_dir is not None:
            project_dir = absolute_dir(project_dir, environment.cwd, environment.home)
        return Query(
            agents=tuple(agent or ()),
            kind=kind,
            noise=noise,
            project_dir=project_dir,
            limit=limit,
            offset=offset,
            redact=redact,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _write_json(answer: dict[str, Any]) -> None:
    from sesls.output.json import encoded

    sys.stdout.buffer.write(encoded(answer))


def _write_page(page: Page, query: Query, environment: Environment) -> None:
    from sesls.output import notes, table

    if page.sessions and not sys.stdout.isatty():
        table.write_plain(page.sessions, sys.stdout)
    elif page.sessions:
        cells = get_terminal_size().columns
        if _colour(sys.stdout, environment):
            agents = tuple(REGISTRY)
            table.write_coloured(page.sessions, sys.stdout, home=environment.home, cells=cells, agents=agents)
        else:
            table.write_fitted(page.sessions, sys.stdout, home=environment.home, cells=cells)
    terminal.say(*notes.warnings(page.warnings, environment.home))
    if page.diagnostics is not None:
        terminal.say(*notes.explanation(page.diagnostics, environment.home))
    else:
        terminal.say(*notes.below(page, query), dim=_colour(sys.stderr, environment))


def _colour(stream: TextIO, environment: Environment) -> bool:
    return stream.isatty() and not environment.value("NO_COLOR") and environment.value("TERM") != "dumb"


def main() -> NoReturn:
    """Run the command line and exit: 0 with an answer, 2 for bad usage, 1 for a failure that left no answer."""
    terminal.prepare()
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except ClickException as error:
        terminal.say(f"sesls: {error.format_message()}")
        status = error.exit_code
    except typer.Abort:
        status = 1
    except OSError as error:
        terminal.abandon(sys.stdout)
        terminal.say(f"sesls: no answer: {(error.strerror or str(error)).lower()}")
        status = 1
    sys.exit(status if isinstance(status, int) else 0)
