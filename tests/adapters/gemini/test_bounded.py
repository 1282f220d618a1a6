"""A page costs what it shows: of every other session the two ends are read, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters.gemini import chats
from sesls.adapters.gemini_family import conversation as conversations
from sesls.page import Page
from tests.builders.common import at, uuid
from tests.builders.gemini import (
    answered,
    change,
    conversation,
    header,
    message,
    printed,
    project,
    said,
    session,
    turns,
    updated,
)
from tests.watching import Reading, reading_of

Ask = Callable[..., Page]

BULK = [message("gemini", "", seconds, id=str(seconds), toolCalls=[{"result": "x" * 1000}]) for seconds in range(1000)]


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    return reading_of(monkeypatch)


@pytest.fixture
def newest(home: Path) -> Path:
    """A session newer than all others: with a limit of one, the only one on the page."""
    return session(home, turns(0xFF, seconds=90_000), number=0xFF)


def large(home: Path, number: int = 1, seconds: float = 2000) -> Path:
    records = [*turns(number), *BULK, answered(seconds=seconds), updated(seconds)]
    return session(home, records, number=number)


def test_a_session_that_is_not_on_the_page_costs_two_windows(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    path = large(home)

    page = ask(limit=1)

    assert (page.total, [one.path for one in page.sessions]) == (2, [str(newest)])
    assert 0 < reading.read[str(path)] <= 2 * chats._WINDOW + 64


def test_an_old_session_that_is_not_on_the_page_costs_two_windows(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    path = printed(home, conversation([said(), *BULK, answered(seconds=2000)], summary="Trees", lastUpdated=at(2000)))

    page = ask(limit=1)

    assert (page.total, path.stat().st_size > 1_000_000) == (2, True)
    assert 0 < reading.read[str(path)] <= 2 * conversations._WINDOW + 64


def test_replaced_messages_near_the_end_cost_what_they_are(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    replaced = change(messages=[said("x" * 40_000, 5)])
    path = session(home, [*turns(), *BULK, replaced, updated(2000)])

    ask(limit=1)

    assert reading.read[str(path)] <= 2 * chats._WINDOW + 6 * 40_000


def test_only_sessions_on_the_page_are_opened_again(home: Path, ask: Ask, reading: Reading) -> None:
    paths = [str(large(home, number, 2000 + number)) for number in range(1, 5)]

    page = ask(limit=1, offset=1)

    assert [one.uuid for one in page.sessions] == [uuid(3)]
    assert [reading.openings[path] for path in paths] == [1, 1, 2, 1]


def test_a_session_on_the_page_is_read_whole_once_more(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home)

    ask()

    assert reading.read[str(path)] <= 2 * chats._WINDOW + path.stat().st_size + 128


def test_the_folder_of_a_project_is_asked_once(home: Path, ask: Ask, reading: Reading) -> None:
    for number in range(1, 9):
        session(home, number=number)

    ask()

    assert reading.openings[str(project(home) / ".project_root")] == 1
    assert reading.openings[str(home / ".gemini/trustedFolders.json")] == 0


def test_a_file_that_only_holds_its_context_is_not_read_again(home: Path, ask: Ask, reading: Reading) -> None:
    path = session(home, [header(), change(messages=[said("<session_context>" + "x" * 9000)])])

    ask()

    assert reading.openings[str(path)] == 1
