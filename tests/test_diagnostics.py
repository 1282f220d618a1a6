"""An empty answer says why it is empty, from what was found already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters import REGISTRY, adapter
from sesls.clock import Clock
from sesls.diagnostics import Diagnostics, explain
from sesls.inventory import diagnose
from sesls.page import Page
from sesls.query import Query
from sesls.session import Found, Problem, State, Store, Summary, Survey
from tests.builders.claude import assistant, subagent, transcript, user
from tests.builders.codex import meta, rollout, said
from tests.builders.common import put
from tests.conftest import environment_of

Ask = Callable[..., Page]

NO_RECORD = b"\x00\xff no record\n"


def session_in(home: Path, directory: str, number: int = 1) -> Path:
    return transcript(
        home, [user("Words", cwd=directory), assistant(cwd=directory)], number=number, directory=directory
    )


@pytest.fixture
def why(ask: Ask) -> Callable[..., Diagnostics]:
    """A function that takes the fields of a query and returns why there is nothing."""

    def asked(**fields: object) -> Diagnostics:
        page = ask(**fields)
        assert page.total == 0
        assert page.diagnostics is not None
        return page.diagnostics

    return asked


Why = Callable[..., Diagnostics]


def text(found: Diagnostics) -> str:
    return "\n".join(found.hints)


def test_only_an_empty_answer_is_explained(home: Path, ask: Ask) -> None:
    transcript(home)

    assert ask().diagnostics is None
    assert ask(offset=5).diagnostics is None
    assert ask(kind="subagent").diagnostics is not None


def test_a_machine_without_any_agent(why: Why) -> None:
    assert why().hints == ("No agent has kept sessions here: none of the places that sesls looks at exists.",)
    assert not any(item.source_found for item in why().scanned)


def test_a_directory_that_is_empty(home: Path, why: Why) -> None:
    place = home / ".claude" / "projects"
    place.mkdir(parents=True)

    assert why().hints == (f"Claude Code: {place} exists and holds no sessions.",)


def test_files_none_of_which_could_be_read(home: Path, why: Why) -> None:
    transcript(home, NO_RECORD)
    transcript(home, NO_RECORD, number=2)

    assert why().hints == ("Claude Code: 2 files found, none of which could be read as a session.",)


def test_files_none_of_which_holds_a_conversation(home: Path, why: Why) -> None:
    transcript(home, [{"type": "summary", "summary": "Another session", "leafUuid": "row-1"}])

    assert why().hints == ("Claude Code: 1 file found, none of which holds a conversation.",)


def test_a_directory_that_cannot_be_read() -> None:
    found = [
        Found(Survey("claude", "Claude Code", ((Store("/srv/.claude/projects"), "unreadable"),), 0, ()), ()),
        Found(Survey("codex", "Codex", ((Store("/srv/.codex/sessions"), "missing"),), 0, ()), ()),
    ]

    assert text(explain(found, Query(), Clock(0))) == "Claude Code: /srv/.claude/projects exists and cannot be read."


def test_an_agent_that_failed_as_a_whole() -> None:
    problem = Problem("claude", "/srv/.claude/projects", "unexpected RuntimeError: cannot go on")
    survey = Survey("claude", "Claude Code", ((Store("/srv/.claude/projects"), "found"),), 0, (problem,))

    assert "unexpected RuntimeError: cannot go on" in text(explain([Found(survey, ())], Query(), Clock(0)))


def test_an_agent_without_sessions_is_hinted_at_beside_one_that_has_some(home: Path, why: Why) -> None:
    transcript(home)
    rollout(home, NO_RECORD)

    assert "Codex: 1 file found, none of which could be read as a session." in why(kind="subagent").hints


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"kind": "subagent"}, "kind subagent"),
        ({"noise": "only"}, "noise only"),
        ({"agents": ("codex",)}, "agent codex"),
        ({"project_dir": "/srv/nowhere"}, "project directory /srv/nowhere"),
    ],
)
def test_the_filter_that_removed_everything_is_named(home: Path, why: Why, query: dict[str, Any], words: str) -> None:
    transcript(home)
    transcript(home, number=2)

    assert f"The filter {words} leaves none of 2 sessions." in why(**query).hints


def test_of_several_filters_only_those_that_remove_everything_are_named(home: Path, why: Why) -> None:
    transcript(home)

    hints = text(why(agents=("claude",), kind="agent", noise="only"))

    assert "The filter noise only leaves none of 1 session." in hints
    assert "kind agent" not in hints


def test_filters_that_only_together_remove_everything_say_what_each_leaves(home: Path, why: Why) -> None:
    transcript(home)
    subagent(home, "a5d6907d35987d0f7")
    rollout(home, number=2)

    assert why(agents=("codex",), noise="only").hints == (
        "No session of 3 sessions passes all filters together: agent codex alone leaves 1; noise only alone leaves 1.",
    )


def test_a_directory_that_differs_by_case(home: Path, why: Why) -> None:
    session_in(home, "/srv/Orchard/Trees")

    assert "Sessions exist in /srv/Orchard/Trees, which differs only by case." in why(project_dir="/srv/orchard").hints


def test_a_directory_that_is_a_link_to_one_with_sessions(home: Path, why: Why) -> None:
    (home / "real").mkdir()
    (home / "link").symlink_to(home / "real")
    session_in(home, str(home / "real" / "trees"))

    wanted = str(home / "link")

    assert (
        f"{wanted} is a link to {home / 'real'}, where sessions exist; give that directory."
        in why(project_dir=wanted).hints
    )


def test_a_directory_whose_sessions_ran_in_a_link_to_it(home: Path, why: Why) -> None:
    (home / "real").mkdir()
    (home / "link").symlink_to(home / "real")
    session_in(home, str(home / "link"))

    hints = why(project_dir=str(home / "real")).hints

    assert f"Sessions exist in {home / 'link'}, a link to {home / 'real'}; give that directory." in hints


def test_a_directory_whose_parents_have_sessions(home: Path, why: Why) -> None:
    session_in(home, "/srv", number=1)
    session_in(home, "/srv/orchard", number=2)

    hints = why(project_dir="/srv/orchard/trees").hints

    assert "Sessions exist in /srv/orchard, a parent of that directory." in hints
    assert "in /srv, " not in "\n".join(hints)


def test_a_directory_with_a_mark_of_earlier_output(home: Path, why: Why) -> None:
    transcript(home)

    assert "[REDACTED_…] mark" in text(why(project_dir="/srv/[REDACTED_GITHUB_TOKEN]/orchard"))
    assert "mark" not in text(why(project_dir="/srv/redacted"))


def test_an_offset_past_the_end(home: Path) -> None:
    transcript(home)
    found, _ = diagnose(Query(offset=5), environment_of(home))

    assert text(found).startswith("The offset 5 lies past the end: 1 session ")


def test_the_shape_is_the_documented_one(home: Path, why: Why) -> None:
    transcript(home)
    transcript(home, [user("Late", 86_400), assistant(seconds=86_430)], number=2)
    rollout(home, NO_RECORD)

    answer = why(kind="subagent").to_dict()

    assert list(answer) == ["scanned", "corpus", "filters", "removed", "hints"]
    assert [item["agent"] for item in answer["scanned"]] == list(REGISTRY)
    claude, codex = answer["scanned"][:2]
    assert list(claude) == ["agent", "sessions", "date_min", "date_max", "source_found", "roots"]
    assert (claude["sessions"], claude["source_found"]) == (2, True)
    assert claude["roots"][0] == {"path": str(home / ".claude" / "projects"), "state": "found", "sessions": 2}
    assert {root["state"] for root in claude["roots"][1:]} == {"missing"}
    assert codex["hint"] == "Codex: 1 file found, none of which could be read as a session"
    assert (codex["sessions"], codex["date_min"], codex["date_max"]) == (0, None, None)
    assert answer["corpus"] == {
        "sessions": 2,
        "date_min": "2026-03-10T09:00:30.000Z",
        "date_max": "2026-03-11T09:00:30.000Z",
    }
    assert answer["filters"] == {"kind": "subagent"}


def test_only_active_filters_are_told(home: Path, why: Why) -> None:
    assert why().filters == {}
    assert why(agents=("codex",), project_dir="/srv").filters == {"agent": ["codex"], "project_dir": "/srv"}


def test_a_session_counts_for_the_innermost_place() -> None:
    places: tuple[tuple[Store, State], ...] = tuple(
        (Store(path), "found") for path in ("/srv/projects", "/srv/projects/inner", "/srv/projects/inn")
    )
    paths = ("/srv/projects/a.jsonl", "/srv/projects/inner/b.jsonl", "/srv/projects/inner/deep/c.jsonl")
    summaries = tuple(
        Summary("claude", path, "agent", None, None, None, 1_700_000_000_000, path, source=None) for path in paths
    )

    found = explain([Found(Survey("claude", "Claude Code", places, 3, ()), summaries)], Query(), Clock(0))

    assert [place.sessions for place in found.scanned[0].places] == [1, 2, 0]


@pytest.mark.parametrize("query", [{}, {"kind": "subagent"}, {"agents": ("claude",), "kind": "subagent"}])
def test_nothing_is_looked_at_twice(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, query: dict[str, Any]
) -> None:
    for number in (1, 2):
        transcript(home, number=number)
        rollout(home, number=number)
    calls: Counter[tuple[object, ...]] = Counter()

    def counted(agent: str, name: str) -> Callable[..., object]:
        function = getattr(adapter(agent), name)

        def call(*arguments: Any) -> object:
            calls[agent, name, getattr(arguments[0], "path", None)] += 1
            return function(*arguments)

        return call

    for agent in REGISTRY:
        for name in ("stores", "find", "summarise", "unite"):
            monkeypatch.setattr(adapter(agent), name, counted(agent, name))

    ask(**query)

    assert {name for _, name, _ in calls} == {"stores", "find", "summarise", "unite"}
    assert set(calls.values()) == {1}


def test_diagnosing_looks_at_every_agent_and_reads_no_details(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript(home)
    path = rollout(home, NO_RECORD)
    for agent in REGISTRY:
        monkeypatch.setattr(adapter(agent), "details", None)

    found, problems = diagnose(Query(agents=("claude",)), environment_of(home))

    assert [item.agent for item in found.scanned] == list(REGISTRY)
    assert (found.sessions, found.matching) == (1, 1)
    assert found.hints == ("Codex: 1 file found, none of which could be read as a session.",)
    assert [problem.path for problem in problems] == [str(path)]


def test_an_unknown_agent_cannot_be_diagnosed(home: Path) -> None:
    with pytest.raises(ValueError, match="not 'nobody'"):
        diagnose(Query(agents=("nobody",)), environment_of(home))


@pytest.mark.parametrize(
    "wanted", ["/", "/srv/\u202egnp", "/srv/\n", "/srv/" + "x" * 5000, "C:\\orchard", "\\\\barn\\a"]
)
def test_diagnosing_never_fails_for_what_was_asked(home: Path, why: Why, wanted: str) -> None:
    rollout(home, [meta(cwd=...), said("Words")])

    assert why(project_dir=wanted).hints


@pytest.mark.parametrize("wanted", ["/srv/\x00", "/srv/\ud83d"])
def test_diagnosing_never_fails_for_what_no_file_system_takes(home: Path, why: Why, wanted: str) -> None:
    transcript(home)

    assert why(project_dir=wanted).hints


def test_diagnosing_never_fails_for_what_a_store_holds(home: Path, why: Why) -> None:
    session_in(home, "/srv/\x00")

    assert why(project_dir="/srv/nowhere").hints


def test_a_broken_database_beside_the_files_is_a_problem_of_its_own(home: Path) -> None:
    rollout(home)
    put(home / ".codex" / "state_5.sqlite", b"no database" * 100)

    found, problems = diagnose(Query(), environment_of(home))

    assert (found.sessions, len(problems)) == (1, 1)
