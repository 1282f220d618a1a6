"""`--help`: a screen for sesls itself, groups for the list, examples that are sound."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sesls import cli
from tests.command.run import cells, imported_by, plain, run, run_in_terminal


def test_the_first_help_fits_a_screen(home: Path) -> None:
    done = run_in_terminal(home, "--help", columns=80)

    # One of 24 lines is the prompt's; the other is for the next command.
    assert len(done.lines) <= 22 + (len(cli.COMMANDS) > 10)
    assert max(map(cells, done.lines)) <= 80
    assert all(re.search(rf"^  {name} +[A-Z]", plain(done.text), re.MULTILINE) for name in cli.COMMANDS)
    assert "Examples:" in done.lines


@pytest.mark.parametrize("command", cli.COMMANDS)
@pytest.mark.parametrize("columns", [50, 80])
def test_every_help_fits_its_width(home: Path, command: str, columns: int) -> None:
    done = run_in_terminal(home, command, "-h", columns=columns)

    assert done.status == 0
    assert max(map(cells, done.lines)) <= columns + 4  # words that cannot be broken


def test_options_stand_by_what_they_are_for(home: Path) -> None:
    lines = run(home, "list", "--help").lines
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]

    assert headings[0] == "Which sessions:"
    assert headings[-2:] == ["Options:", "Examples:"]
    assert lines.index("How it is written:") < next(place for place, line in enumerate(lines) if "--json" in line)


def test_headings_are_bold_where_there_are_colours(home: Path) -> None:
    assert "\x1b[1mCommands:\x1b[0m" in run_in_terminal(home, "-h", columns=80).text
    assert "\x1b" not in run_in_terminal(home, "-h", columns=80, variables={"NO_COLOR": "1"}).text


def test_help_needs_no_rich(home: Path) -> None:
    _, modules = imported_by(home, "list", "--help")

    assert not any(module.startswith("rich") for module in modules)


@pytest.mark.parametrize("arguments", [(), *((command,) for command in cli.COMMANDS)])
def test_examples_are_commands_that_are_understood(home: Path, arguments: tuple[str, ...]) -> None:
    _, _, examples = run(home, *arguments, "--help").text.partition("Examples:\n")

    for line in examples.splitlines():
        words = shlex.split(re.split(r" {3,}|[|)]", line.strip().removeprefix('less "$('))[0])
        done = run(home, *words[1:])
        assert words[0] == "sesls"
        # Understood, though there is no such session.
        assert done.status == 0 or "there is no session" in done.said
