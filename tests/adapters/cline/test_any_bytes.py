"""Damaged files and any bytes: there is an answer, nothing is changed, and what is whole is in the answer."""

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
from sesls.session import Session
from tests.adapters.conftest import Stand
from tests.builders.cline import (
    MODEL,
    answered,
    child,
    encoded,
    entry,
    folder,
    index,
    manifest,
    result,
    said,
    session,
    session_id,
    task,
    task_id,
    thread,
    ui,
)
from tests.builders.common import CWD, at, put
from tests.conftest import environment_of

Ask = Callable[..., Page]
Only = Callable[..., Session]

patient = settings(deadline=None, max_examples=50, derandomize=True)

THREAD = encoded(thread([said("Graft the plum"), answered(), result()]) | {"system_prompt": "x"})
MANIFEST = encoded(manifest(metadata={"title": "Grafting"}))
UI = json.dumps(ui("Graft the plum")).encode()
INDEX = json.dumps([entry(1), entry(2)]).encode()


def write_child(home: Path, content: bytes) -> Path:
    return put(folder(home, 2) / "agent_x.messages.json", content)


WRITERS: dict[str, tuple[bytes, Callable[[Path, bytes], Path]]] = {
    "messages": (THREAD, session),
    "manifest": (MANIFEST, lambda home, content: session(home, THREAD, content)),
    "manifest alone": (MANIFEST, lambda home, content: session(home, None, content)),
    "child": (THREAD, write_child),
    "task": (UI, task),
    "index": (INDEX, index),
}

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + THREAD, id="byte order mark"),
        pytest.param(THREAD.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(THREAD + b"\x00" * 9000, id="NUL tail"),
        pytest.param(b"\x00" * 99 + THREAD, id="NULs first"),
        pytest.param(THREAD + THREAD[:50], id="an older end"),
        pytest.param(json.dumps(json.loads(THREAD)).encode(), id="on one line"),
        pytest.param(THREAD[:-4], id="without its last brace"),
        pytest.param(THREAD[: THREAD.index(b'"system_prompt"')], id="torn after the messages"),
        pytest.param(THREAD.replace(b'"call_1"', b'"call_\xff"'), id="no UTF-8"),
    ],
)
def test_damage_around_the_messages_changes_nothing(home: Path, only: Only, content: bytes) -> None:
    session(home, content, None)

    found = only()

    assert (found.title, found.message_count, found.models) == ("Graft the plum", 2, (MODEL,))
    assert (found.last_activity, found.created) == (at(31), at(1))


@pytest.mark.parametrize("content", [b"\x00" * 4096, b"garbage", b"[]", b"7", b"null", b"\xff\xfe", b"[" * 99_999])
@pytest.mark.parametrize("kind", ["messages", "manifest", "child"])
def test_a_file_that_is_no_record_costs_one_warning(home: Path, ask: Ask, kind: str, content: bytes) -> None:
    session(home, number=2)
    path = WRITERS[kind][1](home, content)
    if kind == "manifest":
        path = folder(home) / f"{session_id(1)}.json"

    page = ask()

    assert session_id(2) in {one.uuid for one in page.sessions}
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [
        ("cline", str(path), "holds no readable record")
    ]


def test_a_broken_manifest_leaves_what_the_messages_tell(home: Path, ask: Ask) -> None:
    session(home, THREAD, b"garbage")

    assert [(one.uuid, one.title) for one in ask().sessions] == [(session_id(1), "Graft the plum")]


def test_broken_messages_leave_what_the_manifest_tells(home: Path, ask: Ask) -> None:
    session(home, b"garbage", MANIFEST)

    assert [(one.title, one.project_dir, one.last_activity) for one in ask().sessions] == [("Grafting", CWD, at())]


def test_empty_files_are_not_worth_a_word(home: Path, ask: Ask) -> None:
    session(home, b"", b"")
    task(home, b"")
    index(home, b"")

    assert (ask().sessions, ask().warnings) == ((), ())


def test_a_message_of_many_megabytes_leaves_the_others(home: Path, only: Only) -> None:
    session(home, [said("Graft"), result("x" * 9_000_000), answered(29, "big"), said("x" * 9_000_000)], None)

    assert (only().title, only().message_count, only().models) == ("Graft", 3, ("big",))


def listed(write: Callable[[Path], object]) -> Page:
    """Return the answer for a home with what is written and one good session, its child and a task."""
    with TemporaryDirectory() as place:
        home = Path(place)
        session(home, number=2)
        child(home, number=2)
        task(home, number=3)
        write(home)
        stand = Stand(home)
        page = take(Query(agents=("cline",), limit=0), environment_of(home))
        stand.assert_unchanged()
    good = {session_id(2), f"{session_id(2)}__agent_1773133200500_abcdef", task_id(3)}
    assert good <= {one.uuid for one in page.sessions}
    assert len(page.warnings) <= 1
    assert not [one for one in page.warnings if one.problem.startswith("unexpected")]
    json.dumps(page.to_dict())
    return page


@pytest.mark.parametrize("kind", WRITERS)
@patient
@given(content=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
@example(b"{}")
def test_any_bytes_in_a_file_get_an_answer(kind: str, content: bytes) -> None:
    listed(lambda home: WRITERS[kind][1](home, content))


@pytest.mark.parametrize("kind", WRITERS)
@patient
@given(data=st.data())
def test_a_file_that_was_overwritten_or_cut_anywhere_gets_an_answer(kind: str, data: st.DataObject) -> None:
    whole, write = WRITERS[kind]
    start = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 40) | st.just(len(whole)))
    written = data.draw(st.binary(max_size=40) | st.sampled_from([b"\x00" * 40, b'"', b"}", b"]", b"\\"]))

    listed(lambda home: write(home, whole[:start] + written + whole[start + length :]))


@patient
@given(st.dictionaries(st.sampled_from(["updated_at", "sessionId", "agent", "origin", "messages"]), JSON))
def test_any_values_beside_the_messages_get_an_answer(values: dict[str, Any]) -> None:
    listed(lambda home: session(home, thread([said("Graft")]) | values))


@patient
@given(
    st.sampled_from(["user", "assistant", "tool"]),
    st.dictionaries(st.sampled_from(["content", "ts", "modelInfo", "id"]), JSON),
)
def test_any_values_in_a_message_cost_no_session(role: str, values: dict[str, Any]) -> None:
    page = listed(lambda home: session(home, [said("Graft"), {"role": role, **values}]))

    assert session_id(1) in {one.uuid for one in page.sessions}


KEYS = ["session_id", "started_at", "cwd", "prompt", "metadata", "status", "interactive", "exit_code", "team_name"]


@patient
@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_any_values_in_a_manifest_cost_no_session(values: dict[str, Any]) -> None:
    page = listed(lambda home: session(home, about=manifest(**values)))

    assert len(page.sessions) == 4


@patient
@given(st.dictionaries(st.sampled_from(["ts", "say", "text", "type"]), JSON), JSON)
def test_any_values_in_a_task_cost_none(message: dict[str, Any], known: object) -> None:
    def write(home: Path) -> None:
        task(home, [message])
        index(home, json.dumps(known).encode())

    assert len(listed(write).sessions) == 4
