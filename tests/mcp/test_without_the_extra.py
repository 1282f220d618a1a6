"""Without the packages of `sesls[mcp]` the command says what to install, and everything else works."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command.run import imported_by, run

WITHOUT = "import sys; sys.modules[{name!r}] = None; sys.argv[0] = 'sesls'; from sesls.cli import main; main()"


@pytest.mark.parametrize("name", ["mcp", "mcp_types", "anyio"])
def test_one_sentence_says_what_to_install(home: Path, name: str) -> None:
    done = run(home, "mcp", command=(sys.executable, "-c", WITHOUT.format(name=name)))

    assert (done.status, done.output) == (1, b"")
    assert done.said.startswith("sesls: ")
    assert "pip install 'sesls[mcp]'" in done.said
    assert done.said.count("\n") == 1


@pytest.mark.parametrize("arguments", [("list", "--json"), ("--help",), ("mcp", "--help"), ("schema",)])
def test_nothing_else_needs_it(home: Path, arguments: tuple[str, ...]) -> None:
    _, modules = imported_by(home, *arguments)

    assert {module.partition(".")[0] for module in modules} & {"mcp", "mcp_types", "anyio", "pydantic"} == set()
    assert "sesls.mcp" not in modules
