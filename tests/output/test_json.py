"""The JSON shape is one value that a terminal can be shown as it is."""

from __future__ import annotations

import io
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.output.json import Writer, encoded
from tests.conftest import examples

UNSAFE = "\x7f\x80\x85\x9b\x9d\xad\u061c\u200b\u200d\u200e\u2028\u202e\u2060\u2066\ufeff\U000e0041"

texts = st.text() | st.text(st.sampled_from(UNSAFE + '\x00\x1b\n"\\/ ab果\U0001f680'))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
quick = examples(60)


@quick
@given(st.dictionaries(texts, values, max_size=5))
def test_what_was_written_is_read_again(answer: dict[str, Any]) -> None:
    assert json.loads(encoded(answer)) == answer


@quick
@given(st.dictionaries(texts, values, max_size=5))
def test_nothing_that_a_terminal_obeys_or_hides_is_written(answer: dict[str, Any]) -> None:
    written = encoded(answer).decode().replace("\n", "")

    assert not any(character in UNSAFE or character < " " for character in written)


@pytest.mark.parametrize("character", [*UNSAFE, "\x00", "\x1b", "\n", "\r", "\x08", "\u2029", "\u202a", "\u2069"])
def test_an_unsafe_character_is_escaped_and_kept(character: str) -> None:
    written = encoded({"title": f"a{character}b"})

    assert written.isascii()
    assert b"\\" in written
    assert json.loads(written) == {"title": f"a{character}b"}


@pytest.mark.parametrize("code", [0xD83D, 0xDC00, 0xDCFF])
def test_half_a_pair_is_replaced_so_that_strict_readers_can_read_the_rest(code: int) -> None:
    written = encoded({"path": f"/srv/{chr(code)}/orchard", "total": 1})

    assert msgspec.json.decode(written) == {"path": "/srv/\ufffd/orchard", "total": 1}


def test_text_that_is_safe_is_written_as_it_is() -> None:
    text = "果樹園 verg\u00e9 \U0001f680 e\u0301"

    assert text in encoded({"title": text}).decode()


def test_every_object_of_a_list_has_a_line_of_its_own() -> None:
    answer = {
        "schema_version": 1,
        "sessions": [{"title": "a\nb"}, {"title": "c", "extra": {"deep": [{"d": 1}]}}],
        "total": 2,
    }

    assert encoded(answer).decode().splitlines() == [
        '{"schema_version": 1,',
        ' "sessions": [',
        '  {"title":"a\\nb"},',
        '  {"title":"c","extra":{"deep":[{"d":1}]}}',
        " ],",
        ' "total": 2}',
    ]


@pytest.mark.parametrize("answer", [{}, {"sessions": []}, {"models": ["a", "b"]}, {"extra": {}}, {"a": (1, 2)}])
def test_empty_and_flat_values_stay_on_their_line(answer: dict[str, Any]) -> None:
    written = encoded(answer)

    assert written.endswith(b"}\n")
    assert written.count(b"\n") == 1
    assert json.loads(written) == json.loads(json.dumps(answer))


@pytest.mark.parametrize("count", [0, 1, 127, 128, 129, 300])
def test_an_answer_written_item_by_item_is_the_same(count: int) -> None:
    sessions = [{"title": f"a\n{number}"} for number in range(count)]
    after = {"total": count, "warnings": [{"agent": "pi"}, {"agent": "omp"}], "none": []}
    stream = io.BytesIO()

    writer = Writer(stream, {"schema_version": 1}, "sessions")
    for session in sessions:
        writer.add(session)
    writer.finish(after)

    assert stream.getvalue() == encoded({"schema_version": 1, "sessions": sessions, **after})


def test_items_are_written_before_all_of_them_are_there() -> None:
    stream = io.BytesIO()
    writer = Writer(stream, {}, "sessions")

    for number in range(1000):
        writer.add({"title": str(number)})

    assert stream.getvalue().count(b"title") > 800
