"""A page costs what it shows: of every other session the two ends are read, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters.copilot import records
from sesls.page import Page
from tests.builders.common import uuid
from tests.builders.copilot import answered, event, said, session, started
from tests.watching import Reading

Ask = Callable[..., Page]

WINDOW = records._WINDOW
BULK = [event("tool.execution_complete", 5, result={"content": "x" * 1000})] * 1000


@pytest.fixture
def newest(home: Path) -> Path:
    """A session newer than all others: with a limit of one, the only one on the page."""
    return session(home, [started(0xFF), said("Newest", 90_000)], number=0xFF)


def test_a_session_that_is_not_on_the_page_costs_two_windows(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    path = session(home, [started(), said("Graft"), *BULK, answered(100)])

    page = ask(limit=1)

    assert (page.total, [one.path for one in page.sessions]) == (2, [str(newest)])
    assert 0 < reading.read[str(path)] <= 2 * WINDOW
    assert reading.openings[str(path)] == reading.openings[str(path.with_name("workspace.yaml"))] == 1


@pytest.mark.parametrize("size", [WINDOW, 60_000, 300_000])
def test_a_vendors_prompt_before_the_first_turn_costs_at_most_five_times_itself(
    home: Path, ask: Ask, newest: Path, reading: Reading, size: int
) -> None:
    system = event("system.message", 1, content="x" * size)
    path = session(home, [started(), system, said("Graft"), *BULK, answered(100)])

    ask(limit=1)

    assert reading.read[str(path)] <= 2 * WINDOW + 5 * size


def test_the_page_itself_reads_a_session_once_more(home: Path, ask: Ask, reading: Reading) -> None:
    path = session(home, [started(), said("Graft"), *BULK, answered(100)])

    (found,) = ask().sessions

    assert (found.uuid, found.message_count) == (uuid(1), 2)
    assert reading.openings[str(path)] == 2
    assert reading.read[str(path)] <= path.stat().st_size + 2 * WINDOW
