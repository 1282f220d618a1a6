"""The parts of a listing, each alone, on files made from one seed; asserted is only that a part did its work."""

from __future__ import annotations

import io
import random
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.make_home import MEGABYTE, SHAPES, make
from sesls import redaction
from sesls.adapters.claude.rows import ENVELOPE, ROW
from sesls.environment import Environment
from sesls.formats import jsonl
from sesls.inventory import take
from sesls.output import table
from sesls.output.json import encoded
from sesls.page import Page
from sesls.query import Query
from tests.builders import claude
from tests.builders.common import lines

SEED = 20261130
SESSIONS = 2724
WINDOW = 32_768

Benchmark = Callable[..., Any]


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A transcript of 100 MB."""
    path = tmp_path_factory.mktemp("transcript") / "large.jsonl"
    source = random.Random(SEED)
    pieces = [lines([claude.assistant("x" * source.randrange(200, 6000), number)]) for number in range(100)]
    with path.open("wb") as file:
        file.write(lines([claude.user("Prompt 1")]))
        while file.tell() < 100 * MEGABYTE:
            file.write(source.choice(pieces))
    return str(path)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A home of as many sessions as the large one has, all of them small."""
    home = tmp_path_factory.mktemp("home") / "home"
    make(home, SHAPES["mixed"]._replace(sessions=SESSIONS, megabytes=20), SEED)
    return Environment(str(home), {}, str(home), str(home / ".config"), str(home.parent / "cache"))


@pytest.fixture(scope="module")
def page(environment: Environment) -> Page:
    """All sessions of that home, after what can be remembered of them is."""
    time.sleep(2.5)  # what changed only just before it was looked at is not remembered
    return take(Query(limit=0), environment)


def test_the_first_record_of_100_megabytes(benchmark: Benchmark, transcript: str) -> None:
    def head() -> object:
        with jsonl.opened(transcript) as file:
            return next(jsonl.records(jsonl.lines(jsonl.blocks(file, WINDOW)), ENVELOPE))

    assert benchmark(head).session_id


def test_the_last_records_of_100_megabytes(benchmark: Benchmark, transcript: str) -> None:
    def tail() -> object:
        with jsonl.opened(transcript) as file:
            return jsonl.tail(file, ENVELOPE, WINDOW, lambda record: record.timestamp is not None)

    assert benchmark(tail)


def test_a_search_by_bytes_through_100_megabytes(benchmark: Benchmark, transcript: str) -> None:
    pattern = re.compile(rb'"type":"user"')

    def search() -> int:
        with jsonl.opened(transcript) as file:
            return sum(1 for _ in jsonl.lines_with(jsonl.blocks(file), pattern))

    assert benchmark(search) == 1


def test_every_record_of_100_megabytes(benchmark: Benchmark, transcript: str) -> None:
    def decode() -> int:
        with jsonl.opened(transcript) as file:
            return sum(1 for _ in jsonl.records(jsonl.lines(jsonl.blocks(file)), ROW))

    assert benchmark(decode) > 1000


def test_redaction_of_1000_titles(benchmark: Benchmark, page: Page) -> None:
    titles = [session.title or "" for session in page.sessions[:1000]]

    assert len(benchmark(lambda: list(map(redaction.redact, titles)))) == 1000


def test_the_newest_of_2724_sessions_from_the_cache(benchmark: Benchmark, environment: Environment, page: Page) -> None:
    assert page.total == SESSIONS

    assert benchmark(lambda: take(Query(limit=1), environment).total) == SESSIONS


def test_all_of_2724_sessions_from_the_cache(benchmark: Benchmark, environment: Environment, page: Page) -> None:
    assert benchmark(lambda: take(Query(limit=0), environment).total) == page.total


def test_the_json_of_2724_sessions(benchmark: Benchmark, page: Page) -> None:
    assert benchmark(lambda: encoded(page.answer())).count(b"\n") > SESSIONS


def test_the_plain_table_of_2724_sessions(benchmark: Benchmark, page: Page) -> None:
    def render() -> int:
        stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
        table.write_plain(table.lines(page.sessions, unicode=True), stream)
        return stream.tell()

    assert benchmark(render) > 100_000


def test_the_fitted_table_of_2724_sessions(benchmark: Benchmark, page: Page) -> None:
    def render() -> int:
        stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
        table.write_fitted(table.lines(page.sessions, unicode=True), stream, home="/srv", cells=120)
        return stream.tell()

    assert benchmark(render) > 100_000
