"""`sesls cache` and `--no-cache` as a person uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command.run import mixed_home, run


@pytest.fixture
def used(home: Path) -> Path:
    """A home in which sesls has listed once."""
    mixed_home(home)
    run(home, "list", "--json")
    return home


def place(home: Path) -> Path:
    return Path(run(home, "cache", "path").text.strip())


def test_its_place_is_the_users_own(used: Path) -> None:
    assert place(used).is_relative_to(used.parent)
    assert place(used).is_dir()


def test_info_is_a_line_for_each_agent_and_a_total(used: Path) -> None:
    lines = run(used, "cache", "info").lines

    assert [line.split()[0] for line in lines][-1] == "total"
    assert {"claude", "codex"} <= {line.split()[0] for line in lines}


def test_info_as_json(used: Path) -> None:
    answer = run(used, "cache", "info", "--json").json()

    assert answer["size_bytes"] == sum(agent["size_bytes"] for agent in answer["agents"]) > 0


def test_clear_leaves_nothing(used: Path) -> None:
    done = run(used, "cache", "clear")

    assert (done.status, done.output) == (0, b"")
    assert [path for path in place(used).rglob("*") if path.is_file()] == []
    assert run(used, "cache", "info", "--json").json() == {"agents": [], "size_bytes": 0}


@pytest.mark.parametrize("command", ["list", "diagnostics"])
def test_no_cache_keeps_nothing(home: Path, command: str) -> None:
    mixed_home(home)

    run(home, command, "--no-cache")

    assert not place(home).exists()


def test_a_variable_does_the_same(home: Path) -> None:
    mixed_home(home)

    run(home, "list", variables={"SESLS_NO_CACHE": "1"})

    assert not place(home).exists()


def test_a_second_listing_is_the_same(used: Path) -> None:
    first, second, without = (run(used, "list", *flags).lines for flags in ((), (), ("--no-cache",)))

    assert first == second == without
