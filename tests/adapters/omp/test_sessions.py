"""What oh-my-pi's files say of a session."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders import pi
from tests.builders.common import CWD, at, epoch_ms, lines, put, uuid
from tests.builders.omp import (
    MODEL,
    answered,
    child,
    entry,
    file_name,
    folder,
    header,
    model_change,
    old_turns,
    said,
    session,
    slot,
    spawned,
    turns,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]


def by_id(page: Page) -> dict[str, Session]:
    return {one.uuid: one for one in page.sessions}


@pytest.mark.parametrize("entries", [turns(), old_turns(), old_turns(title="Prompt 1")], ids=["18", "13", "13 titled"])
def test_every_generation_tells_everything(home: Path, only: Only, entries: list[dict[str, Any]]) -> None:
    path = session(home, entries)

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "agent": "omp",
        "title": "Prompt 1",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": f"cd {CWD} && omp --resume={uuid(1)}",
        "extra": {"format_version": 3},
    }


# Titles


def test_the_title_before_the_header_comes_first(home: Path, only: Only) -> None:
    session(home, [slot("Graft"), header(title="Older"), said("Prompt"), answered()])

    assert only().title == "Graft"


@pytest.mark.parametrize("title", ["", " "])
def test_an_empty_title_before_the_header_takes_that_of_the_header_away(home: Path, only: Only, title: str) -> None:
    session(home, [slot(title), header(title="Older"), said("Prompt"), answered()])

    assert only().title == "Prompt"


def test_without_a_title_before_the_header_that_of_the_header_counts(home: Path, only: Only) -> None:
    session(home, [header(title="Older"), said("Prompt"), answered()])

    assert only().title == "Older"


def test_a_title_rewritten_in_place_shows(home: Path, only: Only) -> None:
    path = session(home, turns(title="Graft"))
    before = only()
    path.write_bytes(path.read_bytes().replace(b"Graft", b"Prune"))

    after = only()

    assert (before.title, after.title) == ("Graft", "Prune")
    assert before.last_activity == after.last_activity == at(30)


def test_the_summary_of_the_last_compaction_comes_before_the_first_prompt(home: Path, only: Only) -> None:
    compactions = [entry("compaction", 40, summary="…", shortSummary=text) for text in ("First", "Second")]
    session(home, [*turns(), *compactions, entry("compaction", 50, summary="…")])

    assert only().title == "Second"


def test_reminders_are_no_prompts(home: Path, only: Only) -> None:
    reminder = pi.message("developer", [pi.text_part("Remember")], 60, synthetic=True)
    session(home, [slot(), header(), pi.message("developer", "Be brief"), said("Graft"), answered(), reminder])

    found = only()

    assert (found.title, found.message_count, found.last_activity) == ("Graft", 2, at(30))


def test_a_secret_in_a_title_is_masked(home: Path, only: Only) -> None:
    token = "gh" + "p_" + "a1B3c5D7e9F1g3H5i7J9k1L3m5N7o9P1q3R5"
    session(home, turns(title=f"Use {token}"))

    assert only().title == "Use [REDACTED_GITHUB_TOKEN]"
    assert only(redact=False).title == f"Use {token}"


# Other fields


def test_models_are_those_that_answered_in_order(home: Path, only: Only) -> None:
    session(
        home,
        [*turns(), model_change("google/other"), answered(seconds=40, model="b"), model_change("x/unused")],
    )

    assert only().models == (MODEL, "b")


def test_what_is_written_when_the_program_ends_is_no_activity(home: Path, only: Only) -> None:
    session(home, [*turns(), entry("custom", 900, customType="session_exit", data={})], modified=5000)

    assert only().last_activity == at(30)


@pytest.mark.parametrize(
    "entries",
    [
        [slot(), header()],
        [slot("Titled"), header(), model_change()],
        [slot(), header(), pi.message("developer", "Be brief"), entry("custom", customType="session_exit")],
    ],
    ids=["header alone", "titled", "reminders alone"],
)
def test_a_session_in_which_nobody_said_anything_is_none(home: Path, ask: Ask, entries: list[dict[str, Any]]) -> None:
    session(home, entries)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_messages_without_a_time_of_their_own_have_the_entrys(home: Path, only: Only) -> None:
    turn = {"role": "user", "content": "Graft"}
    session(home, [slot(), header(), entry("message", 12, message=turn)])

    assert only().last_activity == at(12)


def test_without_any_time_the_files_counts_and_is_said_to(home: Path, only: Only) -> None:
    turn = {"type": "message", "message": {"role": "user", "content": "Graft"}}
    session(home, [slot(), header(timestamp=...), turn], modified=77)

    found = only()

    assert (found.last_activity, found.created) == (at(77), None)
    assert found.extra["last_activity_source"] == "mtime"


@pytest.mark.parametrize("cwd", [None, "orchard", "", 7])
def test_no_directory_is_guessed_from_a_folders_name(home: Path, only: Only, cwd: object) -> None:
    session(home, [slot(), header(cwd=cwd), said("Graft"), answered()])

    found = only()

    assert found.project_dir is None
    assert found.resume_command == f"omp --resume={uuid(1)}"


def test_the_command_is_quoted(home: Path, only: Only) -> None:
    session(home, turns(cwd="/srv/my orchard"))

    command = only().resume_command

    assert command is not None
    assert shlex.split(command) == ["cd", "/srv/my orchard", "&&", "omp", f"--resume={uuid(1)}"]


# Sessions that others spawned


def test_a_file_in_the_folder_of_a_session_was_spawned_by_it(home: Path, ask: Ask) -> None:
    parent = session(home)
    child(parent, [*spawned(7), said("Count"), answered(seconds=20)], "CountPears.jsonl")
    child(parent, [slot(), header(8), said("Weigh"), answered(seconds=21)], "WeighPears.jsonl")

    found = by_id(ask())

    for number, title in ((7, "Count"), (8, "Weigh")):
        one = found[uuid(number)]
        assert (one.kind, one.parent_uuid, one.title, one.resume_command) == ("subagent", uuid(1), title, None)
        assert one.project_dir == CWD
    assert found[uuid(1)].kind == "agent"


def test_the_nearest_session_is_the_parent(home: Path, ask: Ask) -> None:
    outer = child(session(home), [*spawned(7), said("Count"), answered()], "Outer.jsonl")
    child(outer, [*spawned(8), said("Weigh"), answered()], "Outer.Inner.jsonl")

    found = by_id(ask())

    assert (found[uuid(7)].parent_uuid, found[uuid(8)].parent_uuid) == (uuid(1), uuid(7))


def test_a_parent_in_which_nobody_said_anything_is_a_parent_all_the_same(home: Path, ask: Ask) -> None:
    child(session(home, [slot(), header()]), [*spawned(7), said("Count"), answered()], "Count.jsonl")

    (found,) = ask().sessions

    assert (found.kind, found.parent_uuid) == ("subagent", uuid(1))


def test_the_parent_of_a_child_whose_parents_file_is_gone_is_in_the_folders_name(home: Path, only: Only) -> None:
    parent = session(home)
    child(parent, [*spawned(7), said("Count"), answered()], "Count.jsonl")
    parent.unlink()

    found = only()

    assert (found.kind, found.parent_uuid) == ("subagent", uuid(1))


def test_a_mark_makes_a_spawned_session_anywhere(home: Path, ask: Ask) -> None:
    parent = session(home)
    session(home, [*spawned(7, parentSession=str(parent)), said("Count"), answered()], number=7)

    found = by_id(ask())[uuid(7)]

    assert (found.kind, found.parent_uuid) == ("subagent", uuid(1))
    assert "forked_from" not in found.extra


def test_what_lies_beside_children_is_no_session(home: Path, ask: Ask) -> None:
    parent = session(home)
    put(parent.with_suffix("") / "Count.md", "# Pears")
    put(parent.with_name(f"{parent.name}.123.bak"), turns(9))
    put(home / ".omp/agent/agent.db", b"\x00")

    assert [one.uuid for one in ask().sessions] == [uuid(1)]


# Forks


@pytest.mark.parametrize("gone", [False, True])
def test_a_branch_is_no_child(home: Path, ask: Ask, gone: bool) -> None:
    origin = session(home)
    session(home, [slot(), header(2, parentSession=str(origin)), said("Graft"), answered()], number=2)
    if gone:
        origin.unlink()

    found = by_id(ask())[uuid(2)]

    assert (found.kind, found.parent_uuid, found.extra["forked_from"]) == ("agent", None, uuid(1))


def test_a_branch_of_13_names_a_session_by_its_id(home: Path, ask: Ask) -> None:
    session(home, old_turns(2, parentSession=uuid(1)), number=2)

    assert ask().sessions[0].extra["forked_from"] == uuid(1)


def test_a_branch_of_a_home_that_was_moved_is_found_by_name(home: Path, ask: Ask) -> None:
    session(home)
    old = f"C:\\Users\\ada\\.omp\\agent\\sessions\\-x\\{file_name(1)}"
    session(home, [slot(), header(2, parentSession=old), said("Graft"), answered()], number=2)

    assert by_id(ask())[uuid(2)].extra["forked_from"] == uuid(1)


# One session in two places


def test_one_session_in_two_places_is_one_row(home: Path, only: Only) -> None:
    older = session(home)
    newer = put(folder(home, "/srv/meadow") / file_name(1), [*turns(), answered(seconds=60)])

    found = only()

    assert (found.path, found.last_activity) == (str(newer), at(60))
    assert found.extra["copies"] == [str(older)]


# Damage


BODY = lines(turns(text="Graft the plum")[1:])
WHOLE = lines([slot()]) + BODY


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\x00" * 256 + b"\n" + BODY, id="the title was lost to a power cut"),
        pytest.param(WHOLE + lines([said("Later", 900)])[:40], id="torn last line"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(WHOLE.replace(b"\n", b"\n\xff\xfe\n[]\n7\n", 1), id="garbage after the title"),
        pytest.param(WHOLE + lines([entry("custom", data="x" * 3_000_000)]), id="huge entry last"),
    ],
)
def test_damage_around_the_entries_changes_nothing(home: Path, only: Only, content: bytes) -> None:
    session(home, content)

    found = only()

    assert (found.title, found.project_dir, found.last_activity) == ("Graft the plum", CWD, at(30))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (lines([slot("Titled"), said("Graft")]), "has lost its header"),
        (lines([said("Graft")]), "has lost its header"),
        (b"\x00\xff garbage", "holds no readable record"),
    ],
)
def test_a_session_that_lost_its_header_is_reported(home: Path, ask: Ask, content: bytes, problem: str) -> None:
    path = session(home, content)
    session(home, number=2)

    page = ask(agents=("omp",))

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [("omp", str(path), problem)]


def test_numbers_may_be_text(home: Path, only: Only) -> None:
    asked = pi.message("user", "Graft", timestamp=str(epoch_ms(9)))
    session(home, [slot(v="1"), header(version="3"), asked])

    assert only().last_activity == at(9)
