"""What a session's folder says of it, in every generation of the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, put, uuid
from tests.builders.copilot import (
    MODEL,
    SAVES,
    SESSIONS,
    VERSION,
    answered,
    event,
    flat,
    said,
    save,
    saved,
    session,
    started,
    turns,
    workspace,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]

RESUME = f"cd {CWD} && copilot --resume={uuid(1)}"


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    system = event("system.message", 1.1, role="system", content="x" * 25_000)
    usage = event("session.usage_record", 29, usage={"model": "billed"})
    yaml = workspace(name="Graft the plum", repository="ada/orchard", branch="main")
    path = session(
        home, [started(), said("Prompt"), system, usage, answered(), event("session.shutdown", 40)], yaml=yaml
    )

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "agent": "copilot",
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(40),
        "date": at(40),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 2,
        "path": str(path),
        "resume_command": RESUME,
        "extra": {"agent_version": VERSION, "git_branch": "main", "repository": "ada/orchard"},
    }


# What is a session


def test_a_session_that_was_opened_and_closed_is_none(home: Path, ask: Ask) -> None:
    put(home / SESSIONS / uuid(1) / "workspace.yaml", workspace())
    put(home / SESSIONS / uuid(1) / "checkpoints" / "index.md", "# Checkpoint History\n")
    session(home, [started(2), event("session.model_change", newModel="x")], number=2)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_what_else_lies_there_is_no_session(home: Path, ask: Ask) -> None:
    put(home / ".copilot" / "session-store.db", b"SQLite format 3\x00")
    put(home / ".copilot" / "open-sessions-state.json", "{}")
    put(home / ".copilot" / "sidebar-sessions-state" / "a.json", "{}")
    put(home / SESSIONS / ".session-operation-locks" / "events.jsonl", turns())
    put(home / SESSIONS / ".hidden.jsonl", turns())
    put(home / SAVES / "config.json", "{}")
    session(home, number=2)
    put(home / SESSIONS / uuid(2) / "events.jsonl.bak", turns(3))

    page = ask()

    assert ([one.uuid for one in page.sessions], page.warnings) == ([uuid(2)], ())


@pytest.mark.parametrize("turn", [said("Graft"), answered()])
def test_one_turn_makes_a_session(home: Path, only: Only, turn: dict[str, object]) -> None:
    session(home, [started(), turn])

    assert only().message_count == 1


def test_turns_of_subagents_alone_make_none(home: Path, ask: Ask) -> None:
    session(home, [started(), said("Survey", 2, agent="a1"), answered(3, parentToolCallId="call_1")])

    assert ask().sessions == ()


def test_a_first_turn_after_many_other_events_makes_a_session(home: Path, only: Only) -> None:
    noise = [event("session.info", index, message="x" * 900) for index in range(200)]
    later = [event("session.info", 400 + index, message="x" * 900) for index in range(200)]
    session(home, [started(), *noise, said("Graft", 300), *later])

    assert (only().title, only().last_activity) == ("Graft", at(599))


# Identity


def test_the_folder_names_the_session(home: Path, only: Only) -> None:
    session(home, turns(7), yaml=workspace(8), number=1)

    assert (only().uuid, only().resume_command) == (uuid(1), RESUME)


def test_a_fork_is_a_session_of_its_own(home: Path, ask: Ask) -> None:
    session(home, yaml=workspace(1, fork_count="1"))
    session(home, turns(1), yaml=workspace(2), number=2)

    assert {(one.uuid, one.kind, one.parent_uuid) for one in ask().sessions} == {
        (uuid(1), "agent", None),
        (uuid(2), "agent", None),
    }


def test_a_helper_that_was_started_at_the_end_of_a_session_is_its_subagent(home: Path, ask: Ask) -> None:
    session(home)
    session(home, [started(2, detachedFromSpawningParentSessionId=uuid(1)), said("Tidy up"), answered()], number=2)

    found = {one.uuid: one for one in ask().sessions}

    assert (found[uuid(2)].kind, found[uuid(2)].parent_uuid) == ("subagent", uuid(1))
    assert found[uuid(2)].resume_command is None


# Title


def test_without_a_name_the_first_prompt_is_the_title(home: Path, only: Only) -> None:
    session(home, [started(), said("Graft the plum"), answered(), said("And the quince", 40)])

    assert only().title == "Graft the plum"


def test_a_blank_name_gives_way_to_the_first_prompt(home: Path, only: Only) -> None:
    session(home, yaml=workspace(name="'  '"))

    assert only().title == "Prompt 1"


def test_older_builds_called_the_name_a_summary(home: Path, only: Only) -> None:
    session(home, yaml=workspace(summary="Grafting"))

    assert only().title == "Grafting"


def test_a_prompt_that_no_person_sent_is_no_title_and_no_message(home: Path, only: Only) -> None:
    sent = said("<system_notification>done</system_notification>", 1, source="system")
    skill = said("Skill text", 2, source="skill-pdf")
    session(home, [started(), sent, skill, said("Graft the plum", 3), answered()])

    assert (only().title, only().message_count) == ("Graft the plum", 2)


def test_a_reminder_after_a_prompt_is_no_part_of_it(home: Path, only: Only) -> None:
    session(home, [started(), said("Graft the plum\n\n<reminder>Be brief</reminder>"), answered()])

    assert only().title == "Graft the plum"


def test_a_prompt_that_shows_nothing_is_passed_over(home: Path, only: Only) -> None:
    session(home, [started(), said(" \n"), said("Graft", 2)])

    assert only().title == "Graft"


# Directory, models, times


def test_the_workspace_says_where_a_session_runs(home: Path, only: Only) -> None:
    session(home, turns(cwd="/srv/barn"))

    assert only().project_dir == CWD


@pytest.mark.parametrize("yaml", [None, workspace(cwd=None), workspace(cwd="")])
def test_else_its_first_event_says_so(home: Path, only: Only, yaml: str | None) -> None:
    session(home, turns(cwd="/srv/barn"), yaml=yaml)

    assert (only().project_dir, only().created) == ("/srv/barn", at())


def test_a_session_without_a_directory_has_none(home: Path, only: Only) -> None:
    session(home, turns(cwd=None), yaml=None)

    assert (only().project_dir, only().resume_command) == (None, f"copilot --resume={uuid(1)}")


def test_resuming_elsewhere_moves_no_session(home: Path, only: Only) -> None:
    resumed = event("session.resume", 50, context={"cwd": "/srv/barn"}, selectedModel="x")
    session(home, [*turns(), resumed, said("Again", 60)], yaml=None)

    assert only().project_dir == CWD


def test_models_are_those_that_answered_the_session_itself(home: Path, only: Only) -> None:
    changed = event("session.model_change", 41, newModel="chosen")
    child = [answered(42, "small", agent="a1"), answered(43, "tiny", parentToolCallId="call_1")]
    session(home, [*turns(), changed, *child, answered(44, "large"), answered(45), answered(46, None)])

    assert only().models == (MODEL, "large")


def test_a_session_without_an_answer_has_no_model(home: Path, only: Only) -> None:
    session(home, [started(), said("Graft"), event("abort", 2, reason="user")])

    assert (only().models, only().last_activity) == ((), at(2))


def test_the_latest_event_is_the_last_activity_whatever_the_workspace_says(home: Path, only: Only) -> None:
    late = event("session.shutdown", 90)
    session(home, [*turns(), late, answered(80)], yaml=workspace(updated_at=at(5000)), modified=9000)

    assert (only().last_activity, only().extra) == (at(90), {"agent_version": VERSION})


@pytest.mark.parametrize("time", [None, "", "yesterday", 7, [], "0001-01-01T00:00:00.000Z"])
def test_where_no_event_has_a_time_the_file_has(home: Path, only: Only, time: object) -> None:
    events = [{**one, "timestamp": time} for one in turns()]
    session(home, events, modified=600)

    assert (only().last_activity, only().extra["last_activity_source"]) == (at(600), "mtime")


def test_created_is_when_the_workspace_was_made(home: Path, only: Only) -> None:
    session(home, yaml=workspace(created_at=at(-5)))

    assert only().created == at(-5)


# Subagents, which stand in the log of their session


def test_subagents_are_counted_and_change_nothing_else(home: Path, only: Only) -> None:
    begun = [event("subagent.started", 2, agent=one, agentName="explore", model="small") for one in ("a1", "a2")]
    own = [said("Survey", 3, agent="a1", source="agent-x"), answered(4, "small", agent="a1", parentToolCallId="c")]
    session(home, [started(), said("Graft"), *begun, *own, answered(model=MODEL)])

    found = only()

    assert (found.title, found.models, found.message_count) == ("Graft", (MODEL,), 2)
    assert found.extra["subagents"] == 2


# Older generations


def test_a_session_without_a_folder_is_read(home: Path, only: Only) -> None:
    path = flat(home, [started(cwd=None), said("Graft"), answered(model=None), event("session.info", 50, message="x")])

    found = only()

    assert (found.uuid, found.title, found.path) == (uuid(1), "Graft", str(path))
    assert (found.models, found.message_count, found.project_dir) == ((), 2, None)
    assert (found.created, found.last_activity) == (at(), at(50))
    assert found.resume_command == f"copilot --resume={uuid(1)}"


def test_a_save_of_the_first_builds_is_read(home: Path, only: Only) -> None:
    path = save(home)

    found = only()

    assert (found.uuid, found.title, found.path) == (uuid(1), "Prompt 1", str(path))
    assert (found.models, found.message_count, found.project_dir) == ((), 2, None)
    assert (found.created, found.last_activity, found.extra) == (at(), at(30), {})
    assert found.size_bytes == path.stat().st_size
    assert found.resume_command == f"copilot --resume={uuid(1)}"


def test_a_prompt_in_a_save_may_have_parts_and_a_reminder(home: Path, only: Only) -> None:
    parts = [{"type": "image_url", "text": "no"}, {"type": "text", "text": "Graft"}, {"type": "text", "text": "it"}]
    parts.append({"type": "text", "text": "<reminder>Be brief</reminder>"})
    save(home, saved(chatMessages=[{"role": "user", "content": parts}]))

    assert only().title == "Graft it"


def test_a_save_in_which_nobody_spoke_is_no_session(home: Path, ask: Ask) -> None:
    save(home, saved(chatMessages=[{"role": "system", "content": "x"}]))
    save(home, saved(2, chatMessages=[]), number=2)

    assert (ask().sessions, ask().warnings) == ((), ())


def test_a_save_without_times_has_that_of_its_file(home: Path, only: Only) -> None:
    put(save(home, saved(startTime=None, timeline=[])), (home / SAVES / "x").name, 0)
    save(home, saved(startTime=None, timeline=[]))

    assert (only().created, only().extra["last_activity_source"]) == (None, "mtime")


def test_a_log_that_goes_on_from_a_save_has_its_messages(home: Path, only: Only) -> None:
    legacy = {**saved(), "startTime": at()}
    taken = event("session.import_legacy", 50, legacySession=legacy, importTime=at(50), sourceFile="session_1.json")
    flat(home, [started(cwd=None), taken, said("And the quince", 60), answered(70, None)])

    assert (only().title, only().message_count, only().last_activity) == ("Prompt 1", 4, at(70))


def test_what_the_builds_with_folders_left_is_not_opened_any_more(home: Path, ask: Ask) -> None:
    session(home)
    flat(home, number=2)
    save(home, number=3)

    commands = {one.uuid: one.resume_command for one in ask().sessions}

    assert commands == {uuid(1): RESUME, uuid(2): None, uuid(3): None}


def test_one_session_in_several_generations_is_one_row(home: Path, only: Only) -> None:
    old, older = flat(home), save(home)
    path = session(home, turns(cwd=None), yaml=workspace())

    found = only()

    assert (found.path, found.resume_command, found.project_dir) == (str(path), RESUME, CWD)
    assert found.extra["copies"] == [str(old), str(older)]


def test_of_copies_the_one_with_the_newest_activity_counts(home: Path, only: Only) -> None:
    old = session(home)
    path = flat(home, [started(cwd=None), said("Later", 900)])

    assert (only().path, only().title, only().extra["copies"]) == (str(path), "Later", [str(old)])
    assert only().project_dir == CWD
