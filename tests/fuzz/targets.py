"""What an input is tried on: the stores of one agent, damaged, or one module of `formats` and what comes after it.

`run` raises AssertionError for whatever must never happen; any other exception is as bad.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import stat
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from sesls import instants, paths, redaction, text
from sesls.adapters.antigravity.log import LINE
from sesls.adapters.claude.rows import ENVELOPE, ROW
from sesls.adapters.codex.records import RECORD, SAVE
from sesls.adapters.opencode.records import MESSAGE, PART
from sesls.adapters.pi_family.transcript import ENTRY
from sesls.formats import jsonl, protobuf, sqlite, zstd
from sesls.inventory import take
from sesls.output import notes, table
from sesls.output.json import encoded
from sesls.page import Page
from sesls.query import Query
from tests.conftest import environment_of
from tests.fuzz import damage, stores
from tests.fuzz.plan import Plan

LONGEST_SECONDS = 5.0
"""The CPU time that no input may take."""

SCRATCH = "/dev/shm" if os.path.isdir("/dev/shm") else None

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What no line on a terminal may hold."""


def run(data: bytes) -> None:
    """Try one input."""
    plan = Plan(data)
    TARGETS[plan.choice(tuple(TARGETS))](plan)


@contextmanager
def in_time() -> Iterator[None]:
    """Check that what is done within takes no more than the CPU time that is allowed."""
    start = time.process_time()
    yield
    seconds = time.process_time() - start
    assert seconds < LONGEST_SECONDS, f"took {seconds:.1f} s"


# Stores


def _store_of(agent: str) -> Callable[[Plan], None]:
    return lambda plan: _try_store(agent, plan)


def _try_store(agent: str, plan: Plan) -> None:
    with home_of({**stores.whole(agent), **stores.witness(agent)}) as home:
        _damage(agent, home, plan)
        before = fingerprint(home)
        with in_time():
            check_page(agent, home)
        after = fingerprint(home)
        assert after == before, f"the store changed: {set(after.items()) ^ set(before.items())}"


def _damage(agent: str, home: Path, plan: Plan) -> None:
    names = sorted(stores.whole(agent))
    if plan.number(4) == 0:
        name = plan.choice(names)
        (home / name).write_bytes(damage.packed(name, plan.rest()))
        return
    for _ in range(6):
        if not plan:
            return
        path = home / plan.choice(names)
        kind = plan.number(8)
        if not stat.S_ISREG(_mode(path)):
            continue
        if kind == 7:
            damage.of_entry(path, plan, [home / name for name in names])
        elif kind > 2 and path.read_bytes()[:6] == b"SQLite":
            damage.of_database(path, plan)
        else:
            content = path.read_bytes()
            if path.suffix == ".zst" and kind:
                content = stores.whole(agent)[str(path.relative_to(home))]
                content = damage.packed(path.name, damage.of_bytes(b"".join(_unpacked(path)), plan))
            else:
                content = damage.of_bytes(content, plan)
            path.write_bytes(content)


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def _unpacked(path: Path) -> Iterator[bytes]:
    try:
        yield from zstd.blocks(str(path), 4 << 20)
    except zstd.UnreadableError:
        return


