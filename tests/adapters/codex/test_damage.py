"""Damaged rollouts: a record that cannot be read costs itself, never the thread or the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.codex import MODEL, Record, bare, event, meta, paginated, response, rollout, said, save, turn
from tests.builders.common import CWD, at, lines, put, uuid
from tests.builders.zstd import compressed, frame

Ask = Callable[..., Page]
Only = Callable[..., Session]

HEADER = lines([meta()])
TURN = lines([turn()])
SAID = lines([said("Graft the plum", 20)])
WHOLE = HEADER + TURN + SAID
BOM = b"\xef\xbb\xbf"
LATER = lines([said("Half a message", 900)])
HUGE_TOOLS: Record = {"dynamic_tools": [{"name": f"tool {n}", "description": "x" * 50_000} for n in range(40)]}
HUGE_INSTRUCTIONS: Record = {"base_instructions": {"text": 'x"\\' * 500_000}}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE + LATER[:40], id="torn last line"),
        pytest.param(WHOLE + LATER[:-2], id="last line without its last brace"),
        pytest.param(WHOLE[:-1], id="no line end"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(WHOLE + LATER[:40] + b"\x00" * 70_000, id="torn last line and NUL tail"),
        pytest.param(HEADER + b"\x00" * 4096 + TURN + SAID, id="NULs before a record"),
        pytest.param(HEADER + TURN[:-1] + b"\x00" * 9 + b"\n" + SAID, id="NULs after a record"),
        pytest.param(b"\x00" * 4096 + b"\n" + WHOLE, id="NULs first"),
        pytest.param(BOM + WHOLE, id="byte order mark"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(WHOLE.replace(b"\n", b"\n\n \n"), id="blank lines"),
        pytest.param(HEADER[:-1] + TURN[:-1] + SAID, id="glued records"),
        pytest.param(HEADER + LATER[:40] + TURN + SAID, id="a record glued to a torn one"),
        pytest.param(HEADER + b"garbage\n{\n}\nnull\n[]\n7\n" + TURN + SAID, id="garbage lines"),
        pytest.param(HEADER + b"\xff\xfe\x80\n" + TURN + SAID, id="a line of no text"),
        pytest.param(HEADER + b"[" * 100_000 + b"\n" + TURN + SAID, id="a line nested too deeply"),
        pytest.param(HEADER + b'{"a":' * 100_000 + b"\n" + TURN + SAID, id="objects nested too deeply"),
        pytest.param(lines([meta(**HUGE_TOOLS)]) + TURN + SAID, id="huge header of many strings"),
        pytest.param(lines([meta(**HUGE_INSTRUCTIONS)]) + TURN + SAID, id="huge header of one string"),
        pytest.param(HEADER + TURN + b"x" * 3_000_000 + b"\n" + SAID, id="huge line of no text"),
        pytest.param(HEADER + TURN + lines([response("x" * 3_000_000)]) + SAID, id="huge record"),
    ],
)
def test_damage_around_the_records_changes_nothing(home: Path, ask: Ask, content: bytes) -> None:
    rollout(home, content)
    rollout(home, number=2)

    page = ask()

    assert page.warnings == ()
    session = {session.uuid: session for session in page.sessions}[uuid(1)]
    assert session.to_dict() == session.to_dict() | {
        "title": "Graft the plum",
        "project_dir": CWD,
        "models": [MODEL],
        "created": at(),
        "last_activity": at(20),
    }


@pytest.mark.parametrize("cut", range(0, len(HEADER) + 1, 23))
def test_a_thread_whose_first_bytes_are_lost_is_known_by_its_name(home: Path, only: Only, cut: int) -> None:
    rollout(home, WHOLE[cut:])

    session = only()

    assert (session.uuid, session.title, session.project_dir) == (uuid(1), "Graft the plum", CWD)


def test_a_header_torn_in_its_middle_costs_what_it_said(home: Path, only: Only) -> None:
    rollout(home, HEADER[:150] + TURN + SAID)

    session = only()

    assert (session.uuid, session.launch_surface, session.project_dir) == (uuid(1), None, CWD)


@pytest.mark.parametrize("length", range(len(HEADER), len(WHOLE), 37))
def test_a_thread_being_written_shows_what_is_complete(home: Path, only: Only, length: int) -> None:
    rollout(home, WHOLE[:length])

    session = only()

    assert (session.uuid, session.project_dir, session.launch_surface) == (uuid(1), CWD, "codex_cli_rs")


def test_bytes_that_are_no_utf_8_leave_the_rest_of_a_message(home: Path, only: Only) -> None:
    rollout(home, WHOLE.replace(b"plum", b"pl\xfcm"))

    assert only().title == "Graft the pl\ufffdm"


def test_half_of_a_surrogate_pair_leaves_the_rest_of_a_message(home: Path, only: Only) -> None:
    rollout(home, WHOLE.replace(b"plum", b"pl\\ud83dum"))

    assert only().title == "Graft the plum"


def test_a_number_of_thousands_of_digits_leaves_the_record(home: Path, only: Only) -> None:
    rollout(home, HEADER + SAID.replace(b'"message"', b'"count":' + b"9" * 9000 + b',"message"'))

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\n"])
def test_a_file_without_records_is_no_session(home: Path, ask: Ask, content: bytes) -> None:
    rollout(home, content, number=1)
    rollout(home, number=2)

    assert [session.uuid for session in ask().sessions] == [uuid(2)]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zst", ".json"])
def test_a_file_of_no_bytes_is_not_worth_a_word(home: Path, ask: Ask, suffix: str) -> None:
    rollout(home, b"", suffix=suffix)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".jsonl", b"\x00" * 4096),
        (".jsonl", b"garbage\n" * 99),
        (".jsonl", HEADER[: len(HEADER) // 2]),
        (".json", b"\x00" * 4096),
        (".json", b"garbage"),
        (".jsonl.zst", b"garbage"),
        (".jsonl.zst", compressed(b"garbage\n")),
    ],
)
def test_a_file_that_holds_bytes_and_no_record_costs_one_warning(
    home: Path, ask: Ask, suffix: str, content: bytes
) -> None:
    path = rollout(home, content, number=1, suffix=suffix)
    rollout(home, number=2)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(2)]
    assert [(warning.agent, warning.path, warning.problem) for warning in page.warnings] == [
        ("codex", str(path), "holds no readable record")
    ]


def test_a_torn_save_costs_one_warning(home: Path, ask: Ask) -> None:
    path = save(home)
    put(path, path.read_bytes()[:-100])

    page = ask()

    assert page.sessions == ()
    assert [warning.path for warning in page.warnings] == [str(path)]


@pytest.mark.parametrize("content", [b"[]", b"{}", b"null", b'{"session": null}', b'{"session": {"id": 7}}'])
def test_json_that_is_no_save_is_no_session(home: Path, ask: Ask, content: bytes) -> None:
    rollout(home, content, suffix=".json")

    assert ask().sessions == ()


def test_a_save_with_a_byte_order_mark_is_read(home: Path, only: Only) -> None:
    path = save(home)
    put(path, BOM + path.read_bytes())

    assert only().title == "Prompt 1"


def test_a_damaged_bare_header_leaves_no_thread(home: Path, ask: Ask) -> None:
    rollout(home, lines(bare())[20:])

    assert ask().sessions == ()


def test_a_paginated_thread_without_its_header_is_read(home: Path, only: Only) -> None:
    rollout(home, paginated(text="Graft the plum")[1:])

    session = only()

    assert (session.uuid, session.title, session.models) == (uuid(1), "Graft the plum", (MODEL,))


PACKED = compressed(lines([meta(), turn(), said("Graft the plum"), *(event("token_count", n) for n in range(2, 900))]))


@pytest.mark.parametrize("cut", [6, 7])
def test_a_compressed_thread_is_listed_up_to_where_its_file_was_cut(home: Path, only: Only, cut: int) -> None:
    whole = frame([HEADER, TURN, SAID, LATER])
    rollout(home, whole[: len(whole) - cut], suffix=".jsonl.zst")

    session = only()

    assert (session.title, session.last_activity) == ("Graft the plum", at(20))


def test_bytes_behind_a_compressed_thread_do_not_hide_it(home: Path, only: Only) -> None:
    rollout(home, compressed(WHOLE) + b"\x00" * 512, suffix=".jsonl.zst")

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("cut", [1, 3, 5, 10, len(PACKED) // 2, len(PACKED) - 1])
def test_a_cut_compressed_thread_is_listed_or_warned_of(home: Path, ask: Ask, cut: int) -> None:
    rollout(home, PACKED[:cut], suffix=".jsonl.zst")

    page = ask()

    assert len(page.sessions) + len(page.warnings) == 1


@pytest.mark.parametrize("header", [HUGE_TOOLS, HUGE_INSTRUCTIONS])
def test_a_compressed_thread_may_have_a_huge_header(home: Path, only: Only, header: Record) -> None:
    rollout(home, compressed(lines([meta(**header), turn(), said("Graft the plum", 20)])), suffix=".jsonl.zst")

    session = only()

    assert (session.title, session.project_dir, session.last_activity) == ("Graft the plum", CWD, at(20))


def test_a_large_compressed_thread_is_read_to_both_ends(home: Path, only: Only) -> None:
    filler = [response("x" * 1000, role="assistant")] * 4000
    end = [turn(5, "gpt-late"), said("And the quince", 500), response("x" * 300_000, 600)]
    rollout(home, compressed(lines([meta(), turn(), said("Graft the plum"), *filler, *end])), suffix=".jsonl.zst")

    session = only()

    assert (session.title, session.last_activity, session.models) == ("Graft the plum", at(600), (MODEL, "gpt-late"))
