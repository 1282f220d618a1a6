"""Protocol buffers at wire level: numbered fields without a schema.

Whatever cannot be read ends the reading; what came before is kept. So cut or lying bytes give what they give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sesls.instants import EARLIEST, LATEST, Instant

Value = int | bytes
Fields = Mapping[int, Sequence[Value]]
"""The values of each field number, in their order."""

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_LONGEST_VARINT = 10
_SECOND = 1_000_000_000


def decode(data: bytes) -> Fields:
    """Return the fields of a message."""
    found: dict[int, list[Value]] = {}
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        if tag is None or tag >> 3 == 0:
            break
        value, position = _value(data, position, tag & 7)
        if value is None:
            break
        found.setdefault(tag >> 3, []).append(value)
    return found


def _value(data: bytes, position: int, wire_type: int) -> tuple[Value | None, int]:
    if wire_type == _VARINT:
        return _varint(data, position)
    if wire_type == _BYTES:
        size, position = _varint(data, position)
        if size is None or size > len(data) - position:
            return None, position
    elif wire_type in (_EIGHT_BYTES, _FOUR_BYTES):
        size = 8 if wire_type == _EIGHT_BYTES else 4
        if size > len(data) - position:
            return None, position
    else:
        return None, position
    return data[position : position + size], position + size


def _varint(data: bytes, position: int) -> tuple[int | None, int]:
    number = 0
    for place, byte in enumerate(data[position : position + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return number, position + place + 1
    return None, position


def message(fields: Fields, *path: int) -> Fields:
    """Return the message at a path of field numbers, the first one at each; empty where there is none."""
    for number in path:
        fields = decode(first) if isinstance(first := _first(fields, number), bytes) else {}
    return fields


def messages(fields: Fields, number: int) -> list[Fields]:
    """Return all messages of a repeated field."""
    return [decode(value) for value in fields.get(number, ()) if isinstance(value, bytes)]


def text(fields: Fields, *path: int) -> str | None:
    """Return the text at a path of field numbers, or None where there is none or it is no UTF-8."""
    value = _first(message(fields, *path[:-1]), path[-1])
    return _text(value)


def texts(fields: Fields, number: int) -> list[str]:
    """Return all texts of a repeated field."""
    return [found for value in fields.get(number, ()) if (found := _text(value)) is not None]


def number(fields: Fields, *path: int) -> int | None:
    """Return the number at a path of field numbers, or None."""
    value = _first(message(fields, *path[:-1]), path[-1])
    return value if isinstance(value, int) else None


def moment(fields: Fields, *path: int) -> Instant | None:
    """Return the instant at a path of field numbers: a message of seconds and nanoseconds."""
    seconds, nanoseconds = number(fields, *path, 1), number(fields, *path, 2) or 0
    if seconds is None or nanoseconds >= _SECOND:  # negative ones are read as their complement
        return None
    milliseconds = seconds * 1000 + nanoseconds // 1_000_000
    return milliseconds if EARLIEST <= milliseconds <= LATEST else None


def _first(fields: Fields, number: int) -> Value | None:
    values = fields.get(number)
    return values[0] if values else None


def _text(value: Value | None) -> str | None:
    if not isinstance(value, bytes):
        return None
    try:
        return value.decode() or None
    except UnicodeDecodeError:
        return None
