"""Damaged sessions: a record that cannot be read costs itself, never the session or the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.adapters.damage import assert_unharmed
from tests.builders.common import CWD, at, lines, put, uuid
from tests.builders.gemini import file_name, hashed
from tests.builders.qwen import (
    MODEL,
    answered,
    archived,
    noted,
    old,
    old_conversation,
    project,
    record,
    said,
    session,
    subagent,
    telemetry,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]

SAID = lines([said("Graft the plum")])
ANSWER = lines([answered(seconds=20)])
WHOLE = SAID + ANSWER
LATER = lines([said("Half a message", 900)])
RESULT = lines([record("tool_result", 15, message={"parts": [{"functionResponse": {"output": "x" * 3_000_000}}]})])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE + LATER[:40], id="torn last line"),
        pytest.param(WHOLE[:-1], id="no line end"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(SAID + b"\x00" * 4096 + ANSWER, id="NULs before a record"),
        pytest.param(b"\x00" * 4096 + b"\n" + WHOLE, id="NULs first"),
        pytest.param(b"\n \n" + WHOLE, id="blank lines first"),
        pytest.param(b"garbage\n[]\n7\nnull\n" + WHOLE, id="garbage first"),
        pytest.param(b"\xef\xbb\xbf" + WHOLE, id="byte order mark"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(SAID[:-1] + ANSWER, id="glued records"),
        pytest.param(LATER[:40] + SAID + ANSWER, id="a record glued to a torn one"),
        pytest.param(SAID + b"garbage\n{\n}\nnull\n[]\n7\n" + ANSWER, id="garbage lines"),
        pytest.param(SAID + b"\xff\xfe\x80\n" + ANSWER, id="a line of no text"),
        pytest.param(SAID + b"[" * 100_000 + b"\n" + ANSWER, id="a line nested too deeply"),
        pytest.param(SAID + b"x" * 3_000_000 + b"\n" + ANSWER, id="huge line of no text"),
        pytest.param(SAID + RESULT + ANSWER, id="huge record"),
        pytest.param(WHOLE + RESULT, id="huge record last"),
        pytest.param(RESULT.replace(at(15).encode(), at().encode()) + WHOLE, id="huge record first"),
        pytest.param(WHOLE + lines([noted("custom_title", [], 5), telemetry(6, timestamp={})]), id="odd records"),
    ],
)
def test_damage_around_the_records_changes_nothing(home: Path, ask: Ask, content: bytes) -> None:
    session(home, content)
    session(home, number=2)

    page = ask()

    assert_unharmed(page, CWD, MODEL)


@pytest.mark.parametrize("length", range(len(SAID) - 1, len(WHOLE), 41))
def test_a_session_being_written_shows_what_is_complete(home: Path, ask: Ask, length: int) -> None:
    session(home, WHOLE[:length])

    page = ask()

    assert [(one.title, one.project_dir, one.created) for one in page.sessions] == [("Graft the plum", CWD, at())]
    assert page.warnings == ()


@pytest.mark.parametrize("content", [b"\x00" * 5000, b"garbage\n", b"\xff\xfe" * 50, b"[]\n", SAID[:40]])
@pytest.mark.parametrize("write", [session, archived, subagent])
def test_a_file_without_a_record_costs_one_warning(
    home: Path, ask: Ask, write: Callable[..., Path], content: bytes
) -> None:
    session(home, number=2)
    path = write(home, records=content)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "holds no readable record")]


def test_an_empty_file_is_nothing(home: Path, ask: Ask) -> None:
    session(home, b"")
    old(home, b"", number=2)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_two_prompts_in_one_record_are_one_message(home: Path, only: Only) -> None:
    session(home, [said("Stop here"), said("Stop hereGo on", 5), answered()])

    assert (only().title, only().message_count) == ("Stop here", 3)


@pytest.mark.parametrize("content", [b"\x00" * 5000, b"garbage\n", b"[]", b"{\n", b"7"])
def test_an_old_conversation_that_is_none_costs_one_warning(home: Path, ask: Ask, content: bytes) -> None:
    session(home, number=2)
    path = old(home, content)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "holds no readable record")]


@pytest.mark.parametrize("identity", [..., None, "", 7])
def test_an_old_conversation_without_an_id_costs_one_warning(home: Path, ask: Ask, identity: object) -> None:
    old(home, old_conversation(sessionId=identity))

    assert [one.problem for one in ask().warnings] == ["has lost its header"]


def test_an_old_conversation_that_was_cut_shows_what_is_complete(home: Path, only: Only) -> None:
    path = old(home)
    path.write_bytes(path.read_bytes()[:-40])

    assert (only().uuid, only().title, only().message_count) == (uuid(1), "Prompt 1", 1)


def test_an_old_conversation_in_any_layout_is_read(home: Path, only: Only) -> None:
    content = lines([old_conversation()])
    put(home / ".qwen/tmp" / hashed() / "chats" / file_name(suffix=".json"), content)

    assert (only().title, only().message_count) == ("Prompt 1", 2)


def test_a_damaged_subagent_costs_its_parent_nothing(home: Path, ask: Ask) -> None:
    session(home)
    path = subagent(home, records=b"\x00\x00 garbage")

    page = ask()

    assert ([one.uuid for one in page.sessions], [one.path for one in page.warnings]) == ([uuid(1)], [str(path)])
    assert project(home).exists()
