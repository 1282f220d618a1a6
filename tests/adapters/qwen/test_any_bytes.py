"""Whatever bytes a store holds, there is an answer, what is whole is in it, and nothing is changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.builders.common import lines, put, uuid
from tests.builders.qwen import (
    Record,
    about,
    answered,
    archived,
    noted,
    old,
    old_conversation,
    project,
    said,
    session,
    subagent,
    telemetry,
    titled,
    turns,
)
from tests.conftest import environment_of
from tests.watching import fingerprint

patient = settings(deadline=None, max_examples=60)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
WITNESS = 0x77
"""A session that is whole, whatever becomes of the others."""


def whole_store(home: Path) -> None:
    """Write sessions of all generations and kinds."""
    created = noted("parent_session", {"parentSessionId": uuid(9)})
    session(home, [created, *turns(), titled("Pruning"), telemetry(41)])
    archived(home, number=2)
    subagent(home, meta=about())
    old(home, number=3)
    put(home / ".qwen/settings.json", '{"advanced": {"runtimeOutputDir": "moved"}}')
    session(home, [said("Graft"), noted("other", {"x": "x" * 50_000}), answered()], number=4, base="moved")


def written() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        whole_store(Path(folder))
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


WHOLE = written()
SESSIONS = {name for name in WHOLE if "/chats/" in name or name.endswith("_1.jsonl")}


@contextmanager
def home_of(files: dict[str, bytes]) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        for name, content in files.items():
            put(home / name, content)
        session(home, number=WITNESS, directory="/srv/witness")
        yield home


def listed(home: Path) -> Page:
    """Return the page of a home, which must not change it, tell of an exception, nor lack the whole session."""
    before = fingerprint(home)
    page = take(Query(agents=("qwen",), limit=0), environment_of(home))

    assert fingerprint(home) == before
    (found,) = (one for one in page.sessions if one.uuid == uuid(WITNESS))
    assert (found.title, found.project_dir, found.message_count) == (f"Prompt {WITNESS}", "/srv/witness", 2)
    assert [one for one in page.warnings if one.problem.startswith("unexpected")] == []
    json.dumps(page.to_dict())
    return page


def untouched(home: Path, file: str) -> set[str]:
    """Return the sessions that have nothing to do with a file; those in another place need the settings."""
    is_settings = file.endswith("settings.json")
    return {str(home / name) for name in SESSIONS if name != file and not (is_settings and name.startswith("moved"))}


@patient
@given(st.sampled_from(sorted(WHOLE)), st.binary(max_size=300))
def test_any_bytes_in_any_file_cost_at_most_that_session(file: str, content: bytes) -> None:
    with home_of({**WHOLE, file: content}) as home:
        page = listed(home)

        assert {one.path for one in page.warnings} <= {str(home / file)}
        assert untouched(home, file) <= {one.path for one in page.sessions}


@settings(patient, max_examples=120)
@given(st.sampled_from(sorted(WHOLE)), st.floats(0, 1), st.integers(0, 200), st.binary(max_size=200), st.booleans())
def test_a_file_that_was_overwritten_or_cut_anywhere_costs_at_most_that_session(
    file: str, place: float, length: int, content: bytes, is_cut: bool
) -> None:
    whole = WHOLE[file]
    start = int(place * len(whole))
    damaged = whole[:start] + content + (b"" if is_cut else whole[start + length :])

    with home_of({**WHOLE, file: damaged}) as home:
        page = listed(home)

        assert {one.path for one in page.warnings} <= {str(home / file)} or file.endswith("settings.json")
        assert untouched(home, file) <= {one.path for one in page.sessions}


KEYS = ["timestamp", "cwd", "message", "systemPayload", "model", "version", "gitBranch", "forkedFrom", "agentId"]


@patient
@given(
    st.dictionaries(st.sampled_from([*KEYS, "type", "subtype", "provenance", "sessionId"]), JSON),
    st.dictionaries(st.sampled_from(KEYS), JSON),
    st.sampled_from(["custom_title", "parent_session", "session_source", "goal_state"]),
    JSON,
)
def test_any_values_in_records_get_an_answer(
    first: dict[str, Any], second: dict[str, Any], subtype: str, payload: object
) -> None:
    records: list[Record] = [said() | first, noted(subtype, payload), answered() | second]
    with home_of({}) as home:
        put(project(home) / "chats" / f"{uuid(1)}.jsonl", lines(records))

        page = listed(home)

        assert ({one.uuid for one in page.sessions}, page.warnings) == ({uuid(1), uuid(WITNESS)}, ())


@patient
@given(st.dictionaries(st.sampled_from(list(about())), JSON) | JSON)
def test_any_json_about_a_subagent_gets_an_answer(meta: object) -> None:
    with home_of({}) as home:
        subagent(home, meta=json.dumps(meta).encode())

        page = listed(home)

        assert (page.total, page.warnings) == (2, ())


@patient
@given(st.dictionaries(st.sampled_from(["startTime", "lastUpdated", "kind", "summary"]), JSON), st.lists(JSON))
def test_any_values_in_an_old_conversation_get_an_answer(values: dict[str, Any], messages: list[Any]) -> None:
    with home_of({}) as home:
        found = old_conversation() | values
        old(home, found | {"messages": [*messages, *found["messages"]]})

        page = listed(home)

        assert (page.total, page.warnings) == (2, ())


@patient
@given(JSON)
def test_any_json_in_the_settings_gets_an_answer(value: object) -> None:
    with home_of({}) as home:
        put(home / ".qwen/settings.json", json.dumps({"advanced": {"runtimeOutputDir": value}}))

        listed(home)


@patient
@given(st.permutations([said("One", 1), answered(seconds=2), titled("Name", 3), telemetry(4), said("Two", 5)]))
def test_records_in_any_order_tell_the_same_of_times_and_counts(records: list[Record]) -> None:
    with home_of({}) as home:
        session(home, records)

        (found,) = (one for one in listed(home).sessions if one.uuid == uuid(1))

        assert (found.message_count, found.last_activity[-7:], found.title) == (3, "05.000Z", "Name")
