"""Stores damaged in every way: what any adapter must bear."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
from hypothesis import strategies as st

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.builders.common import at, put, uuid
from tests.conftest import environment_of

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
sql_values = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=30) | st.binary(max_size=30)


def assert_unharmed(page: Page, directory: str, model: str) -> None:
    """Assert that the first session is as its builder wrote it, and that no warning says otherwise."""
    assert page.warnings == ()
    found = {one.uuid: one for one in page.sessions}[uuid(1)].to_dict()
    assert found == found | {
        "title": "Graft the plum",
        "project_dir": directory,
        "models": [model],
        "message_count": 2,
        "created": at(),
        "last_activity": at(20),
    }


@contextmanager
def whole_store(builder: ModuleType) -> Iterator[Path]:
    """A home with the builder's whole store, always in the same place, for stores name places."""
    home = Path(tempfile.gettempdir()) / f"sesls-store-{os.getpid()}"
    try:
        for path, content in _contents(builder, home).items():
            put(path, content)
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


@cache
def _contents(builder: ModuleType, home: Path) -> dict[Path, bytes]:
    builder.whole_store(home)
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


def asked(agent: str, home: Path) -> Page:
    """Return the page of a home; fail where anything was not expected."""
    page = take(Query(agents=(agent,), limit=0), environment_of(home))
    assert [one for one in page.warnings if one.problem.startswith(("unexpected", "user-defined"))] == []
    json.dumps(page.to_dict())
    for session in page.sessions:
        msgspec.convert(msgspec.structs.asdict(session), Session)  # raises where a field has another type
    return page


def files_of(home: Path) -> list[Path]:
    """Return the files of a store, but for those of the good session 2."""
    return [path for path in sorted(home.rglob("*")) if path.is_file() and not is_good(path)]


def is_good(path: Path) -> bool:
    """Tell whether a file belongs to the good session 2 of a whole store."""
    good = {"00000002-0000-4000-8000-000000000002", "20260310_2", "b", "projects.json"}
    return not good.isdisjoint({*path.parts[1:], path.stem})


def damaged(content: bytes, data: st.DataObject) -> bytes:
    """Return some bytes cut, overwritten in places, or with others in their middle."""
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, max(len(changed) - 1, 0)))
        junk = data.draw(st.binary(min_size=1, max_size=24))
        if data.draw(st.booleans()):
            changed[start : start + len(junk)] = junk
        else:
            changed[start:start] = junk
    return bytes(changed[: data.draw(st.integers(0, len(changed)))])


def with_another_value(value: Any, data: st.DataObject) -> Any:
    """Return a JSON value with any other value in one of its places."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 4)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: with_another_value(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 4)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], with_another_value(value[place], data), *value[place + 1 :]]
    return data.draw(json_values)


def put_other_values(path: Path, data: st.DataObject) -> None:
    """Write another value somewhere into a file of JSON, of JSON lines, or into a database."""
    if path.suffix in (".db", ".sqlite3"):
        _put_into_database(path, data)
        return
    lines = [path.read_text()] if path.suffix == ".json" else path.read_text().splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    with suppress(json.JSONDecodeError):
        lines[place] = json.dumps(with_another_value(json.loads(lines[place]), data))
    path.write_text("\n".join(lines) + "\n")


def columns_of(path: Path) -> list[tuple[str, str]]:
    """Return the columns of a database, each with its table."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [(one, row[1]) for one in tables for row in connection.execute(f"PRAGMA table_info({one})")]


def put_into_column(path: Path, table: str, column: str, cell: object) -> None:
    """Write the same into a column of all rows, as far as the table allows it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        with suppress(sqlite3.Error):
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (cell,))
        connection.commit()


def _put_into_database(path: Path, data: st.DataObject) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = data.draw(st.sampled_from(sorted(one for one in tables if not one.startswith("sqlite_"))))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rows = connection.execute(f"SELECT rowid, * FROM {table}").fetchall()
        if not rows:
            return
        rowid, *cells = data.draw(st.sampled_from(rows))
        for column, old in zip(columns, cells, strict=True):
            if data.draw(st.booleans()):
                continue
            new = data.draw(sql_values)
            if isinstance(old, str) and old.startswith(("{", "[")) and data.draw(st.booleans()):
                new = json.dumps(with_another_value(json.loads(old), data))
            with suppress(sqlite3.Error):  # a constraint that a store cannot break either
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, rowid))
        connection.commit()
