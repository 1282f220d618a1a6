"""`sesls diagnostics`."""

from __future__ import annotations

import typer

from sesls import options
from sesls.output import terminal

app = typer.Typer(add_completion=False)


@app.command("diagnostics")
def diagnostics(
    agent: options.AgentOption = None,
    kind: options.KindOption = None,
    noise: options.NoiseOption = "include",
    project_dir: options.ProjectDirOption = None,
    cache: options.CacheOption = True,
    json: options.JsonOption = False,
) -> None:
    """Show every place looked at and what was found there, and which filter removes what."""
    from sesls.inventory import diagnose

    environment = options.environment(cache)
    query = options.query(environment, agent, kind, noise, project_dir)
    found, problems = diagnose(query, environment)
    if json:
        warnings = {"warnings": [problem.to_dict() for problem in problems]} if problems else {}
        terminal.write_json(found.to_dict() | warnings)
    else:
        from sesls.output import notes

        terminal.write(*notes.diagnosis(found, problems, environment.home))
