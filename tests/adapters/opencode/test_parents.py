"""Who spawned a session: its parent's id, and nothing else, makes it a subagent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.common import CWD, at, epoch_ms
from tests.builders.opencode import (
    GENERATIONS,
    MODEL,
    assistant,
    database,
    record,
    ses,
    session,
    user,
    v2_database,
)
from tests.conftest import Ask

Only = Callable[..., Session]

every_generation = pytest.mark.parametrize("version", GENERATIONS)


@every_generation
def test_a_session_with_a_parent_is_a_subagent(home: Path, ask: Ask, version: str) -> None:
    GENERATIONS[version](home, session(1))
    GENERATIONS[version](home, session(2, parent_id=ses(1), title="Find the plums (@explore subagent)"))

    found = {one.uuid: one for one in ask().sessions}

    assert (found[ses(1)].kind, found[ses(1)].parent_uuid) == ("agent", None)
    assert found[ses(2)].to_dict() == found[ses(2)].to_dict() | {
        "kind": "subagent",
        "parent_uuid": ses(1),
        "title": "Find the plums (@explore subagent)",
        "project_dir": CWD,
        "models": [MODEL],
        "last_activity": at(30),
        "message_count": 2,
        "resume_command": None,
    }


@every_generation
def test_a_subagent_whose_parent_is_gone_keeps_its_parent(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(parent_id="ses_gone"))

    found = only()

    assert (found.kind, found.parent_uuid) == ("subagent", "ses_gone")


@every_generation
@pytest.mark.parametrize("parent", [None, "", ...])
def test_a_session_without_a_parent_is_none(home: Path, only: Only, version: str, parent: object) -> None:
    GENERATIONS[version](home, session(parent_id=parent))

    found = only()

    assert (found.kind, found.parent_uuid) == ("agent", None)


def test_subagents_of_subagents_name_their_own_parents(home: Path, ask: Ask) -> None:
    database(home, [session(number, parent_id=ses(number - 1) if number > 1 else None) for number in range(1, 5)])

    parents = {found.uuid: found.parent_uuid for found in ask().sessions}

    assert parents == {ses(1): None, ses(2): ses(1), ses(3): ses(2), ses(4): ses(3)}


def test_a_session_that_is_its_own_parent_is_listed(home: Path, ask: Ask) -> None:
    database(home, [session(1, parent_id=ses(1)), session(2, parent_id=ses(3)), session(3, parent_id=ses(2))])

    assert {found.uuid: found.parent_uuid for found in ask().sessions} == {
        ses(1): ses(1),
        ses(2): ses(3),
        ses(3): ses(2),
    }


def test_a_title_like_a_subagents_makes_none(home: Path, only: Only) -> None:
    database(home, [session(title="Find the plums (@explore subagent)", agent="explore")])

    found = only()

    assert (found.kind, found.extra["mode"]) == ("agent", "explore")


@pytest.mark.parametrize("version", ["1.18", "2"])
def test_a_subagent_says_of_which_type_it_is(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(parent_id=ses(9), agent="explore"))

    found = only()

    assert (found.extra["subagent_type"], "mode" in found.extra) == ("explore", False)


@every_generation
def test_a_subagent_without_a_title_shows_its_task(home: Path, only: Only, version: str) -> None:
    one = session(messages=[user("Find the plums")], parent_id=ses(9), title=f"Child session - {at()}")
    GENERATIONS[version](home, one)

    assert only().title == "Find the plums"


def test_a_subagent_has_its_own_directory(home: Path, ask: Ask) -> None:
    database(home, [session(1), session(2, parent_id=ses(1), directory="/srv/meadow")])

    assert {found.uuid: found.project_dir for found in ask().sessions} == {ses(1): CWD, ses(2): "/srv/meadow"}


@pytest.mark.parametrize("version", ["1.1", "1.18"])
def test_a_subagent_of_an_archived_session_stays_one(home: Path, ask: Ask, version: str) -> None:
    GENERATIONS[version](home, session(1, time_archived=epoch_ms(900)))
    GENERATIONS[version](home, session(2, parent_id=ses(1)))

    assert {found.uuid: (found.kind, found.extra.get("archived")) for found in ask().sessions} == {
        ses(1): ("agent", True),
        ses(2): ("subagent", None),
    }


def test_a_parent_may_lie_in_another_store(home: Path, ask: Ask) -> None:
    record(home, session(1))
    database(home, [session(2, parent_id=ses(1))], file="opencode-dev.db")
    database(home, [session(3, parent_id=ses(2))])

    assert {found.uuid: found.parent_uuid for found in ask().sessions} == {ses(1): None, ses(2): ses(1), ses(3): ses(2)}


@every_generation
def test_subagents_are_noise(home: Path, ask: Ask, version: str) -> None:
    GENERATIONS[version](home, session(1))
    GENERATIONS[version](home, session(2, parent_id=ses(1)))
    GENERATIONS[version](home, session(3, parent_id="ses_gone"))

    assert {found.uuid for found in ask(noise="exclude").sessions} == {ses(1)}
    assert {found.uuid for found in ask(kind="subagent").sessions} == {ses(2), ses(3)}


# Forks


def test_a_fork_of_1_x_is_a_session_like_any_other(home: Path, ask: Ask) -> None:
    messages = [user("Graft the plum"), assistant()]
    database(home, [session(1, messages), session(2, messages, title="Title 1 (fork #1)", time_created=epoch_ms(500))])

    fork = next(found for found in ask().sessions if found.uuid == ses(2))

    assert (fork.kind, fork.parent_uuid, fork.title) == ("agent", None, "Title 1 (fork #1)")
    assert fork.resume_command is not None


def test_a_fork_that_was_not_continued_is_as_old_as_its_row(home: Path, only: Only) -> None:
    created = epoch_ms(500)
    database(home, [session(messages=[user("Go"), assistant()], time_created=created, time_updated=created)])

    found = only()

    assert (found.created, found.last_activity) == (at(500), at(500))


@pytest.mark.parametrize("table", ["session_v2", "session"])
def test_a_fork_of_2_names_its_source_and_has_no_parent(home: Path, only: Only, table: str) -> None:
    v2_database(home, [session(fork_session_id=ses(9), fork_boundary="msg_9")], table=table)

    found = only()

    assert (found.kind, found.parent_uuid, found.extra["forked_from"]) == ("agent", None, ses(9))
    assert found.resume_command == f"cd {CWD} && opencode --session {ses(1)}"


def test_a_session_that_is_no_fork_says_nothing_of_one(home: Path, only: Only) -> None:
    v2_database(home, [session(fork_session_id=None)])

    assert "forked_from" not in only().extra
