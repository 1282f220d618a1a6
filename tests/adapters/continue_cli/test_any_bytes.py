"""Damaged sessions and any bytes: there is an answer, nothing is changed, and what is whole is in the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.adapters.conftest import Stand
from tests.builders.common import CWD, uuid
from tests.builders.continue_cli import about, answered, encoded, entry, index, said, session
from tests.conftest import environment_of

Ask = Callable[..., Page]
Only = Callable[..., Session]

patient = settings(deadline=None, max_examples=80, derandomize=True)

WHOLE = encoded(about([said("Graft the plum"), answered(), said("And the quince")]))
INDEX = encoded([entry(1), entry(2)])

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + WHOLE, id="byte order mark"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(WHOLE + b"\x00" * 9000, id="NUL tail"),
        pytest.param(b"\x00" * 99 + WHOLE, id="NULs first"),
        pytest.param(WHOLE + WHOLE[:50], id="an older end"),
        pytest.param(WHOLE + b"garbage", id="garbage last"),
        pytest.param(json.dumps(json.loads(WHOLE)).encode(), id="on one line"),
        pytest.param(WHOLE[:-2], id="without its last brace"),
        pytest.param(WHOLE[: WHOLE.index(b'"usage": {\n    "totalCost"')], id="torn after the history"),
        pytest.param(
            WHOLE.replace(b'"totalCost"', b'"deep": ' + b"[" * 150 + b"]" * 150 + b', "totalCost"'), id="deep"
        ),
    ],
)
def test_damage_around_the_history_changes_nothing(home: Path, only: Only, content: bytes) -> None:
    session(home, content)

    assert (only().title, only().message_count, only().project_dir) == ("Graft the plum", 3, CWD)


def test_a_torn_session_shows_what_is_complete(home: Path, only: Only) -> None:
    session(home, WHOLE[: WHOLE.index(b"And the quince")])

    assert (only().title, only().message_count, only().project_dir) == ("Graft the plum", 3, CWD)


@pytest.mark.parametrize("content", [b"\x00" * 4096, b"garbage", b"[]", b"7", b"null", b"\xff\xfe", b"[" * 99_999])
def test_a_file_that_is_no_session_costs_one_warning(home: Path, ask: Ask, content: bytes) -> None:
    path = session(home, content)
    session(home, number=2)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [
        ("continue", str(path), "holds no readable record")
    ]


@pytest.mark.parametrize("content", [b"", b"{}", b'{"history": 7}', b'{"history": {}}', b'{"a": 1'])
def test_a_file_in_which_nothing_was_said_is_not_worth_a_word(home: Path, ask: Ask, content: bytes) -> None:
    session(home, content)

    assert (ask().sessions, ask().warnings) == ((), ())


def test_a_message_of_many_megabytes_leaves_the_others(home: Path, only: Only) -> None:
    session(home, [said("Graft"), answered("x" * 9_000_000, "big"), answered(["x" * 9_000_000]), said("Later")])

    assert (only().title, only().message_count, only().models) == ("Graft", 4, ("big", "claude-sonnet-4-5"))


def test_text_that_is_no_utf_8_leaves_the_rest(home: Path, only: Only) -> None:
    session(home, WHOLE.replace(b"the plum", b"the pl\xfcm \\ud83d"))

    assert (only().title, only().message_count) == ("Graft the pl\ufffdm", 3)


def listed(content: bytes, known: bytes = INDEX) -> Page:
    """Return the answer for a home with these bytes for a session and the index, and one good session."""
    with TemporaryDirectory() as place:
        home = Path(place)
        session(home, content)
        session(home, number=2)
        index(home, known)
        stand = Stand(home)
        page = take(Query(agents=("continue",), limit=0), environment_of(home))
        stand.assert_unchanged()
    assert uuid(2) in {one.uuid for one in page.sessions}
    assert len(page.warnings) <= 1
    assert not [one for one in page.warnings if one.problem.startswith("unexpected")]
    json.dumps(page.to_dict())
    return page


@patient
@given(st.binary(max_size=300))
@example(b"{}")
def test_any_bytes_for_a_session_get_an_answer(content: bytes) -> None:
    listed(content)


@patient
@given(st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_for_the_index_cost_nothing(content: bytes) -> None:
    assert len(listed(WHOLE, content).sessions) == 2


@patient
@given(st.integers(0, len(WHOLE)), st.integers(0, 60), st.binary(max_size=40) | st.sampled_from([b'"', b"}", b"\\"]))
def test_a_session_that_was_overwritten_anywhere_gets_an_answer(start: int, length: int, written: bytes) -> None:
    listed(WHOLE[:start] + written + WHOLE[start + length :])


@patient
@given(st.integers(0, len(WHOLE)))
def test_a_session_that_was_cut_anywhere_is_listed_once_somebody_spoke(length: int) -> None:
    page = listed(WHOLE[:length])

    role = WHOLE.index(b'"user"') + len(b'"user",')
    assert (uuid(1) in {one.uuid for one in page.sessions}) == (length >= role)


@patient
@given(st.dictionaries(st.sampled_from(["title", "workspaceDirectory", "mode", "usage", "sessionId"]), JSON))
def test_any_values_in_a_session_cost_nothing(values: dict[str, Any]) -> None:
    page = listed(encoded(about(**values)))

    assert (len(page.sessions), page.warnings) == (2, ())


@patient
@given(st.dictionaries(st.sampled_from(["content", "usage", "toolCalls"]), JSON), JSON)
def test_any_values_in_a_message_cost_nothing(values: dict[str, Any], other: object) -> None:
    odd = {"message": {"role": "assistant", **values}, "contextItems": other}

    assert len(listed(encoded(about([said("Graft"), odd]))).sessions) == 2


@patient
@given(JSON)
def test_any_history_gets_an_answer(history: object) -> None:
    listed(encoded(about() | {"history": history}))
