"""JSON lines read by bytes: from the start, from the end, or whole, always in bounded memory.

Transcripts grow while they are read, end in half a line after a crash, hold blocks of NUL bytes after a power
cut, two records on one line after a torn write, bytes that are no UTF-8, lone surrogates, and single records
of tens of megabytes. A record that cannot be read is skipped; the others never suffer.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast, get_args

import msgspec

from sesls.formats import files

Record = TypeVar("Record", bound=msgspec.Struct)

BLOCK = 1 << 20
"""How much of a file is held at once when all of it is read, in bytes."""

LONG = 1 << 20
"""A line of more bytes than this is read in pieces, its long strings cut (see `_Shrinker`)."""

_STRING_KEPT = 8192
_SHRUNK_LIMIT = 4 << 20
_EDGES = b" \t\r\x00\xef\xbb\xbf"
_GLUED_LIMIT = 64
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_STRING_END = re.compile(rb'(?:[^"\\]++|\\.)*+"', re.DOTALL)
# Python refuses integers of thousands of digits; as a float they are just absurd.
_LOOSE = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) < 20 else float(digits))


@dataclass(frozen=True, slots=True)
class File:
    """An open file of JSON lines, as long as it was when it was opened; what grows later is not seen."""

    descriptor: int
    size: int
    mtime_ns: int


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Return at most `size` bytes of an open file from `offset` on."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)  # Windows
    return os.read(descriptor, size)


@contextmanager
def opened(path: str) -> Iterator[File]:
    """Open a regular file of JSON lines. Raises OSError."""
    descriptor = files.opened(path)
    try:
        status = os.fstat(descriptor)
        yield File(descriptor, status.st_size, status.st_mtime_ns)
    finally:
        os.close(descriptor)


def blocks(file: File, window: int = BLOCK, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file from `start` on in pieces, the first of `window` bytes, then ever larger ones."""
    offset, end = start, file.size if end is None else min(end, file.size)
    while offset < end:
        block = read_at(file.descriptor, min(window, end - offset), offset)
        if not block:
            return
        offset += len(block)
        window = min(window * 4, BLOCK)
        yield block


def lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file given in pieces, without their ends; the last one may be cut."""
    for piece in _whole_lines(blocks):
        yield from piece.split(b"\n")


def lines_with(blocks: Iterable[bytes], pattern: re.Pattern[bytes]) -> Iterator[bytes]:
    """Yield those lines in which the pattern is found; far faster than `lines` where few have it."""
    for piece in _whole_lines(blocks):
        start = 0
        while (match := pattern.search(piece, start)) is not None:
            line_start = piece.rfind(b"\n", start, match.start()) + 1 or start
            line_end = piece.find(b"\n", match.end())
            if line_end < 0:
                line_end = len(piece)
            yield piece[line_start:line_end]
            start = line_end + 1


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes without some of the line ends, cut only between lines; long lines shrunk."""
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
        if long is None:
            yield rest + block[:end]
        else:
            long.feed(block[:end])
            yield long.result()
            long = None
        cut = block.rfind(b"\n")
        if cut > end:
            yield block[end + 1 : cut]
        rest = block[cut + 1 :]
    if long is not None:
        yield long.result()
    elif rest:
        yield rest


def tail_lines(file: File, window: int, limit: int) -> Iterator[bytes]:
    """Yield the lines from the last one backwards, until `limit` bytes have been read.

    Reads `window` bytes first and then ever larger pieces.
    """
    start = line_end = file.size
    while start > 0 and file.size - start < limit:
        size = min(window, start)
        start -= size
        block = read_at(file.descriptor, size, start)
        window = min(window * 4, BLOCK)
        cut = block.rfind(b"\n", 0, line_end - start)
        while cut >= 0:
            yield _line(file, start + cut + 1, line_end, block, start)
            line_end = start + cut
            cut = block.rfind(b"\n", 0, cut)
    if start == 0 and line_end > 0:
        yield _line(file, 0, line_end, b"", 0)


