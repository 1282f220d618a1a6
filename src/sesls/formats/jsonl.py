"""JSON lines read by bytes: from the start, from the end, or whole, always in bounded memory.

Transcripts grow while they are read, end in half a line after a crash, hold blocks of NUL bytes after a power
cut, two records on one line after a torn write, bytes that are no UTF-8, lone surrogates, and single records
of tens of megabytes. A record that cannot be read is skipped; the others never suffer.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin

import msgspec

from sesls.formats import files

Record = TypeVar("Record", bound=msgspec.Struct)

BLOCK = 1 << 18
"""How much of a file is held at once when all of it is read, in bytes."""

LONG = 1 << 20
"""A line of more bytes than this is read in pieces, its long strings cut (see `_Shrinker`)."""

SMALL = 1 << 20
"""How much of a small file is read, in bytes."""

_STRING_KEPT = 8192
_SHRUNK_LIMIT = 4 << 20
_EDGES = b" \t\r\x00\xef\xbb\xbf"
_TORN_LIMIT = 256
"""How many places of a damaged line are tried for the start of a record."""
_LONGEST_MENDED = 4 << 20
_ZEROS = bytes(BLOCK)
_NUL_RUN = bytes(16)
_NULS = re.compile(rb"\x00{16,}")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_STRING_END = re.compile(rb'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NEXT = re.compile(r"[ \t\r\x00]*")
# Python refuses integers of thousands of digits; as a float they are just absurd.
_LOOSE = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) < 20 else float(digits))


class File(msgspec.Struct, frozen=True):
    """An open file of JSON lines, as long as it was when it was opened; what grows later is not seen."""

    descriptor: int
    size: int


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Return at most `size` bytes of an open file from `offset` on."""
    if sys.platform != "win32":
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


@contextmanager
def opened(path: str) -> Iterator[File]:
    """Open a regular file of JSON lines. Raises OSError."""
    descriptor = files.opened(path)
    try:
        yield File(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)


def blocks(file: File, window: int = BLOCK, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file from `start` on in pieces, the first of `window` bytes, then ever larger ones.

    A run of NUL bytes, which no record holds, ends a line; holes in the file may be left out.
    """
    offset, end = start, file.size if end is None else min(end, file.size)
    while offset < end:
        block = read_at(file.descriptor, min(window, end - offset), offset)
        if not block:
            return
        offset += len(block)
        window = min(window * 4, BLOCK)
        if _is_zero(block):
            offset = min(max(_next_data(file.descriptor, offset), offset), end)
            yield b"\n"
        else:
            yield _without_nuls(block)


def _is_zero(block: bytes) -> bool:
    return block.startswith(_NUL_RUN) and block == _ZEROS[: len(block)]


def _without_nuls(block: bytes) -> bytes:
    """Return bytes of the same length in which runs of NUL bytes are the end of a line, and blanks."""
    if b"\0" not in block or _NUL_RUN not in block:  # a run is looked for at a twentieth of the speed
        return block
    return _NULS.sub(lambda run: b"\n".ljust(len(run.group())), block)


def _next_data(descriptor: int, offset: int) -> int:
    """Return where the next bytes that were really written begin, as far as the system can tell."""
    if sys.platform == "win32":
        return offset
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA)
    except OSError as error:
        return sys.maxsize if error.errno == errno.ENXIO else offset


def lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file given in pieces, without their ends; the last one may be cut."""
    for block, start, end in _whole_lines(blocks):
        yield from block[start:end].split(b"\n")


def lines_with(blocks: Iterable[bytes], pattern: re.Pattern[bytes]) -> Iterator[bytes]:
    """Yield those lines in which the pattern is found; far faster than `lines` where few have it."""
    for block, begin, end in _whole_lines(blocks):
        place = begin
        while (match := pattern.search(block, place, end)) is not None:
            line_start = block.rfind(b"\n", place, match.start()) + 1 or place
            line_end = block.find(b"\n", match.end(), end)
            if line_end < 0:
                line_end = end
            yield block[line_start:line_end]
            place = line_end + 1


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int, int]]:
    """Yield the same bytes, each time with where in them whole lines begin and end; long lines are shrunk."""
    rest = b""
    long: _Shrinker | None = None
    for block in blocks:
        end = block.find(b"\n")
        if long is None and len(rest) + (len(block) if end < 0 else end) > LONG:
            long, rest = _Shrinker(rest), b""
        if end < 0:
            if long is None:
                rest += block
            else:
                long.feed(block)
            continue
        if long is not None:
            long.feed(block[:end])
            rest, long = long.result(), None
        elif rest:
            rest += block[:end]
        else:
            end = -1
        if rest:
            yield rest, 0, len(rest)
        cut = block.rfind(b"\n")
        if cut > end:
            yield block, end + 1, cut
        rest = block[cut + 1 :]
    if long is not None:
        rest = long.result()
    if rest:
        yield rest, 0, len(rest)


