"""A conversation's title: what a person called it, what a list shows, what was asked for first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.antigravity import (
    CLI,
    SHARED,
    Fields,
    about,
    annotation,
    answered,
    artifact,
    asked,
    cached,
    conversation,
    encode,
    encrypted,
    history,
    hub,
    listed,
    log,
    note,
    prompted,
    ran,
    sent,
    state,
    summaries,
    summary,
)
from tests.builders.common import uuid

Only = Callable[..., Session]


# Precedence


def test_the_title_of_a_conversation_is_taken_from_the_best_witness(home: Path, only: Only) -> None:
    encrypted(home, root=CLI)
    artifact(home, "# By an artifact", root=CLI)
    assert only().title == "By an artifact"

    cached(home, {1: {"Preview": "By a preview"}})
    assert only().title == "By a preview"

    history(home, [prompted("By the history")])
    assert only().title == "By the history"

    conversation(home, [asked("By the steps")])
    assert only().title == "By the steps"

    log(home, [asked("By the log")])
    assert only().title == "By the log"

    hub(home, {1: summary("By a summary")}, root=CLI)
    assert only().title == "By a summary"

    summaries(home, listed(title="By the list"))
    assert only().title == "By the list"

    state(home, {1: summary(user_title="By a person in the IDE")})
    assert only().title == "By a person in the IDE"

    annotation(home, 'title: "By an annotation"')
    assert only().title == "By an annotation"


def test_the_title_of_a_subagent_is_taken_from_the_best_witness(home: Path, only: Only) -> None:
    conversation(home, [sent("The task"), answered()], meta=about(parent=2))
    assert only().title == "The task"

    log(home, [sent("The task in the log"), answered()])
    assert only().title == "The task in the log"

    summaries(home, listed(title="By the list"))
    assert only().title == "By the list"

    note(home, role="Pruner by a note")
    assert only().title == "Pruner by a note"

    conversation(home, meta=about(parent=2, role="Pruner"))
    assert only().title == "Pruner"

    annotation(home, 'title: "By an annotation"')
    assert only().title == "By an annotation"


def test_the_role_of_a_conversation_that_nobody_spawned_is_no_title(home: Path, only: Only) -> None:
    conversation(home, [asked("Graft the plum")], meta=about(role="Pruner"))

    assert only().title == "Graft the plum"


INVISIBLE = "\u200b"


@pytest.mark.parametrize("blank", ["", "  ", "\n", INVISIBLE])
def test_a_title_of_which_nothing_can_be_seen_is_none(home: Path, only: Only, blank: str) -> None:
    conversation(home, [asked(blank), asked("Graft the plum", 5)])
    annotation(home, f'title: "{blank}"')
    summaries(home, listed(title=blank, preview=blank, raw_summary=encode(summary(blank, user_title=blank))))
    history(home, [prompted(blank), prompted("Of the history")])

    assert only().title == "Graft the plum"


def test_without_a_witness_there_is_no_title(home: Path, only: Only) -> None:
    conversation(home, [ran(), answered("Done.")])

    assert only().title is None


def test_titles_of_other_conversations_are_not_taken(home: Path, only: Only) -> None:
    encrypted(home, root=CLI)
    annotation(home, 'title: "Another"', number=2)
    hub(home, {2: summary("Another")})
    summaries(home, listed(2, title="Another"))
    history(home, [prompted("Another", number=2)])
    artifact(home, "# Another", root=CLI, number=1, name="notes.txt")

    assert only().title is None


# Annotations


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('title: "Pruning"', "Pruning"),
        ('title:"Pruning"  last_user_view_time:{seconds:1773133200  nanos:5}', "Pruning"),
        ('archived: true\ntitle:   "Pruning"\n', "Pruning"),
        (r'title: "Say \"prune\""', 'Say "prune"'),
        (r'title: "C:\\trees"', "C:\\trees"),
        (r'title: "Two\nlines\tand more"', "Two lines and more"),
        ('title: "Pflaume 🌳"', "Pflaume 🌳"),
        ('last_title: "Not it"  title: "Pruning"', "Pruning"),
        ('subtitle: "Not it"', "Prompt 1"),
        ('title: "Never closed', "Prompt 1"),
        ('title: ""', "Prompt 1"),
        ("title: Pruning", "Prompt 1"),
        ("", "Prompt 1"),
    ],
)
def test_an_annotation_is_text_of_a_protocol_buffer(home: Path, only: Only, text: str, title: str) -> None:
    conversation(home)
    annotation(home, text)

    assert only().title == title


@pytest.mark.parametrize(
    "text", [r'title: "Pr\303\274fung"', r'title: "Pr\xc3\xbcfung"', r'title: "Pr\u00fcfung"', r"title: 'Prüfung'"]
)
def test_an_annotation_may_escape_any_character(home: Path, only: Only, text: str) -> None:
    conversation(home)
    annotation(home, text)

    assert only().title == "Prüfung"


def test_an_annotation_of_the_other_root_does_not_count(home: Path, only: Only) -> None:
    conversation(home)
    annotation(home, 'title: "Of another product"', root=SHARED)

    assert only().title == "Prompt 1"


# Requests


def test_the_first_request_is_the_title(home: Path, only: Only) -> None:
    conversation(home, [sent("Not a request"), ran(), asked("Graft the plum", 5), asked("And the quince", 60)])

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("told", [{2: "Graft the plum"}, {3: {1: "Graft the plum"}}])
def test_a_request_is_told_whole_or_in_parts(home: Path, only: Only, told: Fields) -> None:
    conversation(home, [asked().row(0, step_payload=encode({1: 14, 19: told}))])

    assert only().title == "Graft the plum"


def test_what_the_program_put_around_a_request_is_left_out(home: Path, only: Only) -> None:
    around = "<ADDITIONAL_METADATA>\nThe time is nine.\n</ADDITIONAL_METADATA>"
    log(home, [asked().line(0, content=f"{around}\n<USER_REQUEST>\nGraft\nthe plum\n</USER_REQUEST>\n{around}")])

    assert only().title == "Graft the plum"


def test_a_request_of_which_a_log_kept_the_start_has_no_mark_before_it(home: Path, only: Only) -> None:
    log(home, [asked().line(0, content="<USER_REQUEST>\nGraft the plum")])

    assert only().title == "Graft the plum"


def test_a_request_without_anything_around_it_is_whole(home: Path, only: Only) -> None:
    log(home, [asked().line(0, content=" Graft the plum ")])

    assert only().title == "Graft the plum"


def test_a_request_that_says_nothing_is_passed_over(home: Path, only: Only) -> None:
    log(home, [asked(""), asked("Graft the plum", 5)])

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("write", [conversation, log])
def test_a_long_request_is_cut(home: Path, only: Only, write: Callable[..., Path]) -> None:
    write(home, [asked("Graft " * 4000)])

    title = only().title

    assert title is not None
    assert title.startswith("Graft Graft")
    assert len(title) <= 201


def test_a_request_of_a_whole_pasted_file_is_cut(home: Path, only: Only) -> None:
    conversation(home, [asked("Graft " * 8000)])

    title = only().title

    assert title is not None
    assert title.startswith("Graft Graft")


def test_a_request_far_from_the_start_of_a_log_is_found(home: Path, only: Only) -> None:
    log(home, [*[ran(second) for second in range(900)], asked("Graft the plum", 1000)])

    assert only().title == "Graft the plum"


def test_the_history_shows_what_was_typed_and_no_commands(home: Path, only: Only) -> None:
    encrypted(home, root=CLI)
    history(home, [prompted("/model", type="slash_command"), prompted("Graft the plum"), prompted("And the quince")])

    assert only().title == "Graft the plum"


def test_the_prompt_before_a_conversation_had_its_id_is_its_first(home: Path, only: Only) -> None:
    encrypted(home, root=CLI)
    elsewhere = prompted("Elsewhere", workspace="/srv/elsewhere", number=None)
    history(home, [prompted("Graft the plum", number=None), elsewhere, prompted("And the quince")])

    assert only().title == "Graft the plum"


# Tasks


@pytest.mark.parametrize(
    ("task", "title"),
    [
        ("Prune the pear", "Prune the pear"),
        ("**Goal**: Prune the pear", "Prune the pear"),
        ("Prune\nthe pear", "Prune the pear"),
        ("Set content=full", "Set content=full"),
    ],
)
@pytest.mark.parametrize("write", [conversation, log])
def test_what_another_conversation_asked_for_is_the_title(
    home: Path, only: Only, write: Callable[..., Path], task: str, title: str
) -> None:
    write(home, [sent(task), answered()])

    assert only().title == title


@pytest.mark.parametrize("write", [conversation, log])
def test_a_message_that_came_later_is_no_title(home: Path, only: Only, write: Callable[..., Path]) -> None:
    write(home, [answered(), sent("Not the task")])

    assert only().title is None


def test_a_request_counts_before_a_task(home: Path, only: Only) -> None:
    conversation(home, [sent("The task"), asked("Graft the plum", 5)])

    assert only().title == "Graft the plum"


# Artifacts


def test_the_artifacts_that_people_write_first_are_looked_at_first(home: Path, only: Only) -> None:
    for name in ("walkthrough.md", "implementation_plan.md", "task.md"):
        artifact(home, f"# Of {name}", name=name)
        artifact(home, "# Of another", name="a.md")

        assert only().title == f"Of {name}"


def test_another_artifact_has_a_heading_too(home: Path, only: Only) -> None:
    artifact(home, "# Prune the apple", name="orchard.md")

    assert only().title == "Prune the apple"


def test_an_artifact_without_a_heading_is_passed_over(home: Path, only: Only) -> None:
    artifact(home, "- [ ] Prune\n## Too deep\n#Not one", name="task.md")
    artifact(home, "# Prune the apple", name="walkthrough.md")

    assert only().title == "Prune the apple"


def test_a_heading_of_nothing_is_passed_over(home: Path, only: Only) -> None:
    artifact(home, "#   \n# Prune the apple")

    assert only().title == "Prune the apple"


def test_a_conversation_with_a_log_is_not_called_after_its_artifacts(home: Path, only: Only) -> None:
    log(home, [ran()])
    artifact(home, "# Prune the apple", root=CLI)

    assert only().title is None


def test_an_artifact_names_an_encrypted_conversation(home: Path, only: Only) -> None:
    path = encrypted(home)
    artifact(home, "# Prune the apple")

    session = only()

    assert (session.title, session.path) == ("Prune the apple", str(path))


def test_titles_are_found_by_the_whole_id(home: Path, only: Only) -> None:
    encrypted(home)
    hub(home, {1: {}})
    state(home, {0x10: summary("Another")})

    assert (only().title, only().uuid) == (None, uuid(1))
