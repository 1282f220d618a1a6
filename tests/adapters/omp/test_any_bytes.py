"""Whatever bytes a store of oh-my-pi holds, there is an answer, and what is whole is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.adapters.damage import json_values
from tests.adapters.hostile import answer, changed, few, fresh_home, mutations
from tests.builders import pi
from tests.builders.common import lines, uuid
from tests.builders.omp import child, entry, model_change, session, spawned, turns
from tests.conftest import environment_of

ENTRIES = [*turns(title="Titled"), entry("compaction", 40, shortSummary="Short"), model_change("a/b")]
WHOLE = lines(ENTRIES)


def ask(home: Path, content: bytes) -> Page:
    """Return the page of a home with a file of any content, in which another session and its child are whole."""
    hostile = session(home, content)
    child(session(home, number=2), [*spawned(8), pi.said("Count"), pi.answered()], "Count.jsonl")
    page = answer(home, "omp")
    found = {(one.uuid, one.title, one.parent_uuid) for one in page.sessions if one.path != str(hostile)}
    assert found == {(uuid(2), "Prompt 2", None), (uuid(8), "Count", uuid(2))}
    return page


@few
@given(st.binary(max_size=300))
def test_any_bytes_are_answered(content: bytes) -> None:
    with fresh_home() as home:
        ask(home, content)


@few
@given(mutations(WHOLE))
def test_any_mutation_is_answered(content: bytes) -> None:
    with fresh_home() as home:
        ask(home, content)


@few
@given(st.lists(json_values, max_size=6))
def test_any_lines_are_answered(records: list[Any]) -> None:
    with fresh_home() as home:
        ask(home, lines(records))


@few
@given(st.data())
def test_any_value_of_any_key_is_answered(data: st.DataObject) -> None:
    entries = [data.draw(changed(one)) if data.draw(st.booleans()) else one for one in ENTRIES]
    with fresh_home() as home:
        ask(home, lines(entries))


@few
@given(mutations(WHOLE))
def test_in_a_shared_directory_no_file_is_listed_twice(content: bytes) -> None:
    with fresh_home() as home:
        path = session(home, content, root="shared")
        page = take(Query(limit=0), environment_of(home, {"PI_CODING_AGENT_DIR": str(home / "shared")}))

        told = [*(one.path for one in page.sessions), *(one.path for one in page.warnings)]
        assert told.count(str(path)) <= 1
