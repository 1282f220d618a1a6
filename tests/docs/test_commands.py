"""Every command that the documentation tells to type does what it is there for: it ends well and prints something.

Programs of others are stood in for. Installing, and what takes as long as the tests themselves, is run by `.ci/run`.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command.run import run
from tests.docs import pages
from tests.docs.pages import ROOT, Command, Fence
from tests.docs.program import unknown

SILENT = ("sesls cache clear", "sesls mcp", "sesls acp", "sesls schema >")
"""Commands that have nothing to print."""

COMMANDS = tuple(dict.fromkeys(pages.commands()))
OF_CI = tuple(
    one
    for one in COMMANDS
    if re.match(
        r"(SESLS_TESTS=long |nice )?(python3? |pytest|(\.venv/bin/|peers/bin/)?pip |\.venv/bin/|git )", one.code
    )
)
"""What installs or checks this repository."""
OF_README = tuple(one for one in OF_CI if one.place.startswith("README.md") and one.program == "python3")
RUN_HERE = tuple(one for one in COMMANDS if one not in OF_CI or one.language == "python")

WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="these are commands of a Unix shell")


def name(value: Any) -> str:
    """Return a short name of what a test is about."""
    if isinstance(value, Command | Fence):
        return f"{value.place} {value.code.strip().splitlines()[0][:60]}"
    return str(value)[:70]


def shell_of(command: Command) -> tuple[str, ...]:
    """Return the command that runs one. Skips where a program that it needs is not here."""
    programs = {
        "sh": ("bash", "-o", "pipefail", "-c"),
        "python": (sys.executable, "-c"),
        "nu": ("nu", "--no-config-file", "-c"),
        "powershell": ("pwsh", "-NoProfile", "-Command"),
    }
    program, *flags = programs[command.language]
    for needed in (program, *(["jq"] if "jq" in command.code else [])):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not here")
    return (program, *flags, command.code)


@WINDOWS
@pytest.mark.parametrize("command", RUN_HERE, ids=name)
def test_a_command_ends_well_and_prints_something(command: Command, shop: Path, programs: Mapping[str, str]) -> None:
    done = run(shop.parents[1], command=shell_of(command), cwd=shop, variables=programs)

    assert done.status == 0, done.said
    assert done.text.strip() not in ("", "null", "{}", "[]") or command.code.startswith(SILENT)
    assert "rror" not in done.said


def run_in_ci() -> str:
    """Return all that `.ci/run` runs, with the commands that it takes from the README."""
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "grep '^python3 -m venv' README.md" in ci
    return ci + "\n".join(one.code for one in OF_README)


@pytest.mark.parametrize("command", OF_CI, ids=name)
def test_what_installs_or_checks_is_run_in_ci(command: Command) -> None:
    script = re.match(r"(?:nice |\.venv/bin/)?python3? (?:-m )?((?:benchmarks|tools)\S*)", command.code)
    extra = re.match(r"(?:\.venv/bin/)?pip install -e '\.\[(\w+)\]'", command.code)

    if script is not None:  # takes as long as it takes
        path = ROOT / script[1]
        compile((path / "__main__.py" if path.is_dir() else path).read_text(encoding="utf-8"), script[1], "exec")
    elif extra is not None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert extra[1] in project["optional-dependencies"]
    elif not re.fullmatch(r"python -m venv \w+|peers/bin/pip install .+|(SESLS_TESTS=long )?pytest", command.code):
        assert command.code in run_in_ci(), "neither a test nor .ci/run runs this"


def test_the_readme_has_one_command_to_install_it_and_one_to_test_it() -> None:
    install, test = OF_README

    assert install.code.endswith("&& .venv/bin/sesls list")
    assert test.code.endswith("&& .venv/bin/python -m pytest")


@pytest.mark.parametrize(("place", "call"), sorted(set(pages.calls())), ids=name)
def test_all_commands_and_options_that_are_named_exist(place: str, call: str) -> None:
    assert unknown(call.split()) == [], f"{place} names what sesls has not"


@pytest.mark.parametrize("fence", [one for one in pages.fences() if one.language in ("json", "toml")], ids=name)
def test_a_configuration_is_well_formed_and_starts_what_there_is(fence: Fence) -> None:
    if fence.language == "toml":
        value: Any = tomllib.loads(fence.code)
    elif fence.code.startswith("{\n") or fence.code.count("\n") == 1:
        value = json.loads(fence.code)
    else:
        value = [json.loads(line) for line in fence.code.splitlines()]

    for command in started(value):
        assert command[0].rpartition("/")[2] == "sesls"
        assert unknown(command[1:]) == []


def started(value: Any) -> list[list[str]]:
    """Return the commands that a configuration starts, wherever it says so."""
    if not isinstance(value, dict | list):
        return []
    if isinstance(value, list):
        return [command for one in value for command in started(one)]
    command = value.get("command")
    own = [] if command is None else [[*([command] if isinstance(command, str) else command), *value.get("args", [])]]
    return own + [command for one in value.values() for command in started(one)]


def test_the_examples_are_found() -> None:
    assert {command.language for command in COMMANDS} == {"sh", "python", "nu", "powershell"}
    assert len(RUN_HERE) > 50
    assert len(OF_CI) > 2
    assert len(set(pages.calls())) > 70


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("list --json -a pi", []),
        ("cache info --json", []),
        ("cache forget", ["forget"]),
        ("--version", []),
        ("list --jsn", ["--jsn"]),
        ("lst", ["lst"]),
        ("list [--redact | --no-redact]", []),
        ("--limit 1", ["--limit", "1"]),
    ],
)
def test_what_there_is_not_is_told(words: str, found: list[str]) -> None:
    assert unknown(words.split()) == found
