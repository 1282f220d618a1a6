"""The JSON shape: one value, one session to a line, safe to show in a terminal as it is."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

_PLAIN = bytes(range(0x20, 0x7F))


def encoded(answer: dict[str, Any]) -> bytes:
    """Return an answer as UTF-8 with a newline at its end; lists of objects get a line for each."""
    items = (_text(key) + b": " + _value(value) for key, value in answer.items())
    return b"{" + b",\n ".join(items) + b"}\n"


def _value(value: Any) -> bytes:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return b"[\n  " + b",\n  ".join(map(_text, value)) + b"\n ]"
    return _text(value)


def _text(value: Any) -> bytes:
    try:
        written = msgspec.json.encode(value)
    except ValueError:
        # File names that are not UTF-8 hold surrogates, which strict readers refuse together with all the rest.
        return _text(_without_surrogates(value))
    if not written.translate(None, _PLAIN):
        return written
    return _unsafe().sub(_escape, written.decode()).encode()


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _surrogate().sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


@cache
def _surrogate() -> re.Pattern[str]:
    return re.compile("[\ud800-\udfff]")


@cache
def _unsafe() -> re.Pattern[str]:
    """Return what JSON allows in a string and a terminal may obey or hide.

    C1 controls, bidirectional controls, zero-width characters, line separators.
    """
    return re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
