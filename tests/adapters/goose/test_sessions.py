from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at
from tests.builders.goose import (
    FIRST_SCHEMA,
    MODEL,
    answered,
    database,
    epoch,
    ident,
    message,
    old_file,
    said,
    session,
    stamp,
    text_part,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = database(home, [session(1, [said("Graft"), answered(45)])], ledger=[(1, "m1"), (1, "m2"), (1, "m1")])

    found = only()

    assert (found.uuid, found.agent, found.title, found.kind, found.parent_uuid) == (
        ident(), "goose", "Name 1", "agent", None,
    )  # fmt: skip
    assert (found.project_dir, found.path) == (CWD, str(path))
    assert (found.created, found.last_activity) == (at(), at(45))
    assert (found.models, found.message_count, found.size_bytes) == (("m1", "m2"), 2, None)
    assert found.resume_command == f"cd {CWD} && goose session --resume --session-id {ident()}"
    assert found.extra == {}


def test_a_subagent_has_its_parent_and_is_not_reopened(home: Path, ask: Ask) -> None:
    database(home, [session(1), session(2, session_type="sub_agent", parent_session_id=ident(1))])

    (child,) = ask(kind="subagent").sessions

    assert (child.uuid, child.parent_uuid, child.resume_command) == (ident(2), ident(1), None)


def test_a_subagent_without_a_parent_is_one(home: Path, only: Only) -> None:
    database(home, [session(1, session_type="sub_agent")])

    assert (only().kind, only().parent_uuid) == ("subagent", None)


@pytest.mark.parametrize(
    ("kind", "extra"),
    [("scheduled", {"session_kind": "scheduled"}), ("hidden", {"hidden": True}), ("acp", {"session_kind": "acp"})],
)
def test_other_kinds_of_sessions_are_peoples(home: Path, only: Only, kind: str, extra: dict[str, object]) -> None:
    database(home, [session(1, session_type=kind)])

    assert (only().kind, only().extra) == ("agent", extra)


def test_an_archived_session_says_so(home: Path, only: Only) -> None:
    database(home, [session(1, archived_at=stamp(90))])

    assert only().extra == {"archived": True}


@pytest.mark.parametrize("name", ["", "CLI Session"])
def test_a_name_that_nobody_gave_gives_way_to_the_first_prompt(home: Path, only: Only, name: str) -> None:
    database(home, [session(1, [said("Graft"), answered()], name=name)])

    assert only().title == "Graft"


def test_the_older_description_is_a_name(home: Path, only: Only) -> None:
    database(home, [session(1, name="", description="Grafting")])

    assert only().title == "Grafting"


def test_what_tools_answer_and_nobody_sees_is_no_message(home: Path, only: Only) -> None:
    messages = [
        said("Graft"),
        message("assistant", [{"type": "toolRequest", "id": "t"}], 2),
        message("user", [{"type": "toolResponse", "id": "t"}], 3),
        said("A summary for the model", 4, metadata_json='{"userVisible":false,"agentVisible":true}'),
        answered(5, metadata_json='{"userVisible":true,"agentVisible":true}'),
    ]
    database(home, [session(1, messages, name="")])

    assert (only().message_count, only().title) == (3, "Graft")


def test_the_models_are_those_that_answered_else_the_one_chosen(home: Path, only: Only) -> None:
    database(home, [session()])

    assert only().models == (MODEL,)


def test_the_last_message_counts_and_not_when_the_row_was_renamed(home: Path, only: Only) -> None:
    database(home, [session(1, [said("Graft"), answered(30)], updated_at=stamp(9000))])

    assert only().last_activity == at(30)


def test_milliseconds_of_imported_messages_are_none_of_seconds(home: Path, only: Only) -> None:
    database(home, [session(1, [said("Graft", created_timestamp=epoch(50) * 1000)])])

    assert only().last_activity == at(50)


def test_a_session_without_messages_has_the_rows_own_time(home: Path, only: Only) -> None:
    database(home, [session(1, [], model_config_json=None)])

    assert (only().last_activity, only().message_count, only().models) == (at(20), 0, ())


def test_the_first_databases_are_read(home: Path, only: Only) -> None:
    row, messages = session(1, name=..., model_config_json=..., description="Grafting")
    database(home, [(row, messages)], schema=FIRST_SCHEMA)

    assert (only().title, only().message_count, only().models) == ("Grafting", 2, ())


def test_a_file_of_an_older_version_tells_what_it_can(home: Path, only: Only) -> None:
    path = old_file(home)

    found = only()

    assert (found.uuid, found.title, found.project_dir) == (ident(), "Name 1", CWD)
    assert (found.created, found.last_activity, found.message_count) == (at(1), at(30), 2)
    assert (found.path, found.size_bytes, found.resume_command) == (str(path), path.stat().st_size, None)


def test_a_file_without_its_own_line_is_a_session_too(home: Path, only: Only) -> None:
    old_file(home, 1, [{"role": "user", "created": epoch(1), "content": [text_part("Graft")]}])

    assert (only().title, only().project_dir, only().message_count) == ("Graft", None, 1)


def test_a_file_that_the_database_took_over_is_one_session_with_its_row(home: Path, only: Only) -> None:
    path = old_file(home)
    database(home, [session(1, [said("Graft")])])

    assert only().resume_command is not None
    assert only().extra["copies"] == [str(path)]


@pytest.mark.parametrize(
    ("variables", "root"),
    [
        ({}, ".local/share/goose/sessions"),
        ({"XDG_DATA_HOME": "{home}/data"}, "data/goose/sessions"),
        ({"GOOSE_PATH_ROOT": "{home}/root", "XDG_DATA_HOME": "{home}/data"}, "root/data/sessions"),
        ({"GOOSE_PATH_ROOT": "relative"}, ".local/share/goose/sessions"),
        ({}, "AppData/Roaming/Block/goose/data/sessions"),
        ({"APPDATA": "{home}/roaming"}, "roaming/Block/goose/data/sessions"),
    ],
)
def test_the_database_lies_where_variables_and_systems_put_it(
    home: Path, only: Only, variables: dict[str, str], root: str
) -> None:
    database(home, [session()], root=root)
    given = {name: value.format(home=home) for name, value in variables.items()}

    assert only(variables=given).uuid == ident()


def test_a_database_without_messages_still_has_its_sessions(home: Path, only: Only) -> None:
    path = database(home, [session()])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE messages")
        connection.commit()

    assert (only().title, only().message_count, only().last_activity) == ("Name 1", None, at(20))


def test_a_database_of_something_else_is_reported(home: Path, ask: Ask) -> None:
    database(home, [], schema="CREATE TABLE apples (id)")

    assert [one.problem for one in ask().warnings] == ["has no table of sessions"]


def test_a_file_of_something_else_is_reported_and_an_empty_one_is_not(home: Path, ask: Ask) -> None:
    path = old_file(home, 1, b"no record\n")
    old_file(home, 2, b"")

    assert [(one.path, one.problem) for one in ask().warnings] == [(str(path), "holds no readable record")]