@contextmanager
def home_of(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a home with these files."""
    home = Path(tempfile.mkdtemp(prefix="sesls-fuzz-", dir=SCRATCH))
    try:
        for name, content in files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def fingerprint(home: Path) -> dict[str, tuple[object, ...]]:
    """Return of everything in a home what a reader could change, but for SQLite's read marks in a `-shm`."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, names, files in os.walk(home):
        for name in (*names, *files):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            is_read = stat.S_ISREG(status.st_mode) and not name.endswith("-shm")
            digest = hashlib.blake2b(Path(path).read_bytes()).digest() if is_read else b""
            found[path] = (
                status.st_mode,
                status.st_size if is_read else 0,
                status.st_mtime_ns if is_read else 0,
                digest,
            )
    return found


def check_page(agent: str, home: Path) -> Page:
    """Return the page of one agent, which has to be as every answer is."""
    environment = environment_of(home, cwd=home / "nowhere")
    page = take(Query(agents=(agent,), limit=0), environment)
    problems = [f"{one.path}: {one.problem}" for one in page.warnings]
    assert not [one for one in problems if ": unexpected " in one or "user-defined" in one], problems
    found = {session.uuid for session in page.sessions}
    assert stores.witness_id(agent) in {None, *found}, f"the witness is gone: {problems}"
    assert len(problems) <= 3 * len(stores.whole(agent)), problems
    check_shown(page, str(home))
    return page


def check_shown(page: Page, home: str) -> None:
    """Check that a page can be shown in every way, and does nothing to the terminal that shows it."""
    answer = encoded(page.answer())
    assert msgspec.json.decode(answer) == json.loads(answer)
    assert not _UNSAFE.search(answer.decode().replace("\n", "")), "unsafe JSON"
    for encoding in ("utf-8", "ascii", "cp1252"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding, errors="replace", newline="\n")
        lines = table.lines(page.sessions, unicode=encoding == "utf-8")
        table.write_plain(lines, stream)
        table.write_fitted(lines, stream, home=home, cells=100)
        stream.writelines(f"{line}\n" for line in notes.warnings(page.warnings, home))
        stream.flush()
        shown = stream.buffer.getvalue().decode(encoding)
        for line in shown.split("\n"):
            unsafe = _UNSAFE.search(line)
            assert unsafe is None, f"{unsafe.group()!r} in {line!r}"


# Formats

_DECODERS: tuple[msgspec.json.Decoder[Any], ...] = (ROW, ENVELOPE, RECORD, SAVE, LINE, MESSAGE, PART, ENTRY)


def _try_jsonl(plan: Plan) -> None:
    decoder = plan.choice(_DECODERS)
    window = plan.choice((1, 2, 7, 64, 1000, 32_768))
    ordinary = jsonl.LONG
    longest = plan.choice((ordinary, 20, 100))
    content = _content(plan)[: 1000 * window]
    with file_of(content) as path, mock.patch.object(jsonl, "LONG", longest), jsonl.opened(path) as file, in_time():
        forward = list(jsonl.lines(jsonl.blocks(file, window)))
        backward = list(jsonl.tail_lines(file, window))
        expected = [line for line in content.split(b"\n") if line]
        if max(map(len, expected), default=0) <= longest and bytes(15) not in content:
            assert [line for line in forward if line] == expected
            assert backward[::-1] == expected
        records = list(jsonl.records(forward, decoder))
        assert all(type(record) is decoder.type for record in records)
        jsonl.tail(file, decoder, window, lambda record: False)
        for _ in jsonl.lines_with(jsonl.blocks(file, window), re.compile(b'"type"')):
            pass
        jsonl.whole(content, decoder)
        jsonl.whole_file(path, decoder, 1 << 16)
        jsonl.small(path, decoder)


def _try_protobuf(plan: Plan) -> None:
    content = _content(plan)
    fields = protobuf.decode(content)
    for number in (*fields, 1, 99):
        path = (number, 1 + plan.number(30), 1 + plan.number(30))
        protobuf.message(fields, *path)
        protobuf.text(fields, *path[: 1 + plan.number(3)])
        protobuf.number(fields, *path[: 1 + plan.number(3)])
        protobuf.moment(fields, number)
        protobuf.texts(fields, number)
        for inner in protobuf.messages(fields, number):
            assert sum(map(len, inner.values())) <= len(content)


def _try_zstd(plan: Plan) -> None:
    limit = plan.choice((0, 1, 100, 1 << 20, 8 << 20))
    content = plan.rest()
    with file_of(content) as path:
        size = 0
        with suppress(zstd.UnreadableError):
            for block in zstd.blocks(path, limit):
                size += len(block)
        assert size <= limit


def _try_sqlite(plan: Plan) -> None:
    content = stores.whole("opencode")[".local/share/opencode/opencode.db"]
    for _ in range(1 + plan.number(8)):
        content = damage.of_bytes(content, plan)
    with file_of(content) as path:
        before = fingerprint(Path(path).parent)
        with in_time(), suppress(sqlite.UnreadableError):
            sqlite.read(path, lambda connection: sqlite.columns(connection, "session"))
            sqlite.read(path, lambda connection: list(sqlite.rows_of(connection, _BY_ID, ["a", "\ud800"])))
        assert fingerprint(Path(path).parent) == before


_BY_ID = "SELECT * FROM session WHERE id IN ({}) OR 1"


def _try_text(plan: Plan) -> None:
    stored = (
        plan.rest().decode("utf-8", "surrogatepass" if plan.number(2) else "replace") if plan.number(2) else _text(plan)
    )
    counts: Counter[str] = Counter()
    shown = text.title(stored, lambda one: redaction.redact(one, counts))
    assert shown is None or (shown and not _UNSAFE.search(shown) and len(shown) <= text.TITLE_LIMIT + 1), repr(shown)
    value = text.value(stored, redaction.redact)
    assert not _UNSAFE.search(re.sub("[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]", "", value)), repr(value)
    once = redaction.redact(stored)
    assert redaction.redact(once) == once, "redacting twice differs"
    text.one_line(stored)
    text.is_visible(stored)
    redaction.redact_field(stored[:20], stored)


def _text(plan: Plan) -> str:
    return "".join(chr(int.from_bytes(plan.take(3), "little") % 0x110000) for _ in range(plan.number(60)))


def _try_values(plan: Plan) -> None:
    raw = plan.rest()
    stored = raw.decode("utf-8", "surrogateescape")
    for value in (stored, len(raw), int.from_bytes(raw, "little"), None, raw, [stored]):
        moment = instants.instant(value)
        if moment is not None:
            assert instants.instant(instants.rfc3339(moment)) == moment
    paths.normal(stored)
    paths.is_within(stored, "/srv")
    paths.absolute_or_none(stored)
    paths.is_windows_path(stored)
    answer = encoded({"value": stored, "list": [{stored: stored}]})
    json.loads(answer)
    assert not _UNSAFE.search(answer.decode().replace("\n", "")), answer


def _content(plan: Plan) -> bytes:
    """Return the rest of the input, or a file of a store that it damages."""
    if plan.number(2):
        return plan.rest()
    content = plan.choice([content for files in map(stores.whole, stores.AGENTS) for content in files.values()])
    for _ in range(3):
        if plan:
            content = damage.of_bytes(content, plan)
    return content


@contextmanager
def file_of(content: bytes) -> Iterator[str]:
    """Yield the path of a file with this content, alone in its folder."""
    with home_of({"file": content}) as folder:
        yield str(folder / "file")


TARGETS: Mapping[str, Callable[[Plan], None]] = {
    **{agent: _store_of(agent) for agent in sorted(stores.AGENTS)},
    "jsonl": _try_jsonl,
    "protobuf": _try_protobuf,
    "sqlite": _try_sqlite,
    "text": _try_text,
    "values": _try_values,
    "zstd": _try_zstd,
    **{agent: _store_of(agent) for agent in stores.OTHERS},
}
"""By their place: a new one comes last, so that inputs go on meaning what they meant."""
