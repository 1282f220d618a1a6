"""`sesls diagnostics`."""

# Without `from __future__ import annotations`: see `sesls.commands.list`.

import sys
from shutil import get_terminal_size

import typer

from sesls import options, usage
from sesls.output import terminal

app = typer.Typer(add_completion=False)


@app.command(
    "diagnostics",
    cls=usage.Command,
    short_help="Show every place looked at, and which filter removes what.",
    epilog="sesls diagnostics --project-dir .",
)
def diagnostics(
    agent: options.AgentOption = None,
    kind: options.KindOption = None,
    noise: options.NoiseOption = "include",
    project_dir: options.ProjectDirOption = None,
    here: options.HereOption = False,
    since: options.SinceOption = None,
    until: options.UntilOption = None,
    activity: options.ActivityOption = None,
    surface: options.SurfaceOption = None,
    home: options.HomeOption = None,
    model: options.ModelOption = None,
    title: options.TitleOption = None,
    branch: options.BranchOption = None,
    cache: options.CacheOption = True,
    json: options.JsonOption = False,
) -> None:
    """Show every place looked at and what was found there, and which filter removes what."""
    from sesls import ask, parallel
    from sesls.clock import Clock
    from sesls.inventory import diagnose

    environment = options.environment(cache)
    clock = Clock.of(environment)
    with options.usage_checked():
        query = ask.query(
            environment,
            clock,
            agent=agent,
            kind=kind,
            noise=noise,
            project_dir=project_dir,
            here=here,
            since=since,
            until=until,
            activity=activity,
            surface=surface,
            model=model,
            title=title,
            branch=branch,
        )
        homes = ask.homes(environment, home)
    with terminal.progress(environment.variables) as progress:
        found, problems = diagnose(
            query, environment, homes=homes, clock=clock, processes=parallel.processes(), progress=progress
        )
    if json:
        warnings = {"warnings": [problem.to_dict() for problem in problems]} if problems else {}
        terminal.write_json(found.to_dict() | warnings)
    else:
        from sesls.output import notes

        cells = get_terminal_size().columns if sys.stdout.isatty() else None
        terminal.write(*notes.diagnosis(found, problems, environment.home, cells))
