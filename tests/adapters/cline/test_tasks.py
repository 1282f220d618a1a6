"""Tasks: sessions of the command line 2.x and of the editor extension."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.cline import (
    DATA,
    MODEL,
    STORAGE,
    entry,
    index,
    session,
    task,
    task_id,
    ui,
)
from tests.builders.common import CWD, at, epoch_ms, put

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_task_tells_everything(home: Path, only: Only) -> None:
    path = task(home, ui("As it was typed", last=40), models=[MODEL, "small", MODEL])
    index(home, [entry(2), entry(1, task="Graft the plum")])

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": task_id(1),
        "agent": "cline",
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL, "small"],
        "last_activity": at(40),
        "created": at(0.001),
        "size_bytes": path.stat().st_size,
        "message_count": None,
        "path": str(path),
        "resume_command": f"cd {CWD} && cline -T {task_id(1)}",
    }
    assert found.extra == {}


def test_a_task_that_no_index_knows_tells_what_it_can(home: Path, only: Only) -> None:
    task(home, ui("<user_input>Graft</user_input>"), models=None)

    found = only()

    assert (found.title, found.project_dir, found.models) == ("Graft", None, ())
    assert found.resume_command == f"cline -T {task_id(1)}"


def test_the_index_adds_no_task(home: Path, ask: Ask) -> None:
    index(home, [entry(1), entry(2)])
    (home / DATA / "tasks" / task_id(1)).mkdir(parents=True)

    assert (ask().sessions, ask().warnings) == ((), ())


def test_without_its_metadata_the_index_knows_a_model(home: Path, only: Only) -> None:
    task(home, models=[])
    index(home, [entry()])

    assert only().models == ("chosen-last",)


def test_older_indexes_name_the_directory_for_checkpoints_alone(home: Path, only: Only) -> None:
    task(home)
    index(home, [entry(cwdOnTaskInitialization=..., shadowGitConfigWorkTree="/srv/barn")])

    assert only().project_dir == "/srv/barn"


def test_a_task_whose_folder_is_no_time_began_with_its_first_message(home: Path, only: Only) -> None:
    path = task(home)
    path.parent.rename(path.parent.with_name("by-hand"))

    assert (only().uuid, only().created) == ("by-hand", at(1))


@pytest.mark.parametrize("size", [10, 20_000, 400_000])
def test_the_latest_message_is_the_last_activity_however_long_they_are(home: Path, only: Only, size: int) -> None:
    messages = [*ui("Graft", last=50), {"ts": epoch_ms(70), "type": "say", "say": "text", "text": '"ts":9 ' * size}]
    task(home, messages, modified=9000)

    assert only().last_activity == at(70)


def test_messages_without_a_time_have_that_of_their_file(home: Path, only: Only) -> None:
    task(home, [{"type": "say", "say": "task", "text": "Graft"}], modified=600)

    assert (only().last_activity, only().extra) == (at(600), {"last_activity_source": "mtime"})


def test_the_extensions_first_name_for_messages_will_do(home: Path, only: Only) -> None:
    task(home, ui("Old"), name="claude_messages.json")
    assert only().title == "Old"

    task(home, ui("New"))
    assert only().title == "New"


def test_a_task_of_the_extension_has_no_command(home: Path, only: Only) -> None:
    task(home, root=STORAGE)
    index(home, [entry()], root=STORAGE)

    assert (only().project_dir, only().title, only().resume_command) == (CWD, "Prompt 1", None)


def test_every_index_tells_of_its_own_tasks(home: Path, ask: Ask) -> None:
    task(home, number=1)
    task(home, number=2, root=STORAGE)
    index(home, [entry(1, task="One"), entry(2, task="No", cwdOnTaskInitialization="/no")])
    index(home, [entry(2, task="Two", cwdOnTaskInitialization="/two")], root=STORAGE)

    assert {(one.title, one.project_dir) for one in ask().sessions} == {("One", CWD), ("Two", "/two")}


def test_tasks_beside_sessions_of_cline_3_are_not_opened_any_more(home: Path, ask: Ask) -> None:
    session(home)
    task(home)
    index(home, [entry()])

    assert {one.uuid: one.resume_command for one in ask().sessions}[task_id(1)] is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"null", b"garbage", b"\x00" * 99, b'[1, {"id": 7}, null'])
def test_an_index_that_says_nothing_costs_nothing(home: Path, ask: Ask, content: bytes) -> None:
    task(home)
    index(home, content)

    page = ask()

    assert [(one.title, one.project_dir) for one in page.sessions] == [("Prompt 1", None)]
    assert page.warnings == ()


def test_a_torn_index_says_what_is_complete(home: Path, only: Only) -> None:
    task(home)
    path = index(home, [entry(1), entry(2)])
    path.write_bytes(path.read_bytes()[:-50])

    assert only().project_dir == CWD


@pytest.mark.parametrize("content", [b"garbage", b"{}", b"7", b"\x00" * 99, b"null"])
def test_messages_that_are_no_list_cost_one_warning(home: Path, ask: Ask, content: bytes) -> None:
    path = task(home, content)
    task(home, number=2)

    page = ask()

    assert [one.uuid for one in page.sessions] == [task_id(2)]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "holds no readable record")]


@pytest.mark.parametrize("content", [b"", b"[]", b"[  "])
def test_a_task_in_which_nobody_spoke_is_none(home: Path, ask: Ask, content: bytes) -> None:
    task(home, content)

    assert (ask().sessions, ask().warnings) == ((), ())


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [7], [{"model_id": 7}]])
def test_metadata_of_wrong_types_cost_nothing(home: Path, only: Only, value: object) -> None:
    path = task(home)
    put(path.with_name("task_metadata.json"), json.dumps({"model_usage": value}))

    assert (only().title, only().models) == ("Prompt 1", ())
