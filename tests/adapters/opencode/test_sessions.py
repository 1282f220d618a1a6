"""What each generation of OpenCode's stores says of a session."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.session import Session
from tests.builders.common import CWD, at, epoch_ms, put
from tests.builders.opencode import (
    DATABASES,
    FIRST_COLUMNS,
    GENERATIONS,
    MODEL,
    RECORDS,
    VERSION,
    Message,
    assistant,
    change,
    database,
    old_record,
    record,
    ses,
    session,
    user,
    v2_database,
)
from tests.conftest import Ask

Only = Callable[..., Session]

every_generation = pytest.mark.parametrize("version", GENERATIONS)
every_database = pytest.mark.parametrize("version", DATABASES)
every_record = pytest.mark.parametrize("version", RECORDS)
both_kinds = pytest.mark.parametrize("version", ["1.1", "1.18"])


@every_generation
def test_every_generation_tells_everything(home: Path, only: Only, version: str) -> None:
    path = GENERATIONS[version](home, session())

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": ses(1),
        "agent": "opencode",
        "title": "Title 1",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "message_count": 2,
        "size_bytes": None if version in DATABASES else path.stat().st_size,
        "path": str(path),
        "resume_command": f"cd {CWD} && opencode --session {ses(1)}",
        "extra": {"agent_version": VERSION},
    }


@every_generation
def test_a_session_without_messages_is_a_session(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[]))

    found = only()

    assert (found.title, found.message_count, found.models) == ("Title 1", 0, ())
    assert (found.created, found.last_activity) == (at(), at(20))


@pytest.mark.parametrize("value", ["ses_1", "ses_ü", "0a1b2c3d-0000-4000-8000-00000000000a", "one two", "x" * 200, "7"])
@both_kinds
def test_an_id_is_any_text(home: Path, only: Only, version: str, value: str) -> None:
    GENERATIONS[version](home, session(id=value))

    found = only()

    assert (found.uuid, found.models, found.message_count) == (value, (MODEL,), 2)


@every_record
def test_the_id_in_the_record_counts_and_not_its_name(home: Path, only: Only, version: str) -> None:
    path = RECORDS[version](home, session())
    path.rename(path.with_name("renamed.json"))

    found = only()

    assert (found.uuid, found.models) == (ses(1), (MODEL,))


# Last activity


@every_generation
@pytest.mark.parametrize(
    ("messages", "updated", "expected"),
    [
        ([user("Go", seconds=1), assistant(10, took=20)], 500, 500),
        ([user("Go", seconds=1), assistant(10, took=20)], 25, 30),
        ([user("Go", seconds=1), assistant(10, took=None)], 5, 10),
        ([user("Go", seconds=1), assistant(10), user("And?", seconds=90)], 5, 90),
        ([user("Go", seconds=1), assistant(10, took=200), user("And?", seconds=90)], 5, 210),
        ([user("Go", seconds=-900), assistant(-800)], 20, 20),
    ],
)
def test_last_activity_is_the_later_of_the_session_and_its_last_messages(
    home: Path, only: Only, version: str, messages: list[Message], updated: float, expected: float
) -> None:
    GENERATIONS[version](home, session(messages=messages, time_updated=epoch_ms(updated)))

    assert only().last_activity == at(expected)


@every_generation
def test_last_activity_is_found_at_the_end_of_a_long_session(home: Path, only: Only, version: str) -> None:
    messages = [assistant(seconds, took=1) for seconds in range(0, 300, 10)]
    GENERATIONS[version](home, session(messages=messages))

    found = only()

    assert (found.last_activity, found.message_count) == (at(291), 30)


@every_database
def test_the_time_of_a_migration_is_no_activity(home: Path, only: Only, version: str) -> None:
    path = DATABASES[version](home, session())
    table = "session_message" if version == "2" else "message"
    change(path, f"UPDATE {table} SET time_updated = {epoch_ms(9000)}")

    assert only().last_activity == at(30)


@both_kinds
@pytest.mark.parametrize("updated", [..., None, "soon", -1, 0, 1e300, True, []])
def test_a_row_without_a_sane_time_is_as_old_as_its_messages(
    home: Path, only: Only, version: str, updated: object
) -> None:
    if version in DATABASES and updated == []:
        updated = b"\x00"
    GENERATIONS[version](home, session(time_updated=updated))

    assert only().last_activity == at(30)


@both_kinds
def test_a_session_that_says_only_when_it_was_created_is_as_old_as_that(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[], time_updated=...))

    found = only()

    assert (found.last_activity, "last_activity_source" in found.extra) == (at(), False)


@every_record
def test_a_record_without_any_time_is_as_old_as_its_file(home: Path, only: Only, version: str) -> None:
    write: Callable[..., Path] = record if version == "1.1" else old_record
    write(home, session(messages=[], time_created=..., time_updated=...), modified=90)

    found = only()

    assert (found.last_activity, found.created) == (at(90), None)
    assert found.extra["last_activity_source"] == "mtime"


@every_database
def test_a_row_without_any_time_is_as_old_as_its_database(home: Path, only: Only, version: str) -> None:
    path = DATABASES[version](home, session(messages=[], time_created=..., time_updated=...))
    put(path, path.read_bytes(), modified=90)

    found = only()

    assert (found.last_activity, found.extra["last_activity_source"]) == (at(90), "mtime")


@every_database
def test_a_message_without_a_time_of_its_own_has_that_of_its_row(home: Path, only: Only, version: str) -> None:
    path = DATABASES[version](home, session(messages=[user("Go")]))
    table = "session_message" if version == "2" else "message"
    change(path, f"UPDATE {table} SET time_created = {epoch_ms(70)}, data = '{{}}'")

    assert only().last_activity == at(70)


# Created, archived, version, mode


@both_kinds
def test_created_is_what_the_session_says(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(time_created=epoch_ms(3)))

    assert only().created == at(3)


@both_kinds
@pytest.mark.parametrize("created", [..., None, "once", -5])
def test_a_session_that_does_not_say_when_it_was_created_has_no_such_time(
    home: Path, only: Only, version: str, created: object
) -> None:
    GENERATIONS[version](home, session(time_created=created))

    found = only()

    assert (found.created, found.last_activity) == (None, at(30))


@every_generation
def test_an_archived_session_is_listed_and_says_so(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(time_archived=epoch_ms(900)))

    found = only()

    assert found.extra["archived"] is True
    assert found.last_activity == at(30)
    assert found.resume_command == f"cd {CWD} && opencode --session {ses(1)}"


@both_kinds
def test_a_session_that_is_not_archived_says_nothing_of_it(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(time_archived=None))

    assert "archived" not in only().extra


@both_kinds
@pytest.mark.parametrize(("version_of_row", "shown"), [("0.1.174", "0.1.174"), ("local", "local"), (None, None)])
def test_the_version_is_that_of_the_build_that_created_the_session(
    home: Path, only: Only, version: str, version_of_row: str | None, shown: str | None
) -> None:
    GENERATIONS[version](home, session(version=version_of_row))

    assert only().extra.get("agent_version") == shown


@pytest.mark.parametrize("version", ["1.18", "2"])
def test_the_mode_of_a_session_is_shown(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(agent="plan"))

    found = only()

    assert (found.extra["mode"], "subagent_type" in found.extra) == ("plan", False)


def test_of_what_is_not_there_extra_says_nothing(home: Path, only: Only) -> None:
    database(home, [session(version="")], columns=FIRST_COLUMNS)

    found = only()

    assert "extra" not in found.to_dict()


# Directory


DIRECTORIES = [
    "/",
    "/srv/two words",
    "/srv/-dash",
    "/srv/it's",
    "/srv/a\\b",
    "/srv/line\nbreak",
    "/srv/caf\u00e9",
    "/srv/cafe\u0301",
    "/srv/日本",
    "/srv/trailing/",
    "/srv/../srv/dots",
    "/" + "x" * 900,
    "C:\\Users\\someone\\orchard",
    "C:/Users/someone/orchard",
    "\\\\host\\share\\orchard",
]


@both_kinds
@pytest.mark.parametrize("directory", DIRECTORIES)
def test_a_directory_is_shown_as_it_was_written(home: Path, only: Only, version: str, directory: str) -> None:
    messages = [assistant(path={"cwd": directory, "root": "/"})]
    GENERATIONS[version](home, session(messages=messages, directory=directory))

    found = only()

    assert found.project_dir == directory
    assert shlex.split(str(found.resume_command)) == ["cd", directory, "&&", "opencode", "--session", ses(1)]


@both_kinds
@pytest.mark.parametrize("directory", ["orchard", "./orchard", "", " ", "C:", "~"])
def test_a_directory_that_is_not_absolute_is_none(home: Path, only: Only, version: str, directory: str) -> None:
    GENERATIONS[version](home, session(messages=[assistant(path={"cwd": directory})], directory=directory))

    found = only()

    assert (found.project_dir, found.resume_command) == (None, f"opencode --session {ses(1)}")


@every_database
def test_the_directory_is_never_that_of_the_project(home: Path, only: Only, version: str) -> None:
    DATABASES[version](home, session(messages=[], directory=None))

    assert only().project_dir is None


@pytest.mark.parametrize("inline", [True, False])
def test_the_directory_of_an_old_session_is_that_of_an_early_answer(home: Path, only: Only, inline: bool) -> None:
    moved = [assistant(seconds, path={"cwd": "/srv/later", "root": "/"}) for seconds in range(60, 80)]
    old_record(home, session(messages=[user("Go"), assistant(), *moved]), inline=inline)

    assert only().project_dir == CWD


def test_the_directory_of_an_old_session_is_found_behind_many_prompts(home: Path, only: Only) -> None:
    prompts = [user(f"Prompt {number}", seconds=number) for number in range(20)]
    old_record(home, session(messages=[*prompts, assistant(60)]))

    assert only().project_dir == CWD


def test_an_old_session_without_an_answer_has_no_directory(home: Path, only: Only) -> None:
    old_record(home, session(messages=[user("Go")]))

    found = only()

    assert (found.project_dir, found.resume_command) == (None, f"opencode --session {ses(1)}")


def test_a_record_that_1_1_copied_from_0_x_has_the_directory_of_an_answer(home: Path, only: Only) -> None:
    record(home, session(directory=...))

    assert only().project_dir == CWD


def test_the_directory_in_a_record_wins_over_that_of_an_answer(home: Path, only: Only) -> None:
    record(home, session(messages=[assistant(path={"cwd": "/srv/elsewhere"})]))

    assert only().project_dir == CWD


@both_kinds
def test_sessions_are_found_by_their_directory(home: Path, ask: Ask, version: str) -> None:
    for number, directory in enumerate(("/srv/a", "/srv/a/b", "/srv/ab"), 1):
        one = session(number, [assistant(path={"cwd": directory})], directory=directory)
        if version in DATABASES:
            DATABASES[version](home, one)
        else:
            RECORDS[version](home, one)

    assert {found.uuid for found in ask(project_dir="/srv/a").sessions} == {ses(1), ses(2)}


# Models and messages


@every_generation
def test_models_are_those_that_answered_in_the_order_of_their_first_answer(
    home: Path, only: Only, version: str
) -> None:
    models = ["gpt-late", "alpha", "gpt-late", "zeta", "alpha"]
    GENERATIONS[version](
        home, session(messages=[assistant(60 * place, model=model) for place, model in enumerate(models)])
    )

    assert only().models == ("gpt-late", "alpha", "zeta")


@pytest.mark.parametrize("version", ["1.2", "1.18"])
def test_models_are_in_the_order_of_time_whatever_the_order_of_rows(home: Path, only: Only, version: str) -> None:
    DATABASES[version](home, session(messages=[assistant(60, model="second"), assistant(0, model="first")]))

    assert only().models == ("first", "second")


def test_models_of_2_are_in_the_order_of_their_numbers(home: Path, only: Only) -> None:
    path = v2_database(home, [session(messages=[assistant(0, model="second"), assistant(60, model="first")])])
    change(path, "UPDATE session_message SET seq = 10 - seq")

    assert only().models == ("first", "second")


@every_record
def test_models_of_a_record_are_in_the_order_of_time_whatever_the_order_of_names(
    home: Path, only: Only, version: str
) -> None:
    RECORDS[version](home, session(messages=[assistant(60, model="second"), assistant(0, model="first")]))

    assert only().models == ("first", "second")


@pytest.mark.parametrize("model", [None, ..., "", 7, ["x"]])
@both_kinds
def test_an_answer_without_a_model_names_none(home: Path, only: Only, version: str, model: Any) -> None:
    GENERATIONS[version](home, session(messages=[assistant(modelID=model)]))

    found = only()

    assert (found.models, found.message_count) == ((), 1)


CHOSEN = json.dumps({"id": "gpt-chosen", "providerID": "openai", "variant": "high"})


@pytest.mark.parametrize("version", ["1.18", "2"])
def test_the_model_chosen_counts_where_none_answered(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[user("Go")], model=CHOSEN))

    assert only().models == ("gpt-chosen",)


@pytest.mark.parametrize("version", ["1.18", "2"])
def test_the_model_chosen_last_is_no_model_that_answered(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(model=CHOSEN))

    assert only().models == (MODEL,)


EMPTY = '{"id": ""}'


@pytest.mark.parametrize("model", ["gpt-plain", "{", "null", "[]", '{"id": 7}', EMPTY, b"{}", 7, ""])
def test_a_chosen_model_that_cannot_be_read_is_none(home: Path, only: Only, model: object) -> None:
    database(home, [session(messages=[], model=model)])

    assert only().models == ()


@every_generation
def test_the_model_that_a_prompt_asked_for_is_no_answer(home: Path, only: Only, version: str) -> None:
    asked = user("Go", model={"providerID": "openai", "modelID": "gpt-asked"}, modelID="gpt-asked")
    GENERATIONS[version](home, session(messages=[asked]))

    assert only().models == ()


@every_generation
def test_messages_of_people_and_of_the_agent_are_counted(home: Path, only: Only, version: str) -> None:
    messages = [user("Go"), assistant(10), assistant(20), user("On", seconds=30), assistant(40)]
    GENERATIONS[version](home, session(messages=messages))

    assert only().message_count == 5


@pytest.mark.parametrize("kind", ["system", "synthetic", "shell", "skill", "compaction", "model-switched", "idle"])
def test_rows_of_2_that_are_no_messages_are_not_counted(home: Path, only: Only, kind: str) -> None:
    row = Message({"text": "Not a prompt", "time": {"created": epoch_ms(90)}}, kind=kind)
    v2_database(home, [session(messages=[row, user("Go"), assistant()], title=None)])

    found = only()

    assert (found.title, found.message_count, found.last_activity) == ("Go", 2, at(90))


@pytest.mark.parametrize("version", ["0.5", "1.1", "1.2", "1.18"])
@pytest.mark.parametrize("role", ["system", "tool", "", None, 7])
def test_messages_of_others_are_not_counted(home: Path, only: Only, version: str, role: object) -> None:
    other = Message({"role": role, "modelID": "x", "time": {"created": epoch_ms(2)}})
    GENERATIONS[version](home, session(messages=[other, user("Go")]))

    found = only()

    assert (found.message_count, found.models) == (1, ())


@every_database
def test_messages_of_other_sessions_are_theirs(home: Path, ask: Ask, version: str) -> None:
    DATABASES[version](home, session(1, [user("Go"), assistant(model="one")]))
    DATABASES[version](home, session(2, [assistant(model="two")] * 5, title=""))
    DATABASES[version](home, session(3, [user("Other", seconds=3)], title=""))

    found = {one.uuid: (one.title, one.models, one.message_count) for one in ask().sessions}

    assert found == {ses(1): ("Title 1", ("one",), 2), ses(2): (None, ("two",), 5), ses(3): ("Other", (), 1)}


@both_kinds
def test_newest_sessions_come_first(home: Path, ask: Ask, version: str) -> None:
    for number, seconds in ((1, 50), (2, 500), (3, 5)):
        GENERATIONS[version](home, session(number, [], time_updated=epoch_ms(seconds)))

    assert [found.uuid for found in ask().sessions] == [ses(2), ses(1), ses(3)]
