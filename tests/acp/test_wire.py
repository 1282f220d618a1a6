"""What a line asks for, and when it is no message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.acp.wire import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ProtocolError,
    Request,
    error,
    lines,
    request,
)

REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"m"}'


def refused(line: bytes) -> tuple[int, object]:
    with pytest.raises(ProtocolError) as caught:
        request(line)
    return caught.value.code, caught.value.request_id


@given(st.lists(st.binary().map(lambda line: line.replace(b"\n", b""))), st.integers(1, 7), st.booleans())
def test_lines_are_the_same_however_a_stream_is_cut(texts: list[bytes], size: int, is_ended: bool) -> None:
    stream = b"\n".join(texts) + b"\n" * is_ended
    chunks = [stream[place : place + size] for place in range(0, len(stream), size)]

    assert list(lines(chunks)) == stream.removesuffix(b"\n").split(b"\n") * bool(stream)


@pytest.mark.parametrize("size", [1, 4, 100])
def test_a_line_without_end_is_cut_and_the_next_one_is_whole(size: int) -> None:
    stream = b"x" * 50 + b"\n" + REQUEST + b"\n"
    chunks = [stream[place : place + size] for place in range(0, len(stream), size)]

    assert list(lines(chunks, longest=40)) == [b"x" * 40, REQUEST]


@pytest.mark.parametrize("request_id", [b"1", b"-7", b"0", b"9007199254740991", b'""', b'"a"', b'"\\u00e9"'])
def test_a_request_has_a_text_or_an_integer_for_an_id(request_id: bytes) -> None:
    asked = request(b'{"jsonrpc":"2.0","id":%b,"method":"m","params":{"a":1}}' % request_id)

    assert asked is not None
    assert (asked.method, asked.params) == ("m", {"a": 1})
    assert type(asked.id) in (int, str)


@pytest.mark.parametrize("request_id", [b"null", b"1.5", b"1.0", b"1e2", b"true", b"[]", b"{}"])
def test_other_ids_are_refused_without_one(request_id: bytes) -> None:
    assert refused(b'{"jsonrpc":"2.0","id":%b,"method":"m"}' % request_id) == (INVALID_REQUEST, None)


def test_version_1_allows_null_for_an_id() -> None:
    line = b'{"jsonrpc":"2.0","id":null,"method":"m"}'

    assert request(line, may_be_null=True) == Request(None, "m", None)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" \t\r",
        b'{"jsonrpc":"2.0","method":"m"}',
        b'{"jsonrpc":"2.0","method":"$/cancel_request","params":5}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}',
        b'{"jsonrpc":"2.0","result":null}',
    ],
)
def test_what_is_no_request_gets_no_answer(line: bytes) -> None:
    assert request(line) is None


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        REQUEST[:-1],
        REQUEST + b"x",
        REQUEST + REQUEST,
        b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xef\xbb\xbf" + REQUEST,
        b"\x00",
        b"9" * 5_000,
        b'{"id":NaN}',
    ],
)
def test_what_is_no_json_is_a_parse_error(line: bytes) -> None:
    assert refused(line) == (PARSE_ERROR, None)


@pytest.mark.parametrize(
    ("line", "request_id"),
    [
        (b"[]", None),
        (b"[" + REQUEST + b"]", None),
        (b"5", None),
        (b"null", None),
        (b'"text"', None),
        (b"{}", None),
        (b'{"id":5}', 5),
        (b'{"id":5,"method":"m"}', 5),
        (b'{"jsonrpc":2.0,"id":"a","method":"m"}', "a"),
        (b'{"jsonrpc":"1.0","method":"m"}', None),
        (b'{"jsonrpc":"2.0","id":5,"method":5}', 5),
        (b'{"jsonrpc":"2.0","method":null}', None),
        (b'{"jsonrpc":"2.0","id":[5],"method":null}', None),
    ],
)
def test_what_is_no_message_is_an_invalid_request_and_answered_to_its_id(line: bytes, request_id: object) -> None:
    assert refused(line) == (INVALID_REQUEST, request_id)


def test_an_error_has_data_only_where_there_is_any() -> None:
    assert error(1, ProtocolError(-5, "Why")) == {"jsonrpc": "2.0", "id": 1, "error": {"code": -5, "message": "Why"}}
    assert error("a", ProtocolError(-5, "Why", {"b": 1}))["error"]["data"] == {"b": 1}
