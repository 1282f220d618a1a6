"""The JSON shapes: one value, one session to a line, safe to show in a terminal as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, BinaryIO

import msgspec

_ENCODER = msgspec.json.Encoder()
_PIECE = 128
"""How many lines are made at a time."""
_AFTER_ITEMS = b"\n ]"

# What JSON allows in a string and a terminal may obey or hide.
_UNSAFE = (
    rb"\x7f"
    rb"|\xc2[\x80-\x9f\xad]"  # C1 controls, the soft hyphen
    rb"|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"  # bidirectional and zero-width
    rb"|\xf3\xa0[\x80-\xbf]{2}"  # tags
)


def encoded(answer: dict[str, Any]) -> bytes:
    """Return an answer as UTF-8 with a newline at its end; lists of objects get a line for each."""
    return b"".join(parts(answer))


def parts(answer: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the same piece by piece: a long answer as a whole would be in memory several times."""
    yield b"{"
    for number, (name, value) in enumerate(answer.items()):
        yield (b",\n " if number else b"") + _name(name)
        yield from _value(value)
    yield b"}\n"


class Writer:
    """Writes an answer in which one list of objects comes item by item, and is never in memory as a whole."""

    def __init__(self, stream: BinaryIO, before: Mapping[str, Any], name: str) -> None:
        self._stream = stream
        self._lead = b"{" + b"".join(_name(key) + line(value)[:-1] + b",\n " for key, value in before.items())
        self._lead += _name(name)
        self._waiting: list[object] = []
        self._has_items = False

    def add(self, item: object) -> None:
        """Write an item of the list, together with some that follow."""
        self._waiting.append(item)
        if len(self._waiting) == _PIECE:
            self._write()

    def finish(self, after: Mapping[str, Any]) -> None:
        """Write the items that wait, and what follows the list."""
        if self._waiting:
            self._write()
        self._stream.write(_AFTER_ITEMS if self._has_items else self._lead + b"[]")
        for name, value in after.items():
            self._stream.write(b",\n " + _name(name))
            self._stream.writelines(_value(value))
        self._stream.write(b"}\n")

    def _write(self) -> None:
        if not self._has_items:
            self._stream.write(self._lead)
        self._stream.write(_items(self._waiting, is_first=not self._has_items))
        self._waiting, self._has_items = [], True


def _name(name: str) -> bytes:
    return line(name)[:-1] + b": "


def _value(value: Any) -> Iterator[bytes]:
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict | msgspec.Struct):
        for start in range(0, len(value), _PIECE):
            yield _items(value[start : start + _PIECE], is_first=not start)
        yield _AFTER_ITEMS
    else:
        yield line(value)[:-1]


def _items(items: Sequence[object], *, is_first: bool) -> bytes:
    """Return items of a list, one to a line, with what stands before them."""
    return (b"[\n  " if is_first else b",\n  ") + b",\n  ".join(_lines(items))


def line(value: Any) -> bytes:
    """Return a value on one line, as UTF-8 with a newline at its end."""
    return _safe(_encoded(value)) + b"\n"


def plain(value: Any) -> str:
    """Return a value as JSON text on one line."""
    return _safe(_encoded(value)).decode()


def _encoded(value: Any) -> bytes:
    try:
        return _ENCODER.encode(value)
    except ValueError:
        # File names that are not UTF-8 hold surrogates, which strict readers refuse together with all the rest.
        return _ENCODER.encode(without_surrogates(msgspec.to_builtins(value)))


def _lines(values: Sequence[Any]) -> list[bytes]:
    try:
        text = _ENCODER.encode_lines(values)
    except ValueError:
        text = _ENCODER.encode_lines(without_surrogates(msgspec.to_builtins(values)))
    *lines, _ = text.split(b"\n")  # no line end can stand within a value
    return lines if _is_safe(text) else [_safe(line) for line in lines]


def _is_safe(text: bytes) -> bool:
    return text.isascii() and b"\x7f" not in text


def _safe(line: bytes) -> bytes:
    return line if _is_safe(line) else re.sub(_UNSAFE, _escaped, line)


def without_surrogates(value: Any) -> Any:
    """Return plain data with what is no character (in a name that is not UTF-8) replaced by U+FFFD."""
    if isinstance(value, str):
        return _surrogate().sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value


@cache
def _surrogate() -> re.Pattern[str]:
    return re.compile("[\ud800-\udfff]")


def _escaped(match: re.Match[bytes]) -> bytes:
    code = ord(match.group().decode())
    if code < 0x10000:
        return b"\\u%04x" % code
    code -= 0x10000
    return b"\\u%04x\\u%04x" % (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))
