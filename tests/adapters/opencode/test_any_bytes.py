"""Whatever bytes a store holds, there is an answer, and what is whole is in it."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.builders.common import put
from tests.builders.opencode import (
    DATA,
    DATABASES,
    RECORDS,
    Message,
    database,
    msg,
    record,
    ses,
    session,
    v2_database,
)
from tests.conftest import environment_of, examples

WHOLE = session(2, title="Whole")

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
sql_values = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=30) | st.binary(max_size=30)
few = examples(30)


@contextmanager
def fresh_home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def ask(home: Path) -> Page:
    """Return the page of a home, in which one session is whole."""
    page = take(Query(agents=("opencode",), limit=0), environment_of(home))
    assert {found.title for found in page.sessions if found.uuid == WHOLE.id} == {"Whole"}
    assert [warning for warning in page.warnings if warning.problem.startswith(("unexpected", "user-defined"))] == []
    json.dumps(page.to_dict())
    return page


@few
@given(content=st.binary(max_size=200), file=st.sampled_from(["opencode.db", "opencode-dev.db"]))
def test_any_bytes_for_a_database_cost_one_warning_at_most(content: bytes, file: str) -> None:
    with fresh_home() as home:
        database(home, [WHOLE], file="opencode-whole.db")
        put(home / DATA / file, content)

        page = ask(home)

        assert len(page.warnings) <= 1


@cache
def content_of_a_database(version: str) -> bytes:
    with fresh_home() as home:
        return DATABASES[version](home, session(1, title="")).read_bytes()


@pytest.mark.parametrize("version", DATABASES)
@few
@given(data=st.data())
def test_any_damage_of_a_database_costs_one_warning_at_most(version: str, data: st.DataObject) -> None:
    content = bytearray(content_of_a_database(version))
    for _ in range(data.draw(st.integers(1, 8))):
        start = data.draw(st.integers(0, len(content) - 1))
        content[start : start + 16] = data.draw(st.binary(min_size=16, max_size=16))
    with fresh_home() as home:
        record(home, WHOLE)
        put(home / DATA / "opencode.db", bytes(content[: data.draw(st.integers(0, len(content)))]))

        page = ask(home)

        assert len(page.warnings) <= 1


COLUMNS = ["id", "parent_id", "directory", "title", "version", "time_created", "time_updated", "time_archived", "agent"]


@few
@given(row=st.dictionaries(st.sampled_from([*COLUMNS, "model", "fork_session_id"]), sql_values))
def test_any_values_in_a_row_cost_no_other_row(row: dict[str, Any]) -> None:
    with fresh_home() as home:
        v2_database(home, [session(1, [], **row), WHOLE])

        page = ask(home)

        assert page.warnings == ()


@few
@given(
    data=sql_values | json_values.map(json.dumps),
    created=sql_values,
    part=sql_values | json_values.map(json.dumps),
)
def test_any_values_in_messages_cost_no_session(data: Any, created: Any, part: Any) -> None:
    with fresh_home() as home:
        path = database(home, [session(1, title=""), WHOLE])
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            change = "UPDATE message SET data = ?, time_created = ? WHERE id = ?"
            connection.execute(change, [data, created, msg(ses(1), 1)])
            connection.execute("UPDATE part SET data = ? WHERE session_id = ?", [part, ses(1)])
            connection.commit()

        page = ask(home)

        assert (page.total, page.warnings) == (2, ())


@pytest.mark.parametrize("version", RECORDS)
@few
@given(content=st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_for_a_record_cost_one_warning_at_most(version: str, content: bytes) -> None:
    with fresh_home() as home:
        path = RECORDS[version](home, WHOLE)
        put(path.with_name("odd.json"), content)

        page = ask(home)

        assert len(page.sessions) + len(page.warnings) == 2


@few
@given(fields=st.dictionaries(st.sampled_from(["title", "directory", "parentID", "version", "time"]), json_values))
def test_any_values_in_a_record_cost_no_session(fields: dict[str, Any]) -> None:
    with fresh_home() as home:
        path = record(home, WHOLE)
        put(path.with_name("odd.json"), json.dumps({"id": ses(1), **fields}))

        page = ask(home)

        assert (page.total, page.warnings) == (2, ())


@few
@given(message=st.binary(max_size=60), part=st.binary(max_size=60))
def test_any_bytes_for_messages_cost_no_session(message: bytes, part: bytes) -> None:
    with fresh_home() as home:
        record(home, WHOLE)
        record(home, session(1, [Message(message), Message({"role": "user"}, [part])], title=""))

        page = ask(home)

        assert (page.total, page.warnings) == (2, ())


KEYS = ["role", "time", "modelID", "model", "path", "metadata", "parts", "text", "content", "id"]


@few
@given(data=st.dictionaries(st.sampled_from(KEYS), json_values))
def test_any_values_in_messages_of_records_cost_no_session(data: dict[str, Any]) -> None:
    with fresh_home() as home:
        record(home, WHOLE)
        record(home, session(1, [Message({"role": "user", **data})], title=""))

        page = ask(home)

        assert (page.total, page.warnings) == (2, ())
