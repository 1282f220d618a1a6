"""Whatever bytes a store holds, there is an answer, nothing is changed, and what is whole is in the answer."""

from __future__ import annotations

import json
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
from tests.adapters.conftest import Stand
from tests.builders.common import lines, uuid
from tests.builders.copilot import answered, event, flat, said, save, saved, session, started, workspace
from tests.conftest import environment_of

patient = settings(deadline=None, max_examples=60, derandomize=True)

WHOLE = lines([started(), said("Graft the plum"), event("subagent.started", 2, agent="a1"), answered()])
YAML = workspace(name="|-\n  Two\n  lines", branch="'ma''in'").encode()
SAVE = json.dumps(saved(), indent=2).encode()

WRITERS: dict[str, tuple[bytes, Callable[[Path, bytes], Path]]] = {
    "log": (WHOLE, session),
    "workspace": (YAML, lambda home, content: session(home, WHOLE, yaml=content)),
    "log without a folder": (WHOLE, flat),
    "save": (SAVE, save),
}

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def listed(write: Callable[[Path], object]) -> Page:
    """Return the answer for a home with what is written and one good session of each kind."""
    with TemporaryDirectory() as place:
        home = Path(place)
        write(home)
        session(home, number=2)
        flat(home, number=3)
        save(home, number=4)
        stand = Stand(home)
        page = take(Query(agents=("copilot",), limit=0), environment_of(home))
        stand.assert_unchanged()
    assert {uuid(2), uuid(3), uuid(4)} <= {one.uuid for one in page.sessions}
    assert len(page.warnings) <= 1
    assert not [one for one in page.warnings if one.problem.startswith("unexpected")]
    json.dumps(page.to_dict())
    return page


@pytest.mark.parametrize("kind", WRITERS)
@patient
@given(content=st.binary(max_size=300))
@example(b"{}")
@example(b"[]")
def test_any_bytes_in_a_file_get_an_answer(kind: str, content: bytes) -> None:
    listed(lambda home: WRITERS[kind][1](home, content))


@pytest.mark.parametrize("kind", WRITERS)
@patient
@given(data=st.data())
def test_a_file_that_was_overwritten_or_cut_anywhere_gets_an_answer(kind: str, data: st.DataObject) -> None:
    whole, write = WRITERS[kind]
    start = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 40) | st.just(len(whole)))
    written = data.draw(st.binary(max_size=40) | st.sampled_from([b"\x00" * 40, b'"', b"}", b"\n", b"\\"]))

    listed(lambda home: write(home, whole[:start] + written + whole[start + length :]))


@patient
@given(st.integers(0, 3), st.sampled_from(["type", "timestamp", "agentId", "data"]), JSON)
def test_any_value_in_an_event_gets_an_answer(index: int, key: str, value: object) -> None:
    events = [started(), said("Graft"), answered(), said("Again", 40)]
    events[index] |= {key: value}

    page = listed(lambda home: session(home, events))

    assert uuid(1) in {one.uuid for one in page.sessions}


@patient
@given(
    st.dictionaries(st.sampled_from(["content", "source", "model", "parentToolCallId", "legacySession"]), JSON),
    st.sampled_from(["user.message", "assistant.message", "session.import_legacy", "session.start", "x"]),
)
def test_any_data_of_an_event_get_an_answer(data: dict[str, Any], kind: str) -> None:
    page = listed(lambda home: session(home, [event(kind, **data), started(), said("Graft"), answered()]))

    assert uuid(1) in {one.uuid for one in page.sessions}


@patient
@given(st.dictionaries(st.sampled_from(["chatMessages", "timeline", "startTime", "sessionId"]), JSON))
def test_any_values_in_a_save_get_an_answer(values: dict[str, Any]) -> None:
    listed(lambda home: save(home, saved(**values)))
