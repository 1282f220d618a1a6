"""The tree shows spawned sessions under those that spawned them, loses none, and never ends in a loop."""

from __future__ import annotations

import io
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from sesls.output import table, tree
from sesls.session import Session
from tests.builders.common import uuid
from tests.command.run import cells
from tests.output.test_table import session


def child(number: int, parent: int | None, **fields: object) -> Session:
    spawned = {"kind": "subagent", "parent_uuid": None if parent is None else uuid(parent)}
    return session(number, **{**spawned, "title": f"T{number}", **fields})


def root(number: int, **fields: object) -> Session:
    return session(number, **{"title": f"T{number}", **fields})


def drawn(sessions: Sequence[Session], *, unicode: bool = True) -> list[str]:
    """Return what stands in the title's place of every line."""
    lines = tree.lines(sessions, unicode=unicode)
    return [line.before + (line.session.title or "" if line.session is not None else "") for line in lines]


def test_spawned_sessions_stand_under_their_parent_in_the_order_of_the_page() -> None:
    sessions = [child(3, 1), root(2), child(4, 3), root(1), child(5, 1), child(6, 2)]

    assert drawn(sessions) == ["T2", "└─ T6", "T1", "├─ T3", "│  └─ T4", "└─ T5"]
    assert drawn(sessions, unicode=False) == ["T2", "`- T6", "T1", "|- T3", "|  `- T4", "`- T5"]


def test_one_whose_parent_is_not_on_the_page_stands_at_its_own_place() -> None:
    assert drawn([root(1), child(2, 9), child(3, None), child(4, 2)]) == ["T1", "↳ T2", "└─ T4", "↳ T3"]


def test_of_many_the_first_are_shown_and_the_others_counted_with_what_is_under_them() -> None:
    many = [child(number, 1) for number in range(10, 19)]
    deeper = [child(20, 18), child(21, 20)]

    assert drawn([root(1), *many[:8]])[-1] == "└─ T17"
    assert drawn([root(1), *many, *deeper, root(2)]) == [
        *("T1", "├─ T10", "├─ T11", "├─ T12", "├─ T13", "├─ T14", "└─ 6 more", "T2")
    ]


def test_ids_of_other_agents_and_homes_are_no_parents() -> None:
    sessions = [root(1, agent="codex"), child(2, 1), root(1, home="/mnt/ada"), child(3, 1, home="/mnt/ada")]

    assert drawn(sessions) == ["T1", "↳ T2", "T1", "└─ T3"]


def test_sessions_under_each_other_are_all_shown() -> None:
    assert drawn([child(1, 3), child(2, 1), child(3, 2)]) == ["↳ T1", "└─ T2", "   └─ T3"]
    assert drawn([child(1, 1)]) == ["↳ T1"]


def test_deep_ones_leave_room_for_their_titles() -> None:
    chain = [root(0), *(child(number, number - 1) for number in range(1, 3000))]

    lines = drawn(chain)

    assert len(lines) == 3000
    assert max(map(len, lines)) < 25


@settings(deadline=None, derandomize=True)
@given(parents=st.lists(st.none() | st.integers(0, 14), max_size=15))
def test_every_session_is_shown_or_counted_once(parents: list[int | None]) -> None:
    sessions = [child(number, parent) for number, parent in enumerate(parents)]

    lines = tree.lines(sessions, unicode=True)

    shown = [line.session.uuid for line in lines if line.session is not None]
    counted = sum(int(line.before.split("─ ")[1].split()[0]) for line in lines if line.session is None)
    assert len(set(shown)) == len(shown)
    assert len(shown) + counted == len(sessions)


def test_a_tree_is_as_wide_as_the_terminal() -> None:
    sessions = [
        root(1, title="短い題名 " * 40),
        *(child(number, number - 1, title="\U0001f680" * 80) for number in range(2, 9)),
        *(child(number, 2) for number in range(20, 40)),
    ]
    lines = tree.lines(sessions, unicode=True)
    for width in range(24, 200, 7):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
        table.write_fitted(lines, stream, home="/home/ada", cells=width)
        stream.seek(0)
        assert all(cells(line) <= width for line in stream.read().splitlines())
