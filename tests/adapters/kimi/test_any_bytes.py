"""Whatever bytes a store of Kimi Code holds, there is an answer, and what is whole is in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sesls.page import Page
from tests.adapters.damage import json_values
from tests.adapters.hostile import answer, changed, few, fresh_home, mutations
from tests.builders.common import lines, put
from tests.builders.kimi import SPAWNER, folder, key, log, session, state, sub, turns

STATE = state(1, title="Titled", forkedFrom=key(9), agents={"main": {"type": "main"}, "agent-0": sub()})
LOG = turns(seconds=20)


def ask(home: Path, spoiled_state: bytes, main: bytes, spawned: bytes) -> Page:
    """Return the page of a home in which one session and its agent are whole, and one is made of any bytes."""
    put(folder(home) / "state.json", spoiled_state)
    log(folder(home), main)
    log(folder(home), spawned, "agent-0")
    log(session(home, 2).parents[2], turns("Count", origin=SPAWNER), "agent-0")
    page = answer(home, "kimi")
    found = {one.uuid: one.title for one in page.sessions if one.path.startswith(str(folder(home, 2)))}
    assert found == {key(2): "Prompt 2", f"{key(2)}/agent-0": "Count"}
    return page


@few
@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_are_answered(spoiled_state: bytes, main: bytes, spawned: bytes) -> None:
    with fresh_home() as home:
        ask(home, spoiled_state, main, spawned)


@few
@given(mutations(json.dumps(STATE).encode()), mutations(lines(LOG)), mutations(lines(LOG)))
def test_any_mutation_is_answered(spoiled_state: bytes, main: bytes, spawned: bytes) -> None:
    with fresh_home() as home:
        ask(home, spoiled_state, main, spawned)


@few
@given(changed(STATE), st.data())
def test_any_value_of_any_key_is_answered(spoiled_state: dict[str, Any], data: st.DataObject) -> None:
    records = [data.draw(changed(one)) if data.draw(st.booleans()) else one for one in LOG]
    with fresh_home() as home:
        ask(home, json.dumps(spoiled_state).encode(), lines(records), lines(LOG))


@few
@given(st.lists(json_values, max_size=6), json_values)
def test_any_lines_are_answered(records: list[Any], spoiled_state: Any) -> None:
    with fresh_home() as home:
        ask(home, json.dumps(spoiled_state).encode(), lines(records), lines(records + LOG))
