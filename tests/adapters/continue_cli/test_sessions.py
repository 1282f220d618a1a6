"""What a session's file and the index say of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, epoch_ms, uuid
from tests.builders.continue_cli import MODEL, about, answered, encoded, entry, index, item, said, session

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    history = [said("Graft the plum"), item("thinking"), answered(), item("tool"), answered(model="small")]
    path = session(home, history, title="Grafting", mode="plan", chatModelTitle="not-used", modified=60)
    index(home, [entry()])

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "agent": "continue",
        "title": "Grafting",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL, "small"],
        "last_activity": at(60),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 3,
        "path": str(path),
        "resume_command": f"cd {CWD} && cn --fork {uuid(1)}",
        "extra": {"mode": "plan", "last_activity_source": "mtime"},
    }


# What is a session


@pytest.mark.parametrize("history", [[], [item("system")], [item("thinking"), item("tool")], [{}], [{"message": None}]])
def test_a_session_in_which_nobody_spoke_is_none(home: Path, ask: Ask, history: list[dict[str, object]]) -> None:
    session(home, history)
    index(home, [entry()])

    assert (ask().sessions, ask().warnings) == ((), ())


@pytest.mark.parametrize("turn", [said("Graft"), answered()])
def test_one_turn_makes_a_session(home: Path, only: Only, turn: dict[str, object]) -> None:
    session(home, [item("system", "x" * 40_000), turn])

    assert only().message_count == 1


def test_the_index_adds_no_session(home: Path, ask: Ask) -> None:
    session(home)
    index(home, [entry(1), entry(2)])

    assert [one.uuid for one in ask().sessions] == [uuid(1)]


def test_the_files_name_is_the_id(home: Path, only: Only) -> None:
    session(home, sessionId=uuid(7))

    assert only().uuid == uuid(1)


def test_a_fork_is_a_session_of_its_own_that_starts_alike(home: Path, ask: Ask) -> None:
    session(home, [said("Graft"), answered()])
    session(home, [said("Graft"), answered(), said("Again")], number=2)

    assert {(one.uuid, one.title, one.kind) for one in ask().sessions} == {
        (uuid(1), "Graft", "agent"),
        (uuid(2), "Graft", "agent"),
    }


# Title


@pytest.mark.parametrize("title", ["", "  ", "Untitled Session", "New Session", " New Session\n", None, 7, [], ...])
def test_a_title_that_nobody_gave_gives_way_to_the_first_prompt(home: Path, only: Only, title: object) -> None:
    session(home, title=title)

    assert only().title == "Prompt 1"


def test_the_title_is_the_sessions_not_the_indexes(home: Path, only: Only) -> None:
    session(home)
    index(home, [entry(title="Stale")])

    assert only().title == "Prompt 1"


def test_a_prompt_may_have_parts(home: Path, only: Only) -> None:
    parts = [{"type": "imageUrl", "text": "no"}, {"type": "text", "text": "Graft"}, {"type": "text", "text": "it"}]
    session(home, [said([]), said(" "), said(parts), said("Later")])

    assert (only().title, only().message_count) == ("Graft it", 4)


# Directory, models, times


@pytest.mark.parametrize(
    ("stored", "directory"),
    [
        ("/srv/orchard", "/srv/orchard"),
        ("file:///srv/orchard", "/srv/orchard"),
        ("file:///srv/plum%20trees/%C3%A9", "/srv/plum trees/é"),
        ("file:///c%3A/orchard", "c:/orchard"),
        ("C:\\orchard", "C:\\orchard"),
        ("file://server/share", None),
        ("vscode-remote://ssh-remote+host/srv", None),
        ("orchard", None),
        ("", None),
        (None, None),
        (7, None),
        (..., None),
    ],
)
def test_a_directory_may_be_a_path_or_a_uri(home: Path, only: Only, stored: object, directory: str | None) -> None:
    session(home, workspaceDirectory=stored)
    index(home, [entry()])

    assert only().project_dir == directory


def test_a_session_without_a_directory_is_opened_from_anywhere(home: Path, only: Only) -> None:
    session(home, workspaceDirectory="")

    assert only().resume_command == f"cn --fork {uuid(1)}"


def test_a_directory_after_a_long_history_is_found(home: Path, only: Only) -> None:
    history = [said("Graft"), *[answered("x" * 500)] * 200]
    told = encoded(about(history, workspaceDirectory=...))
    session(home, told[:-2] + b',\n  "workspaceDirectory": "/x"\n}')

    assert (only().project_dir, only().message_count) == ("/x", 201)


def test_models_are_those_that_answered(home: Path, only: Only) -> None:
    odd = {"message": {"role": "user", "content": "x", "usage": {"model": "never"}}}
    session(home, [odd, answered(model=None), answered(model="b"), answered(model="a"), answered(model="b")])

    assert only().models == ("b", "a")


@pytest.mark.parametrize(
    ("date", "created"),
    [
        (str(epoch_ms(5)), at(5)),
        (epoch_ms(5), at(5)),
        (at(5), at(5)),
        ("", None),
        ("yesterday", None),
        (None, None),
        ([], None),
    ],
)
def test_the_index_says_when_a_session_was_first_saved(
    home: Path, only: Only, date: object, created: str | None
) -> None:
    session(home, modified=60)
    index(home, [entry(date=date), entry(2)])

    assert (only().created, only().last_activity) == (created, at(60))


def test_the_index_may_be_written_later_than_the_file(home: Path, only: Only) -> None:
    session(home, modified=60)
    index(home, [entry(date=str(epoch_ms(60.004)))])

    assert (only().last_activity, only().extra) == (at(60.004), {"last_activity_source": "mtime"})


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"null", b"garbage", b"[1, {}, null", b"\x00" * 99])
def test_an_index_that_says_nothing_costs_nothing(home: Path, ask: Ask, content: bytes) -> None:
    session(home)
    index(home, content)

    page = ask()

    assert [(one.title, one.created) for one in page.sessions] == [("Prompt 1", None)]
    assert page.warnings == ()


def test_a_torn_index_says_what_is_complete(home: Path, only: Only) -> None:
    session(home)
    path = index(home, [entry(1), entry(2)])
    path.write_bytes(path.read_bytes()[:-90])

    assert only().created == at()
