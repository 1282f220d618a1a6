"""JSON lines read by bytes give the same lines and records, however the bytes come and whatever befell them."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sesls.formats import jsonl
from tests.builders.common import lines as json_lines
from tests.builders.common import put
from tests.conftest import examples


class Inner(msgspec.Struct):
    word: str | None = None
    number: int | None = None


class Row(msgspec.Struct):
    id: str | None = None
    number: int | None = None
    inner: Inner | None = None
    parts: list[Inner] | None = None
    anything: object = None
    renamed: str | None = msgspec.field(default=None, name="re-named")


ROW = msgspec.json.Decoder(Row)

patient = examples(100)
"""A slow machine is no fault."""

# Bytes in which line ends are as frequent as text.
RAW = st.lists(st.sampled_from([b"\n", b"a", b"bb", b"\r", b"\x00", b"a long word"]), max_size=40).map(b"".join)
PIECES = st.lists(RAW, max_size=6)
WINDOWS = st.integers(1, 40)


def naive_lines(data: bytes) -> list[bytes]:
    """The reference: all of a file at once, the empty text behind the last line end left out."""
    found = data.split(b"\n")
    return found if found[-1] else found[:-1]


@contextmanager
def stored(data: bytes) -> Iterator[jsonl.File]:
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data)
        yield jsonl.File(file.fileno(), len(data))


LONG, KEPT = 24, 16


@contextmanager
def small_limits() -> Iterator[None]:
    """Lines count as long, and strings are cut, at sizes that a test can write out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK", LONG)
        patch.setattr(jsonl, "LONG", LONG)
        patch.setattr(jsonl, "_STRING_KEPT", KEPT)
        yield


def read(*lines: bytes) -> list[Row]:
    return list(jsonl.records(lines, ROW))


# Lines from the start


@patient
@given(PIECES)
def test_lines_are_the_same_however_the_bytes_are_cut(pieces: list[bytes]) -> None:
    assert list(jsonl.lines(pieces)) == naive_lines(b"".join(pieces))


@patient
@given(PIECES, st.sampled_from([rb"a", rb"bb", rb"long|\r", rb"\x00a"]))
def test_lines_with_a_pattern_are_those_of_all_lines_that_have_it(pieces: list[bytes], pattern: bytes) -> None:
    compiled = re.compile(pattern)

    found = list(jsonl.lines_with(pieces, compiled))

    assert found == [line for line in naive_lines(b"".join(pieces)) if compiled.search(line)]


@pytest.mark.parametrize("window", range(1, 9))
def test_every_length_of_line_meets_every_window(window: int) -> None:
    for first in range(10):
        for second in range(10):
            data = b"x" * first + b"\n" + b"y" * second + b"\n"
            with stored(data) as file:
                assert list(jsonl.lines(jsonl.blocks(file, window))) == naive_lines(data)
                assert list(filter(None, jsonl.tail_lines(file, window))) == list(
                    filter(None, reversed(naive_lines(data)))
                )


@patient
@given(RAW, WINDOWS, st.integers(0, 80), st.integers(0, 80))
def test_blocks_are_the_bytes_between_two_places(data: bytes, window: int, start: int, end: int) -> None:
    with stored(data) as file:
        assert b"".join(jsonl.blocks(file, window, start, end)) == data[start:end]


