"""Damaged sessions: a record that cannot be read costs itself, never the session or the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.adapters.damage import assert_unharmed
from tests.builders.common import CWD, at, lines, put, uuid
from tests.builders.gemini import (
    MODEL,
    answered,
    change,
    conversation,
    header,
    message,
    printed,
    project,
    said,
    session,
    slug,
    subagent,
    turns,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]

HEADER = lines([header()])
SAID = lines([said("Graft the plum")])
ANSWER = lines([answered(seconds=20)])
WHOLE = HEADER + SAID + ANSWER
LATER = lines([said("Half a message", 900)])
TOOL = message("gemini", "", 15, id="t", toolCalls=[{"result": "x" * 3_000_000}])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE + LATER[:40], id="torn last line"),
        pytest.param(WHOLE[:-1], id="no line end"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(HEADER + b"\x00" * 4096 + SAID + ANSWER, id="NULs before a record"),
        pytest.param(b"\x00" * 4096 + b"\n" + WHOLE, id="NULs first"),
        pytest.param(b"\n \n" + WHOLE, id="blank lines first"),
        pytest.param(b"garbage\n[]\n7\nnull\n" + WHOLE, id="garbage first"),
        pytest.param(b"\xef\xbb\xbf" + WHOLE, id="byte order mark"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(HEADER[:-1] + SAID[:-1] + ANSWER, id="glued records"),
        pytest.param(HEADER + LATER[:40] + SAID + ANSWER, id="a record glued to a torn one"),
        pytest.param(HEADER + b"garbage\n{\n}\nnull\n[]\n7\n" + SAID + ANSWER, id="garbage lines"),
        pytest.param(HEADER + b"\xff\xfe\x80\n" + SAID + ANSWER, id="a line of no text"),
        pytest.param(HEADER + b"[" * 100_000 + b"\n" + SAID + ANSWER, id="a line nested too deeply"),
        pytest.param(HEADER + SAID + b"x" * 3_000_000 + b"\n" + ANSWER, id="huge line of no text"),
        pytest.param(HEADER + SAID + lines([message("info", "x" * 3_000_000, 5)]) + ANSWER, id="huge record"),
        pytest.param(lines([header(note='x"\\' * 500_000)]) + SAID + ANSWER, id="huge header"),
        pytest.param(WHOLE + lines([message("info", "x" * 3_000_000, 5)]), id="huge record last"),
        pytest.param(WHOLE + lines([change(messages=7), change(), {"$set": 7}, {"$rewindTo": 7}]), id="odd changes"),
        pytest.param(WHOLE + lines([{"id": "x"}, {"id": 7, "type": "user"}, {"type": []}]), id="odd messages"),
    ],
)
def test_damage_around_the_records_changes_nothing(home: Path, ask: Ask, content: bytes) -> None:
    session(home, content)
    session(home, number=2)

    page = ask()

    assert_unharmed(page, CWD, MODEL)


@pytest.mark.parametrize("length", range(len(HEADER + SAID) - 1, len(WHOLE), 23))
def test_a_session_being_written_shows_what_is_complete(home: Path, ask: Ask, length: int) -> None:
    session(home, WHOLE[:length])

    page = ask()

    assert [(one.title, one.project_dir, one.created) for one in page.sessions] == [("Graft the plum", CWD, at())]
    assert page.warnings == ()


@pytest.mark.parametrize("content", [b"\x00" * 5000, b"garbage\n", b"\xff\xfe" * 50, b"[]\n", b"{\n", b"{\n}"])
@pytest.mark.parametrize("place", ["session-a.jsonl", "session-a.json", f"{uuid(1)}/{uuid(3)}.jsonl"])
def test_a_file_without_a_record_costs_one_warning_at_most(home: Path, ask: Ask, place: str, content: bytes) -> None:
    session(home)
    put(project(home) / "chats" / place, content)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(1)]
    problems = [] if content == b"{\n}" else ["holds no readable record"]
    assert [(one.path, one.problem) for one in page.warnings] == [
        (str(project(home) / "chats" / place), problem) for problem in problems
    ]


@pytest.mark.parametrize("name", ["session-a.jsonl", "session-a.json"])
def test_an_empty_file_is_nothing(home: Path, ask: Ask, name: str) -> None:
    put(project(home) / "chats" / name, b"")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.parametrize("records", [[said()], [header(sessionId=...), said()], [header(sessionId=""), said()]])
def test_a_session_that_lost_its_header_costs_one_warning(home: Path, ask: Ask, records: list[object]) -> None:
    path = session(home, records)

    page = ask()

    assert page.sessions == ()
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "has lost its header")]


def test_an_object_without_an_id_costs_one_warning(home: Path, ask: Ask) -> None:
    printed(home, conversation(sessionId=...))

    assert [one.problem for one in ask().warnings] == ["has lost its header"]


def test_a_header_that_was_torn_is_found_in_a_later_one(home: Path, only: Only) -> None:
    session(home, HEADER[:30] + b"\n" + SAID + lines([header(seconds=40)]) + ANSWER)

    assert (only().uuid, only().message_count) == (uuid(1), 2)


# One object


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.99])
def test_an_object_that_was_cut_shows_what_is_complete(home: Path, only: Only, share: float) -> None:
    messages = [said("Graft the plum"), *(answered("x" * 3000, seconds, id=str(seconds)) for seconds in range(2, 50))]
    project(home)
    path = printed(home, conversation(messages), name=slug())
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])

    found = only()

    assert (found.uuid, found.title, found.project_dir) == (uuid(1), "Graft the plum", CWD)
    assert 2 < (found.message_count or 0) < len(messages)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content + b"\x00" * 5000,
        lambda content: content + b"\n\n",
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"Done.", b"D\xff\xfene."),
        lambda content: content.replace(b'"thoughts": []', b'"thoughts": 7, "toolCalls": {}'),
        lambda content: content.replace(b'"type": "gemini"', b'"tokens": [[]], "type": "gemini"'),
    ],
)
def test_damage_around_an_object_changes_nothing(home: Path, only: Only, damage: Callable[[bytes], bytes]) -> None:
    path = printed(home)
    path.write_bytes(damage(path.read_bytes()))

    found = only()

    assert (found.title, found.message_count, found.models, found.last_activity) == ("Prompt 1", 2, (MODEL,), at(30))


def test_odd_messages_of_an_object_cost_only_themselves(home: Path, only: Only) -> None:
    odd: list[object] = [
        7,
        None,
        [],
        {},
        "x",
        {"type": 7},
        {"content": 7, "type": "user"},
        {"timestamp": {}, "type": "gemini"},
    ]
    printed(home, header(messages=[*odd, said("Graft"), answered()]))

    assert (only().title, only().message_count) == ("Graft", 2)


def test_a_huge_object_is_read(home: Path, only: Only) -> None:
    printed(home, conversation([said("Graft"), TOOL, answered()]))

    assert (only().title, only().message_count) == ("Graft", 3)


def test_damage_of_a_copy_costs_a_warning_and_not_the_session(home: Path, ask: Ask) -> None:
    session(home)
    copy = printed(home, b"{\n garbage")

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(1)]
    assert [one.path for one in page.warnings] == [str(copy)]


def test_a_damaged_subagent_costs_its_parent_nothing(home: Path, ask: Ask) -> None:
    session(home)
    subagent(home, [header(2, sessionId=7), said("x")], number=2)

    page = ask()

    assert ([one.uuid for one in page.sessions], len(page.warnings)) == ([uuid(1)], 1)


def test_absurd_times_count_as_none(home: Path, only: Only) -> None:
    times = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", -1, 10**30, "", "soon"]
    session(home, [*turns(), *(message("info", "x", 50, id=str(one), timestamp=one) for one in times)])

    assert (only().created, only().last_activity) == (at(), at(30))
