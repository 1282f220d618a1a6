"""Files that are one JSON value, whole, torn, or only at their start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sesls.formats import documents, jsonl
from tests.builders.common import put


class Item(msgspec.Struct):
    """An item of a document."""

    name: str | None = None
    text: str | None = None


class Record(msgspec.Struct):
    """A document."""

    id: str | None = None
    items: list[Item] | None = None
    last: int | None = None


DECODER = msgspec.json.Decoder(Record)

VALUE = {"id": "a", "items": [{"name": "one", "text": 'q"\\,]}{'}, {"name": "two", "text": "é"}], "last": 7}
WHOLE = json.dumps(VALUE, ensure_ascii=False).encode()
TWO = [Item("one", 'q"\\,]}{'), Item("two", "é")]


def read(tmp_path: Path, content: bytes, items: str | None = None) -> Record | None:
    return documents.read(str(put(tmp_path / "x.json", content)), DECODER, items)


@pytest.mark.parametrize(
    "content",
    [
        WHOLE,
        json.dumps(VALUE, indent=2).encode(),
        b"\xef\xbb\xbf" + WHOLE,
        b"\x00" * 40 + WHOLE + b"\x00" * 40,
        b" \r\n" + WHOLE + b"\n\n",
        WHOLE + b"garbage",
        WHOLE + b'{"id": "older"}',
        WHOLE.replace(b'"last"', b'"big": ' + b"9" * 9000 + b', "last"'),
        WHOLE.replace(b'"last"', b'"deep": ' + b"[" * 150 + b"]" * 150 + b', "last"'),
        WHOLE.replace(b'"last"', b'"text": "' + b"x" * 3_000_000 + b'", "last"'),
    ],
)
def test_a_whole_value_is_read(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content) == Record("a", TWO, 7)


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ("}", Record("a", TWO)),
        (', "last": 7}', Record("a", TWO)),
        ('], "last": 7}', Record("a", TWO)),
        ('}], "last": 7}', Record("a", [TWO[0], Item("two")])),
        ('two", "text": "é"}], "last": 7}', Record("a", [TWO[0], Item()])),
        ('{"name": "two", "text": "é"}], "last": 7}', Record("a", [TWO[0]])),
        ('"items": [{"name": "one", "text": "q\\"\\\\,]}{"}, {"name": "two", "text": "é"}], "last": 7}', Record("a")),
    ],
)
def test_of_a_torn_value_all_that_is_complete_counts(tmp_path: Path, ending: str, expected: Record) -> None:
    assert WHOLE.endswith(ending.encode())

    assert read(tmp_path, WHOLE[: -len(ending.encode())]) == expected


def test_of_a_large_torn_value_all_that_is_complete_counts(tmp_path: Path) -> None:
    many = {"id": "a", "items": [{"name": str(index), "text": "x" * 400} for index in range(20_000)]}
    content = json.dumps(many).encode()

    record = read(tmp_path, content[:-3])

    assert record is not None
    assert record.items is not None
    assert (record.id, len(record.items)) == ("a", 20_000)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"id": 7, "items": [7, {"name": []}, {"name": "x"}], "last": "x"}', Record(items=[Item(), Item("x")])),
        (b'{"id": "a\xff", "last": 7}', Record("a\ufffd", None, 7)),
        (b'{"id": "a", "items": {}, "last": 7', Record("a")),
        (b'{"id": "a", garbage, "last": 7}', Record("a")),
        (b'{"id": "a"]', Record()),
        (b"{", Record()),
    ],
)
def test_of_a_damaged_value_what_fits_counts(tmp_path: Path, content: bytes, expected: Record) -> None:
    assert read(tmp_path, content) == expected


@pytest.mark.parametrize("content", [b"", b"  ", b"garbage", b"[]", b"7", b"null", b'"x', b"\x00" * 99, b"[" * 99_999])
def test_what_is_no_record_is_none(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content) is None


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b'[{"name": "one"}, {"name": "two"}]', ["one", "two"]),
        (b'\xef\xbb\xbf[{"name": "one"}]\n', ["one"]),
        (b'[{"name": "one"}, {"name": "tw', ["one", None]),
        (b"[]", []),
        (b"[", []),
        (b"", None),
        (b"garbage", None),
        (b"{}", None),
    ],
)
def test_a_list_is_read_into_a_field(tmp_path: Path, content: bytes, names: list[str | None] | None) -> None:
    record = read(tmp_path, content, "items")

    assert record is not None
    assert names == (None if record.items is None else [item.name for item in record.items])


def test_a_file_that_was_just_being_written_is_read_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / "x.json", WHOLE[:30])
    content = jsonl.content

    def late(file: jsonl.File, limit: int) -> bytes:
        found = content(file, limit)
        put(path, WHOLE)
        return found

    monkeypatch.setattr(jsonl, "content", late)

    assert documents.read(str(path), DECODER) == Record("a", TWO, 7)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        documents.read(str(tmp_path / "x.json"), DECODER)


# The start alone


@pytest.mark.parametrize("window", [len(WHOLE), 1000])
def test_the_start_of_a_small_file_is_all_of_it(tmp_path: Path, window: int) -> None:
    path = str(put(tmp_path / "x.json", WHOLE))

    assert documents.start(path, DECODER, window) == (Record("a", TWO, 7), True)


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (0, None),
        (1, Record()),
        (9, Record()),
        (11, Record("a")),
        (22, Record("a", [])),
        (40, Record("a", [Item("one")])),
        (WHOLE.index(b', {"name": "two"'), Record("a", [TWO[0]])),
        (len(WHOLE) - 1, Record("a", TWO)),
    ],
)
def test_the_start_of_a_file_tells_what_ends_in_it(tmp_path: Path, window: int, expected: Record | None) -> None:
    path = str(put(tmp_path / "x.json", WHOLE))

    assert documents.start(path, DECODER, window) == (expected, False)


def test_the_start_of_a_list_is_read_into_a_field(tmp_path: Path) -> None:
    path = str(put(tmp_path / "x.json", b'[{"name": "one"}, {"name": "two"}]'))

    assert documents.start(path, DECODER, 20, "items") == (Record(items=[Item("one"), Item()]), False)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None, max_examples=300)
@given(st.lists(JSON) | st.dictionaries(st.text(max_size=5), JSON), st.integers(1, 200), st.sampled_from([None, 1]))
@example({"": "\\"}, 6, None)
def test_the_start_of_any_value_can_be_closed(value: Any, length: int, indent: int | None) -> None:
    content = json.dumps(value, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")

    closed = json.loads(documents.closed(content[:length]))

    assert is_part(closed, json.loads(content))


def is_part(part: Any, whole: Any) -> bool:
    """Tell whether a value is another with something missing at the end."""
    if isinstance(whole, dict):
        return isinstance(part, dict) and all(is_part(one, whole.get(key)) for key, one in part.items())
    if isinstance(whole, list):
        return isinstance(part, list) and all(map(is_part, part, whole)) and len(part) <= len(whole)
    return bool(part == whole)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=80) | st.text('{}[],:"\\ 1a', max_size=60).map(str.encode))
def test_any_bytes_can_be_closed(content: bytes) -> None:
    closed = documents.closed(content)

    assert len(closed) <= 2 * len(content)