def test_blocks_grow_from_the_window_to_the_largest_size() -> None:
    with stored(b"x" * (3 * jsonl.BLOCK)) as file:
        sizes = [len(block) for block in jsonl.blocks(file, jsonl.BLOCK // 8)]

    assert sizes[:3] == [jsonl.BLOCK // 8, jsonl.BLOCK // 2, jsonl.BLOCK]
    assert max(sizes) == jsonl.BLOCK


# Lines from the end


@patient
@given(RAW, WINDOWS)
def test_lines_from_the_end_are_all_lines_backwards(data: bytes, window: int) -> None:
    with stored(data) as file:
        found = list(jsonl.tail_lines(file, window))

    assert list(filter(None, found)) == list(filter(None, reversed(naive_lines(data))))


@patient
@given(RAW, WINDOWS, st.integers(1, 9))
def test_a_reader_who_wants_no_more_gets_the_lines_of_a_piece_and_stops(data: bytes, window: int, wanted: int) -> None:
    with stored(data) as file:
        everything = list(jsonl.tail_lines(file, window))
        found: list[bytes] = []
        for line in jsonl.tail_lines(file, window, lambda: len(found) < wanted):
            found.append(line)

    assert found == everything[: len(found)]
    assert len(found) >= min(wanted, len(everything))


def test_reading_from_the_end_stops_with_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    read_at = jsonl.read_at

    def noting_read_at(descriptor: int, size: int, offset: int) -> bytes:
        sizes.append(size)
        return read_at(descriptor, size, offset)

    monkeypatch.setattr(jsonl, "read_at", noting_read_at)

    with stored(b"x" * 99 + b"\n" + b"last line\n") as file:
        found = jsonl.tail_lines(file, 16)
        assert next(found) == b"last line"

    assert sizes == [16]


def last_rows(data: bytes, window: int, enough: str = "") -> list[str | None]:
    """Return the ids of the last records, back to one with this id."""
    with stored(data) as file:
        return [row.id for row in jsonl.tail(file, ROW, window, lambda row: row.id == enough)]


def test_the_last_records_are_those_of_a_window_in_their_order() -> None:
    data = json_lines([{"id": str(number)} for number in range(9)])

    assert last_rows(data, 34, enough="8") == ["6", "7", "8"]


def test_the_last_records_go_back_to_one_that_is_enough() -> None:
    data = json_lines([{"id": str(number)} for number in range(9)])

    assert last_rows(data, 1, enough="5")[-4:] == ["5", "6", "7", "8"]
    assert last_rows(data, 1) == list("012345678")


def test_the_last_records_may_be_glued_or_no_records_at_all() -> None:
    assert last_rows(b'{"id": "a"}{"id": "b"}\n\x00\x00\n{"id": "c"}\n{"torn', 9) == ["a", "b", "c"]


# Files


def test_a_file_is_as_long_as_it_was_when_it_was_opened(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", b"one\ntwo\n", modified=5)
    with jsonl.opened(str(path)) as file, path.open("ab") as writer:
        writer.write(b"three\n")
        writer.flush()

        assert file.size == 8
        assert list(jsonl.lines(jsonl.blocks(file))) == [b"one", b"two"]
        assert list(jsonl.tail_lines(file, 4)) == [b"two", b"one"]


@pytest.mark.parametrize("left", [0, 3, 5])
def test_a_file_that_shrinks_while_it_is_read_ends_early(tmp_path: Path, left: int) -> None:
    path = put(tmp_path / "a.jsonl", b"one\ntwo\nthree\nfour\n")
    with jsonl.opened(str(path)) as file:
        os.truncate(path, left)

        assert b"\n".join(jsonl.lines(jsonl.blocks(file, 2))) == b"one\ntwo\n"[:left].rstrip(b"\n")
        list(jsonl.tail_lines(file, 2))


def test_a_file_is_closed_again(tmp_path: Path) -> None:
    with jsonl.opened(str(put(tmp_path / "a.jsonl", b"one\n"))) as file:
        pass

    with pytest.raises(OSError, match="descriptor"):
        os.fstat(file.descriptor)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), jsonl.opened(str(tmp_path / "a.jsonl")):
        pass


def test_systems_that_cannot_read_at_a_place_seek(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    with stored(b"one\ntwo\n") as file:
        assert list(jsonl.tail_lines(file, 3)) == [b"two", b"one"]
        assert list(jsonl.lines(jsonl.blocks(file, 3))) == [b"one", b"two"]


@pytest.mark.parametrize("content", [b'{"id": "x"}', b'\xef\xbb\xbf{\n  "id": "x"\n}\n', b'{"id": "x"}\x00\x00'])
def test_a_small_file_holds_one_record(tmp_path: Path, content: bytes) -> None:
    assert jsonl.small(str(put(tmp_path / "a.json", content)), ROW) == Row(id="x")


@pytest.mark.parametrize("content", [b"", b"garbage", b"[]"])
def test_a_small_file_without_a_record_is_none(tmp_path: Path, content: bytes) -> None:
    assert jsonl.small(str(put(tmp_path / "a.json", content)), ROW) is None


def test_a_small_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert jsonl.small(str(tmp_path / "a.json"), ROW) is None
    assert jsonl.small(str(tmp_path), ROW) is None


# Long lines

TEXTS = st.text(st.sampled_from('ab "\\/\n\u0007éλ€😀'), max_size=60)
OBJECTS = st.dictionaries(
    st.text("abc", max_size=3), TEXTS | st.none() | st.integers(0, 99) | st.lists(TEXTS), max_size=6
)


def code_units(text: str) -> bytes:
    """Text so that half of a pair of surrogates is a part of it."""
    return text.encode("utf-16-le", "surrogatepass")


def assert_shrunk(line: bytes, original: dict[str, object], *, ascii_only: bool) -> None:
    """A line is an object with its strings intact where they are short, else cut."""
    shrunk = json.loads(line.decode("utf-8"))
    assert shrunk.keys() == original.keys()
    for key, value in original.items():
        texts, cut = (value, shrunk[key]) if isinstance(value, list) else ([value], [shrunk[key]])
        for whole, part in zip(texts, cut, strict=True):
            if isinstance(whole, str) and len(json.dumps(whole, ensure_ascii=ascii_only).encode()) > KEPT:
                assert code_units(whole).startswith(code_units(part))
                assert len(json.dumps(part, ensure_ascii=ascii_only).encode()) <= KEPT + 1
            else:
                assert part == whole


@patient
@given(OBJECTS, st.booleans(), st.integers(1, LONG))
@example({"a": "\\" * 9 + "b" * 9}, True, 3)
@example({"a": "é" * 20}, True, 5)
@example({"a": "😀" * 20}, True, 7)
@example({"a": "€" * 20}, False, 2)
def test_a_long_line_keeps_its_keys_and_its_short_strings(
    original: dict[str, object], ascii_only: bool, window: int
) -> None:
    data = json.dumps(original, ensure_ascii=ascii_only).encode()
    assume(len(data) > LONG)

    with small_limits(), stored(b"before\n" + data + b"\nafter\n") as file:
        forwards = list(jsonl.lines(jsonl.blocks(file, window)))
        backwards = list(jsonl.tail_lines(file, window))

    assert [forwards[0], forwards[2]] == [backwards[2], backwards[0]] == [b"before", b"after"]
    assert_shrunk(forwards[1], original, ascii_only=ascii_only)
    assert_shrunk(backwards[1], original, ascii_only=ascii_only)


def test_a_backslash_before_a_u_at_the_cut_is_no_escape() -> None:
    for length in range(6, 16):
        original: dict[str, object] = {"a": "x" * length + "\\users" * 4}
        with small_limits():
            (line,) = jsonl.lines([json.dumps(original).encode()])
        assert_shrunk(line, original, ascii_only=True)


@pytest.mark.parametrize("piece", [1 << 10, 1 << 16, 1 << 20])
@pytest.mark.parametrize("ending", [b"\n", b""])
def test_a_record_of_megabytes_is_read_without_its_long_strings(piece: int, ending: bytes) -> None:
    record = {"id": "x", "anything": ["y" * 5_000_000, {"z": 'a"b\\' * 400_000}], "number": 7, "re-named": "end"}
    data = json.dumps(record).encode() + ending
    pieces = [data[start : start + piece] for start in range(0, len(data), piece)]

    (row,) = jsonl.records(jsonl.lines(pieces), ROW)

    assert (row.id, row.number, row.renamed) == ("x", 7, "end")
    assert all(len(line) < 40_000 for line in jsonl.lines(pieces))


def test_a_pattern_is_found_in_a_long_line() -> None:
    data = json.dumps({"id": "x" * 3_000_000, "kind": "wanted"}).encode() + b"\n" + b'{"kind": "other"}\n'

    (line,) = jsonl.lines_with([data[:1_000_000], data[1_000_000:]], re.compile(rb'"wanted"'))

    assert len(line) < 20_000


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"[" + b"1234567, " * 600_000 + b"0]", id="a million small values"),
        pytest.param(b"no json " * 600_000, id="no JSON"),
    ],
)
def test_a_line_that_stays_long_is_given_up_and_the_next_one_is_read(line: bytes) -> None:
    data = line + b'\n{"id": "next"}\n'
    pieces = [data[start : start + jsonl.BLOCK] for start in range(0, len(data), jsonl.BLOCK)]

    assert list(jsonl.records(jsonl.lines(pieces), ROW)) == [Row(id="next")]


@pytest.mark.parametrize("is_hole", [True, False])
def test_megabytes_of_nuls_cost_one_line(is_hole: bool) -> None:
    size = 20 * jsonl.BLOCK
    with tempfile.TemporaryFile(buffering=0) as store:
        store.write(b'{"id": "before"}')
        if is_hole:
            store.seek(size, os.SEEK_CUR)
        else:
            store.write(bytes(size))
        store.write(b'{"id": "after"}\n')
        file = jsonl.File(store.fileno(), store.tell())

        forwards = list(jsonl.records(jsonl.lines(jsonl.blocks(file)), ROW))
        backwards = list(jsonl.records(jsonl.tail_lines(file, 64), ROW))

    assert forwards == [Row(id="before"), Row(id="after")]
    assert backwards == [Row(id="after"), Row(id="before")]


@pytest.mark.parametrize(
    ("filler", "megabytes"), [(b"x", 16), (b"\\", 16), (b"\x00", 16), (b'"quite a few words more", ', 40)]
)
def test_a_line_of_fifty_megabytes_takes_little_memory(filler: bytes, megabytes: int) -> None:
    piece = filler * (jsonl.BLOCK // len(filler))

    def pieces() -> Iterator[bytes]:
        yield b'{"id": "'
        for _ in range(50):
            yield piece
        yield b'\n{"id": "next"}\n'

    tracemalloc.start()
    rows = list(jsonl.records(jsonl.lines(pieces()), ROW))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert rows == [Row(id="next")]
    assert peak < megabytes << 20


# Records


def test_a_line_is_a_record() -> None:
    line = b'{"id": "x", "number": 7, "inner": {"word": "w", "number": 8}, "re-named": "r", "unknown": [1]}'

    assert read(line) == [Row(id="x", number=7, inner=Inner("w", 8), renamed="r")]


@pytest.mark.parametrize("line", [b"", b" ", b"null", b"7", b'"text"', b"[]", b"[{}]", b"true", b"{", b"}", b"garbage"])
def test_what_is_no_object_is_no_record(line: bytes) -> None:
    assert read(line, b'{"id": "next"}') == [Row(id="next")]


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (b'{"id": 7, "number": 8}', Row(number=8)),
        (b'{"id": null, "number": "8"}', Row()),
        (b'{"id": "x", "number": 8.5}', Row(id="x")),
        (b'{"id": "x", "re-named": 7}', Row(id="x")),
        (b'{"id": "x", "inner": [1]}', Row(id="x")),
        (b'{"id": ["x"], "number": 8}', Row(number=8)),
        (b'{"id": "x", "parts": [7, null, "w", [1]]}', Row(id="x", parts=[])),
        (b'{"id": "x", "parts": [{"word": 7, "number": 8}, 9]}', Row(id="x", parts=[Inner(number=8)])),
        (b'{"id": "x", "inner": {"word": 7, "number": 8}}', Row(id="x", inner=Inner(number=8))),
        (b'{"id": "x", "parts": {"word": "w"}}', Row(id="x")),
        (b'{"number": "8", "re-named": "r"}', Row(renamed="r")),
    ],
)
def test_a_field_of_an_unexpected_type_costs_itself(line: bytes, row: Row) -> None:
    assert read(line) == [row]


