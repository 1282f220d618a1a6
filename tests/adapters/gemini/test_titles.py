"""The title is the agent's own summary, else what a person first said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.session import Session
from tests.builders.gemini import (
    Record,
    answered,
    change,
    context,
    conversation,
    header,
    message,
    printed,
    rewound,
    said,
    session,
    turns,
)

Only = Callable[..., Session]


def test_the_summary_is_the_title(home: Path, only: Only) -> None:
    session(home, [*turns(), change(summary="Pruning the trees", memoryScratchpad={"version": 1})])

    assert only().title == "Pruning the trees"


def test_the_last_summary_counts(home: Path, only: Only) -> None:
    session(home, [header(summary="First"), *turns()[1:], change(summary="Second"), change(summary="Third")])

    assert only().title == "Third"


@pytest.mark.parametrize("summary", ["", None, 7, ["x"], " \u200b "])
def test_a_summary_of_nothing_is_none(home: Path, only: Only, summary: object) -> None:
    session(home, [*turns(), change(summary=summary)])

    assert only().title == "Prompt 1"


@pytest.mark.parametrize(
    "before",
    [
        context(),
        said("/help"),
        said("?"),
        said("<hook_context>x</hook_context>"),
        message("info", "Welcome", 1),
        answered("Good morning", 1),
    ],
)
def test_the_first_prompt_is_what_a_person_said(home: Path, only: Only, before: Record) -> None:
    session(home, [header(), before, said("Graft the plum", 5), said("Later", 6)])

    assert only().title == "Graft the plum"


def test_all_parts_of_a_prompt_belong_together(home: Path, only: Only) -> None:
    session(home, [header(), message("user", [{"text": "Graft "}, {"fileData": {}}, "the", {"text": " plum"}])])

    assert only().title == "Graft the plum"


def test_a_prompt_that_was_taken_back_is_still_the_first(home: Path, only: Only) -> None:
    session(home, [header(), said("Alpha", 1, id="a"), rewound("a"), said("Beta", 5)])

    assert only().title == "Alpha"


def test_an_answer_alone_gives_no_title(home: Path, only: Only) -> None:
    session(home, [header(), answered("Hello")])

    assert only().title is None


@pytest.mark.parametrize(
    ("keys", "title"),
    [
        ({}, "Prompt 1"),
        ({"summary": "Pruning the trees"}, "Pruning the trees"),
        ({"messages": [message("user", "Plain text")]}, "Plain text"),
    ],
)
def test_old_conversations_have_the_same_titles(home: Path, only: Only, keys: dict[str, Any], title: str) -> None:
    printed(home, conversation(**keys) if "messages" in keys else conversation(None, 1, **keys))

    assert only().title == title


def test_a_prompt_is_one_line_without_control_characters(home: Path, only: Only) -> None:
    session(home, [header(), said("Graft\n\tthe \x1b[31mplum\x1b[0m")])

    assert only().title == "Graft the plum"
