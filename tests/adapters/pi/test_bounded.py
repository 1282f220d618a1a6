"""A page costs what it shows: of every other session the two ends are read, once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from sesls.adapters import adapter
from sesls.adapters.pi_family import transcript
from sesls.page import Page
from tests.builders.common import lines, put, uuid
from tests.builders.pi import (
    AGENT_DIR,
    Entry,
    answered,
    child,
    entry,
    folder,
    header,
    message,
    named,
    result,
    said,
    session,
    turns,
)
from tests.conftest import environment_of
from tests.watching import Reading

Ask = Callable[..., Page]

WINDOW = transcript._WINDOW
BULK = [result("x" * 1000)] * 1000


@pytest.fixture
def newest(home: Path) -> Path:
    """A session newer than all others: with a limit of one, the only one on the page."""
    return session(home, [header(0xFF), said("Newest", 90_000)], number=0xFF)


def large(home: Path, number: int = 1, seconds: float = 100, start: Iterable[Entry] = ()) -> Path:
    """Write a session of a megabyte that starts and ends with a turn."""
    entries = [header(number), *start, said(f"Prompt {number}"), *BULK, answered(seconds=seconds)]
    return session(home, entries, number=number)


def test_a_session_that_is_not_on_the_page_costs_two_windows(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    path = large(home)

    page = ask(limit=1)

    assert (page.total, [one.path for one in page.sessions]) == (2, [str(newest)])
    assert 0 < reading.read[str(path)] <= 2 * WINDOW


@pytest.mark.parametrize("entries", [0, 5, 1000])
def test_entries_before_the_first_turn_cost_no_more(
    home: Path, ask: Ask, newest: Path, reading: Reading, entries: int
) -> None:
    path = large(home, start=[entry("model_change", provider="p", modelId="m")] * entries)

    ask(limit=1)

    assert reading.read[str(path)] <= 2 * WINDOW


@pytest.mark.parametrize("size", [WINDOW, 60_000, 300_000])
def test_a_long_entry_before_the_first_turn_costs_at_most_five_times_itself(
    home: Path, ask: Ask, newest: Path, reading: Reading, size: int
) -> None:
    path = large(home, start=[message("system", "x" * size)])

    ask(limit=1)

    assert reading.read[str(path)] <= 2 * WINDOW + 5 * size


@pytest.mark.parametrize("size", [WINDOW, 60_000, 300_000])
def test_a_long_last_entry_costs_at_most_six_times_itself(
    home: Path, ask: Ask, newest: Path, reading: Reading, size: int
) -> None:
    path = session(home, [header(), said("Hello"), *BULK, answered("x" * size, 100)])

    page = ask(limit=1)

    assert page.total == 2
    assert reading.read[str(path)] <= 2 * WINDOW + 6 * size


def test_results_after_the_last_turn_are_read_back_to_it_and_no_further(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    after = 100_000
    path = session(home, [header(), said("Hello"), *BULK, answered(seconds=100), *BULK[: after // 1000]])

    ask(limit=1)

    assert after < reading.read[str(path)] <= 2 * WINDOW + 5 * after


def test_only_sessions_on_the_page_are_opened_again(home: Path, ask: Ask, reading: Reading) -> None:
    paths = [str(large(home, number, 100 * number)) for number in range(1, 5)]

    page = ask(limit=1, offset=1)

    assert [one.uuid for one in page.sessions] == [uuid(3)]
    assert [reading.openings[path] for path in paths] == [1, 1, 2, 1]


def test_a_session_on_the_page_is_read_whole_once_more(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home)

    ask()

    assert reading.read[str(path)] <= 2 * WINDOW + path.stat().st_size


def test_filters_read_no_more(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home)

    assert ask(project_dir="/srv/elsewhere").total == 0
    assert ask(kind="subagent").total == 0
    assert reading.read[str(path)] <= 2 * 2 * WINDOW


def test_an_empty_page_reads_no_session_to_its_middle(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home)

    page = ask(offset=1)

    assert (page.total, page.sessions) == (1, ())
    assert reading.read[str(path)] <= 2 * WINDOW


def test_parents_and_origins_are_opened_for_no_child_and_no_fork(home: Path, ask: Ask, reading: Reading) -> None:
    parent = session(home)
    outside = put(home / "outside.jsonl", turns(9))
    for number in range(2, 6):
        child(parent, turns(number), f"run-{number}/session.jsonl")
        session(home, [header(number + 10, parentSession=str(outside)), said("Hello")], number=number + 10)

    ask(limit=1, offset=8)

    assert reading.openings[str(parent)] == 1
    assert reading.openings[str(outside)] == 0


@pytest.mark.parametrize(
    "records", [[{"recordType": "message"}] * 50_000, [{"recordType": "message"}, {"text": "x" * 1_000_000}]]
)
def test_a_file_that_is_no_session_costs_one_window(
    home: Path, ask: Ask, reading: Reading, records: list[object]
) -> None:
    path = put(folder(home) / "subagent-artifacts" / "x_transcript.jsonl", records)

    ask()

    assert (reading.openings[str(path)], reading.read[str(path)]) == (1, WINDOW)


@pytest.mark.parametrize("line", [b"no JSON\n", b"\n"])
def test_a_file_without_any_entry_is_given_up(home: Path, ask: Ask, reading: Reading, line: bytes) -> None:
    path = put(folder(home) / "notes.jsonl", line * ((2 << 20) // len(line)))

    ask()

    assert reading.read[str(path)] <= 1 << 20


@pytest.mark.skipif(os.name == "nt", reason="files with holes take their whole size there")
def test_a_sparse_session_of_gigabytes_is_listed_in_two_windows(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    path = session(home, [header(), said("Hello")])
    with path.open("r+b") as file:
        file.seek(3 << 30)
        file.write(b"\n" + lines([answered(seconds=500)]) * 300)

    page = ask(limit=1)

    assert page.total == 2
    assert reading.read[str(path)] <= 2 * WINDOW


def test_finding_opens_nothing_but_settings(home: Path, reading: Reading) -> None:
    session(home)
    child(session(home, number=2), turns(3))
    put(home / AGENT_DIR / "run-history.jsonl", [{"agent": "scout"}])
    pi = adapter("pi")

    found = [one for store in pi.stores(environment_of(home)) for one in pi.find(store, lambda path, problem: None)]

    assert len(found) == 4
    assert set(reading.openings) == {str(home / AGENT_DIR / "settings.json"), str(home / ".pi" / "settings.json")}


def test_a_name_far_from_both_ends_is_read_for_the_page_alone(
    home: Path, ask: Ask, newest: Path, reading: Reading
) -> None:
    path = session(home, [header(), said("Hello"), *BULK, named("Orchard"), *BULK, answered(seconds=100)])

    ask(limit=1)
    assert reading.read[str(path)] <= 2 * WINDOW

    assert ask(limit=1, offset=1).sessions[0].title == "Orchard"
