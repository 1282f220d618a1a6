"""The title is the one that was given, else what a person first typed, else the goal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.qwen import Record, answered, noted, said, session, subagent, telemetry, titled, turns

Only = Callable[..., Session]


def goal(objective: object, seconds: float = 50) -> Record:
    return noted("goal_state", {"v": 2, "snapshot": {"goal": objective and {"objective": objective}}}, seconds)


def parts(*found: object) -> Record:
    return said(message={"role": "user", "parts": list(found)})


@pytest.mark.parametrize("source", ["manual", "auto"])
def test_the_given_title_counts(home: Path, only: Only, source: str) -> None:
    session(home, [*turns(), titled("Pruning", source=source), goal("Harvest")])

    assert only().title == "Pruning"


def test_the_last_given_title_counts(home: Path, only: Only) -> None:
    session(home, [titled("First"), *turns(), titled("Second"), *[telemetry()] * 200, titled("Third"), telemetry()])

    assert only().title == "Third"


@pytest.mark.parametrize("title", ["", None, 7, " \u200b ", ["x"]])
def test_a_title_of_nothing_is_none(home: Path, only: Only, title: object) -> None:
    session(home, [*turns(), titled("Pruning"), titled(title)])

    assert only().title == "Pruning"


def test_a_title_in_another_record_is_none(home: Path, only: Only) -> None:
    session(home, [said(systemPayload={"customTitle": "No"}), noted("other", {"customTitle": "No"}), answered()])

    assert only().title == "Prune the trees"


@pytest.mark.parametrize(
    "before",
    [
        noted("slash_command", {"rawCommand": "/help"}),
        said("<task-notification>", subtype="notification", provenance="system"),
        said("On schedule", provenance="cron"),
        said("Faster", subtype="mid_turn_user_message"),
        said("", message={"role": "user", "parts": []}),
        said(" \n"),
        answered("Good morning"),
        titled(""),
    ],
)
def test_the_first_prompt_is_what_a_person_typed(home: Path, only: Only, before: Record) -> None:
    session(home, [before, said("Graft the plum", 5), said("Later", 6), answered()])

    assert only().title == "Graft the plum"


def test_the_first_text_of_a_prompt_is_what_was_typed(home: Path, only: Only) -> None:
    session(home, [parts({"inlineData": {}}, {"text": "Read @notes.md"}, {"text": "--- Content of notes.md ---"})])

    assert only().title == "Read @notes.md"


def test_what_was_typed_is_shown_where_something_else_was_sent(home: Path, only: Only) -> None:
    session(home, [said("Long and expanded", systemPayload={"displayText": "Short", "hookContext": "x"})])

    assert only().title == "Short"


def test_a_prompt_that_is_shown_as_nothing_is_passed_by(home: Path, only: Only) -> None:
    session(home, [said("Hidden", systemPayload={"displayText": ""}), said("Graft", 5)])

    assert only().title == "Graft"


def test_without_a_prompt_the_goal_is_the_title(home: Path, only: Only) -> None:
    session(home, [goal("Plant", 5), goal("Harvest", 6), answered()])

    assert only().title == "Harvest"


def test_a_prompt_comes_before_the_goal(home: Path, only: Only) -> None:
    session(home, [goal("Harvest", 5), *turns()])

    assert only().title == "Prompt 1"


@pytest.mark.parametrize("end", [goal(None, 60), noted("goal_state", {}, 60), noted("goal_state", {"snapshot": 7}, 60)])
def test_a_goal_that_is_over_is_no_title(home: Path, only: Only, end: Record) -> None:
    session(home, [goal("Harvest"), end, answered()])

    assert only().title is None


@pytest.mark.parametrize(
    ("meta", "title"),
    [
        ({"description": "Survey the trees"}, "Survey the trees"),
        ({"description": ""}, "Look around"),
        ({"description": 7}, "Look around"),
        (b"garbage", "Look around"),
        (None, "Look around"),
    ],
)
def test_a_subagent_is_called_what_it_was_asked_for(
    home: Path, only: Only, meta: dict[str, object] | bytes | None, title: str
) -> None:
    subagent(home, meta=meta)

    assert only().title == title
