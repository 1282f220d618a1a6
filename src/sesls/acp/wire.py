"""JSON-RPC 2.0, one message to a line: what a line asks for, and what is said in return."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

Id = int | str | None
Message = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

LONGEST_LINE = 32 * 1024 * 1024
"""As long as the protocol's own TypeScript SDK (2.4.0) takes them, in bytes."""


class Request(msgspec.Struct, frozen=True):
    """What is to be answered."""

    id: Id
    method: str
    params: object
    """None: there are none."""


class Reply(msgspec.Struct, frozen=True):
    """The answer to a request, and the notifications that belong before and after it."""

    result: Message
    before: Sequence[Message] = ()
    after: Sequence[Message] = ()


class ProtocolError(Exception):
    """Why a request gets an error for an answer."""

    def __init__(self, code: int, message: str, data: Message | None = None, *, request_id: Id = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.request_id = request_id


def lines(chunks: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Yield the lines of a stream without their ends, also the last one without an end.

    A longer line is cut, whatever its length, which leaves nothing that could be understood.
    """
    begun = bytearray()
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        begun += first[: longest - len(begun)]
        for piece in others:
            yield bytes(begun)
            begun[:] = piece[:longest]
    if begun:
        yield bytes(begun)


def request(line: bytes, *, may_be_null: bool = False) -> Request | None:
    """Return the request that a line makes, or None for what gets no answer: notifications, responses, blank lines.

    `may_be_null`: whether the id may be null. Raises ProtocolError for a line that is no message.
    """
    if not line.strip():
        return None
    try:
        message = msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, "Parse error: the line is no JSON in UTF-8") from error
    if not isinstance(message, dict):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: a message is one object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    request_id = message.get("id")
    is_id = type(request_id) in (int, str) or (request_id is None and may_be_null)
    known_id = request_id if is_id else None
    if message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'Invalid request: jsonrpc is "2.0"', request_id=known_id)
    method = message.get("method")
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: method is a text", request_id=known_id)
    if "id" not in message:
        return None
    if not is_id:
        raise ProtocolError(INVALID_REQUEST, "Invalid request: id is a text or an integer")
    return Request(request_id, method, message.get("params"))


def result(request_id: Id, value: Message) -> Message:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def error(request_id: Id, refusal: ProtocolError) -> Message:
    """Return the answer to a request that is refused."""
    data = {} if refusal.data is None else {"data": refusal.data}
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": refusal.code, "message": str(refusal), **data}}


def notification(method: str, params: Message) -> Message:
    """Return a message that gets no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
