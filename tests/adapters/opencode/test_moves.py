"""Moves between stores copy and leave behind: no store is complete, and no session is listed twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.common import CWD, at, epoch_ms, put
from tests.builders.opencode import (
    DATA,
    MODEL,
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

RESUME = f"cd {CWD} && opencode --session {ses(1)}"


# From files to files


def test_a_session_of_0_x_that_1_0_copied_is_one(home: Path, only: Only) -> None:
    old = old_record(home, session())
    new = record(home, session(directory=...))

    found = only()

    assert (found.path, found.extra["copies"], found.project_dir) == (str(new), [str(old)], CWD)
    assert (found.models, found.message_count, found.resume_command) == ((MODEL,), 2, RESUME)


def test_sessions_of_0_x_that_were_never_copied_are_listed(home: Path, ask: Ask) -> None:
    old_record(home, session(1), slug="global")
    record(home, session(2))

    assert {found.uuid: "copies" in found.extra for found in ask().sessions} == {ses(1): False, ses(2): False}


def test_a_session_that_went_on_in_0_x_is_shown_as_it_is_there(home: Path, only: Only) -> None:
    record(home, session())
    old = old_record(home, session(messages=[assistant(500, took=0)], title="Later"))

    found = only()

    assert (found.path, found.title, found.last_activity, found.message_count) == (str(old), "Later", at(500), 1)


# From files to a database


def test_a_session_that_was_imported_is_the_databases(home: Path, only: Only) -> None:
    old, new = old_record(home, session()), record(home, session())
    path = database(home, [session()])

    found = only()

    assert (found.path, found.extra["copies"]) == (str(path), [str(new), str(old)])
    assert (found.size_bytes, found.message_count, found.resume_command) == (None, 2, RESUME)


def test_a_session_that_the_import_skipped_is_listed_and_cannot_be_resumed(home: Path, ask: Ask) -> None:
    record(home, session(1))
    old_record(home, session(2))
    database(home, [session(3)])

    found = {one.uuid: one for one in ask().sessions}

    assert {uuid: one.resume_command is None for uuid, one in found.items()} == {
        ses(1): True,
        ses(2): True,
        ses(3): False,
    }
    assert (found[ses(1)].models, found[ses(2)].models) == ((MODEL,), (MODEL,))


@pytest.mark.parametrize("file", ["opencode.db", "opencode-dev.db"])
def test_records_beside_an_empty_database_cannot_be_resumed(home: Path, only: Only, file: str) -> None:
    record(home, session())
    database(home, [], file=file)

    assert only().resume_command is None


def test_records_beside_a_database_that_cannot_be_read_cannot_be_resumed(home: Path, only: Only) -> None:
    record(home, session())
    put(home / DATA / "opencode.db", b"this is no database " * 99)

    assert only().resume_command is None


def test_records_without_a_database_can_be_resumed(home: Path, only: Only) -> None:
    record(home, session())

    assert only().resume_command == RESUME


def test_a_directory_that_the_newest_copy_lacks_comes_from_another(home: Path, only: Only) -> None:
    record(home, session(messages=[]))
    path = database(home, [session(messages=[], directory=None)])

    found = only()

    assert (found.path, found.project_dir, found.resume_command) == (str(path), CWD, RESUME)


def test_the_directory_of_the_newest_copy_wins(home: Path, only: Only) -> None:
    record(home, session(directory="/srv/old"))
    database(home, [session(directory="/srv/new")])

    assert only().project_dir == "/srv/new"


# Back from a database to files


def test_a_session_that_a_downgrade_continued_in_files_is_shown_as_it_is_there(home: Path, only: Only) -> None:
    path = database(home, [session()])
    new = record(home, session(messages=[user("Go"), assistant(), assistant(500, took=9, model="gpt-later")]))

    found = only()

    assert (found.path, found.extra["copies"]) == (str(new), [str(path)])
    assert (found.last_activity, found.models, found.message_count) == (at(509), (MODEL, "gpt-later"), 3)
    assert found.resume_command == RESUME


def test_a_session_that_a_downgrade_started_in_files_is_listed(home: Path, ask: Ask) -> None:
    database(home, [session(1)])
    record(home, session(2, time_updated=epoch_ms(500)))

    assert [found.uuid for found in ask().sessions] == [ses(2), ses(1)]


def test_a_session_that_went_on_in_the_database_is_shown_as_it_is_there(home: Path, only: Only) -> None:
    record(home, session(title="Before"))
    path = database(home, [session(messages=[user("Go"), assistant(500, took=9)], title="After")])

    found = only()

    assert (found.path, found.title, found.last_activity) == (str(path), "After", at(509))


# Databases of several channels


def test_a_session_in_two_databases_is_one(home: Path, only: Only) -> None:
    path = database(home, [session()])
    other = database(home, [session()], file="opencode-dev.db")

    found = only()

    assert (found.path, found.extra["copies"], found.message_count) == (str(path), [str(other)], 2)


def test_of_two_databases_the_one_in_which_the_session_went_on_counts(home: Path, only: Only) -> None:
    path = database(home, [session()])
    other = database(home, [session(messages=[assistant(500, took=0)], title="Later")], file="opencode-dev.db")

    found = only()

    assert (found.path, found.extra["copies"]) == (str(other), [str(path)])
    assert (found.title, found.last_activity, found.message_count) == ("Later", at(500), 1)


def test_of_equal_copies_the_database_of_the_usual_channel_counts(home: Path, only: Only) -> None:
    database(home, [session()], file="opencode-a.db")
    path = database(home, [session()])
    database(home, [session()], data=".", file="named.db")

    found = only(variables={"OPENCODE_DB": str(home / "named.db")})

    assert found.path == str(path)
    assert found.extra["copies"] == [str(home / DATA / "opencode-a.db"), str(home / "named.db")]


def test_each_session_is_asked_of_the_database_that_holds_it(home: Path, ask: Ask) -> None:
    database(home, [session(1, [assistant(model="one")])])
    database(home, [session(2, [assistant(model="two")], title="")], file="opencode-dev.db")
    record(home, session(3, [user("Go"), assistant(model="three")], title=""))

    found = {one.uuid: (one.title, one.models) for one in ask().sessions}

    assert found == {ses(1): ("Title 1", ("one",)), ses(2): (None, ("two",)), ses(3): ("Go", ("three",))}


# From 1.x to 2.x within a database


def test_a_session_that_2_imported_is_shown_as_it_is_there(home: Path, only: Only) -> None:
    path = database(home, [session(title="Before", agent="build")])
    v2_database(home, [session(title="After", agent="plan")])

    found = only()

    assert (found.title, found.extra["mode"], found.path) == ("After", "plan", str(path))
    assert (found.models, "copies" in found.extra) == ((MODEL,), False)


def test_messages_that_2_imported_are_counted_once(home: Path, only: Only) -> None:
    database(home, [session()])
    v2_database(home, [session()])

    assert only().message_count == 2


def test_sessions_that_2_did_not_import_are_listed(home: Path, ask: Ask) -> None:
    database(home, [session(1, [assistant(model="one")]), session(2)])
    v2_database(home, [session(2), session(3, [assistant(model="three")])])

    found = {one.uuid: one.models for one in ask().sessions}

    assert found == {ses(1): ("one",), ses(2): (MODEL,), ses(3): ("three",)}


def test_a_session_that_2_continued_is_as_recent_as_its_last_message(home: Path, only: Only) -> None:
    database(home, [session()])
    v2_database(home, [session(messages=[user("Go"), assistant(), assistant(500, took=9)])])

    assert only().last_activity == at(509)


def test_a_title_that_2_took_away_gives_way_to_the_first_prompt(home: Path, only: Only) -> None:
    database(home, [session(title=f"New session - {at()}")])
    v2_database(home, [session(title=None)])

    assert only().title == "Prompt 1"


def test_sessions_of_an_early_2_lie_in_the_old_table_with_messages_of_the_new(home: Path, only: Only) -> None:
    v2_database(home, [session(title=None)], table="session", file="opencode-next.db")

    found = only()

    assert (found.title, found.models, found.message_count) == ("Prompt 1", (MODEL,), 2)


def test_the_empty_tables_that_1_18_already_has_change_nothing(home: Path, only: Only) -> None:
    path = database(home, [session()])
    change(path, "CREATE TABLE session_v2 (id, title)")

    found = only()

    assert (found.title, found.models, found.message_count) == ("Title 1", (MODEL,), 2)


# All at once


def test_a_home_with_all_generations_lists_each_session_once(home: Path, ask: Ask) -> None:
    for number in range(1, 8):
        old_record(home, session(number, title="0.x"))
    for number in range(2, 8):
        record(home, session(number, title="1.1"))
    database(home, [session(number, title="1.2") for number in range(3, 8)])
    v2_database(home, [session(number, title="2") for number in range(4, 8)])
    for number in range(5, 8):
        record(home, session(number, [assistant(900)], title="1.1 again"))
    database(home, [session(number, [assistant(950)], title="dev") for number in (6, 7)], file="opencode-dev.db")
    old_record(home, session(7, [assistant(990)], title="0.x again"))

    page = ask()

    listed = {found.uuid: found.to_dict() for found in page.sessions}
    assert {uuid: (found["title"], len(found["extra"].get("copies", ()))) for uuid, found in listed.items()} == {
        ses(1): ("0.x", 0),
        ses(2): ("1.1", 1),
        ses(3): ("1.2", 2),
        ses(4): ("2", 2),
        ses(5): ("1.1 again", 2),
        ses(6): ("dev", 3),
        ses(7): ("0.x again", 3),
    }
    assert (page.total, page.warnings) == (7, ())
