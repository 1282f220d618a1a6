"""Filters compose, the order is total, and a page is a plain slice."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from typing import Any

import pytest

from sesls.clock import Clock
from sesls.query import Query, page
from sesls.query import select as select_at
from sesls.session import Summary
from sesls.terms import Kind, Noise


def summary(uuid: str = "one", **fields: object) -> Summary:
    values: dict[str, Any] = {
        "agent": "claude",
        "uuid": uuid,
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": "/srv/orchard",
        "launch_surface": None,
        "last_activity": 1_700_000_000_000,
        "path": f"/home/ada/{uuid}.jsonl",
        "source": None,
        **fields,
    }
    return Summary(**values)


NOW = Clock(1_700_000_600_000)


def select(summaries: Iterable[Summary], query: Query) -> list[Summary]:
    return select_at(summaries, query, NOW)


def matches(one: Summary, query: Query) -> bool:
    return select([one], query) == [one]


def ids(summaries: object) -> list[str]:
    assert isinstance(summaries, list)
    return [item.uuid for item in summaries]


def test_without_filters_everything_matches() -> None:
    assert matches(summary(kind="subagent", project_dir=None), Query())


def test_agents_are_any_of_those_named() -> None:
    summaries = [summary("a", agent="claude"), summary("b", agent="codex"), summary("c", agent="pi")]

    assert ids(select(summaries, Query(agents=("pi", "claude")))) == ["a", "c"]


@pytest.mark.parametrize(("kind", "expected"), [(None, ["a", "s"]), ("agent", ["a"]), ("subagent", ["s"])])
def test_kind_takes_one_kind(kind: Kind | None, expected: list[str]) -> None:
    assert ids(select([summary("a"), summary("s", kind="subagent")], Query(kind=kind))) == expected


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        ("include", ["plain", "spawned", "orphan", "child"]),
        ("exclude", ["plain"]),
        ("only", ["spawned", "orphan", "child"]),
    ],
)
def test_noise_is_what_has_the_kind_or_a_parent(noise: Noise, expected: list[str]) -> None:
    summaries = [
        summary("plain"),
        summary("spawned", kind="subagent", parent_uuid="plain"),
        summary("orphan", kind="subagent"),
        summary("child", parent_uuid="plain"),
    ]

    assert sorted(ids(select(summaries, Query(noise=noise)))) == sorted(expected)


def test_a_session_without_a_directory_never_matches_one() -> None:
    assert not matches(summary(project_dir=None), Query(project_dir="/"))


@pytest.mark.parametrize("directory", ["/srv/orchard", "/srv/orchard/", "/srv", "/"])
def test_a_directory_takes_the_sessions_in_and_below_it(directory: str) -> None:
    assert matches(summary(project_dir="/srv/orchard"), Query(project_dir=directory))


@pytest.mark.parametrize("directory", ["/srv/orch", "/srv/orchard/trees", "/srv/orchards", "/orchard"])
def test_a_directory_takes_no_others(directory: str) -> None:
    assert not matches(summary(project_dir="/srv/orchard"), Query(project_dir=directory))


def test_filters_compose_with_and() -> None:
    summaries = [
        summary(f"{agent} {kind} {directory}", agent=agent, kind=kind, project_dir=directory)
        for agent, kind, directory in itertools.product(
            ("claude", "codex"), ("agent", "subagent"), ("/srv/orchard", "/srv/barn")
        )
    ]
    query = Query(agents=("codex",), kind="subagent", noise="only", project_dir="/srv/barn")

    assert ids(select(summaries, query)) == ["codex subagent /srv/barn"]


def test_filters_that_exclude_each_other_leave_nothing() -> None:
    assert select([summary(), summary("s", kind="subagent")], Query(kind="subagent", noise="exclude")) == []


def test_the_newest_comes_first() -> None:
    summaries = [summary(f"{age}", last_activity=1_700_000_000_000 - age) for age in (5, 1, 9, 0)]

    assert ids(select(summaries, Query())) == ["0", "1", "5", "9"]


def test_ties_go_by_agent_then_uuid_then_path() -> None:
    ordered = [
        summary("b", agent="claude"),
        summary("a", agent="codex", path="/1"),
        summary("a", agent="codex", path="/2"),
        summary("c", agent="codex"),
        summary("A", agent="pi"),
        summary("a", agent="pi"),
    ]
    for seed in range(5):
        assert select(random.Random(seed).sample(ordered, len(ordered)), Query()) == ordered


@pytest.mark.parametrize(
    ("limit", "offset", "expected"),
    [
        (0, 0, "abcde"),
        (2, 0, "ab"),
        (2, 2, "cd"),
        (2, 4, "e"),
        (0, 3, "de"),
        (9, 0, "abcde"),
        (2, 5, ""),
        (0, 99, ""),
        (10**30, 10**30, ""),
    ],
)
def test_limit_and_offset_cut_a_page_out(limit: int, offset: int, expected: str) -> None:
    summaries = [summary(letter) for letter in "abcde"]

    assert "".join(item.uuid for item in page(summaries, Query(limit=limit, offset=offset))) == expected


@pytest.mark.parametrize("name", ["limit", "offset"])
@pytest.mark.parametrize("number", [-1, -100, True, False, 1.0, "5", None, float("nan")])
def test_a_page_takes_whole_numbers_from_zero_on(name: str, number: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} is (a whole number|zero or more), not "):
        Query(**{name: number})


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"kind": "parent"}, "kind is one of agent and subagent, not 'parent'"),
        ({"kind": ""}, "kind is one of agent and subagent, not ''"),
        ({"noise": "some"}, "noise is one of include, exclude and only, not 'some'"),
        ({"noise": None}, "noise is one of include, exclude and only, not None"),
    ],
)
def test_unknown_words_are_refused_with_the_known_ones(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match="is one of") as caught:
        Query(**fields)

    assert str(caught.value) == sentence


def test_only_filters_that_can_remove_something_are_active() -> None:
    assert Query(limit=1, offset=1, redact=False).active_filters() == {}
    assert Query(agents=("pi",), kind="agent", noise="only", project_dir="/srv").active_filters() == {
        "agent": ["pi"],
        "kind": "agent",
        "noise": "only",
        "project_dir": "/srv",
    }
