"""A cursor tells where a page starts, and nothing else is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.acp.cursors import Position, cursor, position
from sesls.acp.wire import ProtocolError

POSITION = Position("/srv/orchard", "a1b2", 100, "claude:u1", 1_773_133_200_000)

positions = st.builds(
    Position,
    st.none() | st.text(),
    st.text(),
    st.integers(0, 2**63),
    st.text(),
    st.integers(-(2**63), 2**63),
)


@given(positions)
def test_a_cursor_is_read_as_what_it_was_made_of(one: Position) -> None:
    assert position(cursor(one)) == one
    assert cursor(one).isascii()


def test_any_changed_letter_makes_it_none() -> None:
    made = cursor(POSITION)
    changed = {made[:place] + ("0" if made[place] != "0" else "1") + made[place + 1 :] for place in range(len(made))}

    for text in (*changed, made.upper(), made + "00", made[:-2], " " + made, made[:8] + " " + made[8:]):
        with pytest.raises(ProtocolError, match="cursor"):
            position(text)


@given(st.text() | st.binary().map(bytes.hex))
def test_no_other_text_is_one(text: str) -> None:
    with pytest.raises(ProtocolError):
        position(text)


def test_nothing_starts_before_the_first() -> None:
    with pytest.raises(ProtocolError):
        position(cursor(Position(None, "a", -1, "x", 0)))
