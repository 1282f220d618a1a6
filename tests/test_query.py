"""Filters compose, the order is total and stable, and a page is a plain slice."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesls.clock import Clock
from sesls.query import Query, choose, merged, ordered, page, passing, pattern
from sesls.query import select as select_at
from sesls.session import Row, Summary
from sesls.terms import Kind, Noise, Sort


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


def row(**fields: Any) -> Row:
    values: dict[str, Any] = {
        "title": None,
        "parent_uuid": None,
        "models": (),
        "created": None,
        "size_bytes": None,
        "message_count": None,
        "resume_command": None,
        "extra": {},
        "redactions": {},
        "is_masked": False,
        **fields,
    }
    return Row(**values)


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


def test_times_are_those_of_the_last_activity_and_both_ends_count() -> None:
    summaries = [summary(str(moment), last_activity=moment) for moment in range(5)]

    assert ids(select(summaries, Query(since=2))) == ["4", "3", "2"]
    assert ids(select(summaries, Query(until=2))) == ["2", "1", "0"]
    assert ids(select(summaries, Query(since=1, until=1))) == ["1"]


def test_what_is_fresh_is_told_by_the_clock() -> None:
    summaries = [summary(str(age), last_activity=NOW.now - age * 1000) for age in (-60, 0, 600, 601)]

    assert ids(select(summaries, Query(activity="fresh"))) == ["-60", "0", "600"]
    assert ids(select(summaries, Query(activity="stale"))) == ["601"]


def test_a_surface_is_a_pattern_of_the_whole_and_what_has_none_never_matches() -> None:
    summaries = [summary(name or "none", launch_surface=name) for name in ("claude-cli", "codex_vscode", None)]

    assert ids(select(summaries, Query(surface="CLAUDE-*"))) == ["claude-cli"]
    assert ids(select(summaries, Query(surface="*"))) == ["claude-cli", "codex_vscode"]
    assert ids(select(summaries, Query(surface="codex"))) == []


def test_here_is_any_of_several_directories() -> None:
    places = ("/srv/shop", "/srv/shop-two/web", "/srv/shops", None)
    summaries = [summary(str(place), project_dir=place) for place in places]

    assert ids(select(summaries, Query(here=("/srv/shop", "/srv/shop-two")))) == ["/srv/shop", "/srv/shop-two/web"]
    assert ids(select(summaries, Query(here=("/srv/shop",), project_dir="/srv/shops"))) == []


@pytest.mark.parametrize(
    ("glob", "matching", "other"),
    [
        ("*opus*", "claude-opus-5", "claude-sonnet-5"),
        ("gpt-5.?", "gpt-5.2", "gpt-5.12"),
        ("gpt-5.?", "GPT-5.2", "gpt-512"),
        ("feature/*", "feature/deep/er", "my-feature/x"),
        ("[ab]*", "beta", "gamma"),
        ("Verg\u00e9*", "verge\u0301-2", "verge"),
        ("a.c", "A.C", "abc"),
    ],
)
def test_a_pattern_describes_the_whole_of_a_text_in_any_case(glob: str, matching: str, other: str) -> None:
    assert pattern(glob)(matching)
    assert not pattern(glob)(other)
    assert not pattern(glob)(None)


@settings(deadline=None, derandomize=True)
@given(glob=st.text(max_size=20), text=st.text(max_size=20))
def test_any_pattern_is_one(glob: str, text: str) -> None:
    assert pattern(glob)(text) in (True, False)
    assert pattern("*")(text)


def test_conditions_on_rows() -> None:
    rows = [
        row(title="Mend the ROOF", models=("gpt-5", "gpt-5-mini"), extra={"git_branch": "main"}),
        row(title="Paint", models=("claude-opus-5",), extra={"git_branch": "feature/roof"}),
        row(),
        row(title="Roof", extra={"git_branch": ["main"]}),
    ]

    assert passing(rows, Query()) == [0, 1, 2, 3]
    assert passing(rows, Query(model="*mini")) == [0]
    assert passing(rows, Query(branch="main")) == [0]
    assert passing(rows, Query(branch="*")) == [0, 1]
    assert passing(rows, Query(title="roof")) == [0, 3]
    assert passing(rows, Query(title="  the\n roof ")) == [0]
    assert passing(rows, Query(title="roof", model="gpt*", branch="m*")) == [0]


def test_a_title_is_searched_as_it_is_seen() -> None:
    rows = [row(title="Stra\u00dfe nach Verge\u0301"), row(title="[REDACTED_X] 1*1")]

    assert passing(rows, Query(title="STRASSE NACH VERG\u00c9")) == [0]
    assert passing(rows, Query(title="verg\u200b\u00e9\x1b[31m")) == [0]
    assert passing(rows, Query(title="1*")) == [1]


ROWS = st.builds(
    row,
    title=st.sampled_from([None, "a", "B", "b", "C"]),
    created=st.none() | st.integers(0, 3),
    size_bytes=st.none() | st.integers(0, 3),
)
SESSIONS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), ROWS), max_size=12).map(
    lambda several: [
        (summary(f"{number:02}", last_activity=moment, agent=agent), own)
        for number, (moment, agent, own) in enumerate(several)
    ]
)
SORTS: list[Sort] = ["activity", "created", "title", "size"]


@settings(deadline=None, derandomize=True)
@given(sessions=SESSIONS, shuffle=st.randoms(), sort=st.sampled_from(SORTS), reverse=st.booleans())
def test_every_order_is_total_stable_and_leaves_nothing_out(
    sessions: list[tuple[Summary, Row]], shuffle: random.Random, sort: Sort, reverse: bool
) -> None:
    query = Query(sort=sort, reverse=reverse)
    known = {one.uuid: own for one, own in sessions}

    def listed(several: list[tuple[Summary, Row]]) -> list[Summary]:
        selected = select([one for one, _ in several], query)
        return [one for one, _ in ordered([(one, known[one.uuid]) for one in selected], query)]

    found = listed(sessions)
    shuffled = shuffle.sample(sessions, len(sessions))

    assert listed(shuffled) == found
    assert sorted(one.uuid for one in found) == sorted(known)

    def key(one: Summary) -> Any:
        own = known[one.uuid]
        values = {"activity": one.last_activity, "created": own.created, "size": own.size_bytes}
        return (own.title.lower() if own.title else None) if sort == "title" else values[sort]

    values = [key(one) for one in found]
    present = [value for value in values if value is not None]
    assert values == present + [None] * (len(values) - len(present))
    assert present == sorted(present, reverse=reverse == (sort == "title"))
    for one, other in itertools.pairwise(found):
        if key(one) == key(other) and sort != "activity":
            assert (-one.last_activity, one.agent, one.uuid) < (-other.last_activity, other.agent, other.uuid)
        elif key(one) == key(other):
            assert (one.agent, one.uuid) < (other.agent, other.uuid)


PLAIN = st.builds(
    Query,
    kind=st.sampled_from([None, "agent", "subagent"]),
    noise=st.sampled_from(["include", "exclude"]),
    project_dir=st.sampled_from([None, "/srv/orchard", "/srv/barn"]),
    reverse=st.booleans(),
    limit=st.integers(0, 4),
    offset=st.integers(0, 4),
)
SUMMARIES = st.builds(
    summary,
    st.sampled_from("abcd"),
    agent=st.sampled_from(["claude", "codex"]),
    kind=st.sampled_from(["agent", "subagent"]),
    project_dir=st.sampled_from(["/srv/orchard", "/srv/barn", None]),
    last_activity=st.integers(0, 3),
    path=st.sampled_from(["/a", "/b"]),
)


@settings(deadline=None, derandomize=True)
@given(parts=st.lists(st.lists(SUMMARIES, max_size=8), max_size=3), query=PLAIN)
def test_what_is_chosen_in_passing_is_the_page_of_all(parts: list[list[Summary]], query: Query) -> None:
    everything = [one for part in parts for one in part]
    selected = select(everything, query)

    chosen = [choose(iter(part), query, NOW) for part in parts]

    assert page(merged(chosen, query), query) == page(selected, query)
    assert sum(one.matching for one in chosen) == len(selected)
    assert sum(one.subagents for one in chosen) == sum(one.is_noise for one in selected)
    assert [one.sessions for one in chosen] == [len(part) for part in parts]
    assert [one.others for one in chosen] == [part if not select(part, query) else [] for part in parts]


def test_no_more_is_held_than_a_page_may_need() -> None:
    passing_by = (summary(str(number), last_activity=number) for number in range(1000))

    assert ids(choose(passing_by, Query(limit=2, offset=1), NOW).summaries) == ["999", "998", "997"]


def test_rows_are_needed_for_what_they_tell_alone() -> None:
    cheap: dict[str, Any] = {
        "agents": ("pi",),
        "kind": "agent",
        "noise": "only",
        "project_dir": "/srv",
        "here": ("/srv",),
    }
    cheap |= {"since": 1, "until": 2, "activity": "fresh", "surface": "*", "reverse": True}

    assert not Query(**cheap).needs_rows
    for dear in ({"model": "*"}, {"branch": "*"}, {"title": "x"}, *({"sort": one} for one in SORTS[1:])):
        assert Query(**dear).needs_rows  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"activity": "lively"}, "activity is one of fresh and stale, not 'lively'"),
        ({"sort": "age"}, "sort is one of activity, created, title and size, not 'age'"),
        ({"reverse": "yes"}, "reverse is true or false, not 'yes'"),
        ({"redact": 1}, "redact is true or false, not 1"),
        ({"since": 2, "until": 1}, "since is no later than until, which is 1970-01-01T00:00:00.001Z"),
        ({"model": ""}, "model is a text to look for, not ''"),
        ({"surface": " "}, "surface is a text to look for, not ' '"),
        ({"branch": 5}, "branch is a text to look for, not 5"),
        ({"title": "\u200b"}, "title is a text to look for, not '\\u200b'"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=" is ") as caught:
        Query(**fields)

    assert str(caught.value) == sentence


def test_only_filters_that_can_remove_something_are_active() -> None:
    assert Query(limit=1, offset=1, redact=False, sort="size", reverse=True).active_filters() == {}
    assert Query(
        here=("/a", "/b"), since=0, until=1, activity="stale", surface="s", model="m", branch="b"
    ).active_filters() == {
        "here": ["/a", "/b"],
        "since": "1970-01-01T00:00:00.000Z",
        "until": "1970-01-01T00:00:00.001Z",
        "activity": "stale",
        "surface": "s",
        "model": "m",
        "branch": "b",
    }
    assert Query(agents=("pi",), kind="agent", noise="only", project_dir="/srv").active_filters() == {
        "agent": ["pi"],
        "kind": "agent",
        "noise": "only",
        "project_dir": "/srv",
    }


def test_what_is_searched_is_told_without_its_secrets() -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    assert Query(title=f"with {token}").active_filters() == {"title": "with [REDACTED_GITHUB_TOKEN]"}
    assert Query(title=token, redact=False).active_filters() == {"title": token}
