"""Whatever bytes a store of Hermes Agent holds, there is an answer, and what is whole is in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sesls.page import Page
from tests.adapters.damage import json_values, sql_values
from tests.adapters.hostile import answer, changed, few, fresh_home, mutations
from tests.builders.common import lines, put
from tests.builders.hermes import COLUMNS, HOME, MODEL, database, key, live_database, said, session, wall

NAMES = [column.split()[0] for column in COLUMNS]
SNAPSHOT = {
    "session_id": key(3),
    "model": MODEL,
    "session_start": wall(),
    "last_updated": wall(30),
    "messages": [{"role": "user", "content": "Graft"}, {"role": "assistant", "content": [{"type": "text"}]}],
}


def ask(home: Path) -> Page:
    """Return the page of a home in which the session of a profile is whole."""
    database(home, [session(2, title="Whole")], root=f"{HOME}/profiles/garden")
    page = answer(home, "hermes")
    assert [one.title for one in page.sessions if one.uuid == key(2)] == ["Whole"]
    return page


@few
@given(st.binary(max_size=300), st.sampled_from(["", "-wal", "-shm", "-journal"]))
def test_any_bytes_are_answered(content: bytes, suffix: str) -> None:
    with fresh_home() as home:
        path = database(home, [session(1)])
        put(path.with_name(path.name + suffix), content)
        ask(home)


@few
@given(st.data())
def test_any_mutation_of_a_database_is_answered(data: st.DataObject) -> None:
    with fresh_home() as home:
        path = database(home, [session(number) for number in (1, 3)])
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 5))):
            start = data.draw(st.integers(0, len(content) - 1))
            piece = data.draw(st.binary(min_size=1, max_size=40))
            content[start : start + len(piece)] = piece
        put(path, bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content))
        ask(home)


@few
@given(st.data())
def test_any_mutation_of_a_wal_is_answered(data: st.DataObject) -> None:
    with fresh_home() as home:
        path = live_database(home, [session(1)], shm=False, at_rest=[session(3)])
        wal = path.with_name(path.name + "-wal")
        put(wal, data.draw(mutations(wal.read_bytes())))
        ask(home)


@few
@given(st.dictionaries(st.sampled_from(NAMES), sql_values), st.lists(sql_values, min_size=4, max_size=4))
def test_any_values_are_answered(row: dict[str, Any], message: list[Any]) -> None:
    columns = NAMES  # without types, so that anything may stand there
    messages = "messages (id INTEGER PRIMARY KEY, session_id, role, content, timestamp, active, compacted)"
    with fresh_home() as home:
        usage = "session_model_usage (session_id, model, task, first_seen)"
        strange = session(1, **{name: value for name, value in row.items() if name != "id"})
        path = database(home, [strange, session(3)], columns=columns, others=[messages, usage])
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("INSERT INTO sessions (id) VALUES (?)", [row.get("id")])
            connection.execute(
                "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)", message
            )
            connection.execute(
                "INSERT INTO messages (session_id, role, content) VALUES (?, 'user', 'x')", [row.get("id")]
            )
            connection.commit()
        page = ask(home)
        assert key(3) in {one.uuid for one in page.sessions}


@few
@given(changed(SNAPSHOT), st.lists(json_values | changed(said("Graft")), max_size=4), st.binary(max_size=40))
def test_any_files_of_older_builds_are_answered(snapshot: dict[str, Any], log: list[Any], rest: bytes) -> None:
    with fresh_home() as home:
        folder = home / HOME / "sessions"
        put(folder / f"session_{key(3)}.json", lines([snapshot]) + rest)
        put(folder / f"{key(4)}.jsonl", lines(log) + rest)
        ask(home)
