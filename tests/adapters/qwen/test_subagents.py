"""Sessions that another one spawned: subagents, subagents of subagents, and whole sessions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, put, uuid
from tests.builders.qwen import MODEL, about, answered, noted, project, session, spawned, subagent, turns

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_subagent_tells_everything(home: Path, ask: Ask) -> None:
    session(home)
    path = subagent(home, meta=about())

    (found,) = ask(kind="subagent").sessions

    assert found.to_dict() == found.to_dict() | {
        "uuid": "scout-call_1",
        "title": "Look around the tree",
        "kind": "subagent",
        "parent_uuid": uuid(1),
        "project_dir": CWD,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 2,
        "path": str(path),
        "resume_command": None,
        "extra": {
            "agent_version": "0.24.4",
            "subagent_type": "scout",
            "subagent_status": "completed",
            "spawn_depth": 0,
        },
    }


def test_the_parents_id_in_its_records_is_not_its_own(home: Path, ask: Ask) -> None:
    session(home)
    subagent(home)

    assert {(one.uuid, one.kind) for one in ask().sessions} == {(uuid(1), "agent"), ("scout-call_1", "subagent")}


def test_a_subagent_of_a_subagent_was_spawned_by_that(home: Path, ask: Ask) -> None:
    subagent(home, "outer", meta=about("outer"))
    subagent(home, "inner", meta=about("inner", parentAgentId="outer", depth=1))

    parents = {one.uuid: (one.parent_uuid, one.extra["spawn_depth"]) for one in ask().sessions}

    assert parents == {"outer": (uuid(1), 0), "inner": ("outer", 1)}


@pytest.mark.parametrize(
    "meta", [None, b"", b"{", b"[]", b"\xff\x00", b'{"parentSessionId": 7, "model": []}', b"[" * 99_999]
)
def test_without_what_is_known_of_it_the_place_tells(home: Path, ask: Ask, meta: bytes | None) -> None:
    subagent(home, meta=meta)

    page = ask()

    assert [(one.uuid, one.parent_uuid, one.models) for one in page.sessions] == [("scout-call_1", uuid(1), ())]
    assert page.warnings == ()


def test_what_is_known_of_it_without_a_transcript_is_no_session(home: Path, ask: Ask) -> None:
    subagent(home, meta=about()).unlink()

    assert ask().sessions == ()


def test_models_in_its_records_come_first(home: Path, only: Only) -> None:
    subagent(home, records=[*spawned("scout-call_1"), answered(model="qwen3-max", seconds=40)], meta=about())

    assert only().models == ("qwen3-max",)


def test_a_subagent_whose_parent_is_gone_keeps_it(home: Path, only: Only) -> None:
    subagent(home, parent=9)

    assert only().parent_uuid == uuid(9)


def test_one_id_below_two_sessions_is_two_subagents(home: Path, ask: Ask) -> None:
    subagent(home, parent=1)
    subagent(home, parent=2)

    assert {one.parent_uuid for one in ask().sessions} == {uuid(1), uuid(2)}


def test_the_id_in_its_records_counts_where_the_name_had_to_be_changed(home: Path, only: Only) -> None:
    subagent(home, "scout_call_1", spawned("scout/call:1"))

    assert only().uuid == "scout/call:1"


@pytest.mark.parametrize("agent", [..., None, "", 7])
def test_without_an_id_in_its_records_the_name_counts(home: Path, only: Only, agent: object) -> None:
    subagent(home, "scout-call_1", spawned("x", agentId=agent))

    assert only().uuid == "scout-call_1"


@pytest.mark.parametrize(
    "name", ["agent-a.meta.json", "agent-a.jsonl.stream", "agent-.jsonl", "a.jsonl", "agent-a.json"]
)
def test_other_files_beside_it_are_none(home: Path, only: Only, name: str) -> None:
    path = subagent(home)
    put(path.with_name(name), spawned("other"))

    assert only().path == str(path)


def test_a_session_that_another_one_created_was_spawned_by_it_and_can_be_resumed(home: Path, ask: Ask) -> None:
    session(home)
    session(home, [noted("parent_session", {"parentSessionId": uuid(1)}, number=2), *turns(2)], number=2)

    (found,) = ask(kind="subagent").sessions

    assert (found.uuid, found.parent_uuid) == (uuid(2), uuid(1))
    assert found.resume_command == f"cd {CWD} && qwen --resume {uuid(2)}"


@pytest.mark.parametrize("payload", [{}, {"parentSessionId": ""}, {"parentSessionId": 7}, None, []])
def test_a_creator_that_is_not_told_is_none(home: Path, only: Only, payload: object) -> None:
    session(home, [noted("parent_session", payload), *turns()])

    assert (only().kind, only().parent_uuid) == ("agent", None)


def test_a_subagent_without_a_turn_is_no_session(home: Path, ask: Ask) -> None:
    subagent(home, records=[noted("other", {})])

    assert (ask().sessions, ask().warnings) == ((), ())


def test_folders_of_subagents_are_no_deeper_than_the_agent_makes_them(home: Path, ask: Ask) -> None:
    put(project(home) / "subagents" / "agent-a.jsonl", spawned("a"))
    put(project(home) / "subagents" / uuid(1) / "deeper" / "agent-b.jsonl", spawned("b"))

    assert ask().sessions == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_instead_of_what_is_known_of_it_blocks_nothing(home: Path, only: Only) -> None:
    path = subagent(home)
    os.mkfifo(path.with_suffix(".meta.json"))

    assert only().uuid == "scout-call_1"
