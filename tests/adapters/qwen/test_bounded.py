"""A page costs what it shows: of every other session the two ends are read, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters.gemini_family import conversation as conversations
from sesls.adapters.qwen import transcript
from sesls.page import Page
from tests.builders.common import uuid
from tests.builders.qwen import (
    about,
    answered,
    noted,
    old,
    old_conversation,
    record,
    said,
    session,
    subagent,
    telemetry,
    turns,
)
from tests.watching import Reading, reading_of

Ask = Callable[..., Page]

WINDOW = transcript._WINDOW
BULK = [record("tool_result", 5, message={"parts": [{"functionResponse": {"output": "x" * 1000}}]})] * 1000


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    return reading_of(monkeypatch)


@pytest.fixture
def newest(home: Path) -> Path:
    """A session newer than all others: with a limit of one, the only one on the page."""
    return session(home, turns(0xFF, seconds=90_000), number=0xFF)


def large(home: Path, number: int = 1, seconds: float = 100) -> Path:
    return session(home, [said(f"Prompt {number}"), *BULK, answered(seconds=seconds)], number=number)


def test_a_session_that_is_not_on_the_page_costs_two_windows(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    path = large(home)

    page = ask(limit=1)

    assert (page.total, [one.path for one in page.sessions]) == (2, [str(newest)])
    assert 0 < reading.read[str(path)] <= 2 * WINDOW


def test_records_before_the_first_turn_cost_no_more(home: Path, ask: Ask, newest: Path, reading: Reading) -> None:
    path = session(home, [*[telemetry(1)] * 500, said(), *BULK, answered(seconds=100)])

    ask(limit=1)

    assert reading.read[str(path)] <= 2 * WINDOW


@pytest.mark.parametrize("size", [WINDOW, 60_000, 300_000])
def test_a_long_record_first_costs_at_most_five_times_itself(
    home: Path, ask: Ask, newest: Path, reading: Reading, size: int
) -> None:
    path = session(home, [noted("other", {"x": "x" * size}), said(), *BULK, answered(seconds=100)])

    assert ask(limit=1).total == 2
    assert reading.read[str(path)] <= 2 * WINDOW + 5 * size


@pytest.mark.parametrize("size", [WINDOW, 60_000, 300_000])
def test_a_long_last_record_costs_at_most_six_times_itself(
    home: Path, ask: Ask, newest: Path, reading: Reading, size: int
) -> None:
    path = session(home, [said(), *BULK, answered("x" * size, 100)])

    assert ask(limit=1).total == 2
    assert reading.read[str(path)] <= 2 * WINDOW + 6 * size


def test_an_old_session_that_is_not_on_the_page_costs_two_windows(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    found = old_conversation()
    found["messages"] += [{"id": "x", "type": "qwen", "content": "x" * 1000}] * 1000
    path = old(home, found)

    assert ask(limit=1).total == 2
    assert 0 < reading.read[str(path)] <= 2 * conversations._WINDOW


def test_only_sessions_on_the_page_are_opened_again(home: Path, ask: Ask, reading: Reading) -> None:
    paths = [str(large(home, number, 100 * number)) for number in range(1, 5)]

    page = ask(limit=1, offset=1)

    assert [one.uuid for one in page.sessions] == [uuid(3)]
    assert [reading.openings[path] for path in paths] == [1, 1, 2, 1]


def test_a_session_on_the_page_is_read_whole_once_more(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home)

    ask()

    assert reading.read[str(path)] <= 2 * WINDOW + path.stat().st_size


def test_what_is_known_of_a_subagent_is_read_for_the_page_alone(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    meta = subagent(home, meta=about()).with_suffix(".meta.json")

    ask(limit=1)
    assert reading.openings[str(meta)] == 0

    ask()
    assert reading.openings[str(meta)] == 1
