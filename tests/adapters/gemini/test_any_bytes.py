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
from tests.builders.gemini import (
    Record,
    answered,
    change,
    context,
    conversation,
    file_name,
    header,
    message,
    printed,
    project,
    registry,
    rewound,
    said,
    session,
    subagent,
    turns,
    updated,
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
    """Write sessions of all generations, a subagent, and all that names directories."""
    session(home, [*turns(), rewound("user-1"), change(messages=[said("Graft")], summary="Trees"), answered()])
    subagent(home, turns(2, kind="subagent"), number=2)
    printed(home, number=3)
    printed(home, conversation([said("Prune"), answered("x" * 90_000)], 4, summary="Trees"), number=4, name="barn")
    registry(home, {"/srv/barn": "barn"})
    put(home / ".gemini/trustedFolders.json", '{"/srv/meadow": "TRUST_FOLDER"}')


def written() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        whole_store(Path(folder))
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


WHOLE = written()
SESSIONS = {name: content for name, content in WHOLE.items() if "/chats/" in name}


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
    page = take(Query(agents=("gemini",), limit=0), environment_of(home))

    assert fingerprint(home) == before
    (found,) = (one for one in page.sessions if one.uuid == uuid(WITNESS))
    assert (found.title, found.project_dir, found.message_count) == (f"Prompt {WITNESS}", "/srv/witness", 2)
    assert [one for one in page.warnings if one.problem.startswith("unexpected")] == []
    json.dumps(page.to_dict())
    return page


def listed_lines(records: list[Record]) -> Page:
    with home_of({}) as home:
        put(project(home) / "chats" / file_name(), lines(records))
        return listed(home)


@patient
@given(st.sampled_from(sorted(WHOLE)), st.binary(max_size=300))
def test_any_bytes_in_any_file_cost_at_most_that_session(file: str, content: bytes) -> None:
    with home_of({**WHOLE, file: content}) as home:
        page = listed(home)

        assert {one.path for one in page.warnings} <= {str(home / file)}
        assert {str(home / name) for name in SESSIONS if name != file} <= {one.path for one in page.sessions}


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

        assert {one.path for one in page.warnings} <= {str(home / file)}
        assert {str(home / name) for name in SESSIONS if name != file} <= {one.path for one in page.sessions}


HEADER_KEYS = ["projectHash", "startTime", "lastUpdated", "kind", "directories", "summary", "messages", "$set"]
MESSAGE_KEYS = ["timestamp", "type", "content", "model", "toolCalls", "thoughts", "id", "messages", "$rewindTo"]


@patient
@given(
    st.dictionaries(st.sampled_from(HEADER_KEYS), JSON),
    st.dictionaries(st.sampled_from(MESSAGE_KEYS), JSON),
    st.dictionaries(st.sampled_from(HEADER_KEYS), JSON),
)
def test_any_values_in_records_get_an_answer(
    about: dict[str, Any], said_with: dict[str, Any], changed: dict[str, Any]
) -> None:
    records = [header() | about, said() | said_with, {"$set": changed}, said("Graft", 50, id="last")]

    page = listed_lines(records)

    assert ({one.uuid for one in page.sessions}, page.warnings) == ({uuid(1), uuid(WITNESS)}, ())


@patient
@given(st.dictionaries(st.sampled_from(HEADER_KEYS[:-2]), JSON), st.lists(JSON, max_size=4))
def test_any_values_in_an_object_get_an_answer(about: dict[str, Any], messages: list[Any]) -> None:
    with home_of({}) as home:
        printed(home, header() | about | {"messages": [*messages, said()]})

        page = listed(home)

        assert (page.total, page.warnings) == (2, ())


@patient
@given(JSON, JSON)
def test_any_json_in_a_registry_gets_an_answer(projects: object, trusted: object) -> None:
    with home_of(WHOLE) as home:
        registry(home, projects)
        put(home / ".gemini/trustedFolders.json", json.dumps(trusted))

        assert listed(home).warnings == ()


STEPS = st.sampled_from(
    [
        said("Alpha", 1, id="a"),
        answered(seconds=2, id="b"),
        said("Beta", 3, id="c"),
        message("info", "Note", 4, id="d"),
        context(),
        updated(5),
        rewound("a"),
        rewound("c"),
        rewound("unknown"),
        change(messages=[]),
        change(messages=[said("Alpha", 1, id="a")]),
        header(seconds=6),
    ]
)


def left(records: list[Record]) -> list[Record]:
    """Return the messages that records come to, as the agent itself takes them."""
    messages: dict[str, Record] = {}
    for record in records:
        if "$rewindTo" in record:
            ids = list(messages)
            at = ids.index(record["$rewindTo"]) if record["$rewindTo"] in ids else 0
            messages = {key: messages[key] for key in ids[:at]}
        elif "id" in record:
            messages[record["id"]] = record
        elif "messages" in record.get("$set", {}):
            messages = {one["id"]: one for one in record["$set"]["messages"]}
    return list(messages.values())


@settings(patient, max_examples=100)
@given(st.lists(STEPS, max_size=9), st.integers(0, 9))
def test_near_the_end_or_far_from_it_the_same_messages_are_left(records: list[Record], place: int) -> None:
    bulk = [change(memoryScratchpad="x" * 1000)] * 40
    page = listed_lines([header(), *records[:place], *bulk, *records[place:]])

    turns_left = [one for one in left(records) if one["id"] in "abc"]
    counts = [one.message_count for one in page.sessions if one.uuid == uuid(1)]
    assert counts == ([len(turns_left)] if turns_left else [])
