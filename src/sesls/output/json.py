"""The JSON shape: one value, one session to a line, safe to show in a terminal as it is."""

from __future__ import annotations

import re
from json import dumps
from typing import Any

# What JSON allows in a string and a terminal may obey or hide: C1 controls, bidirectional controls, zero-width
# characters, line separators.
_UNSAFE = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


_SURROGATE = re.compile("[\ud800-\udfff]")


def encoded(answer: dict[str, Any]) -> bytes:
    """Return an answer as UTF-8 with a newline at its end; lists of objects get a line for each."""
    return ("{" + ",\n ".join(f"{_text(key)}: {_value(value)}" for key, value in answer.items()) + "}\n").encode()


def _value(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n  " + ",\n  ".join(map(_text, value)) + "\n ]"
    return _text(value)


def _text(value: Any) -> str:
    text = dumps(value, ensure_ascii=False)
    # File names that are not UTF-8 hold surrogates, which strict readers refuse together with all the rest.
    return _UNSAFE.sub(_escape, _SURROGATE.sub("\ufffd", text))


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
