"""A damaged record costs itself, a damaged file one warning, and neither costs the others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.claude import MODEL, Row, assistant, beside, flat_subagent, subagent, transcript, user, work
from tests.builders.common import CWD, at, lines, uuid
from tests.conftest import Ask

Only = Callable[..., Session]

START = user("Prune the apple trees")
MEGABYTES_3 = 3 << 20


def glued(rows: Iterable[Row]) -> bytes:
    """Return records without line ends between them."""
    return lines(rows).replace(b"\n", b"")


def torn(row: Row, share: float = 0.6) -> bytes:
    """Return the first part of a record."""
    whole = glued([row])
    return whole[: int(len(whole) * share)]


# Cut and glued records


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_a_torn_last_record_costs_only_itself(home: Path, only: Only, share: float) -> None:
    transcript(home, lines([START, assistant()]) + torn(assistant("Half written", 90, model="half"), share))

    session = only()

    assert (session.title, session.last_activity, session.models) == ("Prune the apple trees", at(30), (MODEL,))


def test_every_place_where_a_file_may_end_leaves_the_rows_before_it(home: Path, ask: Ask) -> None:
    whole = lines([START, assistant()])
    first = len(lines([START]))
    for number, end in enumerate(range(first, len(whole), 7), start=1):
        transcript(home, whole[:end], number=number)

    page = ask()

    assert {session.title for session in page.sessions} == {"Prune the apple trees"}
    assert (page.total, page.warnings) == (len(range(first, len(whole), 7)), ())


def test_the_last_record_needs_no_line_end(home: Path, only: Only) -> None:
    transcript(home, lines([START, assistant()]).rstrip(b"\n"))

    assert (only().last_activity, only().message_count) == (at(30), 2)


def test_a_torn_record_amid_a_file_costs_only_itself(home: Path, only: Only) -> None:
    transcript(home, lines([START]) + torn(assistant(seconds=20)) + b"\n" + lines([assistant(seconds=60)]))

    session = only()

    assert (session.last_activity, session.message_count) == (at(60), 2)


def test_records_glued_on_one_line_are_all_read(home: Path, only: Only) -> None:
    name: Row = {"type": "custom-title", "customTitle": "Pruning"}
    transcript(home, glued([START, assistant(seconds=20), name, assistant(seconds=60, model="claude-opus-5")]))

    session = only()

    assert (session.title, session.last_activity, session.message_count) == ("Pruning", at(60), 3)
    assert session.models == (MODEL, "claude-opus-5")


@pytest.mark.parametrize("between", [b" ", b"\x00\x00", b"\r", b"\t"])
def test_what_stands_between_glued_records_does_not_matter(home: Path, only: Only, between: bytes) -> None:
    transcript(home, glued([START]) + between + glued([assistant(seconds=60)]) + b"\n")

    assert (only().last_activity, only().message_count) == (at(60), 2)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_a_whole_record_glued_to_a_torn_one_is_read(home: Path, only: Only, share: float) -> None:
    glue = torn(assistant("Half written", 20, model="half"), share) + glued([assistant(seconds=60)])
    transcript(home, lines([START]) + glue + b"\n")

    session = only()

    assert (session.last_activity, session.models, session.message_count) == (at(60), (MODEL,), 2)


def test_a_whole_record_before_a_torn_one_on_its_line_is_read(home: Path, only: Only) -> None:
    transcript(home, lines([START]) + glued([assistant(seconds=60)]) + torn(assistant(seconds=90)) + b"\n")

    assert only().last_activity == at(60)


def test_glued_records_at_the_end_of_a_large_file_are_read(home: Path, only: Only) -> None:
    end = torn(assistant(seconds=700)) + glued([assistant(seconds=800), assistant(seconds=900)])
    transcript(home, lines([START, *work(100)]) + end)

    assert only().last_activity == at(900)


def test_glued_records_at_the_start_of_a_large_file_are_read(home: Path, only: Only) -> None:
    queued: Row = {"type": "queue-operation", "content": "x"}
    transcript(home, glued([queued, START, assistant()]) + b"\n" + lines(work(100, cwd="/tmp")))

    assert (only().project_dir, only().title) == (CWD, "Prune the apple trees")


# Bytes that are no text


@pytest.mark.parametrize("length", [1, 600, 40_000])
def test_a_block_of_nul_bytes_costs_nothing(home: Path, only: Only, length: int) -> None:
    hole = b"\x00" * length
    transcript(home, lines([START]) + hole + b"\n" + lines([assistant(seconds=50)]) + hole)

    assert (only().title, only().last_activity) == ("Prune the apple trees", at(50))


@pytest.mark.parametrize("length", [1, 600, 40_000])
def test_nul_bytes_in_front_of_a_record_are_passed_over(home: Path, only: Only, length: int) -> None:
    hole = b"\x00" * length
    transcript(home, hole + lines([START]) + hole + lines([assistant(seconds=50)]))

    assert (only().title, only().last_activity, only().message_count) == ("Prune the apple trees", at(50), 2)


def test_a_record_torn_by_nul_bytes_costs_only_itself(home: Path, only: Only) -> None:
    broken = torn(assistant(seconds=20)) + b"\x00" * 600
    transcript(home, lines([START]) + broken + glued([assistant(seconds=50)]) + b"\n")

    assert only().last_activity == at(50)


@pytest.mark.parametrize("bad", [b"caf\xe9", b"\xf0\x9f\x98", b"\xff\xfe", b"\xed\xa0\xbd", b"\xc0\xaf"])
def test_bytes_that_are_no_utf_8_cost_no_record(home: Path, only: Only, bad: bytes) -> None:
    rows = lines([user("Prune BAD trees"), assistant("BAD"), user("Later BAD", 60)])
    transcript(home, rows.replace(b"BAD", bad))

    session = only()

    assert session.title is not None
    assert session.title.startswith("Prune ")
    assert session.title.endswith(" trees")
    assert (session.last_activity, session.message_count) == (at(60), 3)
    json.dumps(session.to_dict(), ensure_ascii=False).encode()


@pytest.mark.parametrize("escape", [r"\ud83d", r"\udf33", r"\udf33\ud83d"])
def test_lone_surrogates_cost_no_record_and_are_not_shown(home: Path, only: Only, escape: str) -> None:
    rows = lines([user("Prune LONE trees"), assistant("LONE", 60)])
    transcript(home, rows.replace(b"LONE", escape.encode()))

    session = only()

    assert (session.title, session.last_activity) == ("Prune trees", at(60))


def test_pairs_of_surrogates_are_characters(home: Path, only: Only) -> None:
    transcript(home, lines([user("Prune PAIR"), assistant()]).replace(b"PAIR", rb"\ud83c\udf33"))

    assert only().title == "Prune 🌳"


def test_a_byte_order_mark_does_not_hide_the_first_record(home: Path, only: Only) -> None:
    transcript(home, b"\xef\xbb\xbf" + lines([START, assistant()]))

    assert (only().title, only().created) == ("Prune the apple trees", at(0))


@pytest.mark.parametrize("end", [b"\r\n", b"\r\n\r\n", b"\n\n \n\t\n"])
def test_other_line_ends_and_blank_lines_do_not_matter(home: Path, only: Only, end: bytes) -> None:
    transcript(home, end + lines([START, assistant()]).replace(b"\n", end))

    assert (only().title, only().last_activity, only().message_count) == ("Prune the apple trees", at(30), 2)


@pytest.mark.parametrize("control", [b"\x01", b"\x07", b"\x0b", b"\t"])
def test_raw_control_characters_in_a_text_cost_no_record(home: Path, only: Only, control: bytes) -> None:
    transcript(home, lines([user("Prune RAW now"), assistant()]).replace(b"RAW", control))

    assert (only().title, only().message_count) == ("Prune now", 2)


# JSON that is no record


ODD = b"""null
true
42
-1.5e300
"text"
[]
[1, {}]
{}
{"type": null}
{"type": 7, "message": "x"}
{"type": "user"
{'type': 'user'}
NaN
"""


def test_odd_lines_between_records_cost_nothing(home: Path, ask: Ask) -> None:
    transcript(home, ODD + lines([START]) + ODD + lines([assistant()]) + ODD)

    page = ask()

    assert [(session.title, session.message_count) for session in page.sessions] == [("Prune the apple trees", 2)]
    assert page.warnings == ()


@pytest.mark.parametrize("depth", [500, 5_000, 50_000])
def test_a_deeply_nested_record_costs_at_most_itself(home: Path, only: Only, depth: int) -> None:
    deep = b'{"type":"attachment","attachment":' + b'{"a":[' * depth + b"1" + b"]}" * depth + b"}\n"
    transcript(home, lines([START]) + deep + lines([assistant(seconds=50)]))

    assert (only().title, only().last_activity) == ("Prune the apple trees", at(50))


def test_a_line_of_nothing_but_brackets_costs_nothing(home: Path, only: Only) -> None:
    transcript(home, lines([START]) + b"[" * 100_000 + b"\n" + b'{"a":' * 100_000 + b"\n" + lines([assistant()]))

    assert only().last_activity == at(30)


# Fields of a wrong type


@pytest.mark.parametrize(
    "keys",
    [
        {"cwd": 7},
        {"version": ["2.1"]},
        {"gitBranch": {"name": "main"}},
        {"sessionId": 12},
        {"uuid": None},
        {"isMeta": "no"},
        {"isSidechain": 0},
        {"isCompactSummary": []},
        {"entrypoint": True},
        {"origin": "human"},
        {"origin": {"kind": 3}},
        {"forkedFrom": "row-1"},
        {"forkedFrom": {"sessionId": 5}},
        {"teamName": 1, "sessionKind": 2, "agentName": 3},
        {"toolUseResult": "Error", "permissionMode": None, "slug": 5},
    ],
    ids="-".join,
)
def test_a_field_of_a_wrong_type_costs_only_itself(home: Path, only: Only, keys: Row) -> None:
    transcript(home, [user("Prune the apple trees", **keys), assistant(seconds=60, **keys)])

    session = only()

    assert (session.title, session.last_activity, session.models) == ("Prune the apple trees", at(60), (MODEL,))
    assert session.message_count == 2


@pytest.mark.parametrize(
    "message", [None, "text", 7, [], {}, {"content": 7}, {"content": {"text": "x"}}, {"content": []}]
)
def test_a_message_of_a_wrong_type_costs_no_other(home: Path, only: Only, message: object) -> None:
    transcript(
        home, [user("", message=message), user("Real words", 10), assistant(message=message), assistant(seconds=60)]
    )

    session = only()

    assert (session.title, session.last_activity, session.models) == ("Real words", at(60), (MODEL,))


def test_content_of_a_wrong_type_does_not_cost_the_rest_of_the_message(home: Path, only: Only) -> None:
    odd = assistant()
    odd["message"]["content"] = 7
    transcript(home, [START, odd])

    assert (only().models, only().message_count) == ((MODEL,), 2)


@pytest.mark.parametrize("model", [None, 7, ["claude-opus-5"], {}])
def test_a_model_of_a_wrong_type_is_none(home: Path, only: Only, model: object) -> None:
    odd = assistant()
    odd["message"]["model"] = model
    transcript(home, [START, odd])

    assert only().models == ()


@pytest.mark.parametrize("block", [{}, {"type": "text", "text": None}, {"type": "new", "data": [1]}, "Plain text: "])
def test_a_block_of_an_unknown_kind_costs_only_itself(home: Path, only: Only, block: object) -> None:
    transcript(home, [user([{"type": "text", "text": "Prune the apple trees"}, block]), assistant()])

    assert only().title == "Prune the apple trees"


@pytest.mark.parametrize("block", [None, 7, [], {"type": 5}, {"type": "text", "text": 9}])
def test_a_block_of_a_wrong_type_costs_only_itself(home: Path, only: Only, block: object) -> None:
    transcript(home, [user([block, {"type": "text", "text": "Prune the apple trees"}]), assistant()])

    assert only().title == "Prune the apple trees"


@pytest.mark.parametrize("key", ["customTitle", "aiTitle", "lastPrompt"])
@pytest.mark.parametrize("value", [None, 7, [], {"text": "x"}, " "])
def test_a_name_of_a_wrong_type_is_none(home: Path, only: Only, key: str, value: object) -> None:
    kind = {"customTitle": "custom-title", "aiTitle": "ai-title", "lastPrompt": "last-prompt"}[key]
    transcript(home, [START, assistant(), {"type": kind, key: value}])

    assert only().title == "Prune the apple trees"


@pytest.mark.parametrize("timestamp", [None, 7, 1773133200000, pytest.param(10**400, id="huge"), [], {"iso": at(90)}])
def test_a_time_of_a_wrong_type_is_none(home: Path, only: Only, timestamp: object) -> None:
    transcript(home, [START, assistant(), user("Later", timestamp=timestamp)])

    session = only()

    assert (session.last_activity, session.message_count) == (at(30), 3)


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"9" * 5_000, b"0.000" + b"1" * 5_000, b"NaN", b"-Infinity"])
def test_huge_numbers_cost_no_record(home: Path, only: Only, number: bytes) -> None:
    rows = lines([{**START, "costUSD": "N", "usage": {"n": "N"}}, assistant(seconds=60, cwd="N", usage={"n": "N"})])
    transcript(home, rows.replace(b'"N"', number))

    session = only()

    assert (session.title, session.last_activity, session.models) == ("Prune the apple trees", at(60), (MODEL,))


def test_keys_that_stand_twice_cost_no_record(home: Path, only: Only) -> None:
    rows = lines([START, assistant()]).replace(b'"isSidechain":false', b'"isSidechain":true,"isSidechain":false')
    transcript(home, rows)

    assert (only().title, only().message_count) == ("Prune the apple trees", 2)


# Very long lines


def test_a_first_line_of_megabytes_is_read(home: Path, only: Only) -> None:
    transcript(home, [user("Prune " + "x" * MEGABYTES_3), assistant(seconds=60)])

    session = only()

    assert session.title is not None
    assert session.title.startswith("Prune xxx")
    assert (session.project_dir, session.created, session.last_activity) == (CWD, at(0), at(60))


def test_a_line_of_megabytes_amid_a_file_is_read(home: Path, only: Only) -> None:
    pasted = [{"type": "image", "source": {"data": "A" * MEGABYTES_3}}, {"type": "text", "text": "What is this?"}]
    transcript(
        home, [START, *work(50), user(pasted, 300), assistant(seconds=400, model="claude-opus-5"), *work(50, 500)]
    )

    session = only()

    assert (session.title, session.models) == ("Prune the apple trees", (MODEL, "claude-opus-5"))
    assert (session.message_count, session.last_activity) == (103, at(549))


def test_a_last_line_of_megabytes_is_read(home: Path, only: Only) -> None:
    transcript(home, [START, *work(50), assistant("x" * MEGABYTES_3, 900, model="claude-opus-5")])

    session = only()

    assert (session.last_activity, session.models) == (at(900), (MODEL, "claude-opus-5"))


@pytest.mark.parametrize("text", ["\\", '"', '\\\\"', "🌳", "\n", "é"])
def test_no_character_of_a_long_line_is_mistaken_for_its_end(home: Path, only: Only, text: str) -> None:
    transcript(home, [START, user("Look: " + text * (1_500_000 // len(text)), 30), assistant(seconds=60)])

    assert (only().last_activity, only().message_count) == (at(60), 3)


def test_a_long_line_that_is_torn_costs_only_itself(home: Path, only: Only) -> None:
    big = torn(assistant("x" * MEGABYTES_3, 90))
    transcript(home, lines([START, assistant(seconds=60)]) + big)

    assert (only().title, only().last_activity) == ("Prune the apple trees", at(60))


def test_a_record_behind_a_long_torn_line_is_read(home: Path, only: Only) -> None:
    big = torn(assistant("x" * MEGABYTES_3, 20))
    transcript(home, lines([START]) + big + b"\n" + lines([assistant(seconds=60)]))

    assert (only().title, only().last_activity) == ("Prune the apple trees", at(60))


def test_megabytes_without_a_line_end_are_no_session(home: Path, ask: Ask) -> None:
    transcript(home)
    garbage = transcript(home, b"x" * MEGABYTES_3, number=2)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert [problem.path for problem in page.warnings] == [str(garbage)]


# Whole files


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)) * 40,
        b"\x00" * 5000,
        b"not JSON at all\n" * 3000,
        b"%PDF-1.7\n\xe2\xe3\xcf\xd3",
        b"null\n[]\n7\n",
        b"{",
        b"\xff\xfe" + '{"type":"user"}\n'.encode("utf-16-le"),
    ],
    ids=["bytes", "nul", "text", "pdf", "no-objects", "brace", "utf-16"],
)
def test_a_file_of_garbage_costs_one_warning_and_the_others_are_listed(home: Path, ask: Ask, content: bytes) -> None:
    transcript(home)
    subagent(home, "a1")
    paths = [transcript(home, content, number=2), flat_subagent(home, "b2", content)]

    page = ask()

    assert {session.uuid for session in page.sessions} == {uuid(1), "a1"}
    assert sorted((problem.agent, problem.path) for problem in page.warnings) == [
        ("claude", str(path)) for path in paths
    ]
    assert {problem.problem for problem in page.warnings} == {"holds no readable record"}


@pytest.mark.parametrize("content", [b"\n", b"\n\n\r\n", b" \t\n"])
def test_a_file_of_blank_lines_is_no_session(home: Path, ask: Ask, content: bytes) -> None:
    transcript(home, content)

    assert ask().sessions == ()


def test_garbage_around_good_rows_costs_no_warning(home: Path, ask: Ask) -> None:
    transcript(home, b"\xde\xad\xbe\xef\n" * 50 + lines([START, assistant()]) + b"\xde\xad\xbe\xef\n" * 50)

    page = ask()

    assert [session.title for session in page.sessions] == ["Prune the apple trees"]
    assert page.warnings == ()


def test_garbage_at_both_ends_of_a_large_file_does_not_hide_its_rows(home: Path, only: Only) -> None:
    garbage = b"\xde\xad\xbe\xef and more of it\n" * 2000
    transcript(home, garbage + lines([START, *work(100), assistant(seconds=900)]) + garbage)

    session = only()

    assert (session.title, session.project_dir, session.last_activity) == ("Prune the apple trees", CWD, at(900))


@pytest.mark.parametrize("content", [b"", b"{", b"\x00" * 50, b"[" * 100_000, b'"archived"', b"\xff\xfe"])
def test_a_broken_side_file_costs_nothing(home: Path, ask: Ask, content: bytes) -> None:
    path = transcript(home)
    for name in ("custom-title.json", "archived.json"):
        beside(path, name, {}).write_bytes(content)

    page = ask()

    assert [session.title for session in page.sessions] == ["Prompt 1"]
    assert page.warnings == ()


def test_one_damaged_session_does_not_cost_the_details_of_the_others(home: Path, ask: Ask) -> None:
    transcript(home)
    transcript(home, lines([user([{"type": "text", "text": {"deep": []}}]), assistant(seconds=10)]) + ODD, number=2)
    transcript(home, b'{"type":"user"}\n', number=3, modified=-5)

    page = ask()

    assert [(session.uuid, session.last_activity) for session in page.sessions] == [
        (uuid(1), at(30)),
        (uuid(2), at(10)),
        (uuid(3), at(-5)),
    ]
    assert page.warnings == ()
