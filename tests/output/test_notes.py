"""What is said about an answer: what was left out and how to see it, what failed, why there is nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters import REGISTRY
from sesls.inventory import diagnose
from sesls.output import notes
from sesls.page import Page
from sesls.query import Query
from sesls.session import Problem
from tests.builders.claude import assistant, subagent, transcript, user
from tests.builders.codex import rollout
from tests.conftest import environment_of

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NO_RECORD = b"\x00\xff no record\n"

Below = Callable[..., list[str]]


@pytest.fixture
def below(ask: Callable[..., Page]) -> Below:
    """A function that takes the fields of a query and returns the lines below its table."""

    def asked(**fields: object) -> list[str]:
        fields = {"limit": 0, **fields}
        return list(notes.below(ask(**fields), Query(**fields)))  # type: ignore[arg-type]

    return asked


@pytest.fixture
def orchard(home: Path) -> Path:
    """Four sessions, one of them spawned and one of them another agent's."""
    transcript(home, number=1)
    transcript(home, number=2)
    subagent(home, "a5d6907d35987d0f7")
    rollout(home, number=3)
    return home


def test_a_whole_list_is_counted(home: Path, below: Below) -> None:
    transcript(home)

    assert below() == ["1 session"]


def test_spawned_sessions_are_counted_with_the_way_to_hide_them(orchard: Path, below: Below) -> None:
    assert below() == ["4 sessions", "1 spawned by other sessions; without: --noise exclude"]
    assert below(kind="agent") == ["3 sessions", "1 more without --kind agent"]
    assert below(kind="subagent") == ["1 session", "3 more without --kind subagent"]
    assert below(noise="only") == ["1 session", "3 more without --noise only"]


@pytest.mark.parametrize(
    ("limit", "offset", "line"),
    [
        (2, 0, "1 to 2 of 4 sessions; next: --offset 2; all: --limit 0"),
        (2, 1, "2 to 3 of 4 sessions; next: --offset 3; all: --limit 0"),
        (2, 2, "3 to 4 of 4 sessions; all: --limit 0"),
        (0, 3, "4 to 4 of 4 sessions; all: --limit 0"),
    ],
)
def test_a_part_of_a_list_says_which_and_how_to_go_on(
    orchard: Path, below: Below, limit: int, offset: int, line: str
) -> None:
    assert below(limit=limit, offset=offset)[0] == line


def test_filters_are_told_with_what_they_left_out(orchard: Path, below: Below) -> None:
    assert below(noise="exclude", project_dir="/srv") == [
        "3 sessions",
        "1 more without --noise exclude and --project-dir /srv",
    ]


def test_another_agents_sessions_are_not_counted_as_left_out(orchard: Path, below: Below) -> None:
    assert below(agents=("codex",)) == ["1 session"]
    assert below(agents=("claude",), noise="exclude") == ["2 sessions", "1 more without --noise exclude"]


def test_masked_secrets_are_counted_with_the_way_to_see_them(home: Path, below: Below) -> None:
    transcript(home, [user(f"deploy with {TOKEN}"), assistant()])

    assert below() == ["1 session", "1 secret masked; shown: --no-redact"]


def test_an_offset_past_the_end_is_told(orchard: Path, below: Below) -> None:
    assert below(offset=9) == ["The offset 9 lies past the end: 4 sessions."]


def test_nothing_is_said_below_nothing(home: Path, below: Below) -> None:
    assert below() == []


def test_a_warning_names_the_agent_the_place_and_the_problem() -> None:
    problem = Problem("codex", "/home/ada/.codex/sessions", "permission denied")

    assert list(notes.warnings([problem], "/home/ada")) == ["warning: codex: ~/.codex/sessions: permission denied"]


