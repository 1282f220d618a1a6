"""What a session of Qwen Code is, and what its file tells of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, put, uuid
from tests.builders.qwen import (
    MODEL,
    Record,
    answered,
    archived,
    noted,
    old,
    old_conversation,
    project,
    record,
    said,
    session,
    slug,
    telemetry,
    titled,
    turns,
    without,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]


@pytest.mark.parametrize("version", ["0.24", "0.10"])
def test_a_session_tells_everything(home: Path, only: Only, version: str) -> None:
    records = turns(gitBranch="main")
    path = session(home, records if version == "0.24" else without(records, "provenance"))

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "agent": "qwen",
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
        "resume_command": f"cd {CWD} && qwen --resume {uuid(1)}",
        "extra": {"agent_version": "0.24.4", "git_branch": "main"},
    }


# What a session is


@pytest.mark.parametrize(
    "turn",
    [
        said(),
        said(provenance=...),
        said(message=...),
        said(subtype="mid_turn_user_message"),
        answered(),
        answered(message={"role": "model", "parts": [{"functionCall": {"name": "ls"}}]}),
    ],
)
def test_a_turn_makes_a_session(home: Path, only: Only, turn: Record) -> None:
    session(home, [noted("slash_command", {}), turn, telemetry()])

    assert (only().uuid, only().message_count) == (uuid(1), 1)


NO_TURNS = [
    noted("slash_command", {"phase": "invocation", "rawCommand": "/help"}),
    said(subtype="notification", provenance="system"),
    said(subtype="notification", provenance=...),
    said(provenance="system"),
    said(provenance="cron"),
    record("tool_result", provenance="tool_result"),
    record("system", subtype="custom_title", systemPayload={"customTitle": "Named"}),
    record("other"),
    {"type": None},
]


@pytest.mark.parametrize("other", NO_TURNS)
def test_without_a_turn_a_file_is_no_session(home: Path, ask: Ask, other: Record) -> None:
    session(home, [other, other])

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_large_file_without_a_turn_is_no_session(home: Path, ask: Ask) -> None:
    session(home, [noted("attribution_snapshot", {"x": "user" * 300}) for _ in range(100)])

    assert ask().sessions == ()


@pytest.mark.parametrize(("before", "after"), [(0, 100), (100, 0), (60, 60)])
def test_a_turn_anywhere_makes_a_session(home: Path, only: Only, before: int, after: int) -> None:
    bulk = [noted("attribution_snapshot", {"x": "user" * 300}, 5)]
    session(home, [*bulk * before, said("Graft", 7), *bulk * after])

    assert (only().title, only().message_count) == ("Graft", 1)


def test_the_name_of_the_file_is_the_id(home: Path, only: Only) -> None:
    session(home, turns(9))

    assert only().uuid == uuid(1)


def test_an_id_of_upper_case_letters_stays_as_it_is(home: Path, only: Only) -> None:
    name = "ABCDEF01-2222-4333-8444-555555555555"
    put(project(home) / "chats" / f"{name}.jsonl", turns())

    assert only().uuid == name


# Fields


def test_the_directory_is_that_of_the_first_record(home: Path, only: Only) -> None:
    session(home, [said(cwd="/srv/orchard"), answered(cwd="/srv/barn")])

    assert only().project_dir == "/srv/orchard"


@pytest.mark.parametrize("cwd", [..., None, "", "orchard", 7])
def test_a_directory_that_is_not_told_is_unknown(home: Path, only: Only, cwd: object) -> None:
    session(home, [said(cwd=cwd), answered(cwd=cwd)])

    assert (only().project_dir, only().resume_command) == (None, None)


def test_directories_of_one_slug_are_told_apart(home: Path, ask: Ask) -> None:
    assert slug("/srv/a-b") == slug("/srv/a/b")
    session(home, number=1, directory="/srv/a-b")
    session(home, number=2, directory="/srv/a/b")

    assert {one.uuid: one.project_dir for one in ask().sessions} == {uuid(1): "/srv/a-b", uuid(2): "/srv/a/b"}


@pytest.mark.parametrize("directory", ["/srv/ünïcode 中文", "C:\\src\\Orchard", "/"])
def test_any_directory_is_told_as_it_was_written(home: Path, only: Only, directory: str) -> None:
    session(home, directory=directory)

    assert only().project_dir == directory


def test_models_are_those_of_answers_in_their_order(home: Path, only: Only) -> None:
    models = ["qwen3-max", "qwen3-coder", "qwen3-max", None, ""]
    answers = [answered(seconds=10 + place, model=model) for place, model in enumerate(models)]
    session(home, [said(model="never"), noted("session_model", {"model": "never"}, model="never"), *answers])

    assert only().models == ("qwen3-max", "qwen3-coder")


def test_the_latest_record_of_any_type_is_the_last_activity(home: Path, only: Only) -> None:
    session(home, [*turns(), telemetry(31), noted("other", {}, 29)])

    assert only().last_activity == at(31)


def test_without_any_time_the_time_of_the_file_counts(home: Path, only: Only) -> None:
    session(home, [said(timestamp=...), answered(timestamp="soon")], modified=77)

    found = only()

    assert (found.last_activity, found.created) == (at(77), None)
    assert found.extra["last_activity_source"] == "mtime"


def test_it_was_created_at_the_time_of_its_first_record(home: Path, only: Only) -> None:
    session(home, [noted("slash_command", {}, 3), said(seconds=5), answered(seconds=4)])

    assert only().created == at(3)


def test_messages_are_those_of_people_and_of_the_model(home: Path, only: Only) -> None:
    more = [said(seconds=50, subtype="mid_turn_user_message"), answered(seconds=51)]
    session(home, [*turns(), *NO_TURNS, *more])

    assert only().message_count == 4


def test_the_branch_and_the_version_are_the_last_ones(home: Path, only: Only) -> None:
    session(home, [said(gitBranch="main", version="0.24.3"), answered(gitBranch="graft")])

    assert only().extra == {"agent_version": "0.24.4", "git_branch": "graft"}


# Forks, copies, archives


def test_a_fork_is_a_session_of_its_own_and_spawned_by_nobody(home: Path, ask: Ask) -> None:
    session(home)
    copied = [one | {"forkedFrom": {"sessionId": uuid(1), "messageUuid": one["uuid"]}} for one in turns(2, "Prompt 1")]
    session(home, [*copied, said("Graft", 60, number=2)], number=2)

    fork, source = ask().sessions

    assert (fork.uuid, fork.kind, fork.parent_uuid, fork.created) == (uuid(2), "agent", None, source.created)
    assert (fork.extra["forked_from"], "forked_from" in source.extra) == (uuid(1), False)


def test_an_archived_session_says_so_and_cannot_be_resumed(home: Path, only: Only) -> None:
    path = archived(home)

    found = only()

    assert (found.path, found.kind, found.resume_command) == (str(path), "agent", None)
    assert found.extra["archived"] is True


def test_of_copies_the_newest_counts(home: Path, only: Only) -> None:
    older = archived(home)
    newer = session(home, turns(seconds=90))

    found = only()

    assert (found.path, found.last_activity, found.extra.get("archived")) == (str(newer), at(90), None)
    assert found.extra["copies"] == [str(older)]


def test_of_equal_copies_the_one_that_is_not_archived_counts(home: Path, only: Only) -> None:
    name = "ffffffff-2222-4333-8444-555555555555.jsonl"
    put(project(home) / "chats/archive" / name, turns())
    path = put(project(home) / "chats" / name, turns())

    assert only().path == str(path)


@pytest.mark.parametrize("source", ["auto", "manual"])
def test_who_gave_the_title_is_told(home: Path, only: Only, source: str) -> None:
    session(home, [*turns(), titled("Trees", source=source)])

    assert only().extra["title_source"] == source


def test_who_created_a_session_is_told(home: Path, only: Only) -> None:
    session(home, [noted("session_source", {"sourceType": "scheduled_task", "sourceId": "7"}), *turns()])

    assert only().extra["session_source"] == "scheduled_task"


# Old builds


def test_a_conversation_of_an_old_build_is_a_session_without_a_directory(home: Path, only: Only) -> None:
    path = old(home)

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "agent": "qwen",
        "title": "Prompt 1",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": None,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 2,
        "path": str(path),
        "resume_command": None,
    }
    assert found.extra == {}


def test_a_large_conversation_of_an_old_build_tells_the_same(home: Path, only: Only) -> None:
    found = old_conversation(lastUpdated=at(200))
    found["messages"] += [
        {"id": str(one), "type": "qwen", "content": "x" * 3000, "model": "qwen3-max"} for one in range(90)
    ]
    old(home, found)

    assert (only().title, only().models, only().message_count) == ("Prompt 1", (MODEL, "qwen3-max"), 92)
    assert only().last_activity == at(200)


def test_a_conversation_without_a_turn_is_no_session(home: Path, ask: Ask) -> None:
    found = old_conversation()
    found["messages"] = [{"type": "user", "content": "/help"}, {"type": "info", "content": "Help"}]
    old(home, found)

    assert (ask().sessions, ask().warnings) == ((), ())


def test_the_hash_of_an_old_build_is_never_solved(home: Path, ask: Ask) -> None:
    session(home, number=2)
    old(home)

    assert {one.uuid: one.project_dir for one in ask().sessions} == {uuid(1): None, uuid(2): CWD}


def test_lines_in_the_folder_of_old_builds_are_read(home: Path, only: Only) -> None:
    put(home / ".qwen/tmp/0123/chats" / f"{uuid(1)}.jsonl", without(turns(), "provenance"))

    assert (only().title, only().project_dir) == ("Prompt 1", CWD)
