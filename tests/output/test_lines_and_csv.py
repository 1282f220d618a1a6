"""JSON Lines and CSV: one session a line, written at once, exact or made safe for a spreadsheet."""

from __future__ import annotations

import csv as reader
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesls.output import csv, lines
from sesls.session import Session
from sesls.terms import FIELDS
from tests.output.test_table import AWKWARD, session

SHOWN = [name for name in FIELDS if name not in ("date", "home", "extra")]


def as_lines(sessions: Sequence[Session], *fields: str) -> bytes:
    stream = io.BytesIO()
    write = lines.writer(stream, fields or None)
    for one in sessions:
        write(one)
    return stream.getvalue()


def as_csv(sessions: Sequence[Session], *fields: str, with_home: bool = False) -> bytes:
    stream = io.BytesIO()
    write = csv.writer(stream, fields or None, with_home=with_home)
    for one in sessions:
        write(one)
    return stream.getvalue()


def cells(sessions: Sequence[Session], *fields: str) -> list[list[str]]:
    """Return what a reader of CSV reads, without the header."""
    return list(reader.reader(io.StringIO(as_csv(sessions, *fields).decode(), newline=""), strict=True))[1:]


def test_the_fields_are_those_of_the_record() -> None:
    assert Session.__struct_fields__ == FIELDS


def test_a_line_is_a_session() -> None:
    written = as_lines(AWKWARD)

    assert [json.loads(line) for line in written.splitlines()] == [one.to_dict() for one in AWKWARD]
    assert written.endswith(b"\n")
    assert as_lines([]) == b""


def test_named_fields_come_in_the_order_named_and_null_where_there_is_nothing() -> None:
    one = session(extra={"git_branch": "main", "deep": {"er": [1, {"x": None}]}})

    written = as_lines([one, session()], "title", "extra.git_branch", "uuid", "extra.deep.er", "extra.none.x")

    assert [list(json.loads(line).values()) for line in written.splitlines()] == [
        ["Prompt 1", "main", one.uuid, [1, {"x": None}], None],
        ["Prompt 1", None, one.uuid, None, None],
    ]
    assert list(json.loads(written.splitlines()[0]))[1] == "extra.git_branch"


@pytest.mark.parametrize("write", [as_lines, as_csv])
def test_every_session_is_written_at_once(write: Any) -> None:
    class Stream(io.BytesIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed = len(self.getvalue())

    stream = Stream()
    writer = lines.writer(stream) if write is as_lines else csv.writer(stream)
    for one in AWKWARD:
        writer(one)
        assert stream.flushed == len(stream.getvalue()) > 0


def test_a_header_comes_first_and_every_line_ends_as_the_standard_says() -> None:
    assert as_csv([]).decode() == ",".join(SHOWN) + "\r\n"
    assert as_csv([session()], "uuid", "size_bytes").decode() == f"uuid,size_bytes\r\n{session().uuid},1\r\n"
    assert "home" in as_csv([], with_home=True).decode()


def test_values_are_read_back() -> None:
    one = session(
        title='a "quoted" title, with a comma',
        models=("gpt-5", "gpt-5-mini"),
        created=None,
        project_dir="/srv/two  spaces",
        extra={"archived": True, "copies": ["/a", "/b"], "worktree": {"name": "w"}, "ratio": 0.5},
    )
    names = ("title", "models", "created", "project_dir", "size_bytes")
    extras = ("extra.archived", "extra.copies", "extra.worktree", "extra.ratio", "extra.no", "extra")

    assert cells([one], *names) == [['a "quoted" title, with a comma', "gpt-5|gpt-5-mini", "", "/srv/two  spaces", "1"]]
    assert cells([one], *extras) == [
        ["true", "/a|/b", '{"name":"w"}', "0.5", "", json.dumps(one.extra, separators=(",", ":"))]
    ]
    assert cells([session()], "extra") == [[""]]


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-v is ignored", "'-v is ignored"),
        ("@ada mend it", "'@ada mend it"),
        ("\uff1d1", "'\uff1d1"),
        ("a;=1+1", "a;'=1+1"),
        ("a; @x;-y", "a;' @x;'-y"),
        ('"=1"', '"=1"'),
        ("a=1", "a=1"),
        ("2+2;3", "2+2;3"),
        ("'=1", "'=1"),
    ],
)
def test_no_cell_is_a_formula(title: str, cell: str) -> None:
    assert cells([session(title=title)], "title") == [[cell]]


def test_a_number_stays_one() -> None:
    assert cells([session(size_bytes=-5, extra={"x": -1, "y": [-1, 2]})], "size_bytes", "extra.x", "extra.y") == [
        ["-5", "-1", "'-1|2"]
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, derandomize=True)
@given(title=st.text(max_size=20) | st.from_regex(r"[;\s]*[=+@-].{0,9}", fullmatch=True), extra=VALUES)
def test_any_value_is_one_cell_of_one_line_that_nothing_obeys(title: str, extra: Any) -> None:
    one = session(title=title, project_dir=title, extra={"x": extra})
    names = ("title", "project_dir", "extra.x", "uuid")

    text = as_csv([one], *names).decode()
    ((*shown, last),) = cells([one], *names)

    assert last == one.uuid
    assert text.count("\n") == text.count("\r\n") == 2
    assert all(character.isprintable() for line in text.split("\r\n") for character in line if ord(character) < 0xA0)
    assert not any(
        cell.lstrip()[:1] in set("=+-@\uff1d\uff0b\uff0d\uff20") - {""} for cell in shown if cell.strip()
    ) or (isinstance(extra, int))
    assert b"\n" not in as_lines([one], *names)[:-1]


def test_what_no_encoding_takes_costs_no_line() -> None:
    one = session(title="a\ud83db", project_dir="/srv/\udcff")

    assert json.loads(as_lines([one]))["project_dir"] == "/srv/\ufffd"
    assert cells([one], "title", "project_dir") == [["ab", "/srv/"]]