def test_a_misfit_in_a_list_costs_itself() -> None:
    (row,) = read(b'{"id": "x", "parts": [{"word": {"of": "tomorrow"}}, {"word": "w"}]}')

    assert row.parts is not None
    assert Inner("w") in row.parts


@pytest.mark.parametrize(
    "line",
    [
        b"\xef\xbb\xbf%s",
        b"\x00\x00\x00%s",
        b"%s\x00\x00",
        b"%s\r",
        b" \t%s \r\x00",
        b"\x00\xef\xbb\xbf%s\x00\r",
    ],
)
def test_what_surrounds_a_record_is_passed_by(line: bytes) -> None:
    assert read(line % b'{"id": "x", "number": 7}') == [Row(id="x", number=7)]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b'{"id": "a\xffb"}', "a\ufffdb"),
        (b'{"id": "a\xe2\x82"}', "a\ufffd"),
        (b'{"id": "a\tb\x01"}', "a\tb\x01"),
        (b'{"id": "a\x00b"}', "a\x00b"),
        (b'{"id": "a\\ud83db"}', "a\ud83db"),
        (b'{"id": "a\\ud83d\\ude00"}', "a\U0001f600"),
        ('{"id": "\ud800"}'.encode("utf-8", "surrogatepass"), "\ufffd\ufffd\ufffd"),
    ],
)
def test_text_that_is_not_clean_is_read_all_the_same(line: bytes, text: str) -> None:
    assert read(line) == [Row(id=text)]