def tail(
    file: File, decoder: msgspec.json.Decoder[Record], window: int, is_enough: Callable[[Record], bool]
) -> list[Record]:
    """Return the last records of a file, in their order: those of a window, and back to one that is enough."""
    found: list[Record] = []
    checked = 0

    def wants_more() -> bool:
        nonlocal checked
        unchecked, checked = found[checked:], len(found)
        return not any(map(is_enough, unchecked))

    for line in tail_lines(file, window, wants_more):
        found.extend(reversed(list(records([line], decoder))))
    found.reverse()
    return found


def tail_lines(file: File, window: int, wants_more: Callable[[], bool] = lambda: True) -> Iterator[bytes]:
    """Yield the lines that are not empty, from the last one backwards.

    Reads `window` bytes first, then as many as the last line needs, and then, while the reader wants more, ever
    larger pieces.
    """
    start = line_end = file.size
    is_line_found = False
    while start > 0 and (not is_line_found or wants_more()):
        size = min(window, start)
        start -= size
        block = read_at(file.descriptor, size, start)
        window = min(window * 4, BLOCK)
        if _is_zero(block):
            if line_end > start + size:
                is_line_found = True
                yield _line(file, start + size, line_end)
            line_end = start = _data_end(file.descriptor, start)
            continue
        first, *whole = _without_nuls(block).split(b"\n")
        if not whole:
            continue
        last = whole.pop()
        if line_end > start + size:
            whole.append(_line(file, start + size - len(last), line_end))
        else:
            whole.append(last)
        for line in reversed(whole):
            if line:
                is_line_found = True
                yield line
        line_end = start + len(first)
    if start == 0 and line_end > 0:
        yield _line(file, 0, line_end)


def _data_end(descriptor: int, offset: int) -> int:
    """Return where the hole that ends at an offset begins, or about there; the offset where there is none."""
    step = BLOCK
    while step <= offset and _next_data(descriptor, offset - step) >= offset:
        offset -= step
        step *= 2
    return offset


def _line(file: File, start: int, end: int) -> bytes:
    if end - start <= LONG:
        return _without_nuls(read_at(file.descriptor, end - start, start))
    long = _Shrinker()
    for piece in blocks(file, start=start, end=end):
        long.feed(piece)
    return long.result()


def records(lines: Iterable[bytes], decoder: msgspec.json.Decoder[Record]) -> Iterator[Record]:
    """Yield the records that lines hold; lines that hold none are skipped."""
    decode = decoder.decode
    for line in lines:
        if not line:
            continue
        try:
            record = decode(line)
        except (msgspec.DecodeError, RecursionError):
            yield from _mended(line, decoder)
        else:
            yield record


def all_records(file: File, decoder: msgspec.json.Decoder[Record], start: int = 0) -> Iterator[Record]:
    """Yield all records of a file from `start` on, as `records` does line by line, at half the cost.

    A piece of many lines is decoded in one go. Torn or glued lines in it never make other records than they would
    make alone: what a torn one lacks, the next line cannot give. Where the piece does not decode, each line is tried.
    """
    for block, begin, end in _whole_lines(blocks(file, start=start)):
        try:
            found = decoder.decode_lines(memoryview(block)[begin:end])
        except (msgspec.DecodeError, RecursionError):
            yield from records(block[begin:end].split(b"\n"), decoder)
        else:
            yield from found


def whole(data: bytes, decoder: msgspec.json.Decoder[Record]) -> Record | None:
    """Return the one record that bytes hold, or None when they hold none."""
    return next(records([data], decoder), None)


def whole_file(path: str, decoder: msgspec.json.Decoder[Record], limit: int = 4 << 20) -> Record | None:
    """Return the one record that a file holds, or None when it holds none. Raises OSError.

    Of a large file every long string is cut; what is still longer than `limit` bytes is given up.
    """
    with opened(path) as file:
        return whole(content(file, limit), decoder)


def content(file: File, limit: int) -> bytes:
    """Return all of a file that is one JSON value. Of a large one every long string is cut, and runs of NUL bytes too.

    Empty where it is still longer than `limit` bytes.
    """
    if file.size <= LONG:
        return b"".join(blocks(file))
    long = _Shrinker(limit=limit)
    for piece in blocks(file):
        long.feed(piece)
    return long.result()


def small(path: str, decoder: msgspec.json.Decoder[Record]) -> Record | None:
    """Return the one record that a file holds, or None when it is not there, not readable or no record."""
    try:
        return whole_file(path, decoder)
    except (OSError, ValueError):  # a NUL, or half of a surrogate pair: there can be no such place
        return None


def _mended(line: bytes, decoder: msgspec.json.Decoder[Record]) -> Iterator[Record]:
    """Yield what can be read of a line that is no plain record of the expected types."""
    line = line.strip(_EDGES)
    if not line or len(line) > _LONGEST_MENDED:
        return
    try:
        yield decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        for value in _values(line.decode("utf-8", "replace")):
            if isinstance(value, dict):
                yield _fitted(_record_type(decoder), value)


def _record_type(decoder: msgspec.json.Decoder[Record]) -> type[Record]:
    return cast("type[Record]", decoder.type)


