"""MCP Inspector, where it is installed (`npm install --global @modelcontextprotocol/inspector`), finds no fault."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from tests import shapes
from tests.command.run import SESLS, Run, mixed_home, run

pytest.importorskip("mcp")

INSPECTOR = shutil.which("mcp-inspector")

pytestmark = pytest.mark.skipif(INSPECTOR is None, reason="mcp-inspector is not here")


def inspect(home: Path, *arguments: str) -> Run:
    command = (str(INSPECTOR), "--cli", SESLS, "mcp", "-e", f"HOME={home}", *arguments)
    return run(home, command=command, variables={"PATH": os.environ["PATH"]})


def test_the_tools_schemas_are_portable(home: Path) -> None:
    done = inspect(home, "--method", "tools/list", "--strict")

    assert done.status == 0, done.said
    assert "warning" not in done.said.lower()
    assert [tool["name"] for tool in msgspec.json.decode(done.output)["tools"]] == ["list_sessions"]


@pytest.mark.parametrize("arguments", [("limit=3",), ("agent=codex", "noise=exclude"), ('agent=["claude","pi"]',)])
def test_the_tool_answers(home: Path, arguments: tuple[str, ...]) -> None:
    mixed_home(home)

    done = inspect(home, "--method", "tools/call", "--tool-name", "list_sessions", "--tool-arg", *arguments)

    assert done.status == 0, done.said
    shapes.check_as("list", msgspec.json.decode(done.output)["structuredContent"])


def test_a_refusal_is_shown_as_one(home: Path) -> None:
    done = inspect(home, "--method", "tools/call", "--tool-name", "list_sessions", "--tool-arg", "limit=-1")

    assert done.status != 0
    assert "limit is zero or more, not -1" in done.text