@pytest.mark.parametrize("value", [b"9" * 9000, b"-" + b"9" * 9000, b"1e999", b"NaN", b"-Infinity", b"0.5"])
def test_absurd_numbers_cost_themselves(value: bytes) -> None:
    (row,) = read(b'{"id": "x", "number": %s}' % value)

    assert (row.id, row.number) == ("x", None)


@pytest.mark.parametrize("opening", [b"[", b'{"anything":', b'{"a":[', b'{"inner":'])
def test_nesting_without_end_is_no_record(opening: bytes) -> None:
    assert read(opening * 50_000, b'{"id": "next"}') == [Row(id="next")]


def test_a_record_with_deep_nesting_in_it_costs_no_other() -> None:
    deep = b"[" * 50_000 + b"]" * 50_000

    assert read(b'{"id": "x", "anything": %s}' % deep, b'{"id": "next"}')[-1] == Row(id="next")


@pytest.mark.parametrize("between", [b"", b" ", b"\x00\x00", b"\r", b"\t "])
def test_records_glued_together_are_taken_apart(between: bytes) -> None:
    whole = [b'{"id": "a"}', b'{"id": "b{\\"c"}', b'{"number": 7}']

    assert read(between.join(whole)) == [Row(id="a"), Row(id='b{"c'), Row(number=7)]


