"""Damaged sessions: an entry that cannot be read costs itself, never the session or the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.formats import jsonl
from sesls.page import Page
from sesls.session import Session
from tests.adapters.damage import assert_unharmed
from tests.builders.common import CWD, at, lines, uuid
from tests.builders.pi import (
    MODEL,
    answered,
    entry,
    file_name,
    folder,
    header,
    message,
    named,
    result,
    said,
    session,
    turns,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]

HEADER = lines([header()])
SAID = lines([said("Graft the plum")])
ANSWER = lines([answered(seconds=20)])
WHOLE = HEADER + SAID + ANSWER
BOM = b"\xef\xbb\xbf"
LATER = lines([said("Half a message", 900)])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE + LATER[:40], id="torn last line"),
        pytest.param(WHOLE + LATER[:-2], id="last line without its last brace"),
        pytest.param(WHOLE[:-1], id="no line end"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(WHOLE + LATER[:40] + b"\x00" * 70_000, id="torn last line and NUL tail"),
        pytest.param(HEADER + b"\x00" * 4096 + SAID + ANSWER, id="NULs before an entry"),
        pytest.param(HEADER + SAID[:-1] + b"\x00" * 9 + b"\n" + ANSWER, id="NULs after an entry"),
        pytest.param(b"\x00" * 4096 + b"\n" + WHOLE, id="NULs first"),
        pytest.param(b"\n \n" + WHOLE, id="blank lines first"),
        pytest.param(b"garbage\n[]\n7\nnull\n" + WHOLE, id="garbage first"),
        pytest.param(BOM + WHOLE, id="byte order mark"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(WHOLE.replace(b"\n", b"\n\n \n"), id="blank lines"),
        pytest.param(HEADER[:-1] + SAID[:-1] + ANSWER, id="glued entries"),
        pytest.param(HEADER + LATER[:40] + SAID + ANSWER, id="an entry glued to a torn one"),
        pytest.param(HEADER + b"garbage\n{\n}\nnull\n[]\n7\n" + SAID + ANSWER, id="garbage lines"),
        pytest.param(HEADER + b"\xff\xfe\x80\n" + SAID + ANSWER, id="a line of no text"),
        pytest.param(HEADER + b"[" * 100_000 + b"\n" + SAID + ANSWER, id="a line nested too deeply"),
        pytest.param(HEADER + b'{"a":' * 100_000 + b"\n" + SAID + ANSWER, id="objects nested too deeply"),
        pytest.param(HEADER + SAID + b"x" * 3_000_000 + b"\n" + ANSWER, id="huge line of no text"),
        pytest.param(HEADER + SAID + lines([result("x" * 3_000_000)]) + ANSWER, id="huge entry"),
        pytest.param(lines([header(note='x"\\' * 500_000)]) + SAID + ANSWER, id="huge header"),
        pytest.param(WHOLE + lines([result("x" * 3_000_000)]), id="huge entry last"),
    ],
)
def test_damage_around_the_entries_changes_nothing(home: Path, ask: Ask, content: bytes) -> None:
    session(home, content)
    session(home, number=2)

    page = ask()

    assert_unharmed(page, CWD, MODEL)


@pytest.mark.parametrize("length", range(len(HEADER) - 1, len(WHOLE), 29))
def test_a_session_being_written_shows_what_is_complete(home: Path, ask: Ask, length: int) -> None:
    session(home, WHOLE[:length])

    page = ask()

    assert [(one.uuid, one.project_dir, one.created) for one in page.sessions] == [(uuid(1), CWD, at())]
    assert page.sessions[0].title == ("Graft the plum" if length >= len(HEADER + SAID) - 1 else None)
    assert page.warnings == ()


def test_what_is_written_while_a_session_is_read_waits_for_the_next_listing(
    home: Path, only: Only, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = session(home, WHOLE)
    read_at = jsonl.read_at

    def written_first(*arguments: Any) -> bytes:
        with path.open("ab") as file:
            file.write(LATER)
        monkeypatch.setattr(jsonl, "read_at", read_at)
        return read_at(*arguments)

    monkeypatch.setattr(jsonl, "read_at", written_first)

    assert only().last_activity == at(20)
    assert only().last_activity == at(900)


# A lost header


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(SAID + ANSWER, id="gone"),
        pytest.param(b"{broken header\n" + SAID + ANSWER, id="broken"),
        pytest.param(HEADER[:60] + b"\n" + SAID + ANSWER, id="torn"),
        pytest.param(HEADER[30:] + SAID + ANSWER, id="without its start"),
        pytest.param(HEADER[:60] + SAID + ANSWER, id="glued to an entry"),
        pytest.param(b"\x00" * 200 + b"\n" + SAID + ANSWER, id="zeroed"),
        pytest.param(lines([header(id=...)]) + SAID + ANSWER, id="without an id"),
        pytest.param(lines([header(id=7)]) + SAID + ANSWER, id="with a number for an id"),
        pytest.param(SAID + HEADER + ANSWER, id="not the first"),
    ],
)
def test_a_session_that_lost_its_header_costs_one_warning(home: Path, ask: Ask, content: bytes) -> None:
    path = session(home, content, number=1)
    session(home, number=2)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [("pi", str(path), "has lost its header")]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\x00" * 4096, id="zeroed"),
        pytest.param(b"garbage\n" * 99, id="garbage"),
        pytest.param(HEADER[:60], id="half a header"),
    ],
)
def test_a_session_of_which_nothing_can_be_read_costs_one_warning(home: Path, ask: Ask, content: bytes) -> None:
    path = session(home, content, number=1)
    session(home, number=2)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.agent, one.path) for one in page.warnings] == [("pi", str(path))]


def test_an_empty_session_is_not_worth_a_word(home: Path, ask: Ask) -> None:
    session(home, b"")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.parametrize("content", [b"\n", b" \r\n\n"])
def test_blank_lines_are_no_session(home: Path, ask: Ask, content: bytes) -> None:
    session(home, content)

    assert ask().sessions == ()


def test_a_session_of_a_relative_of_pi_in_its_directory_is_no_problem(home: Path, ask: Ask) -> None:
    slot = {"type": "title", "v": 1, "title": "Orchard", "updatedAt": at(), "pad": " " * 80}
    session(home, [slot, *turns()])

    assert ask().warnings == ()


# Wrong types


@pytest.mark.parametrize("value", [None, 7, -1.5, True, [], {}, [[]], {"a": []}])
@pytest.mark.parametrize("key", ["version", "timestamp", "cwd", "parentSession", "branchedFrom", "name", "message"])
def test_a_header_of_wrong_types_is_one(home: Path, ask: Ask, key: str, value: object) -> None:
    session(home, [header() | {key: value}, said("Graft the plum"), answered()])

    page = ask()

    assert [(one.uuid, one.title, one.last_activity) for one in page.sessions] == [(uuid(1), "Graft the plum", at(30))]
    assert page.warnings == ()


@pytest.mark.parametrize(
    "version",
    [
        b"1e300",
        b"-3",
        b"2.5",
        b"NaN",
        b"-Infinity",
        b"1e999",
        pytest.param(b"9" * 400, id="400 digits"),
    ],
)
def test_an_absurd_version_costs_nothing(home: Path, ask: Ask, version: bytes) -> None:
    session(home, WHOLE.replace(b'"version":3', b'"version":' + version))

    page = ask()

    assert [one.title for one in page.sessions] == ["Graft the plum"]
    assert page.warnings == ()


@pytest.mark.parametrize("value", [None, 7, True, "text", [], [7], {"role": 7}, {"role": ["user"]}, {"role": None}])
def test_a_message_of_wrong_types_is_none(home: Path, only: Only, value: object) -> None:
    session(home, [header(), entry("message", 90, message=value), said("Graft the plum"), answered()])

    found = only()

    assert (found.title, found.message_count, found.last_activity) == ("Graft the plum", 2, at(30))


@pytest.mark.parametrize("key", ["type", "id", "parentId", "timestamp", "name", "cwd", "version", "parentSession"])
def test_a_message_whose_entry_has_wrong_types_elsewhere_is_read(home: Path, only: Only, key: str) -> None:
    damaged = answered(seconds=60) | {key: [7, {}], "type": "message"}
    session(home, [header(), said("Graft the plum"), damaged])

    assert (only().message_count, only().last_activity, only().models) == (2, at(60), (MODEL,))


def test_parts_of_wrong_types_leave_the_others(home: Path, only: Only) -> None:
    parts: list[object] = [
        None,
        7,
        "x",
        [],
        {"type": 7, "text": "no"},
        {"type": "text", "text": 7},
        {"type": "text", "text": "Graft"},
    ]
    session(home, [header(), message("user", parts), answered()])

    assert only().title == "Graft"


def test_a_name_of_a_wrong_type_leaves_the_session(home: Path, only: Only) -> None:
    session(home, [*turns(text="Graft the plum"), named({"name": "x"})])

    assert only().title == "Graft the plum"


# Text


def test_bytes_that_are_no_utf_8_leave_the_rest_of_a_prompt(home: Path, only: Only) -> None:
    session(home, WHOLE.replace(b"the plum", b"the pl\xfcm"))

    assert only().title == "Graft the pl\ufffdm"


def test_half_of_a_surrogate_pair_leaves_the_rest_of_a_prompt(home: Path, only: Only) -> None:
    session(home, WHOLE.replace(b"the plum", b"the pl\\ud83dum"))

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("text", [b"\\u0000", b"\\ud800", b"\\n", b"\\u001b[2J", b"\xff"])
@pytest.mark.parametrize("place", [b"/srv/orchard", b"00000001-0000"])
def test_an_id_or_a_directory_of_odd_characters_is_listed(home: Path, ask: Ask, place: bytes, text: bytes) -> None:
    session(home, WHOLE.replace(place, place + text, 1))

    page = ask(project_dir="/srv")

    assert [one.title for one in page.sessions] == ["Graft the plum"]
    assert page.warnings == ()


def test_a_number_of_thousands_of_digits_leaves_the_entry(home: Path, only: Only) -> None:
    session(home, HEADER + SAID.replace(b'"message":', b'"count":' + b"9" * 9000 + b',"message":'))

    assert only().message_count == 1


# One and the others


def test_a_broken_child_costs_neither_its_parent_nor_its_siblings(home: Path, ask: Ask) -> None:
    parent = session(home)
    for number in (2, 3):
        path = parent.with_suffix("") / "forks" / file_name(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SAID if number == 2 else lines(turns(number)))

    page = ask()

    assert {one.uuid for one in page.sessions} == {uuid(1), uuid(3)}
    assert [one.problem for one in page.warnings] == ["has lost its header"]


def test_a_child_of_a_broken_parent_is_still_listed(home: Path, ask: Ask) -> None:
    parent = session(home, SAID)
    (parent.with_suffix("") / "run-0").mkdir(parents=True)
    (parent.with_suffix("") / "run-0" / "session.jsonl").write_bytes(lines(turns(2)))

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [one.path for one in page.warnings] == [str(parent)]


def test_fifty_broken_sessions_cost_fifty_warnings(home: Path, ask: Ask) -> None:
    for number in range(2, 52):
        session(home, SAID, number=number)
    session(home)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(1)]
    assert {one.path for one in page.warnings} == {str(folder(home) / file_name(number)) for number in range(2, 52)}
    assert len(page.warnings) == 50
