"""The formats of all versions, and one session in the files of several."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, put, uuid
from tests.builders.gemini import (
    MODEL,
    TMP,
    Record,
    answered,
    change,
    context,
    conversation,
    file_name,
    hashed,
    header,
    message,
    printed,
    project,
    said,
    session,
    slug,
    turns,
    updated,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]

BULK = [answered("x" * 2000, seconds, id=str(seconds)) for seconds in range(40, 140)]


@pytest.mark.parametrize("content", ["Prompt 1", [{"text": "Prompt 1"}]])
def test_a_conversation_in_one_object_tells_everything(home: Path, only: Only, content: object) -> None:
    project(home)
    path = printed(home, conversation([message("user", content), answered()]), name=slug())

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "title": "Prompt 1",
        "kind": "agent",
        "project_dir": CWD,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 2,
        "resume_command": f"cd {CWD} && gemini --resume {uuid(1)}",
    }
    assert found.extra == {}


def test_a_summary_is_written_after_the_last_message(home: Path, only: Only) -> None:
    printed(home, conversation(None, 1, lastUpdated=at(500), summary="Trees"))

    assert (only().title, only().last_activity) == ("Trees", at(500))


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([said("Prompt 1"), *BULK], id="a prompt at the start"),
        pytest.param([message("info", "x" * 40_000), said("Prompt 1"), *BULK], id="a long message first"),
        pytest.param([said("Prompt 1"), *BULK, message("info", "x" * 40_000, 150)], id="a long message last"),
        pytest.param([said("Prompt 1"), message("info", "x" * 3_000_000), *BULK], id="a huge message"),
        pytest.param([said("Prompt 1", note={"messages": [{"type": "user"}]}), *BULK], id="messages in a message"),
        pytest.param([said("Prompt 1\n  ]\n    {\n"), *BULK], id="a layout in a text"),
    ],
)
@pytest.mark.parametrize("layout", [2, 4, None])
def test_a_large_conversation_tells_the_same_in_any_layout(
    home: Path, only: Only, messages: list[Record], layout: int | None
) -> None:
    found = conversation(messages, lastUpdated=at(200), summary="Trees", directories=[CWD, "/srv/barn"])
    printed(home, json.dumps(found, indent=layout).encode())

    one = only()

    answers = 1 + len(BULK)
    assert (one.uuid, one.title, one.last_activity, one.message_count) == (uuid(1), "Trees", at(200), answers)
    assert (one.models, one.extra) == ((MODEL,), {"directories": [CWD, "/srv/barn"]})


@pytest.mark.parametrize("layout", [2, 4, None])
def test_a_large_conversation_without_a_turn_is_no_session(home: Path, ask: Ask, layout: int | None) -> None:
    notes = [message("info", "x" * 2000, seconds, id=str(seconds)) for seconds in range(100)]
    printed(home, json.dumps(conversation(notes), indent=layout).encode())

    assert (ask().sessions, ask().warnings) == ((), ())


def test_a_large_subagent_tells_so_at_its_end(home: Path, only: Only) -> None:
    printed(home, conversation([said("Count"), *BULK], kind="subagent", directories=[CWD]))

    assert (only().kind, only().project_dir) == ("subagent", CWD)


def test_a_large_subagent_tells_so_behind_whatever_follows_the_messages(home: Path, only: Only) -> None:
    printed(home, conversation([said("Count"), *BULK], kind="subagent", summary="x" * 40_000))

    assert only().kind == "subagent"


def test_a_turn_in_the_middle_of_notes_makes_a_session(home: Path, only: Only) -> None:
    notes = [message("info", "x" * 2000, seconds, id=str(seconds)) for seconds in range(100)]
    printed(home, conversation([*notes[:50], said("Graft", 50.5), *notes[50:]]))

    assert (only().title, only().message_count) == ("Graft", 1)


def test_the_content_tells_the_generation_not_the_name(home: Path, ask: Ask) -> None:
    folder = project(home) / "chats"
    put(folder / "session-a.json", turns(1))
    printed(home, number=2, name=slug()).rename(folder / "session-b.jsonl")

    assert sorted((one.uuid, one.message_count, one.title) for one in ask().sessions) == [
        (uuid(1), 2, "Prompt 1"),
        (uuid(2), 2, "Prompt 2"),
    ]


# One session in several files


def test_a_folder_that_was_copied_for_a_newer_version_doubles_nothing(home: Path, only: Only) -> None:
    left = printed(home)
    project(home)
    copied = printed(home, name=slug())

    found = only()

    assert (found.path, found.project_dir) == (str(copied), CWD)
    assert found.extra == {"copies": [str(left)]}


def test_of_copies_the_newest_counts(home: Path, only: Only) -> None:
    newer = printed(home, conversation([said("Prompt 1"), answered(), said("Graft", 90)], lastUpdated=at(90)))
    project(home)
    printed(home, name=slug())

    found = only()

    assert (found.path, found.last_activity, found.message_count) == (str(newer), at(90), 3)
    assert found.project_dir == CWD


def test_a_conversation_that_goes_on_in_lines_is_one_session(home: Path, only: Only) -> None:
    project(home)
    old = printed(home, name=slug())
    records = [
        header(seconds=60),
        change(messages=[context(60)]),
        header(kind=..., lastUpdated=at(30)),
        said("Prompt 1"),
        answered(),
        change(sessionId=uuid(1)),
        change(messages=[context(61), said("Prompt 1"), answered()], lastUpdated=at(61)),
        said("Graft", 62),
        answered(seconds=63, model="gemini-3"),
        updated(63),
    ]
    path = session(home, records)

    found = only()

    assert (found.path, found.title, found.message_count) == (str(path), "Prompt 1", 4)
    assert (found.created, found.last_activity, found.models) == (at(), at(63), (MODEL, "gemini-3"))
    assert found.extra == {"copies": [str(old)]}


def test_lines_count_before_an_object_that_tells_the_same(home: Path, only: Only) -> None:
    printed(home, name=slug())
    path = session(home)

    assert only().path == str(path)


def test_the_file_that_resuming_in_another_minute_leaves_is_the_same_session(home: Path, only: Only) -> None:
    path = session(home)
    stub = session(home, [header(seconds=300), change(messages=[context(300)], lastUpdated=at(300))], seconds=300)

    found = only()

    assert (found.path, found.last_activity, found.created) == (str(path), at(30), at())
    assert found.extra == {"copies": [str(stub)]}


def test_that_file_alone_is_no_session(home: Path, ask: Ask) -> None:
    session(home, [header(), change(messages=[context()], lastUpdated=at())])

    assert (ask().sessions, ask().warnings) == ((), ())


def test_it_still_tells_whose_the_copy_is_that_an_old_build_left(home: Path, only: Only) -> None:
    old = printed(home, header(projectHash=..., messages=[said("Hello")]), name="0" * 64)
    session(home, [header(seconds=300), context(300)], seconds=300)

    found = only()

    assert (found.path, found.project_dir) == (str(old), CWD)
    assert found.resume_command == f"cd {CWD} && gemini --resume {uuid(1)}"


def test_a_second_header_in_the_same_minute_starts_nothing_new(home: Path, only: Only) -> None:
    records = [*turns(), header(seconds=40), change(messages=[said("Prompt 1"), answered()]), said("Graft", 41)]
    session(home, records)

    assert (only().created, only().last_activity, only().message_count) == (at(), at(41), 3)


def test_models_of_all_files_count_in_the_order_of_time(home: Path, only: Only) -> None:
    printed(home, conversation([said("Prompt 1"), answered(model="gemini-1")]))
    session(home, [header(seconds=60), said("Graft", 61), answered(seconds=62, model="gemini-3")])

    assert only().models == ("gemini-1", "gemini-3")


def test_two_sessions_of_one_short_name_are_two(home: Path, ask: Ask) -> None:
    folder = project(home) / "chats"
    put(folder / file_name(1), [header(sessionId="00000001-a"), said("One")])
    put(folder / file_name(1, 60), [header(sessionId="00000001-b"), said("Two")])

    assert {one.uuid for one in ask().sessions} == {"00000001-a", "00000001-b"}


def test_an_old_folder_may_be_named_by_any_hash(home: Path, only: Only) -> None:
    path = printed(home, name=hashed("/srv/meadow"))

    assert only().path == str(path)
    assert str(home / TMP / hashed("/srv/meadow")) in only().path
