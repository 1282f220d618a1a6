from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, START, at, put, uuid
from tests.builders.grok import MODEL, ROOT, answered, put_in, said, session, spawned

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = session(home, head_branch="main")

    found = only()

    assert (found.uuid, found.agent, found.title, found.kind, found.parent_uuid) == (
        uuid(1), "grok", "Title 1", "agent", None,
    )  # fmt: skip
    assert (found.project_dir, found.path) == (CWD, str(path))
    assert (found.created, found.last_activity) == (at(), at(30))
    assert (found.models, found.message_count) == ((MODEL,), 2)
    assert found.size_bytes == (path.parent / "updates.jsonl").stat().st_size
    assert found.resume_command == f"cd {CWD} && grok --resume {uuid(1)}"
    assert found.extra == {"git_branch": "main"}


def test_the_summary_is_the_title_where_none_was_made(home: Path, only: Only) -> None:
    session(home, generated_title=" ")

    assert only().title == "Summary 1"


def test_a_session_in_which_nothing_was_said_has_no_title(home: Path, only: Only) -> None:
    session(home, history=[], generated_title=..., session_summary="")

    assert (only().title, only().message_count, only().models) == (None, 0, (MODEL,))


def test_a_fork_has_no_parent(home: Path, only: Only) -> None:
    session(home, parent_session_id=uuid(9), session_kind="fork")

    found = only()

    assert (found.kind, found.parent_uuid) == ("agent", None)
    assert found.extra == {"forked_from": uuid(9), "session_kind": "fork"}


def test_a_spawned_session_lies_with_the_others_and_is_noted_by_its_parent(home: Path, ask: Ask) -> None:
    parent = session(home)
    session(home, 2, generated_title=..., session_summary="")
    spawned(parent, 2)

    (child,) = ask(kind="subagent").sessions

    assert (child.uuid, child.parent_uuid, child.title) == (uuid(2), uuid(1), "Task 2")
    assert (child.resume_command, child.extra) == (None, {"subagent_type": "explore"})


def test_a_note_alone_is_no_session(home: Path, only: Only) -> None:
    spawned(session(home), 2)

    assert only().uuid == uuid(1)


@pytest.mark.parametrize(
    ("kind", "parent", "forked_from"),
    [("subagent", None, uuid(9)), ("subagent_fork", uuid(9), None), ("subagent_resume", None, uuid(9))],
)
def test_a_spawned_session_is_one_without_its_parents_note(
    home: Path, only: Only, kind: str, parent: str | None, forked_from: str | None
) -> None:
    session(home, session_kind=kind, parent_session_id=uuid(9))

    assert (only().kind, only().parent_uuid) == ("subagent", parent)
    assert only().extra.get("forked_from") == forked_from


def test_a_resumed_subagent_has_the_parent_of_the_note(home: Path, ask: Ask) -> None:
    parent = session(home)
    session(home, 2, session_kind="subagent_resume", parent_session_id=uuid(9))
    spawned(parent, 2)

    (child,) = ask(kind="subagent").sessions

    assert (child.parent_uuid, child.extra["forked_from"]) == (uuid(1), uuid(9))


def test_what_the_agent_puts_in_is_no_message(home: Path, only: Only) -> None:
    history = [
        said("Graft"),
        answered("m1"),
        put_in("Reminder", "system_reminder"),
        put_in("And prune", "interjection"),
        {"type": "reasoning"},
        {"type": "tool_result", "tool_call_id": "t", "content": "ok"},
        answered("m2"),
    ]
    session(home, history=history)

    assert (only().message_count, only().models) == (4, ("m1", "m2"))


def test_older_histories_do_not_say_what_nobody_wrote(home: Path, only: Only) -> None:
    old = [{"role": "user", "content": "Graft"}, {"role": "assistant", "content": "Done.", "model_id": "m1"}]
    session(home, history=old, chat_format_version=...)

    assert (only().message_count, only().models) == (None, ("m1",))


def test_a_session_without_its_history_is_one(home: Path, only: Only) -> None:
    path = session(home)
    (path.parent / "chat_history.jsonl").unlink()
    (path.parent / "updates.jsonl").unlink()

    assert (only().message_count, only().models, only().size_bytes) == (None, (MODEL,), None)


def test_the_time_of_the_summary_counts_where_no_activity_is_noted(home: Path, only: Only) -> None:
    session(home, last_active_at=...)

    assert (only().last_activity, only().extra) == (at(60), {})


def test_the_files_time_is_left_where_there_is_no_other(home: Path, only: Only) -> None:
    path = session(home, last_active_at=..., updated_at="never", created_at=...)
    os.utime(path, (START.timestamp() + 77, START.timestamp() + 77))

    assert (only().last_activity, only().created) == (at(77), None)
    assert only().extra == {"last_activity_source": "mtime"}


def test_a_session_that_moved_to_another_directory_is_one(home: Path, only: Only) -> None:
    old = session(home)
    session(home, directory="/srv/barn", last_active_at=at(90))

    assert (only().project_dir, only().extra["copies"]) == ("/srv/barn", [str(old)])


def test_a_hidden_session_says_so(home: Path, only: Only) -> None:
    session(home, hidden=True)

    assert only().extra == {"hidden": True}


def test_a_variable_moves_the_home(home: Path, ask: Ask) -> None:
    session(home)
    session(home, 2, root="elsewhere/sessions")

    page = ask({"GROK_HOME": str(home / "elsewhere")})

    assert [one.uuid for one in page.sessions] == [uuid(2)]


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"info": {"cwd": "/srv"}}', "{"])
def test_a_summary_that_cannot_be_read_is_reported(home: Path, ask: Ask, content: str) -> None:
    path = session(home)
    path.write_text(content)

    assert [(one.path, one.problem) for one in ask().warnings] == [(str(path), "is no readable summary of a session")]


def test_other_files_of_the_folder_are_no_sessions(home: Path, only: Only) -> None:
    path = session(home)
    put(home / ROOT / "session_search.sqlite", "x")
    put(path.parent.parent / "prompt_history.jsonl", "x")
    put(path.parent.parent / ".cwd", CWD)

    assert only().uuid == uuid(1)
