"""The options that several commands take, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from sesls.adapters import REGISTRY, known
from sesls.terms import FIELDS, Activity, Format, Kind, Noise, Sort

if TYPE_CHECKING:
    from sesls.environment import Environment
    from sesls.session import Session

_FILTERS = "Which sessions"
_MORE_FILTERS = "Which sessions, by what is inside them"
_PAGE = "In which order, and how many"
_SHAPE = "How it is written"

_CANDIDATES = 10
"""How many of the sessions that a name may mean are told."""


def _agents(incomplete: str) -> list[str]:
    return [agent for agent in known(environment().plugins) if agent.startswith(incomplete)]


def _directories(incomplete: str) -> list[tuple[str, str]]:
    from sesls import completion  # here: a listing needs none

    return completion.directories(incomplete, environment())


def _ids(incomplete: str) -> list[tuple[str, str]]:
    from sesls import completion  # here: no command needs it

    return completion.ids(incomplete, environment())


def _fields(incomplete: str) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    named = before.split(",")
    return [before + comma + field for field in FIELDS if field.startswith(last) and field not in named]


AgentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        "-a",
        metavar="AGENT",
        help=f"Only this agent's sessions; repeatable. One of: {', '.join(REGISTRY)}.",
        autocompletion=_agents,
        rich_help_panel=_FILTERS,
    ),
]
KindOption = Annotated[
    Kind | None,
    typer.Option(
        "--kind",
        help="Only sessions that people started, or only those that sessions spawned.",
        rich_help_panel=_FILTERS,
    ),
]
NoiseOption = Annotated[
    Noise,
    typer.Option("--noise", help="What to do with sessions that other sessions spawned.", rich_help_panel=_FILTERS),
]
ProjectDirOption = Annotated[
    str | None,
    typer.Option(
        "--project-dir",
        "-d",
        metavar="PATH",
        help="Only sessions that ran in this directory or below it.",
        autocompletion=_directories,
        rich_help_panel=_FILTERS,
    ),
]
HereOption = Annotated[
    bool,
    typer.Option(
        "--here",
        help="Only sessions of the current directory's project, all worktrees of its repository included.",
        rich_help_panel=_FILTERS,
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="WHEN",
        help="Only sessions active then or later: 2026-03-10, 2026-03-10T09:00, 7d, 12h, today, yesterday, monday.",
        rich_help_panel=_FILTERS,
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="WHEN",
        help="Only sessions last active then or before; a day counts to its end.",
        rich_help_panel=_FILTERS,
    ),
]
ActivityOption = Annotated[
    Activity | None,
    typer.Option("--activity", help="Only sessions active in the last ten minutes, or not.", rich_help_panel=_FILTERS),
]
SurfaceOption = Annotated[
    str | None,
    typer.Option(
        "--surface", metavar="GLOB", help="Only sessions started from there: 'codex*'.", rich_help_panel=_FILTERS
    ),
]
HomeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--home",
        metavar="DIR",
        help="Look through this home instead of yours: a mounted disk, a backup; repeatable.",
        rich_help_panel=_FILTERS,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="GLOB",
        help="Only sessions that this model answered in: '*opus*'.",
        rich_help_panel=_MORE_FILTERS,
    ),
]
TitleOption = Annotated[
    str | None,
    typer.Option(
        "--title",
        metavar="TEXT",
        help="Only sessions with this in their title; case does not count.",
        rich_help_panel=_MORE_FILTERS,
    ),
]
BranchOption = Annotated[
    str | None,
    typer.Option(
        "--branch",
        metavar="GLOB",
        help="Only sessions that ran on this git branch: 'feature/*'.",
        rich_help_panel=_MORE_FILTERS,
    ),
]
SortOption = Annotated[
    Sort,
    typer.Option("--sort", help="Times from the newest, titles from A, sizes from the largest.", rich_help_panel=_PAGE),
]
ReverseOption = Annotated[bool, typer.Option("--reverse", help="The other way round.", rich_help_panel=_PAGE)]
LimitOption = Annotated[
    int,
    typer.Option("--limit", "-n", metavar="N", help="How many sessions at most; 0 for all.", rich_help_panel=_PAGE),
]
OffsetOption = Annotated[int, typer.Option("--offset", metavar="N", help="How many to skip.", rich_help_panel=_PAGE)]
FormatOption = Annotated[
    Format | None, typer.Option("--format", help="The shape; table by default.", rich_help_panel=_SHAPE)
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON value.", rich_help_panel=_SHAPE)]
FieldsOption = Annotated[
    str | None,
    typer.Option(
        "--fields",
        metavar="NAMES",
        help="Which fields a table, jsonl or csv shows: uuid,title,extra.git_branch.",
        autocompletion=_fields,
        rich_help_panel=_SHAPE,
    ),
]
RedactOption = Annotated[
    bool,
    typer.Option("--redact/--no-redact", help="Mask secrets in titles and extras.", rich_help_panel=_SHAPE),
]
CacheOption = Annotated[bool, typer.Option("--cache/--no-cache", help="Remember what was read for the next time.")]

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="A session's id or the start of it, with its agent (codex:019a) or without; or the file that holds it.",
        show_default=False,
        autocompletion=_ids,
    ),
]


def environment(cache: bool = True, *, with_plugins: bool = True) -> Environment:
    """Return the environment of this process, with a cache and plug-ins, or without."""
    from sesls.environment import Environment

    return Environment.current(remember=cache, with_plugins=with_plugins)


@contextmanager
def usage_checked() -> Iterator[None]:
    """Make bad usage of what is refused within: a ValueError, whose text is one sentence."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def shape(asked: Format | None, json: bool) -> Format:
    """Return the shape that options come to. Raises BadParameter where they name two."""
    if json and asked not in (None, "json"):
        raise typer.BadParameter(f"--json and --format {asked} ask for two shapes")
    return "json" if json else asked or "table"


def fields(asked: str | None, shape: Format) -> tuple[str, ...] | None:
    """Return the fields that an option names, None where it names none. Raises BadParameter, in one sentence."""
    if asked is None:
        return None
    if shape in ("tree", "json"):
        raise typer.BadParameter(f"--fields goes with table, jsonl and csv, not with {shape}")
    names = tuple(name.strip() for name in asked.split(","))
    for name in names:
        if name not in FIELDS and not (name.startswith("extra.") and name.removeprefix("extra.")):
            raise typer.BadParameter(f"a field is one of {', '.join(FIELDS)} and extra.<name>, not {name!r}")
        if names.count(name) > 1:
            raise typer.BadParameter(f"--fields names {name} twice")
    return names


def session(name: str, environment: Environment, *, redact: bool = True) -> Session:
    """Return the one session that a name means.

    Exits with what there is to say: status 1 where there is none, 2 where there are several.
    """
    from sesls import parallel
    from sesls.inventory import named
    from sesls.output import notes, terminal

    if not name.strip():
        raise typer.BadParameter("an id is no empty text")
    with terminal.progress(environment.variables) as progress:
        page = named(
            name,
            environment,
            most=_CANDIDATES,
            redact=redact,
            processes=parallel.processes(),
            progress=progress,
        )
    if page.total == 1:
        return page.sessions[0]
    terminal.say(
        *(notes.candidates(name, page, terminal.cells_of_stderr()) if page.total else notes.unknown(name, page))
    )
    raise typer.Exit(2 if page.total else 1)
