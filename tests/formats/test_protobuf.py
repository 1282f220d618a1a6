"""Protocol buffers are read by field numbers alone, and up to the first byte that makes no sense."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.formats import protobuf
from tests.builders.antigravity import Fields, encode, moment, varint
from tests.builders.common import epoch_ms
from tests.conftest import examples

ORCHARD = encode({1: "plum", 2: 7, 3: {1: "quince", 2: {1: 9}}, 7: ["oak", "ash"]})


def tag(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


# Bytes


def test_fields_come_by_their_numbers() -> None:
    fields = protobuf.decode(encode({1: "plum", 2: 300, 15: b"\xff\x00"}))

    assert fields == {1: [b"plum"], 2: [300], 15: [b"\xff\x00"]}


def test_no_bytes_are_no_fields() -> None:
    assert protobuf.decode(b"") == {}


def test_values_of_a_repeated_field_keep_their_order() -> None:
    assert protobuf.decode(encode({1: ["plum", "quince"], 2: 1}) + encode({1: "medlar"})) == {
        1: [b"plum", b"quince", b"medlar"],
        2: [1],
    }


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, (1 << 32) - 1, (1 << 63) - 1, (1 << 64) - 1])
def test_a_number_may_have_ten_bytes(value: int) -> None:
    assert protobuf.decode(encode({1: value, 2: 5})) == {1: [value], 2: [5]}


@pytest.mark.parametrize("number", [1, 15, 16, 2047, 2048, (1 << 29) - 1])
def test_a_field_may_have_any_number(number: int) -> None:
    assert protobuf.decode(encode({number: "plum"})) == {number: [b"plum"]}


def test_numbers_of_fixed_size_are_passed_over() -> None:
    data = tag(1, 1) + struct.pack("<d", 1.5) + tag(2, 5) + struct.pack("<f", 1.5) + encode({3: "plum"})

    fields = protobuf.decode(data)

    assert protobuf.text(fields, 3) == "plum"
    assert (fields[1], fields[2]) == ([struct.pack("<d", 1.5)], [struct.pack("<f", 1.5)])


@pytest.mark.parametrize(("wire_type", "value"), [(1, b"8 bytes."), (5, b"four")])
def test_a_number_of_fixed_size_may_stand_last(wire_type: int, value: bytes) -> None:
    assert protobuf.decode(tag(1, wire_type) + value) == {1: [value]}


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(tag(2, 3), id="a group"),
        pytest.param(tag(2, 4), id="the end of a group"),
        pytest.param(tag(2, 6), id="an unknown wire type"),
        pytest.param(tag(2, 7), id="another unknown wire type"),
        pytest.param(tag(0, 0) + b"\x01", id="field zero"),
        pytest.param(tag(0, 2) + b"\x01x", id="text of field zero"),
        pytest.param(b"\x80", id="half a tag"),
        pytest.param(b"\xff" * 11, id="a tag without an end"),
        pytest.param(tag(2, 0), id="no number"),
        pytest.param(tag(2, 0) + b"\x80", id="half a number"),
        pytest.param(tag(2, 0) + b"\x80" * 10 + b"\x01", id="a number without an end"),
        pytest.param(tag(2, 1) + b"1234567", id="seven of eight bytes"),
        pytest.param(tag(2, 5) + b"123", id="three of four bytes"),
        pytest.param(tag(2, 2), id="no size"),
        pytest.param(tag(2, 2) + b"\x05plum", id="a size beyond the end"),
        pytest.param(tag(2, 2) + varint(1 << 62), id="an absurd size"),
    ],
)
def test_what_makes_no_sense_ends_the_reading_and_what_came_before_is_kept(rest: bytes) -> None:
    assert protobuf.decode(encode({1: "plum"}) + rest) == {1: [b"plum"]}


@pytest.mark.parametrize("end", range(len(ORCHARD)))
def test_of_cut_bytes_the_whole_fields_are_kept(end: int) -> None:
    whole, cut = protobuf.decode(ORCHARD), protobuf.decode(ORCHARD[:end])

    assert all(values == whole[number][: len(values)] for number, values in cut.items())
    assert sum(map(len, cut.values())) < sum(map(len, whole.values()))


@examples(100)
@given(st.binary(max_size=300))
def test_any_bytes_give_fields_that_lie_within_them(data: bytes) -> None:
    fields = protobuf.decode(data)

    values = [value for found in fields.values() for value in found]
    assert all(value in data for value in values if isinstance(value, bytes))
    assert all(number > 0 for number in fields)


@examples(100)
@given(
    st.dictionaries(
        st.integers(1, (1 << 29) - 1),
        st.lists(st.integers(0, (1 << 64) - 1) | st.binary(max_size=40), min_size=1, max_size=4),
        max_size=6,
    )
)
def test_what_was_encoded_is_decoded(fields: dict[int, list[int | bytes]]) -> None:
    assert protobuf.decode(encode(fields)) == fields


# Values at a path


def test_a_text_lies_at_a_path_of_numbers() -> None:
    fields = protobuf.decode(ORCHARD)

    assert (protobuf.text(fields, 1), protobuf.text(fields, 3, 1)) == ("plum", "quince")


def test_a_number_lies_at_a_path_of_numbers() -> None:
    fields = protobuf.decode(ORCHARD)

    assert (protobuf.number(fields, 2), protobuf.number(fields, 3, 2, 1)) == (7, 9)


def test_of_repeated_values_a_path_leads_to_the_first() -> None:
    assert protobuf.text(protobuf.decode(ORCHARD), 7) == "oak"


@pytest.mark.parametrize("path", [(9,), (9, 1), (1, 1), (2, 1), (3, 9), (3, 1, 1), (3, 2, 1, 1)])
def test_a_path_that_leads_nowhere_gives_nothing(path: tuple[int, ...]) -> None:
    fields = protobuf.decode(ORCHARD)

    assert protobuf.text(fields, *path) is None
    assert protobuf.number(fields, *path) is None
    assert protobuf.moment(fields, *path) is None
    assert protobuf.message(fields, *path) == {}


def test_a_number_is_no_text_and_a_text_no_number() -> None:
    fields = protobuf.decode(encode({1: 7, 2: "7"}))

    assert (protobuf.text(fields, 1), protobuf.number(fields, 2)) == (None, None)


def test_zero_is_a_number() -> None:
    assert protobuf.number(protobuf.decode(encode({1: 0})), 1) == 0


@pytest.mark.parametrize("content", [b"", b"pl\xfcm", b"\xed\xa0\x80"])
def test_a_text_of_no_characters_or_of_broken_ones_is_none(content: bytes) -> None:
    assert protobuf.text(protobuf.decode(encode({1: content})), 1) is None


def test_a_text_may_hold_any_character() -> None:
    assert protobuf.text(protobuf.decode(encode({1: "Pflaume 🌳 \x00"})), 1) == "Pflaume 🌳 \x00"


def test_all_texts_of_a_repeated_field_are_found() -> None:
    fields = protobuf.decode(encode({1: ["oak", b"\xff", "", "ash", 7]}))

    assert protobuf.texts(fields, 1) == ["oak", "ash"]


def test_all_messages_of_a_repeated_field_are_found() -> None:
    fields = protobuf.decode(encode({1: [{1: "oak"}, 7, {}, {1: "ash"}]}))

    assert protobuf.messages(fields, 1) == [{1: [b"oak"]}, {}, {1: [b"ash"]}]


def test_a_message_may_lie_deep() -> None:
    deep: Fields = {1: "plum"}
    for _ in range(2000):
        deep = {1: encode(deep)}

    assert protobuf.text(protobuf.decode(encode(deep)), *[1] * 2001) == "plum"


# Instants


def test_a_moment_is_of_seconds_and_nanoseconds() -> None:
    fields = protobuf.decode(encode({4: {3: moment(12.345678)}}))

    assert protobuf.moment(fields, 4, 3) == epoch_ms(12.345)


def test_a_moment_needs_no_nanoseconds() -> None:
    assert protobuf.moment(protobuf.decode(encode({3: {1: epoch_ms() // 1000}})), 3) == epoch_ms()


@pytest.mark.parametrize("seconds", [-62_135_596_800, -1, 0, 1, 9_000_000_000, 253_402_300_799, (1 << 63) - 1])
def test_a_moment_outside_any_sane_range_is_none(seconds: int) -> None:
    assert protobuf.moment(protobuf.decode(encode({3: {1: seconds, 2: 0}})), 3) is None


@pytest.mark.parametrize("seconds", [1_000_000, 7_000_000])
def test_a_moment_of_1970_is_none(seconds: int) -> None:
    assert protobuf.moment(protobuf.decode(encode({3: {1: seconds, 2: 0}})), 3) is None


@pytest.mark.parametrize(
    "nanoseconds",
    [
        -1,
        (1 << 63) - 1,
        1 << 60,
    ],
)
def test_absurd_nanoseconds_do_not_move_a_moment(nanoseconds: int) -> None:
    fields = protobuf.decode(encode({3: {1: epoch_ms() // 1000, 2: nanoseconds}}))

    assert protobuf.moment(fields, 3) in (epoch_ms(), None)


def test_a_moment_without_seconds_is_none() -> None:
    assert protobuf.moment(protobuf.decode(encode({3: {2: 5}, 4: "soon"})), 3) is None
