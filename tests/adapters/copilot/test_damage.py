"""Damaged sessions: an event that cannot be read costs itself, never the session or the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.adapters.damage import assert_unharmed
from tests.builders.common import CWD, at, lines, uuid
from tests.builders.copilot import MODEL, answered, event, flat, said, save, saved, session, started, turns

Ask = Callable[..., Page]
Only = Callable[..., Session]

START = lines([started()])
SAID = lines([said("Graft the plum")])
ANSWER = lines([answered(20)])
WHOLE = START + SAID + ANSWER
LATER = lines([said("Half a prompt", 900)])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE + LATER[:40], id="torn last line"),
        pytest.param(WHOLE[:-1], id="no line end"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(START + b"\x00" * 4096 + SAID + ANSWER, id="NULs before an event"),
        pytest.param(b"garbage\n[]\n7\nnull\n" + WHOLE, id="garbage first"),
        pytest.param(b"\xef\xbb\xbf" + WHOLE, id="byte order mark"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(START[:-1] + SAID[:-1] + ANSWER, id="glued events"),
        pytest.param(START + LATER[:40] + SAID + ANSWER, id="an event glued to a torn one"),
        pytest.param(START + b"\xff\xfe\x80\n" + SAID + ANSWER, id="a line of no text"),
        pytest.param(START + b"[" * 100_000 + b"\n" + SAID + ANSWER, id="a line nested too deeply"),
        pytest.param(START + SAID + b"x" * 3_000_000 + b"\n" + ANSWER, id="huge line of no text"),
        pytest.param(START + lines([event("system.message", 1, content="x" * 3_000_000)]) + SAID + ANSWER, id="huge"),
    ],
)
def test_damage_around_the_events_changes_nothing(home: Path, ask: Ask, content: bytes) -> None:
    session(home, content)
    session(home, number=2)

    page = ask()

    assert_unharmed(page, CWD, MODEL)


@pytest.mark.parametrize("length", range(len(START) + len(SAID) - 1, len(WHOLE), 17))
def test_a_session_being_written_shows_what_is_complete(home: Path, only: Only, length: int) -> None:
    session(home, WHOLE[:length])

    assert (only().title, only().last_activity) == ("Graft the plum", at(20) if length == len(WHOLE) - 1 else at(1))


def test_a_session_that_lost_its_first_event_is_still_one(home: Path, only: Only) -> None:
    session(home, SAID + ANSWER)

    assert (only().uuid, only().title, only().project_dir, only().extra) == (uuid(1), "Graft the plum", CWD, {})


@pytest.mark.parametrize("write", [session, flat, save])
@pytest.mark.parametrize("content", [b"\x00" * 4096, b"garbage\n" * 99])
def test_a_file_of_which_nothing_can_be_read_costs_one_warning(
    home: Path, ask: Ask, write: Callable[..., Path], content: bytes
) -> None:
    path = write(home, content)
    session(home, number=4)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(4)]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "holds no readable record")]


def test_empty_files_are_not_worth_a_word(home: Path, ask: Ask) -> None:
    session(home, b"")
    flat(home, b"", number=2)
    save(home, b"", number=3)

    assert (ask().sessions, ask().warnings) == ((), ())


@pytest.mark.parametrize("value", [None, 7, -1.5, True, "x", [], {}, [[]], {"a": []}])
@pytest.mark.parametrize("key", ["timestamp", "agentId", "id", "parentId"])
def test_an_event_of_wrong_types_costs_itself(home: Path, ask: Ask, key: str, value: object) -> None:
    session(home, [*turns(), said("Odd", 50) | {key: value}])

    page = ask()

    assert [one.title for one in page.sessions] == ["Prompt 1"]
    assert page.warnings == ()


@pytest.mark.parametrize("value", [None, 7, True, "x", [], {}, {"a": []}])
@pytest.mark.parametrize("key", ["content", "source", "model", "parentToolCallId", "context", "startTime"])
def test_data_of_wrong_types_cost_no_session(home: Path, ask: Ask, key: str, value: object) -> None:
    odd = [one | {"data": one["data"] | {key: value}} for one in turns()]
    session(home, [*odd, said("Graft", 50)])

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(1)]
    assert page.warnings == ()


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [7], [{}], [{"role": 7}], [{"role": "user", "content": 7}]])
@pytest.mark.parametrize("key", ["chatMessages", "timeline", "startTime", "sessionId"])
def test_a_save_of_wrong_types_costs_itself_at_most(home: Path, ask: Ask, key: str, value: object) -> None:
    save(home, saved() | {key: value})
    save(home, number=2)

    page = ask()

    assert uuid(2) in {one.uuid for one in page.sessions}
    assert page.warnings == ()


@pytest.mark.parametrize("length", [300, 640, 800])
def test_a_torn_save_shows_what_is_complete(home: Path, ask: Ask, length: int) -> None:
    save(home, json.dumps(saved(), indent=2).encode()[:length])

    page = ask()

    assert [one.title for one in page.sessions] == (["Prompt 1"] if length > 600 else [])
    assert page.warnings == ()


def test_bytes_that_are_no_utf_8_leave_the_rest_of_a_prompt(home: Path, only: Only) -> None:
    session(home, WHOLE.replace(b"the plum", b"the pl\xfcm"))

    assert only().title == "Graft the pl\ufffdm"


def test_half_of_a_surrogate_pair_leaves_the_rest_of_a_prompt(home: Path, only: Only) -> None:
    session(home, WHOLE.replace(b"the plum", b"the pl\\ud83dum"))

    assert only().title == "Graft the plum"
