"""A page costs what it shows: of every other rollout its two ends are read, once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters import adapter
from sesls.adapters.codex import rollout as codex_rollout
from sesls.formats import jsonl
from sesls.page import Page
from tests.builders.codex import Record, event, meta, name_index, response, rollout, said, turn
from tests.builders.common import at, lines, uuid
from tests.conftest import environment_of
from tests.watching import Reading

Ask = Callable[..., Page]

HEAD, TAIL = codex_rollout._HEAD_WINDOW, codex_rollout._TAIL_WINDOW
FILLER = [response("x" * 1000, role="assistant")] * 1000


def large(home: Path, number: int, seconds: float = 0, filler: Iterable[Record] = FILLER, **header: Any) -> Path:
    """Write a rollout of a megabyte that starts and ends with a message."""
    start = [meta(number, **header), turn(), said(f"Prompt {number}")]
    end = [said("And the quince", seconds), event("token_count", seconds)]
    return rollout(home, lines([*start, *filler, *end]), number=number)


def header_size(path: Path) -> int:
    with path.open("rb") as file:
        return len(file.readline())


def instructions(size: int) -> Record:
    return {"base_instructions": {"text": "x" * size}}


@pytest.mark.parametrize("size", [0, TAIL, HEAD - 1000])
def test_a_rollout_that_is_not_on_the_page_costs_two_windows(home: Path, ask: Ask, reading: Reading, size: int) -> None:
    path = large(home, 1, 100, **instructions(size))
    large(home, 2, 200)

    page = ask(limit=1)

    assert [session.uuid for session in page.sessions] == [uuid(2)]
    assert reading.read[str(path)] <= HEAD + TAIL


@pytest.mark.parametrize("size", [HEAD, 6 * HEAD])
def test_a_header_longer_than_a_window_costs_at_most_five_times_itself(
    home: Path, ask: Ask, reading: Reading, size: int
) -> None:
    path = large(home, 1, 100, **instructions(size))
    large(home, 2, 200)

    ask(limit=1)

    assert reading.read[str(path)] <= 5 * header_size(path) + TAIL


def test_even_a_huge_header_costs_little_more_than_itself(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home, 1, 100, **instructions(3 << 20))
    large(home, 2, 200)

    ask(limit=1)

    assert reading.read[str(path)] <= HEAD + TAIL + header_size(path) + jsonl.BLOCK


def test_a_small_rollout_is_read_twice_and_its_header_once_more(home: Path, ask: Ask, reading: Reading) -> None:
    path = rollout(home, number=1)
    large(home, 2, 200)

    ask(limit=1)

    assert reading.read[str(path)] <= 2 * path.stat().st_size + header_size(path)


def test_a_last_record_longer_than_a_window_costs_little_more_than_itself(
    home: Path, ask: Ask, reading: Reading
) -> None:
    path = large(home, 1, filler=[*FILLER, response("x" * 300_000, seconds=90)])
    large(home, 2, 200)

    page = ask(limit=1)

    assert page.total == 2
    assert reading.read[str(path)] <= HEAD + TAIL + 5 * 300_000


def test_only_threads_on_the_page_are_opened_again(home: Path, ask: Ask, reading: Reading) -> None:
    paths = [str(large(home, number, 100 * number)) for number in range(1, 5)]
    name_index(home, (4, "Name"))

    page = ask(limit=1, offset=1)

    assert [session.uuid for session in page.sessions] == [uuid(3)]
    assert {path: reading.openings[path] for path in paths} == dict(zip(paths, (1, 1, 2, 1), strict=True))


def test_an_empty_page_reads_no_thread_to_its_middle(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home, 1)

    page = ask(offset=1)

    assert (page.total, page.sessions) == (1, ())
    assert reading.read[str(path)] <= HEAD + TAIL


def test_filters_read_no_more(home: Path, ask: Ask, reading: Reading) -> None:
    path = large(home, 1, cwd="/srv/elsewhere")

    assert ask(project_dir="/srv/orchard").total == 0
    assert reading.read[str(path)] <= HEAD + TAIL


def test_the_index_of_names_is_read_once_for_a_page(home: Path, ask: Ask, reading: Reading) -> None:
    for number in range(1, 4):
        rollout(home, number=number)
    index = name_index(home, (1, "One"), (2, "Two"))

    ask()

    assert reading.openings[str(index)] == 1


def test_finding_opens_nothing(home: Path, reading: Reading) -> None:
    rollout(home)
    rollout(home, number=2, suffix=".jsonl.zst")
    codex = adapter("codex")

    (store, *_) = codex.stores(environment_of(home))
    found = list(codex.find(store, lambda path, problem: None))

    assert len(found) == 2
    assert reading.openings == Counter()


@pytest.mark.skipif(os.name == "nt", reason="files with holes take their whole size there")
def test_a_sparse_rollout_of_gigabytes_is_listed_in_two_windows(home: Path, ask: Ask, reading: Reading) -> None:
    path = rollout(home, lines([meta(), said("Graft the plum")]))
    with path.open("r+b") as file:
        file.seek(3 << 30)
        file.write(b"\n" + lines([said("Late words", 500)]) * 300)
    large(home, 2, 900)

    page = ask(limit=1)

    assert page.total == 2
    assert reading.read[str(path)] <= HEAD + TAIL


def test_a_page_of_many_threads_opens_each_file_twice_at_most(home: Path, ask: Ask, reading: Reading) -> None:
    paths = [
        str(rollout(home, [meta(number), turn(), said("Hello", number)], number=number)) for number in range(1, 41)
    ]

    page = ask()

    assert page.sessions[0].last_activity == at(40)
    assert {reading.openings[path] for path in paths} == {2}
