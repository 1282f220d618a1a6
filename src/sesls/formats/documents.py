"""Files that are one JSON value, read to their end or only at their start, always in bounded memory.

Agents write such a file anew whenever something changes, some of them in place: it can be found half-written, and
stay so after a crash. What stands before the damage still counts.
"""

from __future__ import annotations

import json
import re
from typing import Generic, NamedTuple, TypeVar

import msgspec

from sesls.formats import jsonl

Record = TypeVar("Record", bound=msgspec.Struct)

_LARGEST = 64 << 20
"""What is still longer, in bytes, after long strings were cut is given up."""

_LONGEST_MENDED = 4 << 20
_DEEPEST = 200
# The last alternative is a string that does not end.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],"]', re.DOTALL)
_CLOSING = {b"{": b"}", b"[": b"]"}
_EDGES = "\ufeff \t\r\n\x00"
_PARSER = json.JSONDecoder(strict=False, parse_int=float)


class Start(NamedTuple, Generic[Record]):
    """What the start of a file tells, and whether that was the whole file."""

    record: Record | None
    is_whole: bool


def read(path: str, decoder: msgspec.json.Decoder[Record], items: str | None = None) -> Record | None:
    """Return the record that a file holds, or None when it holds none. Raises OSError.

    `items` names the field that a file is read into which is a list. A file that does not parse is read once more,
    since it may just have been written; then what stands before the damage counts.
    """
    return start(path, decoder, None, items).record


def start(
    path: str, decoder: msgspec.json.Decoder[Record], window: int | None, items: str | None = None
) -> Start[Record]:
    """Return what the first bytes of a file tell, `window` of them: all members that end there. Raises OSError.

    Of a file that is no longer, or without a window, the same as `read`.
    """
    for _ in range(2):
        with jsonl.opened(path) as file:
            if window is not None and file.size > window:
                head = next(jsonl.blocks(file, window), b"")
                return Start(jsonl.whole(closed(_named(head, items, is_whole=False)), decoder), is_whole=False)
            data = _named(jsonl.content(file, _LARGEST), items, is_whole=True)
        try:
            return Start(decoder.decode(data), is_whole=True)
        except (msgspec.DecodeError, RecursionError):
            pass
    return Start(_mended(data, decoder), is_whole=True)


def _named(data: bytes, items: str | None, *, is_whole: bool) -> bytes:
    if items is None:
        return data
    return b'{"%s":%s%s' % (items.encode(), data.lstrip(b"\xef\xbb\xbf"), b"}" if is_whole else b"")


def _mended(data: bytes, decoder: msgspec.json.Decoder[Record]) -> Record | None:
    """Return what can be read of a value that is damaged, or not of the expected types."""
    if len(data) > _LONGEST_MENDED:
        return jsonl.whole(closed(data), decoder)
    text = data.decode("utf-8", "replace").strip(_EDGES)
    try:
        value, _ = _PARSER.raw_decode(text)
    except json.JSONDecodeError as error:
        return jsonl.whole(closed(text[: error.pos].encode()), decoder)
    except (ValueError, RecursionError):
        return None
    return jsonl.whole(text.encode(), decoder) if isinstance(value, dict) else None


def closed(torn: bytes) -> bytes:
    """Return the start of a JSON value as a value of its own: what is complete in it, every bracket closed."""
    brackets: list[bytes] = []
    end, closing = 0, b""
    for token in _TOKEN.finditer(torn):
        kind = torn[token.start() : token.start() + 1]
        if kind in _CLOSING:
            brackets.append(_CLOSING[kind])
            end = token.end()
        elif kind == b",":
            end = token.start()
        elif kind == b'"':
            if token.end() - token.start() == 1:
                break
            continue
        elif brackets and brackets[-1] == kind:
            brackets.pop()
            end = token.end()
        else:
            break
        if len(brackets) > _DEEPEST:
            break
        closing = b"".join(reversed(brackets))
        if not brackets:
            break
    return torn[:end] + closing
