"""A page costs what it shows: of all other sessions a few messages are read, and no table is read through."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters import adapter
from sesls.formats import files, jsonl
from tests.builders.common import epoch_ms, put
from tests.builders.opencode import (
    DATA,
    DATABASES,
    RECORDS,
    Session,
    assistant,
    database,
    msg,
    record,
    ses,
    session,
    user,
)
from tests.conftest import Ask, environment_of

every_database = pytest.mark.parametrize("version", DATABASES)
every_record = pytest.mark.parametrize("version", RECORDS)


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each of OpenCode's files was opened from here on."""
    counts: Counter[str] = Counter()
    opened = files.opened

    def noting(path: str) -> int:
        if f"/{DATA}/" in path:
            counts[path] += 1
        return opened(path)

    monkeypatch.setattr(files, "opened", noting)
    return counts


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what databases gave to be decoded from here on."""
    sizes: list[int] = []
    whole = jsonl.whole

    def noting(data: bytes, decoder: Any) -> Any:
        sizes.append(len(data))
        return whole(data, decoder)

    monkeypatch.setattr(jsonl, "whole", noting)
    return sizes


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that databases were asked from here on."""
    asked: list[str] = []
    connect = sqlite3.connect

    def noting(*arguments: Any, **keys: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **keys)
        connection.set_trace_callback(asked.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", noting)
    return asked


def long(number: int, seconds: float = 0, count: int = 200) -> Session:
    """A session of many messages."""
    messages = [user("Go", seconds=seconds), *(assistant(seconds + place, took=1) for place in range(1, count))]
    return session(number, messages)


# Databases


@every_database
def test_a_session_that_is_not_shown_costs_its_last_messages(
    home: Path, ask: Ask, decoded: list[int], version: str
) -> None:
    DATABASES[version](home, long(1))
    DATABASES[version](home, session(2, [], time_updated=epoch_ms(9000)))

    page = ask(limit=1)

    assert ([found.uuid for found in page.sessions], page.total) == ([ses(2)], 2)
    assert len(decoded) <= 5


@every_database
def test_the_messages_of_a_session_that_is_shown_are_read_once_more(
    home: Path, ask: Ask, decoded: list[int], version: str
) -> None:
    DATABASES[version](home, long(1))

    page = ask()

    assert page.sessions[0].message_count == 200
    assert len(decoded) <= 205


@pytest.mark.parametrize("version", ["1.2", "1.18", "2"])
def test_old_messages_of_a_session_that_is_not_shown_are_not_read(home: Path, ask: Ask, version: str) -> None:
    unread = user("x" * 200_000, summary={"diffs": ["x" * 200_000]})
    messages = [unread, *(assistant(place) for place in range(1, 20))]
    lose_pages(DATABASES[version](home, session(messages=messages)), b"x")

    page = ask(offset=1)

    assert (page.total, page.warnings) == (1, ())


def lose_pages(path: Path, byte: bytes) -> None:
    """Make those pages of a database unreadable that hold nothing but one byte, again and again."""
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = path.read_bytes()
    pages = [content[start : start + size] for start in range(0, len(content), size)]
    assert any(page[4:] == byte * (size - 4) for page in pages)
    put(path, b"".join(b"\xff" * size if page[4:] == byte * (size - 4) else page for page in pages))


@pytest.mark.parametrize("fields", [{"offset": 9}, {"project_dir": "/srv/elsewhere"}, {"kind": "subagent"}])
@every_database
def test_an_empty_page_reads_no_messages_but_the_last(
    home: Path, ask: Ask, decoded: list[int], version: str, fields: dict[str, object]
) -> None:
    DATABASES[version](home, long(1))

    page = ask(**fields)

    assert page.sessions == ()
    assert len(decoded) <= 5


@every_database
def test_many_sessions_need_no_more_statements_than_few(
    home: Path, ask: Ask, statements: list[str], version: str
) -> None:
    DATABASES[version](home, session(1))
    statements.clear()
    ask()
    for_one = len(statements)
    for number in range(2, 30):
        DATABASES[version](home, session(number))
    statements.clear()

    page = ask()

    assert page.total == 29
    assert len(statements) == for_one


@pytest.mark.parametrize("version", ["1.2", "1.18"])
def test_only_a_session_without_a_title_is_asked_for_its_prompt(
    home: Path, ask: Ask, statements: list[str], version: str
) -> None:
    DATABASES[version](home, session(1))
    DATABASES[version](home, session(2, title=""))
    statements.clear()

    ask()

    assert len([statement for statement in statements if " part " in statement]) == 1


@pytest.mark.parametrize("version", ["1.2", "1.18"])
def test_a_session_of_prompts_without_words_is_asked_for_a_few(
    home: Path, ask: Ask, statements: list[str], version: str
) -> None:
    DATABASES[version](home, session(messages=[user(seconds=place) for place in range(50)], title=""))
    statements.clear()

    page = ask()

    assert page.sessions[0].title is None
    assert len([statement for statement in statements if " part " in statement]) <= 5


@every_database
def test_no_table_but_that_of_sessions_is_read_through(
    home: Path, ask: Ask, statements: list[str], version: str
) -> None:
    path = DATABASES[version](home, session(1, title=""))
    DATABASES[version](home, session(2, title=""))
    statements.clear()

    ask()

    plans = "\n".join(_plans(path, statements))
    assert re.findall(r"SCAN (?!s\b)\w+", plans) == []
    assert "SEARCH" in plans


@pytest.mark.parametrize("version", ["1.18", "2"])
def test_the_last_messages_are_found_in_the_order_of_an_index(
    home: Path, ask: Ask, statements: list[str], version: str
) -> None:
    path = DATABASES[version](home, session())
    statements.clear()

    ask(offset=1)

    assert "TEMP B-TREE" not in "\n".join(_plans(path, statements))


def _plans(path: Path, statements: list[str]) -> list[str]:
    """How SQLite would answer the statements that ask for rows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("message_moment", 2, lambda data, created: created)
        asked = [statement for statement in statements if statement.startswith("SELECT") and "sqlite_" not in statement]
        return [row[3] for one in asked for row in connection.execute(f"EXPLAIN QUERY PLAN {one}").fetchall()]


def test_what_is_large_and_not_shown_is_not_asked_for(home: Path, ask: Ask, statements: list[str]) -> None:
    database(home, [session()])
    statements.clear()

    ask()

    asked = " ".join(statements)
    assert [name for name in ("*", "summary_diffs", "permission", "metadata", "revert") if name in asked] == []


@every_database
def test_a_database_is_opened_twice_for_a_page_of_many_sessions(
    home: Path, ask: Ask, openings: Counter[str], version: str
) -> None:
    for number in range(1, 20):
        path = DATABASES[version](home, session(number, title=""))

    ask()

    assert openings == {str(path): 2}


def test_a_database_without_sessions_on_the_page_is_opened_once(home: Path, ask: Ask, openings: Counter[str]) -> None:
    path = database(home, [session(1)])
    other = database(home, [session(2, [], time_updated=epoch_ms(9000))], file="opencode-dev.db")

    ask(limit=1)

    assert openings == {str(path): 1, str(other): 2}


def test_more_sessions_than_fit_into_one_question_have_their_messages(home: Path, ask: Ask) -> None:
    database(home, [session(number, title="") for number in range(1, 603)])

    page = ask()

    assert {found.title for found in page.sessions} == {f"Prompt {number}" for number in range(1, 603)}
    assert {found.message_count for found in page.sessions} == {2}


# Records


@pytest.mark.parametrize("count", [3, 6, 60])
@every_record
def test_a_record_that_is_not_shown_costs_a_few_messages_of_its_ends(
    home: Path, ask: Ask, openings: Counter[str], version: str, count: int
) -> None:
    path = RECORDS[version](home, long(1, count=count))
    RECORDS[version](home, session(2, [], time_updated=epoch_ms(9000)))

    page = ask(limit=1)

    assert [found.uuid for found in page.sessions] == [ses(2)]
    assert openings[str(path)] == 1
    assert sum(times for name, times in openings.items() if ses(1) in name) <= 1 + min(count, 8)


@every_record
def test_the_messages_of_a_record_that_is_shown_are_read_once_more(
    home: Path, ask: Ask, openings: Counter[str], version: str
) -> None:
    RECORDS[version](home, long(1, count=60))

    page = ask()

    assert page.sessions[0].message_count == 60
    assert sum(openings.values()) <= 1 + 8 + 60
    assert max(openings.values()) == 2


@pytest.mark.parametrize("version", ["0.5", "1.1"])
def test_parts_are_not_opened_where_there_is_a_title(
    home: Path, ask: Ask, openings: Counter[str], version: str
) -> None:
    RECORDS[version](home, long(1, count=20))

    ask()

    assert [name for name in openings if "/part/" in name] == []


@pytest.mark.parametrize("version", ["0.5", "1.1"])
def test_of_parts_only_those_of_the_first_prompt_are_opened(
    home: Path, ask: Ask, openings: Counter[str], version: str
) -> None:
    messages = [assistant(0), user("Graft the plum"), assistant(), user("And the quince", seconds=60)]
    RECORDS[version](home, session(messages=messages, title=""))

    page = ask()

    assert page.sessions[0].title == "Graft the plum"
    assert {Path(name).parent.name for name in openings if "/part/" in name} == {msg(ses(1), 1)}


def test_finding_opens_nothing(home: Path, openings: Counter[str]) -> None:
    database(home, [session(1)])
    record(home, session(2))
    opencode = adapter("opencode")

    (store, *_) = opencode.stores(environment_of(home))
    found = list(opencode.find(store, lambda path, problem: None))

    assert len(found) == 2
    assert openings == Counter()