@pytest.mark.parametrize(
    "torn", [b"{", b'{"id": "half', b'{"id": "a", "inner": {"wo', b'{"id": "a", "number"', b"\xff"]
)
def test_a_record_behind_a_torn_one_is_found(torn: bytes) -> None:
    assert read(torn + b'{"id": "x", "inner": {"word": "w"}}') == [Row(id="x", inner=Inner("w"))]


@pytest.mark.parametrize("torn", [b"{", b'{"id": "half', b'{"id": "b", "inner": {"wo', b"\xff\xfe", b"}"])
def test_a_record_before_a_torn_one_is_found(torn: bytes) -> None:
    assert read(b'{"id": "x"}' + torn) == [Row(id="x")]


@patient
@given(st.integers(1, 90))
def test_a_torn_record_is_none_wherever_it_is_cut(length: int) -> None:
    line = json.dumps({"id": "x", "anything": ["text", 7, None], "number": 7, "re-named": "the end of it"}).encode()

    assert read(line[: min(length, len(line) - 1)]) == []


def test_a_line_of_nothing_but_openings_ends() -> None:
    assert read(b'{"' * 100_000, b'{"id": "next"}') == [Row(id="next")]


def test_a_whole_file_is_one_record() -> None:
    assert jsonl.whole(b'\xef\xbb\xbf{\n  "id": "x",\n  "inner": {\n    "word": 7\n  }\n}\n', ROW) == Row(
        id="x", inner=Inner()
    )