def _values(text: str) -> list[object]:
    """Return the JSON values of a line: one, or several glued together, after a torn one or not.

    Where one does not parse, the next is looked for at the last object that begins before the damage; it counts
    only if everything from there on parses, because else it may be a part of the torn one.
    """
    found, damage = _glued(text, 0)
    start = 0
    for _ in range(_TORN_LIMIT):
        if damage is None:
            break
        begin = text.rfind('{"', start + 1, damage + 1)
        start = begin if begin > start else text.find('{"', start + 1)
        if start < 0:
            break
        more, damage = _glued(text, start)
        if damage is None:
            return found + more
    return found


def _glued(text: str, position: int) -> tuple[list[object], int | None]:
    """Return the values glued together from a position on, and where one does not parse, if one does not."""
    found: list[object] = []
    while position < len(text):
        try:
            value, position = _LOOSE.raw_decode(text, position)
        except json.JSONDecodeError as error:
            return found, error.pos
        except (ValueError, RecursionError):
            return found, position
        found.append(value)
        gap = _NEXT.match(text, position)
        position = gap.end() if gap is not None else position
    return found, None


def _fitted(kind: type[Record], value: dict[Any, Any]) -> Record:
    """Return a record with those fields of a JSON object that have the expected type; the others are absent."""
    fields: dict[str, Any] = {}
    for field in _fields(kind):
        if field.encode_name not in value:
            continue
        given = value[field.encode_name]
        try:
            fields[field.name] = msgspec.convert(given, field.type)
        except (ValueError, RecursionError):  # also of a lone surrogate where another type is expected
            fitted = _fitted_value(field.type, given)
            if fitted is not None:
                fields[field.name] = fitted
    return kind(**fields)


@lru_cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _fitted_value(annotation: Any, value: object) -> object:
    """Return what fits of an object or a list, or None where its kind is not expected or nothing fits."""
    options = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    if isinstance(value, dict):
        struct = next((one for one in options if isinstance(one, type) and issubclass(one, msgspec.Struct)), None)
        return _fitted(struct, value) if struct is not None else None
    item = next((get_args(one)[0] for one in options if get_origin(one) is list), None)
    if not isinstance(value, list) or item is None:
        return None
    return [fitted for one in value if (fitted := _converted(item, one)) is not None]


def _converted(annotation: Any, value: object) -> object:
    try:
        return cast("object", msgspec.convert(value, annotation))
    except (ValueError, RecursionError):
        return _fitted_value(annotation, value)


class _Shrinker:
    """Takes a line too long to hold, piece by piece, and keeps the same JSON with every long string cut.

    So a pasted image or a diff of 50 MB costs time but no memory, and the record around it is still read.
    A line that stays long even so (it is no JSON, or a million small values) is given up: empty.
    """

    def __init__(self, start: bytes = b"", limit: int = _SHRUNK_LIMIT) -> None:
        self._limit = limit
        self._kept: list[bytes] = []
        self._size = 0
        self._string = b""
        """The start of a string that has not ended yet, with its quote."""
        self._backslash = b""
        """One that escapes the first byte of the next piece."""
        self.feed(start)

    def feed(self, piece: bytes) -> None:
        if self._size >= self._limit:
            return
        piece = self._backslash + piece
        self._backslash = b""
        start = 0
        if self._string:
            end = _STRING_END.match(piece)
            if end is None:
                self._keep_string(piece)
                return
            self._keep(_cut_string(self._string + piece[: end.end()]))
            self._string = b""
            start = end.end()
        end_of_whole = _unfinished_string(piece, start)
        self._keep(_STRING.sub(lambda match: _cut_string(match.group()), piece[start:end_of_whole]))
        if end_of_whole < len(piece):
            self._keep_string(piece[end_of_whole:])

    def _keep(self, piece: bytes) -> None:
        self._kept.append(piece)
        self._size += len(piece)

    def _keep_string(self, piece: bytes) -> None:
        self._backslash = _dangling_backslash(piece)
        whole = piece[: len(piece) - len(self._backslash)]
        self._string += whole[: max(_STRING_KEPT + 1 - len(self._string), 0)]

    def result(self) -> bytes:
        return b"".join(self._kept) if self._size < self._limit else b""


def _unfinished_string(block: bytes, start: int) -> int:
    """Return where the last string of a block starts if it does not end in it, else the block's length."""
    position = start
    while (quote := block.find(b'"', position)) >= 0:
        match = _STRING_END.match(block, quote + 1)
        if match is None:
            return quote
        position = match.end()
    return len(block)


def _dangling_backslash(block: bytes) -> bytes:
    backslashes = len(block) - len(block.rstrip(b"\\"))
    return b"\\" if backslashes % 2 else b""


def _cut_string(string: bytes) -> bytes:
    """Return a JSON string with its quotes, at most about _STRING_KEPT bytes long, cut outside any escape."""
    if len(string) <= _STRING_KEPT:
        return string
    kept = string[:_STRING_KEPT]
    kept = kept[: len(kept) - len(_dangling_backslash(kept))]
    escape = kept.rfind(b"\\u", -6)
    if escape >= 0 and not _dangling_backslash(kept[:escape]):
        kept = kept[:escape]
    return kept.decode("utf-8", "ignore").encode() + b'"'
