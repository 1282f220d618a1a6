"""A page costs what it shows; of every other conversation its last steps are read, and of none the whole prompt."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sesls.formats import files, jsonl
from sesls.page import Page
from sesls.session import Session
from tests.builders.antigravity import (
    CLI,
    MODEL,
    SHARED,
    Fields,
    about,
    annotation,
    answered,
    artifact,
    asked,
    conversation,
    encode,
    encrypted,
    history,
    hub,
    listed,
    log,
    note,
    prompted,
    ran,
    state,
    summaries,
    summary,
)
from tests.builders.common import at, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

TWO_WINDOWS = 32 << 10
PAGE = 4096
PROMPT = "p" * (40 * PAGE)
WITH_PROMPT: Fields = {1: {1: PROMPT, 19: "gemini-of-the-prompt"}}
"""The first generation, which holds all that the model was told."""


class Reading:
    """What was opened and asked for, and how many bytes of JSON lines were read of each file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.openings: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.queries: dict[str, list[str]] = {}
        self._paths: dict[int, str] = {}
        self._opened, self._read_at, self._connect = files.opened, jsonl.read_at, sqlite3.connect
        monkeypatch.setattr(files, "opened", self._open)
        monkeypatch.setattr(jsonl, "read_at", self._read)
        monkeypatch.setattr(sqlite3, "connect", self._ask)

    def _open(self, path: str) -> int:
        self.openings[path] += 1
        descriptor = self._opened(path)
        self._paths[descriptor] = path
        return descriptor

    def _read(self, descriptor: int, size: int, offset: int) -> bytes:
        data = self._read_at(descriptor, size, offset)
        self.bytes[self._paths[descriptor]] += len(data)
        return data

    def _ask(self, database: str | Path, **keys: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = self._connect(database, **keys)
        path = str(database).removeprefix("file:").partition("?")[0]
        connection.set_trace_callback(self.queries.setdefault(path, []).append)
        return connection

    def selections(self, path: Path) -> list[str]:
        """Return what was asked of a database, its layout left out."""
        asked = [query for query in self.queries[str(path)] if query.startswith("SELECT")]
        return [query for query in asked if "sqlite_master" not in query]


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    """Notes what is opened, asked for and read from here on."""
    return Reading(monkeypatch)


def burnt(path: Path) -> Path:
    """Destroy all pages of a database that hold nothing but the prompt, so that whoever reads it fails."""
    data = path.read_bytes()
    pages = [data[start : start + PAGE] for start in range(0, len(data), PAGE)]
    destroyed = [b"\xff" * PAGE if page[4:] in PROMPT.encode() else page for page in pages]
    assert destroyed != pages
    return put(path, b"".join(destroyed))


def shown(home: Path) -> Path:
    """Write a conversation newer than all others: with a limit of one, the only one on the page."""
    return conversation(home, [asked(seconds=90_000)], number=0xFF)


# The prompt


def test_the_row_with_the_prompt_is_never_read(home: Path, ask: Ask) -> None:
    second: Fields = {1: {19: "gemini-second"}}
    path = burnt(conversation(home, [asked(), answered(model=None)], generations=[WITH_PROMPT, second]))
    with (
        closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as connection,
        pytest.raises(sqlite3.DatabaseError),
    ):
        connection.execute("SELECT data FROM gen_metadata WHERE idx = 0").fetchone()

    page = ask()

    assert [session.models for session in page.sessions] == [("gemini-second",)]
    assert page.warnings == ()


def test_a_single_generation_is_that_of_the_prompt_and_names_no_model(home: Path, ask: Ask) -> None:
    burnt(conversation(home, [asked(), answered(model=None)], generations=[WITH_PROMPT]))

    page = ask()

    assert ([session.models for session in page.sessions], page.warnings) == ([()], ())


def test_generations_are_not_asked_for_where_steps_name_the_models(home: Path, only: Only, reading: Reading) -> None:
    path = conversation(home, generations=[WITH_PROMPT, {1: {19: "gemini-second"}}])

    assert only().models == (MODEL,)
    assert not any("gen_metadata" in query for query in reading.selections(path))


# Not on the page


def test_texts_of_steps_are_not_read_for_a_conversation_that_is_not_shown(home: Path, ask: Ask) -> None:
    steps = [asked(PROMPT), *(answered(PROMPT, seconds=second) for second in range(30))]
    burnt(conversation(home, steps, meta=about(created=None)))
    shown(home)

    page = ask(limit=1)

    assert (page.total, page.warnings) == (2, ())


def test_of_a_conversation_that_is_not_shown_a_few_steps_are_asked_for(home: Path, ask: Ask, reading: Reading) -> None:
    path = conversation(home, [ran(second) for second in range(2000)])
    shown(home)

    ask(limit=1)

    queries = [query for query in reading.selections(path) if "FROM steps" in query]
    assert queries
    assert all(re.search(r" LIMIT \d\d?$", query) for query in queries)


def test_only_conversations_on_the_page_are_asked_again(home: Path, ask: Ask, reading: Reading) -> None:
    paths = [conversation(home, [asked(seconds=100 * number)], number=number) for number in range(1, 5)]

    page = ask(limit=1, offset=1)

    assert [session.uuid for session in page.sessions] == [uuid(3)]
    assert [reading.openings[str(path)] for path in paths] == [1, 1, 2, 1]


def test_an_empty_page_asks_for_no_details(home: Path, ask: Ask, reading: Reading) -> None:
    path = conversation(home)

    page = ask(offset=1)

    assert (page.total, page.sessions, reading.openings[str(path)]) == (1, (), 1)


def test_a_page_of_many_conversations_opens_each_database_twice(home: Path, ask: Ask, reading: Reading) -> None:
    paths = [str(conversation(home, [asked(seconds=number)], number=number)) for number in range(1, 21)]

    page = ask()

    assert page.sessions[0].last_activity == at(20)
    assert {reading.openings[path] for path in paths} == {2}


@pytest.mark.parametrize("kilobytes", [40, 200, 2000])
def test_a_log_that_is_not_shown_costs_two_windows_whatever_its_size(
    home: Path, ask: Ask, reading: Reading, kilobytes: int
) -> None:
    path = log(home, [asked(), *[answered("x" * 900)] * kilobytes])
    shown(home)

    ask(limit=1)

    assert 0 < reading.bytes[str(path)] <= TWO_WINDOWS


@pytest.mark.parametrize("kilobytes", [1, 20])
def test_a_small_log_is_read_once(home: Path, ask: Ask, reading: Reading, kilobytes: int) -> None:
    path = log(home, [asked(), *[answered("x" * 900)] * kilobytes])
    shown(home)

    ask(limit=1)

    assert reading.bytes[str(path)] == path.stat().st_size


@pytest.mark.parametrize("steps", [[asked("x" * 300_000), answered()], [asked(), answered("x" * 300_000)]])
def test_a_line_longer_than_a_window_costs_little_more_than_itself(
    home: Path, ask: Ask, reading: Reading, steps: list[Any]
) -> None:
    path = log(home, steps)
    shown(home)

    ask(limit=1)

    assert reading.bytes[str(path)] <= 5 * path.stat().st_size


def test_an_encrypted_conversation_is_not_opened_at_all(home: Path, ask: Ask, reading: Reading) -> None:
    path = encrypted(home)

    page = ask()

    assert (page.total, reading.openings[str(path)]) == (1, 0)


def test_the_logs_beside_the_shortest_one_are_not_opened(home: Path, ask: Ask, reading: Reading) -> None:
    log(home)
    others = [log(home, name=name) for name in ("transcript_full.jsonl", "overview.txt")]

    ask()

    assert [reading.openings[str(path)] for path in others] == [0, 0]


def test_artifacts_beside_a_log_are_not_opened(home: Path, ask: Ask, reading: Reading) -> None:
    log(home)
    path = artifact(home, root=CLI, updated=5)

    ask()

    assert [reading.openings[name] for name in (str(path), f"{path}.metadata.json")] == [0, 0]


def test_annotations_and_artifacts_are_read_for_the_page_alone(home: Path, ask: Ask, reading: Reading) -> None:
    beside = [
        annotation(home, "archived: true", number=1, root=SHARED),
        artifact(home, "# Prune", number=1),
        annotation(home, "archived: true", number=2, root=SHARED),
        artifact(home, "# Graft", number=2),
    ]
    for number in (1, 2):
        encrypted(home, number=number, modified=number)

    ask(limit=1)

    assert [reading.openings[str(path)] for path in beside] == [0, 0, 1, 1]


# Indexes


def test_every_index_is_read_once_whatever_the_number_of_conversations(home: Path, ask: Ask, reading: Reading) -> None:
    numbers = range(1, 6)
    for number in numbers:
        conversation(home, number=number)
    indexes = [
        summaries(home, *map(listed, numbers)),
        hub(home, {number: summary("Title") for number in numbers}, root=CLI),
        history(home, [prompted(number=number) for number in numbers]),
        state(home, {number: summary("Title") for number in numbers}),
    ]

    ask()

    assert [reading.openings[str(path)] for path in indexes] == [1, 1, 1, 1]


def test_of_the_ide_s_values_only_those_about_conversations_are_asked_for(
    home: Path, ask: Ask, reading: Reading
) -> None:
    encrypted(home)
    path = state(home, {1: summary("Title")})

    ask()

    selections = reading.selections(path)
    assert len(selections) == 2
    assert all("trajectorySummaries" in query for query in selections)


def test_a_note_is_read_once(home: Path, ask: Ask, reading: Reading) -> None:
    conversation(home)
    path = note(home)

    ask()

    assert reading.openings[str(path)] == 1


# Large values


def test_a_huge_artifact_is_read_at_its_start(home: Path, only: Only) -> None:
    artifact(home, "x" * (1 << 20) + "\n# Far from the start")

    assert only().title is None


def test_metadata_of_a_hundred_thousand_fields_are_read(home: Path, only: Only) -> None:
    conversation(home, meta=encode(about(-5)) + encode({40: 1}) * 100_000)

    assert only().created == at(-5)


def test_a_conversation_of_many_steps_is_counted(home: Path, only: Only) -> None:
    conversation(home, [asked(), *[answered()] * 3000])

    session = only()

    assert (session.message_count, session.extra["step_count"]) == (3001, 3001)
