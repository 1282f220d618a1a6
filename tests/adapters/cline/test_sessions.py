"""What the files of Cline 3 say of a session and of what it spawned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.cline import (
    MODEL,
    VERSION,
    answered,
    child,
    folder,
    manifest,
    result,
    said,
    session,
    session_id,
    text_part,
    thread,
    turns,
    wrapped,
)
from tests.builders.common import CWD, at, put

Ask = Callable[..., Page]
Only = Callable[..., Session]

RESUME = f"cd {CWD} && cline -i --id {session_id(1)}"
CHILD = f"{session_id(1)}__agent_1773133200500_abcdef"


def by_id(page: Page) -> dict[str, Session]:
    found = {one.uuid: one for one in page.sessions}
    assert len(found) == len(page.sessions)
    return found


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = session(home, [said(wrapped("Graft the plum")), answered(), result(), answered(28, "small")])

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": session_id(1),
        "agent": "cline",
        "title": "Prompt 1",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL, "small"],
        "last_activity": at(31),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 3,
        "path": str(path),
        "resume_command": RESUME,
        "extra": {
            "agent_version": VERSION,
            "source": "cli",
            "interactive": False,
            "status": "completed",
            "exit_code": 0,
            "team_name": "team-x",
        },
    }


# What is a session


def test_a_session_that_died_before_its_first_save_is_one(home: Path, ask: Ask) -> None:
    session(home, None, manifest(1, status="failed", exit_code=1))
    session(home, [], manifest(2), number=2)

    found = by_id(ask())

    assert [(one.title, one.last_activity, one.created, one.models) for one in found.values()] == [
        ("Prompt 1", at(), at(), ()),
        ("Prompt 2", at(), at(), ()),
    ]
    assert found[session_id(1)].path == str(folder(home) / f"{session_id(1)}.json")
    assert found[session_id(1)].resume_command == RESUME
    assert found[session_id(1)].extra["agent_version"] == VERSION


@pytest.mark.parametrize("prompt", [..., None, "", "  ", wrapped(" "), 7])
def test_a_session_in_which_nobody_spoke_is_none(home: Path, ask: Ask, prompt: object) -> None:
    session(home, [], manifest(1, prompt=prompt, status="idle", interactive=True))
    session(home, None, manifest(2, prompt=prompt), number=2)

    assert (ask().sessions, ask().warnings) == ((), ())


def test_a_session_without_its_manifest_is_one(home: Path, only: Only) -> None:
    session(home, turns("Graft"), None)

    found = only()

    assert (found.uuid, found.title, found.project_dir) == (session_id(1), "Graft", None)
    assert (found.created, found.last_activity, found.resume_command) == (at(1), at(31), f"cline -i --id {found.uuid}")


def test_a_session_whose_files_name_no_id_has_that_of_its_folder(home: Path, only: Only) -> None:
    session(home, thread(turns(), sessionId=..., origin=...), manifest(session_id=...))

    assert only().uuid == session_id(1)


def test_a_copied_session_is_one_row(home: Path, only: Only) -> None:
    path = session(home, thread(turns("New"), updated=90))
    old = session(home, thread(turns("Old"), updated=80), manifest(1), number=2)

    assert (only().path, only().extra["copies"]) == (str(path), [str(old)])


# Title


def test_a_given_title_wins(home: Path, only: Only) -> None:
    session(home, about=manifest(metadata={"title": "Renamed: emoji 🚀 中文", "systemPrompt": "x"}))

    assert only().title == "Renamed: emoji 🚀 中文"


@pytest.mark.parametrize("title", ["", " ", None, 7, [], wrapped("")])
def test_a_blank_title_gives_way_to_the_prompt(home: Path, only: Only, title: object) -> None:
    session(home, about=manifest(metadata={"title": title}))

    assert only().title == "Prompt 1"


def test_without_a_prompt_the_first_text_is_the_title(home: Path, only: Only) -> None:
    parts: list[dict[str, Any]] = [{"type": "image", "text": "no"}, text_part(" "), text_part(wrapped("Graft"))]
    session(home, [result(), said("", content=parts), said("Later")], manifest(prompt=...))

    assert (only().title, only().message_count) == ("Graft", 2)


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        (wrapped("Graft"), "Graft"),
        (wrapped("Graft", "plan"), "Graft"),
        (wrapped("Two\nlines"), "Two lines"),
        ("<user_input>Graft</user_input>", "Graft"),
        ('<user_command slash="team">Graft</user_command>', "Graft"),
        (wrapped(wrapped("Graft")), "Graft"),
        ("<mode_notice>You plan now</mode_notice>\n" + wrapped("Graft"), "Graft"),
        (wrapped("<mode_notice>You plan now</mode_notice>Graft"), "Graft"),
        ('<user_input mode="act">Graft', "Graft"),
        ("Explain <user_input>", "Explain <user_input>"),
        ("<user_inputs>x</user_inputs>", "<user_inputs>x</user_inputs>"),
        ("<task>Graft</task>", "<task>Graft</task>"),
    ],
)
def test_what_cline_puts_around_a_prompt_is_no_part_of_it(home: Path, only: Only, prompt: str, title: str) -> None:
    session(home, about=manifest(prompt=prompt))

    assert only().title == title


# Directory, models, times


def test_the_directory_is_where_it_was_started_not_the_repository(home: Path, only: Only) -> None:
    session(home, about=manifest(cwd="/srv/orchard/trees", workspace_root="/srv/orchard"))

    assert only().project_dir == "/srv/orchard/trees"


@pytest.mark.parametrize("cwd", [..., None, "", "orchard", 7])
def test_without_a_directory_there_is_none(home: Path, only: Only, cwd: object) -> None:
    session(home, about=manifest(cwd=cwd))

    assert only().project_dir is None


def test_models_are_those_that_answered(home: Path, only: Only) -> None:
    odd = said("x", modelInfo={"id": "never"})
    session(home, [odd, answered(model=None), answered(model="b"), answered(model="a"), answered(model="b")])

    assert only().models == ("b", "a")


def test_when_it_ended_is_no_activity(home: Path, only: Only) -> None:
    session(home, thread(turns(), updated=40), manifest(ended_at=at(9000)), modified=9000)

    assert only().last_activity == at(40)


def test_a_message_later_than_the_save_counts(home: Path, only: Only) -> None:
    session(home, thread([said("x"), answered(50)], updated=40))

    assert only().last_activity == at(50)


@pytest.mark.parametrize("updated", [..., None, "yesterday", [], 7])
def test_without_the_time_of_the_save_the_messages_tell(home: Path, only: Only, updated: object) -> None:
    session(home, thread([said("x" * 40_000), answered(50)], updated_at=updated))

    assert (only().last_activity, only().extra.get("last_activity_source")) == (at(50), None)


def test_without_any_time_the_file_has_one(home: Path, only: Only) -> None:
    messages = thread([said("x", ts=None)], updated_at=None)
    session(home, messages, manifest(started_at=None), modified=600)

    assert (only().last_activity, only().created) == (at(600), None)
    assert only().extra["last_activity_source"] == "mtime"


# Children


def test_what_a_session_spawned_is_its_subagent(home: Path, ask: Ask) -> None:
    session(home)
    path = child(home)

    found = by_id(ask())

    assert set(found) == {session_id(1), CHILD}
    assert found[CHILD].to_dict() == found[CHILD].to_dict() | {
        "title": "Survey the trees",
        "kind": "subagent",
        "parent_uuid": session_id(1),
        "project_dir": CWD,
        "models": [MODEL],
        "last_activity": at(10),
        "created": at(5),
        "message_count": 2,
        "path": str(path),
        "resume_command": None,
        "extra": {"agent_version": VERSION, "source": "cli", "subagent_type": "subagent"},
    }


def test_a_teammates_task_is_a_subagent_too(home: Path, ask: Ask) -> None:
    session(home)
    own = f"{session_id(1)}__teamtask__mate__a1b2c3"
    child(home, name="mate__a1b2c3", sessionId=own, agent="teammate")

    found = by_id(ask())[own]

    assert (found.kind, found.parent_uuid, found.extra["subagent_type"]) == ("subagent", session_id(1), "teammate")


def test_a_child_that_names_neither_itself_nor_its_parent_belongs_to_its_folder(home: Path, ask: Ask) -> None:
    session(home)
    child(home, sessionId=..., origin=...)

    assert by_id(ask())[CHILD].parent_uuid == session_id(1)


def test_a_child_whose_parent_is_gone_stays_one(home: Path, only: Only) -> None:
    child(home)

    assert (only().kind, only().parent_uuid, only().project_dir) == ("subagent", session_id(1), None)


def test_a_child_in_which_nobody_spoke_is_none(home: Path, only: Only) -> None:
    session(home)
    child(home, [])

    assert only().uuid == session_id(1)


def test_a_child_of_a_session_that_died_early_has_its_directory(home: Path, ask: Ask) -> None:
    session(home, None)
    child(home)

    assert by_id(ask())[CHILD].project_dir == CWD


def test_other_files_of_a_session_are_no_children(home: Path, only: Only) -> None:
    session(home)
    put(folder(home) / f"{session_id(1)}.compaction.json", "{}")
    put(folder(home) / f"{session_id(1)}.old.messages.json", "{}")
    put(folder(home) / ".agent_1.messages.json", "{}")
    put(folder(home) / "notes.json", "{}")

    assert only().uuid == session_id(1)
