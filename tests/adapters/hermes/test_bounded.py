"""A database of Hermes is asked once for all sessions and once for those of a page, and its indexes answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sesls.adapters.hermes import database as adapter
from sesls.formats import sqlite
from sesls.page import Page
from tests.builders.hermes import database, key, session

Ask = Callable[..., Page]


def test_a_database_is_asked_twice(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    database(home, [session(number) for number in range(1, 60)])
    asked: list[str] = []
    read = sqlite.read

    def noted(path: str, query: Callable[[sqlite3.Connection], object]) -> object:
        asked.append(path)
        return read(path, query)

    monkeypatch.setattr(sqlite, "read", noted)

    page = ask(limit=50)

    assert (page.total, len(page.sessions)) == (59, 50)
    assert all(one.message_count == 2 for one in page.sessions)
    assert len(asked) == 2


def test_no_query_reads_all_messages(home: Path) -> None:
    path = database(home, [session(number) for number in range(1, 9)])
    with closing(sqlite3.connect(path)) as connection:
        queries: list[str] = []
        connection.set_trace_callback(queries.append)
        adapter._rows(connection)
        adapter.messages(frozenset({key(1)}), [key(1), key(2)], connection)
        connection.set_trace_callback(None)
        plans = [
            step[3]
            for query in queries
            if query.startswith("SELECT") and "sqlite_master" not in query
            for step in connection.execute(f"EXPLAIN QUERY PLAN {query}")
        ]

    assert [plan for plan in plans if plan.startswith("SCAN") and "messages" in plan] == []
    assert any("messages USING INDEX" in plan for plan in plans)
