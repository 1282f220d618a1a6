"""What a session of Gemini CLI is, and what its file tells of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, lines, uuid
from tests.builders.gemini import (
    MODEL,
    Record,
    answered,
    change,
    context,
    header,
    message,
    printed,
    rewound,
    said,
    session,
    subagent,
    turns,
    updated,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = session(home)

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "agent": "gemini",
        "title": "Prompt 1",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 2,
        "path": str(path),
        "resume_command": f"cd {CWD} && gemini --resume {uuid(1)}",
    }
    assert found.extra == {}


# What a session is


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(said("Hello"), id="a prompt"),
        pytest.param(message("user", "Hello"), id="a prompt as text"),
        pytest.param(message("user", {"text": "Hello"}), id="a prompt as one part"),
        pytest.param(message("user", ["Hel", "lo"]), id="a prompt as texts"),
        pytest.param(message("user", [{"inlineData": {}}, {"text": "Hello"}]), id="a prompt with a picture"),
        pytest.param(answered("Hello"), id="an answer"),
        pytest.param(answered("", toolCalls=[{"id": "1", "name": "ls"}]), id="a tool call"),
        pytest.param(answered("", thoughts=[{"subject": "Trees"}]), id="a thought"),
        pytest.param(change(messages=[said("Hello")]), id="a prompt among replaced messages"),
        pytest.param(header(messages=[said("Hello")]), id="a prompt in a header"),
    ],
)
def test_a_turn_makes_a_session(home: Path, ask: Ask, record: Record) -> None:
    session(home, [header(), context(), record])

    page = ask()

    assert ([one.uuid for one in page.sessions], page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(context(), id="the context"),
        pytest.param(said("  <session_context> x"), id="an indented context"),
        pytest.param(said("<hook_context>x</hook_context>"), id="context of a hook"),
        pytest.param(said("/stats"), id="a command"),
        pytest.param(said("?"), id="a question for help"),
        pytest.param(said(" \n "), id="blanks"),
        pytest.param(message("user", []), id="no parts"),
        pytest.param(message("user", [{"functionResponse": {}}]), id="a tool's result"),
        pytest.param(message("user", None), id="no content"),
        pytest.param(answered(""), id="an empty answer"),
        pytest.param(answered("", toolCalls=[]), id="no tool calls"),
        pytest.param(message("info", "Update available"), id="a note"),
        pytest.param(message("error", "Quota exceeded"), id="an error"),
        pytest.param(message("warning", "Careful"), id="a warning"),
        pytest.param(message("other", "Hello"), id="an unknown kind"),
        pytest.param(change(summary="Trees"), id="a summary"),
        pytest.param(header(), id="another header"),
    ],
)
@pytest.mark.parametrize("write", ["lines", "one object"])
def test_without_a_turn_a_file_is_no_session(home: Path, ask: Ask, record: Record, write: str) -> None:
    if write == "lines":
        session(home, [header(), record, updated(9)])
    else:
        printed(home, header(messages=[record]))

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_prompt_without_an_answer_is_a_session_without_a_model(home: Path, only: Only) -> None:
    session(home, [header(), context(), said("Hello", 5), updated(5)])

    found = only()

    assert (found.title, found.models, found.message_count, found.last_activity) == ("Hello", (), 1, at(5))


# Steps back


def test_what_was_taken_back_does_not_count(home: Path, only: Only) -> None:
    records = [*turns(), said("Beta", 40, id="beta"), answered(seconds=41), rewound("beta"), said("Delta", 50)]
    session(home, records)

    found = only()

    assert (found.title, found.message_count, found.last_activity) == ("Prompt 1", 3, at(50))


def test_after_everything_was_taken_back_it_is_no_session(home: Path, ask: Ask) -> None:
    session(home, [*turns(), rewound(said()["id"])])

    assert ask().sessions == ()


def test_a_step_back_to_an_unknown_message_takes_everything_back(home: Path, ask: Ask, only: Only) -> None:
    session(home, [*turns(1), rewound("unknown")], number=1)
    session(home, [*turns(2), rewound("unknown"), said("Graft", 60)], number=2)

    assert (only().uuid, only().message_count) == (uuid(2), 1)


def test_replaced_messages_are_all_there_are(home: Path, only: Only) -> None:
    kept = [said("Prompt 1"), answered(seconds=30)]
    session(home, [*turns(), said("Beta", 40), rewound("user-40"), change(messages=kept), said("Delta", 50)])

    assert only().message_count == 3


def test_replacing_the_messages_by_none_leaves_no_session(home: Path, ask: Ask) -> None:
    session(home, [*turns(), change(messages=[context()], lastUpdated=at(60))])

    assert ask().sessions == ()


def test_a_cancelled_prompt_is_taken_back_and_the_next_one_counts(home: Path, only: Only) -> None:
    cancelled = [said("Never mind", 5), message("info", "Request cancelled.", 6)]
    session(home, [header(), *cancelled, change(messages=[context()]), said("Graft", 9), answered(seconds=10)])

    found = only()

    assert (found.title, found.message_count) == ("Never mind", 2)


BULK = [message("info", "x" * 1000, seconds, id=f"bulk-{seconds}") for seconds in range(100, 150)]
WIDE = [message("info", "x" * 4000, seconds, id=f"wide-{seconds}") for seconds in range(100, 200)]


@pytest.mark.parametrize(
    ("records", "is_session"),
    [
        pytest.param([*turns(), *BULK], True, id="a turn far from the end"),
        pytest.param([*turns(), *BULK, rewound("bulk-140")], True, id="a step back near the end"),
        pytest.param([*turns(), *BULK, rewound("bulk-101")], True, id="a step back over the end"),
        pytest.param([*turns(), *BULK, rewound("user-1")], False, id="a step back to the start"),
        pytest.param(
            [header(), said(), *WIDE[:50], answered(id="a"), *WIDE[50:], rewound("a")], True, id="a step back to a turn"
        ),
        pytest.param([*turns(), *BULK, rewound("unknown")], False, id="a step back to nowhere"),
        pytest.param([*turns(), *BULK, change(messages=[context()])], False, id="all replaced near the end"),
        pytest.param([*turns(), change(messages=[context()]), *BULK], False, id="all replaced far from the end"),
        pytest.param([*turns(), rewound("user-1"), *BULK], False, id="a step back far from the end"),
        pytest.param([header(), *BULK], False, id="no turn at all"),
        pytest.param([*turns(), *BULK, rewound("user-1"), said("Graft", 200)], True, id="a turn after a step back"),
    ],
)
def test_what_stands_far_from_the_end_counts_too(home: Path, ask: Ask, records: list[Record], is_session: bool) -> None:
    session(home, records)

    assert len(ask().sessions) == is_session


# Fields


def test_a_message_that_is_written_again_counts_once(home: Path, only: Only) -> None:
    answer = answered("", seconds=8, id="a")
    session(home, [header(), said(), answer, answer | {"toolCalls": [{"id": "1"}]}, answer | {"content": "Done."}])

    assert only().message_count == 2


def test_models_are_those_of_answers_in_their_order(home: Path, only: Only) -> None:
    models = ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-pro", None, ""]
    answers = [answered(seconds=10 + place, model=model) for place, model in enumerate(models)]
    session(home, [header(), said(model="never"), *answers])

    assert only().models == ("gemini-2.5-pro", "gemini-2.5-flash")


def test_a_model_whose_answer_was_taken_back_did_answer(home: Path, only: Only) -> None:
    session(home, [*turns(), answered(seconds=40, id="gone", model="gemini-3"), rewound("gone")])

    assert only().models == (MODEL, "gemini-3")


@pytest.mark.parametrize(
    "last",
    [
        answered(seconds=99),
        message("info", "x", 99),
        updated(99),
        change(lastUpdated=at(99), summary="Trees"),
        header(lastUpdated=at(99)),
        change(messages=[said("Hello", 99)]),
    ],
)
def test_the_last_activity_is_the_latest_time(home: Path, only: Only, last: Record) -> None:
    session(home, [*turns(), last, message("info", "earlier", 50)])

    assert only().last_activity == at(99)


def test_without_any_time_the_time_of_the_file_counts(home: Path, only: Only) -> None:
    records = [header(startTime=..., lastUpdated="yesterday"), said("Hello", timestamp=None)]
    session(home, records, modified=77)

    found = only()

    assert (found.last_activity, found.created) == (at(77), None)
    assert found.extra == {"last_activity_source": "mtime"}


def test_it_was_created_at_its_earliest_time(home: Path, only: Only) -> None:
    session(home, [header(seconds=20), header(seconds=5), said("Hello", 7), answered(seconds=30)])

    assert only().created == at(5)


def test_the_last_id_counts(home: Path, only: Only) -> None:
    session(home, [*turns(9), change(sessionId=uuid(1))])

    assert only().uuid == uuid(1)


def test_more_than_one_directory_is_told(home: Path, only: Only) -> None:
    session(home, [*turns(), change(directories=[CWD, "/srv/barn"])])

    assert only().extra == {"directories": [CWD, "/srv/barn"]}


# Subagents


def test_a_session_in_the_folder_of_another_was_spawned_by_it(home: Path, ask: Ask) -> None:
    session(home)
    path = subagent(home, turns(2, "Count", kind="subagent", directories=[CWD]), number=2)

    (found,) = ask(kind="subagent").sessions

    assert (found.uuid, found.parent_uuid, found.title, found.path) == (uuid(2), uuid(1), "Count", str(path))
    assert (found.project_dir, found.message_count, found.resume_command) == (CWD, 2, None)


def test_a_subagent_whose_parent_is_gone_keeps_it(home: Path, only: Only) -> None:
    subagent(home, turns(2, kind="subagent"), number=2, parent=9)

    assert (only().kind, only().parent_uuid) == ("subagent", uuid(9))


def test_the_place_tells_a_subagent_even_without_its_mark(home: Path, only: Only) -> None:
    subagent(home, turns(2, kind=...), number=2)

    assert only().kind == "subagent"


def test_the_mark_tells_a_subagent_even_in_another_place(home: Path, only: Only) -> None:
    session(home, turns(kind="subagent"))

    found = only()

    assert (found.kind, found.parent_uuid, found.resume_command) == ("subagent", None, None)


def test_one_id_below_two_sessions_is_two_subagents(home: Path, ask: Ask) -> None:
    subagent(home, turns(3, kind="subagent"), number=3, parent=1)
    subagent(home, turns(3, kind="subagent"), number=3, parent=2)

    assert sorted(str(one.parent_uuid) for one in ask().sessions) == [uuid(1), uuid(2)]


def test_a_subagent_without_a_turn_is_no_session(home: Path, ask: Ask) -> None:
    subagent(home, [header(2, kind="subagent"), context()], number=2)

    assert ask().sessions == ()


def test_a_subagent_of_0_38_is_one_object(home: Path, only: Only) -> None:
    folder = session(home, lines([header()])).parent / uuid(1)
    folder.mkdir()
    source = printed(home, header(2, messages=[said("Count")], directories=[CWD], kind="subagent"), name="elsewhere")
    source.rename(folder / f"{uuid(2)}.json")

    assert (only().uuid, only().kind, only().parent_uuid) == (uuid(2), "subagent", uuid(1))
