"""A session's title is what Pi's own picker shows: its name, else what was asked for first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.pi import Entry, answered, entry, header, message, named, result, said, session, text_part, turns

Only = Callable[..., Session]

PROMPT = "Graft the plum"
BULK = [result("x" * 1000)] * 100


def asked(*others: Entry) -> list[Entry]:
    """Return a session that has a prompt, an answer, and these entries."""
    return [header(), said(PROMPT), answered(), *others]


# The first prompt


def test_the_first_prompt_is_the_title_of_a_session_without_a_name(home: Path, only: Only) -> None:
    session(home, asked(said("And the quince", 60)))

    assert only().title == PROMPT


def test_the_first_prompt_in_the_file_counts_whatever_its_branch(home: Path, only: Only) -> None:
    session(home, asked(said("Another start", 0.5)))

    assert only().title == PROMPT


def test_texts_of_a_prompt_are_joined_and_its_other_parts_left_out(home: Path, only: Only) -> None:
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png", "text": "not me"}
    session(home, [header(), message("user", [text_part("Graft"), picture, text_part("the plum")])])

    assert only().title == PROMPT


@pytest.mark.parametrize("content", ["", " \n\t ", [], [text_part("")], [text_part(" "), text_part("\n")]])
def test_a_prompt_without_words_leaves_the_title_to_the_next(home: Path, only: Only, content: object) -> None:
    session(home, [header(), message("user", content), said(PROMPT, 5)])

    assert only().title == PROMPT


def test_only_people_ask(home: Path, only: Only) -> None:
    roles = ("system", "assistant", "toolResult", "custom", "hookMessage", "bashExecution", "developer")
    kinds = ("custom_message", "branch_summary", "compaction")
    others = [message(role, "Not me") for role in roles]
    session(home, [header(), *others, *(entry(kind, content="Not me", summary="Not me") for kind in kinds)])

    assert only().title is None


def test_the_words_user_and_assistant_in_a_text_make_no_prompt(home: Path, only: Only) -> None:
    session(home, [header(), result('{"role":"user","content":"Not me"} "session_info" "assistant"'), said(PROMPT, 25)])

    assert (only().title, only().message_count) == (PROMPT, 1)


def test_the_prompt_is_found_however_much_was_written_before_it(home: Path, only: Only) -> None:
    session(home, [header(), message("system", "x" * 300_000), *BULK, said(PROMPT)])

    assert only().title == PROMPT


def test_a_title_is_one_line_of_a_readable_length(home: Path, only: Only) -> None:
    session(home, [header(), said("  Graft\n\n\tthe \x1b[31mplum\x1b[0m " + "and the quince " * 50)])

    title = only().title

    assert title is not None
    assert title.startswith("Graft the plum and the quince")
    assert (len(title), title[-1]) == (201, "…")


# Names


def test_a_name_wins_over_the_prompt(home: Path, only: Only) -> None:
    session(home, asked(named("Orchard")))

    assert only().title == "Orchard"


def test_a_name_given_before_the_prompt_is_one(home: Path, only: Only) -> None:
    session(home, [header(), named("Orchard", 0.5), said(PROMPT), answered()])

    assert only().title == "Orchard"


def test_the_last_name_counts(home: Path, only: Only) -> None:
    session(home, asked(named("Old name"), said("And the quince", 60), named("New name", 70)))

    assert only().title == "New name"


def test_the_last_name_is_the_one_that_stands_last_whatever_its_time(home: Path, only: Only) -> None:
    session(home, asked(named("Old name", 90), named("New name", 80)))

    assert only().title == "New name"


def test_a_name_in_the_middle_of_a_large_file_is_found(home: Path, only: Only) -> None:
    session(home, asked(*BULK, named("Orchard"), *BULK))

    assert only().title == "Orchard"


def test_white_space_around_a_name_is_none_of_it(home: Path, only: Only) -> None:
    session(home, asked(named(" \n Orchard\t")))

    assert only().title == "Orchard"


@pytest.mark.parametrize("name", ["", "  ", "\n", None, ...])
def test_an_empty_name_takes_the_name_away(home: Path, only: Only, name: object) -> None:
    session(home, asked(named("Orchard"), named(name, 50)))

    assert only().title == PROMPT


def test_a_name_after_an_empty_one_counts(home: Path, only: Only) -> None:
    session(home, asked(named("Old name"), named("", 50), named("New name", 60)))

    assert only().title == "New name"


@pytest.mark.parametrize("name", ["\u200b\u2060", "\x1b[0m", "\x00"])
def test_a_name_of_which_nothing_can_be_seen_leaves_the_prompt(home: Path, only: Only, name: str) -> None:
    session(home, asked(named(name)))

    assert only().title == PROMPT


def test_a_session_may_have_a_name_and_no_prompt(home: Path, only: Only) -> None:
    session(home, [header(), named("Orchard")])

    assert (only().title, only().message_count) == ("Orchard", 0)


def test_a_name_in_another_kind_of_entry_is_none(home: Path, only: Only) -> None:
    session(home, [header(name="Not me"), *turns(text=PROMPT)[1:], entry("label", 50, name="Not me", label="Not me")])

    assert only().title == PROMPT


def test_a_secret_in_a_title_is_masked(home: Path, only: Only) -> None:
    token = "gh" + "p_" + "b2C4d6E8f0G1h3I5j7K9l1M3n5O7p9Q1r3S5"
    session(home, [header(), said(f"Use {token} for the plum")])

    assert only().title == "Use [REDACTED_GITHUB_TOKEN] for the plum"
    assert only(redact=False).title == f"Use {token} for the plum"
