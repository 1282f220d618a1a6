"""Reading changes nothing, and any bytes in a store get an answer."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.builders.common import lines, put, uuid
from tests.builders.pi import (
    AGENT_DIR,
    Entry,
    answered,
    child,
    entry,
    file_name,
    folder,
    header,
    message,
    named,
    said,
    session,
    turns,
)
from tests.conftest import environment_of

Ask = Callable[..., Page]

patient = settings(deadline=None, max_examples=60)

WHOLE = lines([header(), said("Graft the plum"), answered(), named("Orchard")])

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def fingerprint(home: Path) -> dict[str, tuple[object, ...]]:
    """Return of everything in a home what a reader could change, without reading it."""
    return {str(path): (one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for path, one in statuses(home)}


def statuses(home: Path) -> list[tuple[Path, os.stat_result]]:
    return [(path, path.lstat()) for path in sorted([home, *home.rglob("*")])]


def contents(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


@pytest.fixture
def store(home: Path) -> Path:
    """A home with everything that is opened: sessions whole and broken, a child, settings, and a loop of links."""
    parent = session(home)
    child(parent, turns(2))
    session(home, WHOLE[100:], number=3)
    session(home, b"", number=4)
    put(home / AGENT_DIR / "settings.json", '{"sessionDir": "flat"}')
    put(home / "flat" / "x.jsonl", turns(5))
    (parent.parent / "loop").symlink_to(parent.parent)
    return home


def test_listing_changes_no_byte_and_no_file(store: Path, ask: Ask) -> None:
    held, before = contents(store), fingerprint(store)

    page = ask()

    assert len(page.sessions) == 3
    assert fingerprint(store) == before
    assert contents(store) == held


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="access times cannot be kept here")
def test_listing_keeps_the_times_of_access(store: Path, ask: Ask) -> None:
    paths = [path for path, _ in statuses(store) if path.is_file() and not path.is_symlink()]
    for path in paths:
        os.utime(path, (1, path.stat().st_mtime))

    ask()

    assert {path.stat().st_atime for path in paths} == {1}


def listed(content: bytes, name: str = file_name(1)) -> Page:
    """Return the answer for a home that holds this file, a good session, and a child that lies in its folder."""
    with TemporaryDirectory() as place:
        home = Path(place)
        child(put(folder(home) / name, content), turns(3))
        session(home, number=2)
        return take(Query(agents=("pi",), limit=0), environment_of(home))


def assert_only_the_damaged_may_be_missing(page: Page) -> None:
    assert {uuid(2), uuid(3)} <= {one.uuid for one in page.sessions}
    assert len(page.warnings) <= 1
    json.dumps(page.to_dict())


@patient
@given(st.binary(max_size=300))
def test_any_bytes_in_a_file_get_an_answer(content: bytes) -> None:
    assert_only_the_damaged_may_be_missing(listed(content))


@patient
@given(st.integers(0, len(WHOLE)), st.integers(0, 40), st.binary(max_size=40))
@example(0, 0, b"\xef\xbb\xbf")
def test_a_session_that_was_overwritten_anywhere_gets_an_answer(start: int, length: int, written: bytes) -> None:
    assert_only_the_damaged_may_be_missing(listed(WHOLE[:start] + written + WHOLE[start + length :]))


@patient
@given(st.integers(0, len(WHOLE)))
def test_a_session_that_was_cut_anywhere_is_listed_as_far_as_its_header_is_whole(length: int) -> None:
    page = listed(WHOLE[:length])

    assert_only_the_damaged_may_be_missing(page)
    assert (uuid(1) in {one.uuid for one in page.sessions}) == (length >= len(lines([header()])) - 1)


@patient
@given(
    st.sampled_from(["version", "timestamp", "cwd", "parentSession", "branchedFrom", "type", "id"]),
    JSON,
    st.sampled_from(["id", "parentId", "timestamp", "type", "name", "message"]),
    JSON,
)
def test_any_values_in_the_entries_get_an_answer(key: str, value: object, other_key: str, other: object) -> None:
    entries: list[Entry] = [header() | {key: value}, said("Hello") | {other_key: other}, answered()]

    assert_only_the_damaged_may_be_missing(listed(lines(entries)))


@patient
@given(
    st.sampled_from(["user", "assistant"]), st.dictionaries(st.sampled_from(["content", "timestamp", "model"]), JSON)
)
def test_any_values_in_a_message_cost_no_session(role: str, values: dict[str, Any]) -> None:
    page = listed(lines([header(), message(role, "x") | {"message": {"role": role, **values}}]))

    assert_only_the_damaged_may_be_missing(page)
    assert uuid(1) in {one.uuid for one in page.sessions}


@patient
@given(st.permutations([said("One", 1), answered(seconds=2), named("Name", 3), entry("label", 4)]))
def test_entries_in_any_order_tell_the_same_of_times_and_counts(entries: list[Entry]) -> None:
    page = listed(lines([header(), *entries]))

    (found,) = (one for one in page.sessions if one.uuid == uuid(1))
    assert (found.message_count, found.last_activity[-7:], found.title) == (2, "02.000Z", "Name")
