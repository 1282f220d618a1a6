from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, START, at, epoch_ms, put, uuid
from tests.builders.kiro import MODEL, answer, conversation, database, journal, prompt, record, results, row, session

Ask = Callable[..., Page]
Only = Callable[..., Session]


# Records and journals


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = record(home)
    log = journal(home)

    found = only()

    assert (found.uuid, found.agent, found.title, found.kind, found.parent_uuid) == (
        uuid(1), "kiro", "Title 1", "agent", None,
    )  # fmt: skip
    assert (found.project_dir, found.path, found.size_bytes) == (CWD, str(path), log.stat().st_size)
    assert (found.created, found.last_activity) == (at(), at(30))
    assert (found.models, found.message_count) == ((MODEL,), 2)
    assert found.resume_command == f"cd {CWD} && kiro-cli chat --resume-id {uuid(1)}"
    assert found.extra == {}


def test_a_session_with_a_parent_is_a_subagent_and_none_for_its_reason(home: Path, ask: Ask) -> None:
    record(home, 1, session_created_reason="subagent")
    record(home, 2, parent_session_id=uuid(1))

    assert {one.uuid: (one.kind, one.parent_uuid) for one in ask().sessions} == {
        uuid(1): ("agent", None),
        uuid(2): ("subagent", uuid(1)),
    }


def test_the_models_that_thought_come_before_the_one_chosen(home: Path, only: Only) -> None:
    record(home)
    journal(home, 1, [prompt("Graft"), answer("m1"), answer("m2"), answer("m1")])

    assert only().models == ("m1", "m2")


def test_the_choice_to_let_kiro_choose_is_no_model(home: Path, only: Only) -> None:
    record(home, session_state={"rts_model_state": {"model_info": {"model_id": "auto"}}})
    journal(home)

    assert only().models == ()


def test_a_later_prompt_is_the_last_activity(home: Path, only: Only) -> None:
    record(home)
    journal(home, 1, [prompt("Graft"), answer(), prompt("Prune", 90), results()])

    assert (only().last_activity, only().message_count) == (at(90), 3)


def test_the_first_prompt_is_the_title_where_there_is_none(home: Path, only: Only) -> None:
    record(home, title="")
    journal(home)

    assert only().title == "Prompt 1"


def test_a_record_without_its_journal_is_a_session(home: Path, only: Only) -> None:
    record(home)

    assert (only().title, only().message_count, only().size_bytes) == ("Title 1", None, None)


def test_a_journal_without_its_record_is_a_session_of_nowhere(home: Path, only: Only) -> None:
    path = journal(home)

    found = only()

    assert (found.uuid, found.title, found.project_dir, found.resume_command) == (uuid(1), "Prompt 1", None, None)
    assert (found.path, found.last_activity, found.message_count) == (str(path), at(1), 2)


def test_a_damaged_record_costs_a_warning_and_not_the_session(home: Path, ask: Ask) -> None:
    path = record(home)
    path.write_text("{")
    journal(home)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(1)]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "is no readable record of a session")]


def test_a_record_of_another_name_keeps_its_id_and_its_journal(home: Path, only: Only) -> None:
    record(home, session_id="other")
    journal(home)

    assert (only().uuid, only().message_count) == ("other", 2)


def test_files_beside_them_are_no_sessions(home: Path, only: Only) -> None:
    path = record(home)
    journal(home)
    put(path.with_suffix(".history"), "Graft\n/quit\n")
    put(path.with_suffix(".lock"), '{"pid": 1}')

    assert only().uuid == uuid(1)


# Sessions of 3.0


def test_a_session_of_3_0_tells_everything_but_how_it_is_reopened(home: Path, only: Only) -> None:
    path = session(home)

    found = only()

    assert (found.uuid, found.title, found.project_dir, found.path) == (
        f"sess_{uuid(1)}", "Title 1", CWD, str(path),
    )  # fmt: skip
    assert (found.created, found.last_activity, found.models) == (at(), at(30), (MODEL,))
    assert (found.message_count, found.resume_command) == (2, None)
    assert found.size_bytes == (path.parent / "messages.jsonl").stat().st_size