@pytest.mark.parametrize("data", [b"", b"\n", b"\x00" * 99, b"[]", b"garbage", b'{\n  "id": "x",\n'])
def test_a_file_without_a_record_is_none(data: bytes) -> None:
    assert jsonl.whole(data, ROW) is None


@patient
@given(
    st.lists(st.dictionaries(st.sampled_from(["id", "number", "x"]), st.integers(0, 9) | TEXTS), max_size=5), WINDOWS
)
def test_records_survive_any_window(rows: list[dict[str, object]], window: int) -> None:
    with stored(json_lines(rows)) as file:
        found = list(jsonl.records(jsonl.lines(jsonl.blocks(file, window)), ROW))

    assert found == [row for line in naive_lines(json_lines(rows)) for row in read(line)]
    assert len(found) == len(rows)


@patient
@given(st.binary(max_size=60), WINDOWS)
def test_no_bytes_raise(data: bytes, window: int) -> None:
    with stored(data) as file:
        list(jsonl.records(jsonl.lines(jsonl.blocks(file, window)), ROW))
        list(jsonl.records(jsonl.tail_lines(file, window), ROW))


class Listing(msgspec.Struct):
    items: list[Inner] = msgspec.field(default_factory=list)


@pytest.mark.parametrize("value", [{}, {"text": "a"}, "a", 7, None])
def test_an_object_in_the_place_of_a_list_is_absent(value: object) -> None:
    data = json.dumps({"items": value}).encode()

    assert jsonl.whole(data, msgspec.json.Decoder(Listing)) == Listing()


RECORDS: st.SearchStrategy[bytes] = st.builds(
    lambda *values: json.dumps(
        dict(zip(("id", "number", "anything"), values, strict=True)), ensure_ascii=False
    ).encode(),
    st.text(max_size=5),
    st.integers(0, 9),
    st.recursive(st.none(), st.lists, max_leaves=5),
)
LINES = st.tuples(
    st.lists(RECORDS, min_size=1, max_size=3).map(b"".join), st.integers(0, 60), st.sampled_from([b"", b"\0", b"\xff"])
).map(lambda line: line[0][: len(line[0]) - line[1]] + line[2])


@patient
@given(st.lists(LINES, max_size=8))
@example([b'{"id": "a"', b'{"id": "b"}'])
@example([b'{"id": "a', b'{"id": "b"}'])
@example([b'{"anything": [', b'{"id": "b"}'])
@example([b'{"id": "a"}{"id": "b"}', b"", b'{"id": 5}', b'{"id": "c"}'])
def test_many_lines_at_once_make_the_records_that_each_makes_alone(lines: list[bytes]) -> None:
    with stored(b"\n".join(lines)) as file:
        alone = list(jsonl.records(jsonl.lines(jsonl.blocks(file)), ROW))

        assert list(jsonl.all_records(file, ROW)) == alone
