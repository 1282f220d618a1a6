"""Any damage of any files of a home in which many agents worked costs what it destroyed, and no other session."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls import looks
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.builders import mixed
from tests.conftest import environment_of, examples
from tests.fuzz import damage
from tests.fuzz.plan import Plan
from tests.fuzz.targets import check_shown, fingerprint, home_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="damages that Windows does not know")


@cache
def whole() -> Mapping[str, bytes]:
    """Return the files of the home by their paths."""
    with TemporaryDirectory() as folder:
        home = mixed.write(Path(folder))
        found = (path for path in sorted(home.rglob("*")) if path.is_file())
        return {str(path.relative_to(home)): path.read_bytes() for path in found}


@cache
def holders() -> Mapping[tuple[str, str], frozenset[str]]:
    """Return the files that hold each session, by agent and id: a few agents give a session a folder of its own."""
    with home_of(whole()) as home:
        paths = {(one.agent, one.uuid): Path(one.path).relative_to(home) for one in listed(home).sessions}
    folders = Counter(path.parent for path in paths.values())
    return {
        session: frozenset(
            name
            for name in whole()
            if Path(name) == path or (folders[path.parent] == 1 and Path(name).parent == path.parent)
        )
        for session, path in paths.items()
    }


def listed(home: Path) -> Page:
    """Return the page of a home, which has to be as every answer is."""
    page = take(Query(limit=0), environment_of(home))
    check_shown(page, str(home))
    assert [one for one in page.warnings if one.problem.startswith("unexpected")] == []
    return page


def hurt(path: Path, plan: Plan, others: list[Path]) -> None:
    kind = plan.number(6)
    if kind == 0:
        damage.of_entry(path, plan, others)
    elif kind == 1 and path.suffix == ".db":
        damage.of_database(path, plan)
    elif kind == 2:
        path.write_bytes(plan.rest())
    else:
        path.write_bytes(damage.of_bytes(path.read_bytes(), plan))


def test_every_session_of_the_home_lies_in_a_file_of_it() -> None:
    assert len(holders()) == len(mixed.WRITERS) * len(mixed.PLANS)
    assert all(holders().values())


@examples(60)
@given(st.dictionaries(st.sampled_from(sorted(whole())), st.binary(min_size=4, max_size=80), min_size=1, max_size=8))
def test_damage_costs_no_session_of_a_file_that_it_left_alone(plans: Mapping[str, bytes]) -> None:
    with home_of(whole()) as home:
        # What an entry is replaced by or linked to is never a session of a file that has to stay what it is.
        others = [home / name for name in plans]
        for name, data in plans.items():
            if (home / name).is_file():
                hurt(home / name, Plan(data), others)
        before = fingerprint(home)

        page = listed(home)

        untouched = {session for session, names in holders().items() if names.isdisjoint(plans)}
        assert untouched <= {(session.agent, session.uuid) for session in page.sessions}
        assert fingerprint(home) == before


@examples(30)
@given(st.sets(st.sampled_from(sorted(whole())), min_size=1), st.data())
def test_files_that_are_cut_cost_no_session_of_another(names: set[str], data: st.DataObject) -> None:
    with home_of(whole()) as home:
        for name in names:
            content = whole()[name]
            (home / name).write_bytes(content[: data.draw(st.integers(0, len(content)), label=name)])

        found = {(session.agent, session.uuid): session for session in listed(home).sessions}

    for identity, own in holders().items():
        if own.isdisjoint(names):
            assert (found[identity].title, found[identity].message_count) != (None, None)


def lasting(page: Page) -> dict[str, Any]:
    """Return what a page says whenever it is asked for."""
    said = page.to_dict()
    for session in said["sessions"]:
        del session["age_sec"], session["activity"]
    return said


@examples(25)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(sorted(whole())), st.binary(max_size=60), max_size=3), min_size=1, max_size=3
    )
)
def test_what_is_remembered_of_files_before_their_damage_never_shows(rounds: list[Mapping[str, bytes]]) -> None:
    # As if everything had been at rest for long, so that all of it is remembered.
    with home_of(whole()) as home, home_of({}) as cache, mock.patch.object(looks, "_SETTLED_NS", -(1 << 60)):
        for plans in ({}, *rounds):
            for name, data in plans.items():
                path = home / name
                if path.is_file() and data[:1] < b"\x40":
                    path.write_bytes(path.read_bytes() + data[1:])
                elif path.is_file():
                    hurt(path, Plan(data), [home / other for other in whole()])
            time.sleep(0.01)  # a coarse clock has to tell one change from the next

            remembering = take(Query(limit=0), environment_of(home, cache=cache))

            assert lasting(remembering) == lasting(take(Query(limit=0), environment_of(home)))
