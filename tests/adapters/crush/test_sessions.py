from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import at, put, uuid
from tests.builders.crush import GLOBAL, SCHEMA, answered, database, message, project, projects, said, session

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    directory = project(home, session(1, [said("Graft"), answered(seconds=45)]))

    found = only()

    assert (found.uuid, found.agent, found.title, found.kind, found.parent_uuid) == (
        uuid(1), "crush", "Title 1", "agent", None,
    )  # fmt: skip
    assert (found.project_dir, found.path) == (str(directory), str(directory / ".crush" / "crush.db"))
    assert (found.created, found.last_activity) == (at(), at(45))
    assert (found.models, found.message_count, found.size_bytes) == (("claude-sonnet-4-5",), 2, None)
    assert found.resume_command == f"cd {directory} && crush --session {uuid(1)}"
    assert found.extra == {}


def test_a_session_that_another_one_spawned_is_a_subagent_and_is_not_reopened(home: Path, ask: Ask) -> None:
    project(home, session(1), session(2, parent_session_id=uuid(1)))

    (child,) = ask(kind="subagent").sessions

    assert (child.uuid, child.parent_uuid, child.resume_command) == (uuid(2), uuid(1), None)


@pytest.mark.parametrize("title", ["", "Untitled Session", "New Session"])
def test_a_title_that_nobody_gave_gives_way_to_the_first_prompt(home: Path, only: Only, title: str) -> None:
    picture = message(
        "user", [{"type": "binary", "data": {"Path": "a.png"}}, {"type": "text", "data": {"text": "Graft"}}]
    )
    project(home, session(1, [picture, said("Prune", 2), answered()], title=title))

    assert only().title == "Graft"


def test_a_title_that_nobody_gave_stays_where_nothing_was_said(home: Path, only: Only) -> None:
    project(home, session(1, [], title="Untitled Session"))

    assert (only().title, only().message_count, only().models) == ("Untitled Session", 0, ())


def test_tools_and_summaries_are_no_messages(home: Path, only: Only) -> None:
    said_so = [
        said("Graft"),
        message("tool", [], 2),
        answered(3, model="m1"),
        answered(4, model="m2"),
        answered(5, model="m3", is_summary_message=1),
    ]
    project(home, session(1, said_so))

    assert (only().message_count, only().models) == (3, ("m1", "m2"))


def test_the_last_message_counts_where_it_is_later_than_the_row(home: Path, only: Only) -> None:
    project(home, session(1, [said("Graft"), answered(30, finished_at=None), said("Prune", 90)]))

    assert only().last_activity == at(90)


def test_sessions_of_directories_that_share_a_data_directory_ran_nobody_knows_where(home: Path, only: Only) -> None:
    database(home / "shared", [session()])
    projects(home, (home / "a", home / "shared"), (home / "b", home / "shared"))

    assert (only().project_dir, only().resume_command) == (None, None)


def test_a_relative_data_directory_is_below_the_project(home: Path, only: Only) -> None:
    database(home / "a" / ".crush", [session()])
    projects(home, (home / "a", ".crush"))

    assert only().project_dir == str(home / "a")


def test_a_project_that_is_gone_is_not_worth_a_word(home: Path, ask: Ask) -> None:
    projects(home, (home / "gone", home / "gone" / ".crush"))

    assert (ask().sessions, ask().warnings) == ((), ())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"projects": 3'])
def test_a_list_of_projects_that_cannot_be_read_is_reported(home: Path, ask: Ask, content: bytes) -> None:
    path = put(home / GLOBAL / "projects.json", content)

    assert [(one.path, one.problem) for one in ask().warnings] == [(str(path), "is no readable list of projects")]


@pytest.mark.parametrize(
    ("variables", "root"),
    [
        ({"XDG_DATA_HOME": "{home}/data"}, "data/crush"),
        ({"CRUSH_GLOBAL_DATA": "{home}/global", "XDG_DATA_HOME": "{home}/data"}, "global"),
        ({"LOCALAPPDATA": "{home}/local"}, "local/crush"),
        ({}, "AppData/Local/crush"),
    ],
)
def test_the_list_lies_where_variables_and_systems_put_it(
    home: Path, only: Only, variables: dict[str, str], root: str
) -> None:
    directory = home / "orchard"
    database(directory / ".crush", [session()])
    projects(home, (directory, directory / ".crush"), root=root)
    given = {name: value.format(home=home) for name, value in variables.items()}

    assert only(variables=given).project_dir == str(directory)


def test_a_copied_project_holds_the_same_session(home: Path, only: Only) -> None:
    for name in ("a", "b"):
        database(home / name / ".crush", [session(1, [said("Graft", 60 if name == "b" else 1)])])
    projects(home, *((home / name, home / name / ".crush") for name in ("a", "b")))

    assert only().project_dir == str(home / "b")
    assert only().extra["copies"] == [str(home / "a" / ".crush" / "crush.db")]


def test_columns_that_are_not_there_yet_are_not_missed(home: Path, only: Only) -> None:
    schema = SCHEMA.replace(", is_summary_message INTEGER DEFAULT 0 NOT NULL", "").replace(", todos TEXT", "")
    database(home / "a" / ".crush", [session()], schema)
    projects(home, (home / "a", home / "a" / ".crush"))

    assert (only().message_count, only().title) == (2, "Title 1")


def test_a_database_without_messages_still_has_its_sessions(home: Path, only: Only) -> None:
    directory = project(home)
    with closing(sqlite3.connect(directory / ".crush" / "crush.db")) as connection:
        connection.execute("DROP TABLE messages")
        connection.commit()

    assert (only().title, only().message_count, only().last_activity) == ("Title 1", None, at())


def test_a_database_of_something_else_is_reported(home: Path, ask: Ask) -> None:
    database(home / "a" / ".crush", [], "CREATE TABLE apples (id)")
    projects(home, (home / "a", home / "a" / ".crush"))

    assert [one.problem for one in ask().warnings] == ["has no table of sessions"]


def test_a_secret_in_a_title_is_masked(home: Path, only: Only) -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    project(home, session(1, [said(f"Use {token}")], title=""))

    assert only().title == "Use [REDACTED_GITHUB_TOKEN]"


def test_a_list_with_odd_entries_costs_only_those(home: Path, only: Only) -> None:
    database(home / "a" / ".crush", [session()])
    good = {"path": str(home / "a"), "data_dir": str(home / "a" / ".crush")}
    odd = [{}, {"path": 3}, {"path": "relative", "data_dir": ".crush"}, {"path": "/x\x00", "data_dir": "y"}, 7, None]
    put(home / GLOBAL / "projects.json", json.dumps({"projects": [*odd, good]}))

    assert only().title == "Title 1"