def _line(file: File, start: int, end: int, block: bytes, block_start: int) -> bytes:
    if end <= block_start + len(block):
        return block[start - block_start : end - block_start]
    if end - start > LONG:
        long = _Shrinker()
        for piece in blocks(file, start=start, end=end):
            long.feed(piece)
        return long.result()
    return read_at(file.descriptor, end - start, start)


def records(lines: Iterable[bytes], decoder: msgspec.json.Decoder[Record]) -> Iterator[Record]:
    """Yield the records that lines hold; lines that hold none are skipped."""
    decode = decoder.decode
    for line in lines:
        try:
            record = decode(line)
        except (msgspec.DecodeError, RecursionError):
            yield from _mended(line, decoder)
        else:
            yield record


def whole(data: bytes, decoder: msgspec.json.Decoder[Record]) -> Record | None:
    """Return the one record that a whole small file holds, or None when it holds none."""
    return next(records([data], decoder), None)


def _mended(line: bytes, decoder: msgspec.json.Decoder[Record]) -> Iterator[Record]:
    """Yield what can be read of a line that is no plain record of the expected types."""
    line = line.strip(_EDGES)
    if not line:
        return
    try:
        yield decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        for value in _values(line.decode("utf-8", "replace")):
            if isinstance(value, dict):
                yield _fitted(_record_type(decoder), value)


def _record_type(decoder: msgspec.json.Decoder[Record]) -> type[Record]:
    return cast("type[Record]", decoder.type)


def _values(text: str) -> Iterator[object]:
    """Yield the JSON values of a line: one, or several glued together, or one behind the torn start of another."""
    position = 0
    for _ in range(_GLUED_LIMIT):
        try:
            value, position = _LOOSE.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        yield value
        position += len(text) - position - len(text[position:].lstrip(" \t\r\x00"))
        if position >= len(text):
            return
    for _ in range(_GLUED_LIMIT):
        position = text.find('{"', position + 1)
        if position < 0:
            return
        try:
            value, end = _LOOSE.raw_decode(text, position)
        except (ValueError, RecursionError):
            continue
        if not text[end:].strip():
            yield value
            return


def _fitted(kind: type[Record], value: dict[Any, Any]) -> Record:
    """Return a record with those fields of a JSON object that have the expected type; the others are absent."""
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in value:
            continue
        given = value[field.encode_name]
        try:
            fields[field.name] = msgspec.convert(given, field.type)
        except (msgspec.ValidationError, RecursionError):
            nested = _struct_in(field.type)
            if nested is not None and isinstance(given, dict):
                fields[field.name] = _fitted(nested, given)
    return kind(**fields)


def _struct_in(annotation: Any) -> type[msgspec.Struct] | None:
    for option in (annotation, *get_args(annotation)):
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return option
    return None


class _Shrinker:
    """Takes a line too long to hold, piece by piece, and keeps the same JSON with every long string cut.

    So a pasted image or a diff of 50 MB costs time but no memory, and the record around it is still read.
    A line that stays long even so (it is no JSON, or a million small values) is given up: empty.
    """

    def __init__(self, start: bytes = b"") -> None:
        self._kept: list[bytes] = []
        self._size = 0
        self._string = b""
        """The start of a string that has not ended yet, with its quote."""
        self._backslash = b""
        """One that escapes the first byte of the next piece."""
        self.feed(start)

    def feed(self, piece: bytes) -> None:
        if self._size >= _SHRUNK_LIMIT:
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
        self._keep(_STRING.sub(lambda match: _cut_string(match.group()), piece[start:end_of_whole]).strip(b"\x00"))
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
        return b"".join(self._kept) if self._size < _SHRUNK_LIMIT else b""


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
    if escape >= 0 and len(kept) - escape < 6:
        kept = kept[:escape]
    return kept.decode("utf-8", "ignore").encode() + b'"'
