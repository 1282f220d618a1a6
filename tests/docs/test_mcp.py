"""The configurations in docs/mcp.md are well-formed and start the server."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
READERS = {"json": json.loads, "toml": tomllib.loads}
FENCE = re.compile(r"^```(json|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def entry(value: Any) -> dict[str, Any]:
    """Return what a configuration says of the server `sesls`, wherever it says it."""
    found: dict[str, Any] = value["sesls"] if "sesls" in value else entry(next(iter(reversed(value.values()))))
    return found


@pytest.mark.parametrize(("language", "code"), FENCE.findall(TEXT))
def test_a_configuration_starts_the_server(language: str, code: str) -> None:
    server = entry(READERS[language](code))
    command = server["command"]

    assert ([command] if isinstance(command, str) else command) + server.get("args", []) == ["sesls", "mcp"]


def test_the_configurations_are_found() -> None:
    assert len(FENCE.findall(TEXT)) == 3