def test_of_many_warnings_the_first_are_shown_and_the_others_counted() -> None:
    problems = [Problem("codex", f"/srv/{number}", "permission denied") for number in range(8)]

    lines = list(notes.warnings(problems, "/home/ada"))

    assert len(lines) == 6
    assert lines[0] == "warning: codex: /srv/0: permission denied"
    assert lines[-1] == "and 3 warnings more (sesls diagnostics lists all)."


def test_a_hostile_name_does_nothing_in_a_warning() -> None:
    problem = Problem("codex", "/srv/\x1b]0;PWNED\x07a\nwarning: forged", "bad \x1b[31mbytes\n")

    (line,) = notes.warnings([problem], "/home/ada")

    assert line == "warning: codex: /srv/a warning: forged: bad bytes"


def explained(home: Path, **fields: object) -> list[str]:
    found, _ = diagnose(Query(**fields), environment_of(home))  # type: ignore[arg-type]
    return list(notes.explanation(found, str(home)))


def test_an_explanation_shows_the_default_place_even_where_it_is_missing(home: Path) -> None:
    lines = explained(home)

    assert lines[0] == "No session to list."
    assert any(re.fullmatch(r"claude       no ~/\.claude/projects, nor \d+ more places", line) for line in lines)
    assert "opencode     no ~/.local/share/opencode" in lines
    assert len(lines) == len(REGISTRY) + 2
    assert lines[-1].startswith("  No agent has kept sessions here")


def test_an_explanation_shows_what_was_found_and_the_hints(orchard: Path) -> None:
    lines = explained(orchard, project_dir="/srv/\x1b[31mnowhere")

    assert "claude       3 sessions, 2026-03-10" in lines
    assert "             3 sessions       ~/.claude/projects" in lines
    assert "  The filter project directory /srv/nowhere leaves none of 4 sessions." in lines
    assert any(line.endswith(" more places looked at, not there") for line in lines)
    assert all(line.isprintable() for line in lines)


def diagnosed(home: Path, **fields: object) -> list[str]:
    found, problems = diagnose(Query(**fields), environment_of(home))  # type: ignore[arg-type]
    return list(notes.diagnosis(found, problems, str(home)))


def test_a_diagnosis_shows_every_place_the_filters_and_every_problem(orchard: Path) -> None:
    for number in range(10, 18):
        rollout(orchard, NO_RECORD, number=number)

    lines = diagnosed(orchard, agents=("codex",), noise="exclude")

    assert "             missing          ~/Library/Application Support/Claude/claude-code-sessions" in lines
    assert "total        4 sessions, 2026-03-10" in lines
    assert any(line.startswith("filters      agent codex, noise exclude: 1 session") for line in lines)
    assert len([line for line in lines if line.startswith("warning      codex: ~/.codex/sessions/")]) == 8
    assert not any("more place" in line for line in lines)


def test_a_diagnosis_fits_a_terminal(orchard: Path) -> None:
    for number in range(10, 18):
        rollout(orchard, NO_RECORD, number=number)
    found, problems = diagnose(Query(project_dir="/srv/nowhere"), environment_of(orchard))

    lines = list(notes.diagnosis(found, problems, str(orchard), 50))

    # The name of a rollout is one word.
    assert [line for line in lines if len(line) > 50 and "rollout-" not in line] == []
    assert "             3 sessions       ~/.claude/projects" in lines
    assert any(line.endswith("more places looked at, not there") for line in lines)
    assert any(line.startswith("hint ") for line in lines)


def test_a_diagnosis_shows_the_days_between_which_sessions_lie(home: Path) -> None:
    transcript(home)
    transcript(home, [user("Late", 86_400), assistant(seconds=86_430)], number=2)

    assert "total        2 sessions, 2026-03-10 to 2026-03-11" in diagnosed(home)


def test_a_diagnosis_gives_hints_too(home: Path) -> None:
    (home / ".codex" / "sessions").mkdir(parents=True)

    hints = [line for line in diagnosed(home) if line.startswith("hint")]

    assert hints == [f"hint         Codex: {home}/.codex/sessions exists and holds no sessions."]