def test_the_first_prompt_of_3_0_stands_where_the_session_starts(home: Path, only: Only) -> None:
    session(home, title=None)

    assert only().title == "Prompt 1"


def test_a_session_without_workspaces_ran_nobody_knows_where(home: Path, only: Only) -> None:
    session(home, workspacePaths=[], parentSessionId="sess_9", modelId="auto")

    assert (only().project_dir, only().kind, only().parent_uuid, only().models) == (None, "subagent", "sess_9", ())


# Databases


def test_a_row_tells_everything(home: Path, only: Only) -> None:
    path = database(home, [row()])

    found = only()

    assert (found.uuid, found.title, found.project_dir, found.path) == (uuid(1), "Prompt 1", CWD, str(path))
    assert (found.created, found.last_activity, found.models) == (at(), at(30), (MODEL,))
    assert (found.message_count, found.size_bytes) == (3, None)
    assert found.resume_command == f"cd {CWD} && kiro-cli chat --resume-id {uuid(1)}"


def test_a_conversation_under_two_directories_is_the_newer_one(home: Path, only: Only) -> None:
    newer = conversation(1)
    newer["history"][0]["user"]["content"]["Prompt"]["prompt"] = "Newer"
    database(
        home,
        [row(), row(key="/srv/barn", updated_at=epoch_ms(90), value=json.dumps(newer)), row(key="/a", updated_at=1)],
    )

    assert (only().project_dir, only().last_activity, only().title) == ("/srv/barn", at(90), "Newer")


def test_a_row_of_the_older_table_has_the_times_of_its_turns(home: Path, only: Only) -> None:
    database(home, [], [("/srv/barn", conversation(1, seconds=50))])

    found = only()

    assert (found.uuid, found.project_dir, found.title) == (uuid(1), "/srv/barn", "Prompt 1")
    assert (found.created, found.last_activity, found.message_count) == (at(1), at(50), 3)


def test_a_row_without_any_time_has_that_of_the_database(home: Path, only: Only) -> None:
    path = database(home, [], [("/srv/barn", {"conversation_id": "c1", "history": []})])
    os.utime(path, (START.timestamp() + 77, START.timestamp() + 77))

    assert (only().last_activity, only().created) == (at(77), None)
    assert only().extra == {"last_activity_source": "mtime"}


def test_a_session_in_several_stores_is_one_of_the_newest_kind(home: Path, only: Only) -> None:
    path = record(home)
    rows = database(home, [row(updated_at=epoch_ms(95))], [("/srv", conversation())])

    found = only()

    assert (found.path, found.last_activity, found.title) == (str(path), at(95), "Title 1")
    assert found.extra["copies"] == [str(rows)]


# Places


@pytest.mark.parametrize(
    ("variables", "root"),
    [
        ({}, ".local/share/kiro-cli"),
        ({"XDG_DATA_HOME": "{home}/data"}, "data/kiro-cli"),
        ({}, "Library/Application Support/kiro-cli"),
        ({}, "AppData/Local/kiro-cli"),
        ({"LOCALAPPDATA": "{home}/local"}, "local/kiro-cli"),
    ],
)
def test_the_database_lies_where_variables_and_systems_put_it(
    home: Path, only: Only, variables: dict[str, str], root: str
) -> None:
    database(home, [row()], root=root)
    given = {name: value.format(home=home) for name, value in variables.items()}

    assert only(variables=given).uuid == uuid(1)


def test_a_variable_moves_the_home_but_not_what_the_ide_keeps(home: Path, ask: Ask) -> None:
    record(home, 1)
    session(home, 2)
    record(home, 3, root="moved")
    session(home, 4, root="moved")

    page = ask({"KIRO_HOME": str(home / "moved")})

    assert {one.uuid for one in page.sessions} == {f"sess_{uuid(2)}", uuid(3), f"sess_{uuid(4)}"}
