"""Subagents are sessions of their own, below the session that spawned them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.claude import (
    MODEL,
    SUBAGENT_MODEL,
    assistant,
    code_record,
    cowork_record,
    cowork_transcript,
    flat_subagent,
    folder,
    subagent,
    task,
    transcript,
    user,
    work,
)
from tests.builders.common import CWD, at, epoch_ms, lines, put, uuid
from tests.conftest import Ask

Only = Callable[..., Session]


@pytest.fixture
def found(ask: Ask) -> Callable[[str], Session]:
    """A function that returns the one session with an id, and fails when it is not there exactly once."""

    def one(session_id: str) -> Session:
        (session,) = [session for session in ask().sessions if session.uuid == session_id]
        return session

    return one


Found = Callable[[str], Session]


# Inside the session's own file (0.2 to 1.0)


def test_sidechains_inside_a_file_are_no_sessions_of_their_own(home: Path, only: Only) -> None:
    transcript(home, [user("Plan the orchard"), *task("inline"), user("Thanks", 60), assistant(seconds=70)])

    session = only()

    assert (session.uuid, session.kind, session.message_count) == (uuid(1), "agent", 3)


def test_sidechains_inside_a_file_are_activity_and_bring_their_models(home: Path, only: Only) -> None:
    transcript(
        home, [user("Plan"), assistant(seconds=5), assistant(seconds=90, model=SUBAGENT_MODEL, isSidechain=True)]
    )

    session = only()

    assert (session.last_activity, session.models) == (at(90), (MODEL, SUBAGENT_MODEL))


# Beside the session (2.0 to 2.1.0)


def test_a_flat_subagent_belongs_to_the_session_that_its_rows_name(home: Path, found: Found) -> None:
    transcript(home)
    path = flat_subagent(home, "5f3a9c1e")

    session = found("5f3a9c1e")

    assert (session.kind, session.parent_uuid, session.path) == ("subagent", uuid(1), str(path))


def test_the_last_row_names_the_session_when_the_first_names_an_aborted_one(home: Path, found: Found) -> None:
    transcript(home)
    transcript(home, b"", number=9)
    flat_subagent(home, "5f3a9c1e", [user("Warmup", sessionId=uuid(9)), assistant(sessionId=uuid(1))])

    assert found("5f3a9c1e").parent_uuid == uuid(1)


def test_the_last_row_of_a_large_flat_subagent_names_the_session_too(home: Path, found: Found) -> None:
    rows = [user("Warmup", sessionId=uuid(9)), *work(100, sessionId=uuid(9)), assistant(seconds=500)]
    flat_subagent(home, "5f3a9c1e", rows)

    assert found("5f3a9c1e").parent_uuid == uuid(1)


def test_the_last_row_of_a_large_file_is_the_last_of_its_line(home: Path, found: Found) -> None:
    glued = lines([assistant(seconds=500, sessionId=uuid(9)), assistant(seconds=501)]).replace(b"\n", b"")
    flat_subagent(home, "5f3a9c1e", lines([user("Warmup", sessionId=uuid(9)), *work(100, sessionId=uuid(9))]) + glued)

    assert found("5f3a9c1e").parent_uuid == uuid(1)


def test_a_flat_subagent_that_names_no_session_has_no_parent(home: Path, found: Found) -> None:
    flat_subagent(home, "5f3a9c1e", task("5f3a9c1e", sessionId=...))

    session = found("5f3a9c1e")

    assert (session.kind, session.parent_uuid) == ("subagent", None)


def test_warm_ups_are_subagents_like_any_other(home: Path, ask: Ask) -> None:
    transcript(home)
    for number in range(3):
        flat_subagent(home, f"a00000{number}", [user("Warmup", isSidechain=True), assistant(isSidechain=True)])

    warm_ups = ask(kind="subagent").sessions

    assert [(session.uuid, session.title) for session in warm_ups] == [
        ("a000000", "Warmup"),
        ("a000001", "Warmup"),
        ("a000002", "Warmup"),
    ]


# Below the session's folder (from 2.1.2)


@pytest.mark.parametrize("agent_id", ["ab12cd34", "a5d6907d35987d0f7", "ahelper-a1092b3c4d5e6f708"])
def test_the_id_is_the_file_name_without_its_prefix(home: Path, found: Found, agent_id: str) -> None:
    transcript(home)
    path = subagent(home, agent_id)

    session = found(agent_id)

    assert (session.kind, session.parent_uuid, session.path) == ("subagent", uuid(1), str(path))


def test_the_folder_names_the_session_whatever_the_rows_say(home: Path, found: Found) -> None:
    subagent(home, "a1", task("a1", sessionId=uuid(9)), parent=3)

    assert found("a1").parent_uuid == uuid(3)


@pytest.mark.parametrize("below", ["subagents/workflows/wf_7c2e", "subagents/workflows/wf_7c2e/deeper/still"])
def test_the_subagents_of_workflows_lie_deeper(home: Path, found: Found, below: str) -> None:
    transcript(home)
    subagent(home, "a1", below=below)

    session = found("a1")

    assert (session.kind, session.parent_uuid, session.project_dir) == ("subagent", uuid(1), CWD)


def test_what_lies_beside_subagents_is_none(home: Path, ask: Ask) -> None:
    transcript(home)
    path = subagent(home, "a1", below="subagents/workflows/wf_7c2e", meta={"agentType": "Explore"})
    for name in ("journal.jsonl", f"{uuid(8)}.jsonl", "agent-.jsonl", "agent-a2.jsonl.bak", "xagent-a3.jsonl"):
        put(path.parent / name, task("a9"))
    put(folder(home) / uuid(1) / "tool-results" / "agent-a4.jsonl", task("a4"))
    put(folder(home) / uuid(1) / "agent-a5.jsonl", task("a5"))

    page = ask()

    assert {session.uuid for session in page.sessions} == {uuid(1), "a1"}
    assert page.warnings == ()


def test_an_empty_subagent_is_none(home: Path, only: Only) -> None:
    transcript(home)
    subagent(home, "a1", [])

    assert only().uuid == uuid(1)


def test_subagents_do_not_change_their_session(home: Path, found: Found) -> None:
    transcript(home)
    subagent(home, "a1", [user("Task", 500, isSidechain=True), assistant(seconds=900, isSidechain=True)])

    session = found(uuid(1))

    assert (session.kind, session.title, session.last_activity) == ("agent", "Prompt 1", at(30))
    assert (session.message_count, session.models) == (2, (MODEL,))


def test_models_messages_and_times_are_the_subagents_own(home: Path, found: Found) -> None:
    transcript(home)
    path = subagent(
        home,
        "a1",
        [user("Task", 500, isSidechain=True), assistant(seconds=900, isSidechain=True, model="claude-opus-5")],
    )

    session = found("a1")

    assert (session.models, session.message_count) == (("claude-opus-5",), 2)
    assert (session.created, session.last_activity, session.size_bytes) == (at(500), at(900), path.stat().st_size)


def test_a_subagent_cannot_be_resumed(home: Path, found: Found) -> None:
    transcript(home)
    subagent(home, "a1")

    assert found("a1").resume_command is None


def test_subagents_can_be_left_out(home: Path, ask: Ask) -> None:
    transcript(home)
    subagent(home, "a1")
    flat_subagent(home, "b2")

    assert [session.uuid for session in ask(noise="exclude").sessions] == [uuid(1)]
    assert {session.uuid for session in ask(noise="only").sessions} == {"a1", "b2"}


# One for each session and agent


def test_the_same_agent_id_in_two_sessions_is_two_subagents(home: Path, ask: Ask) -> None:
    for number in (1, 2):
        transcript(home, number=number)
        subagent(home, "a1", parent=number)

    subagents = ask(kind="subagent").sessions

    assert {(session.uuid, session.parent_uuid) for session in subagents} == {("a1", uuid(1)), ("a1", uuid(2))}


def test_the_same_agent_id_twice_in_a_session_is_one_subagent(home: Path, found: Found) -> None:
    transcript(home)
    older = subagent(home, "a1")
    newer = subagent(
        home, "a1", [*task("a1"), assistant(seconds=90, isSidechain=True)], below="subagents/workflows/wf_1"
    )

    session = found("a1")

    assert (session.path, session.extra["copies"]) == (str(newer), [str(older)])


# Its meta file


def test_the_description_is_the_title(home: Path, found: Found) -> None:
    subagent(home, "a1", meta={"agentType": "Explore", "description": "Count the trees"})

    assert found("a1").title == "Count the trees"


@pytest.mark.parametrize("meta", [None, {}, {"agentType": "Explore"}, {"description": ""}, {"description": 7}])
def test_without_a_description_the_task_is_the_title(home: Path, found: Found, meta: dict[str, object] | None) -> None:
    subagent(home, "a1", meta=meta)

    assert found("a1").title == "Task of a1"


def test_a_teammates_message_is_no_title(home: Path, found: Found) -> None:
    rows = [user('<teammate-message teammate_id="lead">Pick the apples</teammate-message>'), assistant()]
    subagent(home, "a1", rows)
    subagent(home, "a2", rows, meta={"description": "Apple picker"})

    assert (found("a1").title, found("a2").title) == (None, "Apple picker")


def test_a_nested_subagent_names_the_subagent_that_spawned_it(home: Path, found: Found) -> None:
    transcript(home)
    subagent(home, "outer", meta={"spawnDepth": 1})
    subagent(home, "inner", meta={"spawnDepth": 2, "parentAgentId": "outer"})

    assert (found("outer").parent_uuid, found("inner").parent_uuid) == (uuid(1), "outer")
    assert found("inner").extra["spawn_depth"] == 2


def test_a_nested_subagent_is_where_its_root_is(home: Path, found: Found) -> None:
    transcript(home, [user("Start", entrypoint="claude-desktop"), assistant()])
    subagent(home, "inner", task("inner", cwd="/tmp"), meta={"parentAgentId": "outer"})

    session = found("inner")

    assert (session.project_dir, session.launch_surface) == (CWD, "claude-desktop")


def test_what_only_a_subagent_has_is_told(home: Path, found: Found) -> None:
    worktree = "/srv/orchard/.claude/worktrees/agent-a1"
    subagent(home, "a1", meta={"agentType": "Explore", "teamName": "pickers", "worktreePath": worktree})

    extra = found("a1").extra

    assert (extra["subagent_type"], extra["team_name"], extra["worktree"]) == ("Explore", "pickers", worktree)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\x00" * 100, b'{"description": "cut o'])
def test_a_broken_meta_file_is_no_problem(home: Path, ask: Ask, content: bytes) -> None:
    path = subagent(home, "a1")
    put(path.with_name("agent-a1.meta.json"), content)

    page = ask()

    assert (page.sessions[0].title, page.sessions[0].parent_uuid) == ("Task of a1", uuid(1))
    assert page.warnings == ()


# Its root


def test_directory_and_surface_are_those_of_the_root(home: Path, found: Found) -> None:
    transcript(home, [user("Start", entrypoint="claude-desktop"), assistant()])
    subagent(home, "a1", task("a1", cwd="/srv/orchard/.claude/worktrees/agent-a1"))

    session = found("a1")

    assert (session.project_dir, session.launch_surface) == (CWD, "claude-desktop")


def test_a_flat_subagent_is_where_its_root_is(home: Path, found: Found) -> None:
    transcript(home, [user("Start", entrypoint=...)])
    code_record(home, 1)
    flat_subagent(home, "b2", task("b2", cwd="/tmp", entrypoint=...))

    session = found("b2")

    assert (session.project_dir, session.launch_surface) == (CWD, "claude-desktop")


def test_a_subagent_follows_its_session_to_another_directory(home: Path, found: Found) -> None:
    moved = {"type": "relocated", "relocatedCwd": "/srv/meadow"}
    transcript(home, [user("Start"), assistant(), moved], directory="/srv/meadow")
    subagent(home, "a1", directory="/srv/meadow")

    assert found("a1").project_dir == "/srv/meadow"


def test_a_subagent_of_cowork_is_where_its_root_is(home: Path, found: Found) -> None:
    record = cowork_record(home, 1, userSelectedFolders=["/srv/meadow"])
    path = cowork_transcript(record, 1)
    put(path.with_suffix("") / "subagents" / "agent-a1.jsonl", task("a1", cwd="/tmp"))

    session = found("a1")

    assert (session.project_dir, session.launch_surface) == ("/srv/meadow", "claude-desktop")


# When its root is gone


def test_an_orphan_keeps_its_parent_and_its_kind(home: Path, only: Only) -> None:
    subagent(home, "a1", parent=4)

    session = only()

    assert (session.uuid, session.kind, session.parent_uuid) == ("a1", "subagent", uuid(4))


def test_an_orphan_tells_its_own_directory_and_surface(home: Path, only: Only) -> None:
    subagent(home, "a1", task("a1", cwd="/srv/meadow", entrypoint="claude-desktop"))

    session = only()

    assert (session.project_dir, session.launch_surface) == ("/srv/meadow", "claude-desktop")


def test_an_orphans_directory_is_the_one_its_folder_is_named_after(home: Path, only: Only) -> None:
    drifted = [user("Task", cwd="/tmp", isSidechain=True), assistant(cwd=CWD, isSidechain=True)]
    flat_subagent(home, "b2", drifted)

    assert only().project_dir == CWD


def test_a_nested_orphans_directory_is_the_one_its_project_folder_is_named_after(home: Path, only: Only) -> None:
    drifted = [user("Task", cwd="/tmp", isSidechain=True), assistant(cwd=CWD, isSidechain=True)]
    subagent(home, "a1", drifted)

    assert only().project_dir == CWD


def test_an_orphan_is_where_the_desktop_record_of_its_root_is(home: Path, found: Found) -> None:
    code_record(home, 1, cwd="/srv/meadow", lastActivityAt=epoch_ms())
    subagent(home, "a1", task("a1", cwd="/tmp", entrypoint=...))

    session = found("a1")

    assert (session.project_dir, session.launch_surface) == ("/srv/meadow", "claude-desktop")


def test_the_husk_of_a_deleted_session_is_no_session(home: Path, ask: Ask) -> None:
    (folder(home) / uuid(4) / "tool-results").mkdir(parents=True)
    (folder(home) / uuid(5) / "subagents").mkdir(parents=True)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_subagent_left_in_another_project_folder_still_belongs_to_its_session(home: Path, found: Found) -> None:
    transcript(home)
    subagent(home, "a1", task("a1", cwd="/srv/meadow"), directory="/srv/meadow")

    session = found("a1")

    assert (session.parent_uuid, session.project_dir) == (uuid(1), CWD)
