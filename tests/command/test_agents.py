"""`sesls agents`: what sesls knows of each agent, where it looks and why there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sesls.adapters import REGISTRY, adapter
from tests.builders import opencode
from tests.builders.claude import transcript
from tests.builders.codex import rollout
from tests.command.run import Run, cells, mixed_home, plain, run, run_in_terminal, without_privileges


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed_home(tmp_path_factory.mktemp("agents") / "home")


def by_agent(done: Run) -> dict[str, Any]:
    assert done.status == 0
    return {one["agent"]: one for one in done.json()["agents"]}


def test_every_agent_is_there_with_what_its_adapter_says(mixed: Path) -> None:
    agents = by_agent(run(mixed, "agents", "--json"))

    assert tuple(agents) == tuple(REGISTRY)
    for name, one in agents.items():
        source = adapter(name)
        assert (one["label"], one["versions"], one["described"]) == (
            source.LABEL,
            source.VERSIONS,
            source.IS_DESCRIBED,
        )


def test_what_was_found_is_counted(mixed: Path) -> None:
    agents = by_agent(run(mixed, "agents", "--json"))

    assert {name: one["sessions"] for name, one in agents.items() if one["sessions"]} == {"claude": 2, "codex": 2}
    assert agents["claude"]["date_max"] == "2026-03-10T09:00:30.000Z"
    assert agents["pi"]["date_max"] is None
    first = agents["claude"]["roots"][0]
    assert first == {"path": str(mixed / ".claude" / "projects"), "state": "found", "sessions": 2}


def test_what_could_not_be_read_is_said(mixed: Path) -> None:
    assert [one["agent"] for one in run(mixed, "agents", "--json").json()["warnings"]] == ["codex"]
    assert "warning: codex: ~/.codex/sessions/" in run(mixed, "agents").said


def moved(home: Path, agent: str, **variables: str) -> dict[str, list[str]]:
    roots = by_agent(run(home, "agents", "--json", variables=variables))[agent]["roots"]
    return {root["path"]: root["variables"] for root in roots if "variables" in root}


def test_without_variables_nothing_is_moved(mixed: Path) -> None:
    assert not any(
        "variables" in root for one in by_agent(run(mixed, "agents", "--json")).values() for root in one["roots"]
    )


@pytest.mark.parametrize(
    ("agent", "variables", "places"),
    [
        ("claude", {"CLAUDE_CONFIG_DIR": "/x/c"}, {"/x/c/projects": ["CLAUDE_CONFIG_DIR"]}),
        (
            "codex",
            {"CODEX_HOME": "/x/d"},
            {"/x/d/sessions": ["CODEX_HOME"], "/x/d/archived_sessions": ["CODEX_HOME"]},
        ),
        (
            "opencode",
            {"XDG_DATA_HOME": "/x/data", "OPENCODE_DB": "my.db"},
            {"/x/data/opencode": ["XDG_DATA_HOME"], "/x/data/opencode/my.db": ["OPENCODE_DB", "XDG_DATA_HOME"]},
        ),
        ("pi", {"PI_CODING_AGENT_SESSION_DIR": "/x/p"}, {"/x/p": ["PI_CODING_AGENT_SESSION_DIR"]}),
    ],
)
def test_what_moves_a_place_is_told(
    home: Path, agent: str, variables: dict[str, str], places: dict[str, list[str]]
) -> None:
    assert moved(home, agent, **variables) == places


def test_a_variable_that_says_what_would_be_anyway_moves_nothing(home: Path) -> None:
    assert moved(home, "codex", CODEX_HOME=str(home / ".codex")) == {}
    assert moved(home, "claude", XDG_CONFIG_HOME=str(home / ".config")) == {}


def test_the_place_of_desktop_programs_is_moved_too(home: Path) -> None:
    places = moved(home, "claude", XDG_CONFIG_HOME="/x/conf")

    assert places["/x/conf/Claude/claude-code-sessions"] == ["XDG_CONFIG_HOME"]


def test_a_pipe_gets_every_place_whole(mixed: Path) -> None:
    places = [root["path"] for one in by_agent(run(mixed, "agents", "--json")).values() for root in one["roots"]]
    done = run(mixed, "agents", variables={"COLUMNS": "20"})

    assert done.lines[0].split() == ["AGENT", "SESSIONS", "NEWEST", "BASIS", "VERSIONS"]
    assert len(done.lines) == 1 + len(REGISTRY) + len(places)
    assert all(place in done.text for place in places)
    assert f"  found       {mixed}/.claude/projects  2 sessions" in done.lines


@pytest.mark.parametrize("columns", [40, 60, 200])
@pytest.mark.parametrize("no_colour", ["", "1"])
def test_a_terminal_gets_what_matters_in_its_width(mixed: Path, columns: int, no_colour: str) -> None:
    variables = {"NO_COLOR": no_colour, "CODEX_HOME": "/a/very/long/path/to/a/place/that/is/not/there/at/all"}
    done = run_in_terminal(mixed, "agents", columns=columns, variables=variables)
    text = plain(done.text)

    assert done.status == 0
    assert max(map(cells, done.lines)) <= columns
    assert ("\x1b" in done.text) is not bool(no_colour)
    assert "projects  2 sessions" in text
    assert " more" in text
    assert "(CODEX_HOME)" in text
    assert len(done.lines) < 5 * len(REGISTRY)


@pytest.mark.skipif(without_privileges() is None, reason="the superuser may read everything")
def test_a_place_that_may_not_be_read_says_so(home: Path) -> None:
    transcript(home)
    rollout(home, number=2)
    (home / ".codex" / "sessions").chmod(0)
    try:
        done = run(home, "agents", "--json", command=without_privileges() or ())
    finally:
        (home / ".codex" / "sessions").chmod(0o755)

    assert by_agent(done)["codex"]["roots"][0]["state"] == "unreadable"


def test_no_cache_keeps_nothing(home: Path) -> None:
    opencode.database(home, [opencode.session()])

    assert "opencode" in run(home, "agents", "--no-cache").text
    assert not (home.parent / "cache").exists()
