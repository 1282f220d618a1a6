"""What happens to files: cut, torn, overwritten, mistyped, and worse. Each function takes what it needs from a plan."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from tests.builders.zstd import compressed
from tests.fuzz.plan import Plan

Damage = Callable[[bytes, Plan], bytes]

_VALUE = re.compile(rb'"(?:[^"\\]|\\.){0,300}+"|-?\d+(?:\.\d+)?|true|false|null|\[\]|\{\}')
_ODD_VALUES = (
    b"null", b"true", b"0", b"-1", b"1e999", b"1e400", b"123456789012345678901234567890", b'""', b"[]", b"{}",
    b'["a"]', b'{"type":"text","text":"x"}', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u0000"', b'"0001-01-01T00:00:00Z"',
    b'"9999-12-31T23:59:59.999+99:99"', b'"../../etc/passwd"', b'"/"', b'"~"', b'"\xed\xa0\x80"', b'"\xff\xfe"',
    b'"\x1b]0;x\x07"', b'"\xe2\x80\xae"', b"NaN", b"-Infinity", b"9223372036854775807", b"-9223372036854775808",
    b"18446744073709551615", b"1e308", b'"1773133200000"', b'"\\u001b[2J"', b"[[]]", b'[null]', b"253402300800000",
)  # fmt: skip
_ODD_CELLS: Sequence[object] = (
    None, 0, -1, 1 << 62, -(1 << 63), 1e308, float("inf"), "", "x", b"", b"\xff", "\x00", "{}", "[]", "null",
    '{"time": 1}', '"text"', "[{}]", "[" * 3000, '{"a":' * 3000, "file://", "file://%00", "file:///%ed%a0%80",
    b"\x08\x96\x01", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x01" * 40, "9" * 5000, "2026-03-10T09:00:00Z",
    253402300800000, 1773133200,
)  # fmt: skip
_SCHEMAS = (
    "DROP TABLE {table}",
    'ALTER TABLE {table} DROP COLUMN "{column}"',
    'ALTER TABLE {table} RENAME COLUMN "{column}" TO other',
    "ALTER TABLE {table} RENAME TO other",
    "CREATE TABLE kept AS SELECT * FROM {table}; DROP TABLE {table}; CREATE VIEW {table} AS SELECT * FROM kept",
    "CREATE TABLE kept AS SELECT * FROM {table}; DROP TABLE {table}; CREATE VIEW {table} AS SELECT * FROM {table}",
    "INSERT INTO {table} SELECT * FROM {table}",
    "DELETE FROM {table}",
    'UPDATE {table} SET "{column}" = rowid',
    'UPDATE {table} SET "{column}" = randomblob(40)',
    'UPDATE {table} SET "{column}" = CAST("{column}" AS BLOB)',
    'UPDATE {table} SET "{column}" = CAST("{column}" AS TEXT)',
    'UPDATE {table} SET "{column}" = substr("{column}", 1, length("{column}") / 2)',
    'UPDATE {table} SET "{column}" = "{column}" || "{column}"',
    "PRAGMA writable_schema=1; UPDATE sqlite_master SET sql = substr(sql, 1, length(sql) - 3)",
    "PRAGMA user_version=99",
    "PRAGMA encoding='UTF-16'",
)


def of_bytes(content: bytes, plan: Plan) -> bytes:
    """Return bytes damaged in one way, a few megabytes of them at most."""
    return plan.choice(_DAMAGES)(content, plan)[: 3 << 20]


def _place(content: bytes, plan: Plan) -> int:
    return plan.number(len(content) + 1)


def _cut(content: bytes, plan: Plan) -> bytes:
    return content[: _place(content, plan)]


def _beheaded(content: bytes, plan: Plan) -> bytes:
    return content[_place(content, plan) :]


def _overwritten(content: bytes, plan: Plan) -> bytes:
    start, written = _place(content, plan), plan.short()
    return content[:start] + written + content[start + len(written) :]


def _inserted(content: bytes, plan: Plan) -> bytes:
    start = _place(content, plan)
    return content[:start] + plan.short() + content[start:]


def _removed(content: bytes, plan: Plan) -> bytes:
    start = _place(content, plan)
    return content[:start] + content[start + plan.number(600) :]


def _nuls(content: bytes, plan: Plan) -> bytes:
    start, size = _place(content, plan), plan.choice((1, 15, 16, 17, 512, 4096, 40_000))
    return content[:start] + bytes(size) + content[start + plan.choice((0, size)) :]


def _glued(content: bytes, plan: Plan) -> bytes:
    ends = [match.start() for match in re.finditer(b"\n", content)]
    if not ends:
        return content
    end = plan.choice(ends)
    return content[:end] + plan.choice((b"", b" ", b"\r", b"\x00", b",")) + content[end + 1 :]


def _torn(content: bytes, plan: Plan) -> bytes:
    """Write a piece of the content into the middle of it, as two programs at once do."""
    start, place = _place(content, plan), _place(content, plan)
    return content[:place] + content[start : start + plan.number(2000)] + content[place:]


def _swapped(content: bytes, plan: Plan) -> bytes:
    size = 1 + plan.number(64)
    one, other = sorted((_place(content, plan), _place(content, plan)))
    if other - one < size:
        return content
    first, second = content[one : one + size], content[other : other + size]
    return content[:one] + second + content[one + size : other] + first + content[other + size :]


def _mistyped(content: bytes, plan: Plan) -> bytes:
    """Put a value of another type in the place of a JSON value."""
    values = list(_VALUE.finditer(content, 0, 30_000))
    if not values:
        return content
    match = plan.choice(values)
    return content[: match.start()] + plan.choice(_ODD_VALUES) + content[match.end() :]


def _exchanged(content: bytes, plan: Plan) -> bytes:
    """Put one JSON value of the content in the place of another."""
    values = list(_VALUE.finditer(content, 0, 30_000))
    if not values:
        return content
    match, other = plan.choice(values), plan.choice(values)
    return content[: match.start()] + other.group() + content[match.end() :]


def _nested(content: bytes, plan: Plan) -> bytes:
    start, opening = _place(content, plan), plan.choice((b"[", b'{"a":', b'[{"content":', b'{"message":', b"[1,"))
    return content[:start] + opening * plan.choice((10, 100, 1000, 5000)) + content[start:]


def _long(content: bytes, plan: Plan) -> bytes:
    start, size = _place(content, plan), plan.choice((5_000, 5_000, 5_000, 5_000, 70_000, 1_100_000))
    return (
        content[:start]
        + plan.choice((b"x", b" ", b"\\", b'\\"', b"\\ud83d", b"1", b"\xf0\x9f\x8d\x8e")) * size
        + content[start:]
    )


def _repeated(content: bytes, plan: Plan) -> bytes:
    return content[: 1 << 20] * plan.choice((2, 3, 20))


def _lying(content: bytes, plan: Plan) -> bytes:
    """Change the length that follows a tag of a protocol buffer, or what may be one."""
    tags = [
        match.start() for match in re.finditer(rb"[\x0a\x12\x1a\x22\x2a\x32\x3a\x42\x4a\x52\x7a]", content[:100_000])
    ]
    if not tags:
        return content
    place = plan.choice(tags) + 1
    lie = plan.choice(
        (b"\x00", b"\x01", b"\x7f", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\xff" * 12, b"\x80\x00")
    )
    return content[:place] + lie + content[place + plan.choice((0, 1)) :]


def _page_header(content: bytes, plan: Plan) -> bytes:
    """Overwrite a few bytes near the start of a page of a database: its kind, its number of cells, its pointers."""
    size = plan.choice((4096, 512, 1024))
    start = plan.number(len(content) // size + 1) * size + plan.choice(
        (0, 1, 3, 5, 7, 8, 12, 16, 18, 20, 24, 28, 44, 56, 100, 103)
    )
    written = plan.take(2)
    return content[:start] + written + content[start + len(written) :]


def _wide(content: bytes, plan: Plan) -> bytes:
    encoding = plan.choice(("utf-16", "utf-16-be", "utf-32", "utf-8-sig"))
    return content.decode("latin-1").encode(encoding)


def _dos(content: bytes, plan: Plan) -> bytes:
    return content.replace(b"\n", plan.choice((b"\r\n", b"\r", b"\n\n", b"\xe2\x80\xa8", b"\x1e")))


def _other_id(content: bytes, plan: Plan) -> bytes:
    """Give everything the id of another session, or none."""
    ids = sorted(set(re.findall(rb"0000[0-9a-f]{4}-0000-4000-8000-[0-9a-f]{12}|ses_[0-9a-f]{26}", content)))
    if not ids:
        return content
    new = plan.choice((*ids, b"", b"x", b"../x", b"00000001-0000-4000-8000-000000000001", b"\xed\xa0\x80", b"*"))
    return content.replace(plan.choice(ids), new)


_DAMAGES: Sequence[Damage] = (
    _mistyped, _exchanged, _overwritten, _inserted, _removed, _cut, _beheaded, _nuls, _glued, _torn, _swapped, _nested,
    _long, _repeated, _lying, _page_header, _wide, _dos, _other_id,
)  # fmt: skip


def of_database(path: Path, plan: Plan) -> None:
    """Change a database by SQL, so that it stays one: its values, or its tables and columns."""
    with (
        suppress(sqlite3.Error, OverflowError, UnicodeDecodeError),
        closing(sqlite3.connect(path, isolation_level=None)) as connection,
    ):
        connection.text_factory = bytes
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA journal_mode=MEMORY")
        tables = [row[0].decode() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if not tables:
            return
        table = plan.choice(sorted(tables))
        columns = [row[1].decode() for row in connection.execute(f'PRAGMA table_info("{table}")')]
        column = plan.choice(columns)
        if plan.number(4) == 3:
            connection.executescript(plan.choice(_SCHEMAS).format(table=f'"{table}"', column=column))
            return
        rows = connection.execute(f'SELECT rowid, "{column}" FROM "{table}" LIMIT 50').fetchall()
        if not rows:
            return
        rowid, value = plan.choice(rows)
        connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', [_cell(value, plan), rowid])


def _cell(value: object, plan: Plan) -> object:
    if not isinstance(value, bytes) or plan.number(2):
        return plan.choice((*_ODD_CELLS, plan.short(), plan.short().decode("utf-8", "replace")))
    damaged = of_bytes(value, plan)
    return damaged if plan.number(2) else damaged.decode("utf-8", "replace")


def of_entry(path: Path, plan: Plan, others: Sequence[Path]) -> None:
    """Put something else in the place of a file."""
    kind = plan.number(9)
    other = plan.choice(others)
    if kind == 0:
        path.unlink()
    elif kind == 1:
        path.unlink()
        path.mkdir()
    elif kind == 2:
        path.unlink()
        path.symlink_to(path.name)
    elif kind == 3:
        path.unlink()
        path.symlink_to(other)
    elif kind == 4:
        path.unlink()
        os.mkfifo(path)
    elif kind == 5:
        path.write_bytes(other.read_bytes() if other.is_file() else b"")
    elif kind == 6:
        path.with_name(path.name + plan.choice(("-wal", "-journal", "-shm"))).write_bytes(
            plan.take(64) * plan.choice((1, 100))
        )
    elif kind == 7:
        moment = plan.choice((0, -1, -(1 << 40), 1 << 33, 253402300800, 1 << 40))
        with suppress(OSError, OverflowError):
            os.utime(path, (moment, moment))
    else:
        suffix = plan.choice((".jsonl", ".json", ".db", ".pb", ".pbtxt", "\udcff.jsonl", "\x1b]0;x\x07.jsonl"))
        with suppress(OSError):
            path.rename(path.with_name(path.name.split(".")[0] + suffix))


def packed(path: str, content: bytes) -> bytes:
    """Return content as a file of that name holds it: compressed, where the name says so."""
    return compressed(content) if path.endswith(".zst") else content
