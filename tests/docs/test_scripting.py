"""Every command of docs/scripting.md does what it is there for: it ends well and prints something."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.builders.claude import assistant, transcript, user
from tests.builders.mixed import write
from tests.command.run import SESLS, mixed_home, run, variables_of

SCRIPTING = Path(__file__).parents[2] / "docs" / "scripting.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

EXAMPLES = FENCE.findall(SCRIPTING.read_text(encoding="utf-8"))


def commands() -> list[tuple[str, str]]:
    """Return every example with its language; where each line is a command, every line."""
    examples = []
    for language, code in EXAMPLES:
        is_one = language == "python" or "while" in code
        examples += [(language, one) for one in ([code] if is_one else code.splitlines())]
    return examples


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with sessions of all agents, one of them of now, in the directory that the commands run in."""
    home = write(mixed_home(tmp_path_factory.mktemp("scripting") / "home"))
    here = str(home)
    later = "2999-01-01T00:00:00.000Z"
    rows = [user("Now", cwd=here, timestamp=later), assistant(cwd=here, timestamp=later)]
    transcript(home, rows, number=77, directory=here)
    return home


def shell_of(language: str, code: str) -> tuple[str, ...]:
    """Return the command that runs an example. Skips where a program that it needs is not here."""
    program = {"sh": "bash", "python": sys.executable, "nu": "nu"}[language]
    for needed in (program, *(["jq"] if "jq" in code else [])):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not here")
    flags = {"sh": ("-o", "pipefail", "-c"), "python": ("-c",), "nu": ("--no-config-file", "-c")}[language]
    return (program, *flags, code)


@pytest.mark.parametrize(("language", "code"), commands(), ids=lambda one: one.strip().splitlines()[-1][:70])
def test_the_example_runs(mixed: Path, language: str, code: str) -> None:
    path = {"PATH": f"{Path(SESLS).parent}:{variables_of(mixed).get('PATH', '')}"}

    done = run(mixed, command=shell_of(language, code), cwd=mixed, variables=path)

    assert done.status == 0, done.said
    assert done.text.strip() not in ("", "null", "{}", "[]")
    assert "rror" not in done.said


def test_the_examples_are_found() -> None:
    assert {language for language, _ in EXAMPLES} == {"sh", "python", "nu"}
    assert len(commands()) >= 19
