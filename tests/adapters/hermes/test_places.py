"""Where Hermes Agent's sessions are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from tests.builders.common import CWD, at, put
from tests.builders.hermes import answered, change, database, key, said, session

Ask = Callable[..., Page]


@pytest.mark.parametrize(
    ("root", "variables"),
    [
        (".hermes", {}),
        ("AppData/Local/hermes", {}),
        ("Local/hermes", {"LOCALAPPDATA": "{home}/Local"}),
        ("moved", {"HERMES_HOME": "{home}/moved"}),
        ("moved", {"HERMES_HOME": "moved"}),
        (".hermes", {"HERMES_HOME": " "}),
    ],
)
def test_the_home_is_found(home: Path, ask: Ask, root: str, variables: dict[str, str]) -> None:
    database(home, [session(1)], root=root)
    database(home, [session(2)], root=f"{root}/profiles/garden")

    page = ask({name: value.replace("{home}", str(home)) for name, value in variables.items()})

    assert {one.uuid for one in page.sessions} == {key(1), key(2)}


def test_a_variable_replaces_the_home(home: Path, ask: Ask) -> None:
    database(home, [session(1)])

    assert ask({"HERMES_HOME": str(home / "moved")}).sessions == ()


def test_a_home_that_is_a_profile_leads_to_the_others(home: Path, ask: Ask) -> None:
    database(home, [session(1)], root="all")
    database(home, [session(2)], root="all/profiles/garden")
    database(home, [session(3)], root="all/profiles/barn")

    page = ask({"HERMES_HOME": str(home / "all/profiles/garden")})

    assert {one.uuid for one in page.sessions} == {key(1), key(2), key(3)}
    assert len(page.sessions) == 3


def test_sessions_of_a_profile_are_reopened_in_it(home: Path, ask: Ask) -> None:
    database(home, [session(1)], root=".hermes/profiles/garden")

    (found,) = ask().sessions

    assert found.resume_command == f"cd {CWD} && hermes --profile garden --resume {key(1)}"
    assert found.extra["profile"] == "garden"


def test_one_id_in_two_homes_is_one_session(home: Path, ask: Ask) -> None:
    older = database(home, [session(1)])
    newer = database(home, [session(1, [said("Graft"), answered(60)])], root=".hermes/profiles/garden")

    (found,) = ask().sessions

    assert (found.path, found.last_activity, found.extra["copies"]) == (str(newer), at(60), [str(older)])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"SQLite format 3\x00" + b"no database" * 900, "file is not a database"),
        (b"garbage" * 2000, "file is not a database"),
    ],
)
def test_a_database_that_is_none_is_reported(home: Path, ask: Ask, content: bytes, problem: str) -> None:
    path = put(home / ".hermes/state.db", content)
    database(home, [session(2)], root=".hermes/profiles/garden")

    page = ask()

    assert [one.uuid for one in page.sessions] == [key(2)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [("hermes", str(path), problem)]


def test_a_database_of_something_else_is_reported(home: Path, ask: Ask) -> None:
    path = database(home, columns=["id"])
    change(path, "DROP TABLE sessions")

    assert [one.problem for one in ask().warnings] == ["has no table of sessions"]


def test_an_empty_database_is_nothing(home: Path, ask: Ask) -> None:
    put(home / ".hermes/state.db", b"")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_folder_in_the_place_of_a_database_is_nothing(home: Path, ask: Ask) -> None:
    (home / ".hermes/state.db").mkdir(parents=True)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.parametrize("name", ["snapshot", "log"])
def test_a_broken_file_of_older_builds_costs_no_other(home: Path, ask: Ask, name: str) -> None:
    database(home, [session(2)])
    stem = f"session_{key(1)}.json" if name == "snapshot" else f"{key(1)}.jsonl"
    path = put(home / ".hermes/sessions" / stem, b"\x00\xff garbage")

    page = ask()

    assert [one.uuid for one in page.sessions] == [key(2)]
    assert [one.path for one in page.warnings] == ([str(path)] if name == "snapshot" else [])
