"""What each generation of Codex's files says of a thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.codex import (
    MODEL,
    Record,
    bare,
    environment,
    event,
    item,
    meta,
    name,
    numbered,
    paginated,
    raw,
    response,
    rollout,
    said,
    save,
    spawned,
    state_database,
    turn,
    wrapped,
)
from tests.builders.common import CWD, at, lines, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

RESUME = f"cd {CWD} && codex resume {uuid(1)}"


def test_a_save_of_the_typescript_builds_tells_little(home: Path, only: Only) -> None:
    path = save(home, [raw("Graft the plum"), raw("Done.", "assistant"), raw("And the quince")])

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "agent": "codex",
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": None,
        "launch_surface": None,
        "models": [],
        "last_activity": at(60),
        "created": None,
        "message_count": 3,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": None,
    }
    assert session.extra == {}


def test_a_save_with_plain_text_for_content_is_read(home: Path, only: Only) -> None:
    save(home, [{"type": "message", "role": "user", "content": "Graft the plum"}])

    assert only().title == "Graft the plum"


def test_a_save_without_a_time_is_as_old_as_its_file(home: Path, only: Only) -> None:
    save(home, timestamp=..., modified=90)

    session = only()

    assert session.last_activity == at(90)
    assert session.extra == {"last_activity_source": "mtime"}


def test_a_save_without_an_id_is_no_session(home: Path, ask: Ask) -> None:
    save(home, id=...)

    assert ask().sessions == ()


def test_two_saves_of_a_session_that_crossed_midnight_are_one(home: Path, only: Only) -> None:
    old = save(home, [raw("Before midnight")], day="2026-03-10")
    new = save(home, [raw("Before midnight"), raw("After it")], day="2026-03-11", timestamp=at(120))

    session = only()

    assert (session.path, session.last_activity, session.message_count) == (str(new), at(120), 2)
    assert session.extra["copies"] == [str(old)]


def test_a_bare_rollout_tells_its_start_and_what_was_said(home: Path, only: Only) -> None:
    path = rollout(home, bare(text="Graft the plum", git={"branch": "spring"}), modified=90)

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": None,
        "launch_surface": None,
        "models": [],
        "last_activity": at(90),
        "created": at(),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "resume_command": None,
    }
    assert session.extra == {"git_branch": "spring", "last_activity_source": "mtime"}


def test_a_legacy_rollout_tells_everything(home: Path, only: Only) -> None:
    path = rollout(
        home,
        [
            meta(git={"branch": "spring"}, thread_source="user"),
            turn(),
            said("Graft the plum"),
            event("agent_message", 30, message="Done."),
        ],
    )

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "agent": "codex",
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": "codex_cli_rs",
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": RESUME,
    }
    assert session.extra == {
        "source": "cli",
        "thread_source": "user",
        "model_provider": "openai",
        "agent_version": "0.150.0",
        "git_branch": "spring",
    }


def test_a_paginated_rollout_tells_the_same(home: Path, only: Only) -> None:
    rollout(home, paginated(text="Graft the plum", originator="codex_exec", source="exec"))

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "title": "Graft the plum",
        "project_dir": CWD,
        "launch_surface": "codex_exec",
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "message_count": 2,
        "resume_command": RESUME,
    }


def test_a_paginated_thread_that_an_older_build_continued_is_read_in_both_styles(home: Path, only: Only) -> None:
    older = [turn(40, "gpt-older"), said("And the quince", 41), event("agent_message", 50, message="Done.")]
    rollout(home, [*paginated(text="Graft the plum"), *older])

    session = only()

    assert (session.title, session.models, session.message_count) == ("Graft the plum", (MODEL, "gpt-older"), 4)
    assert session.last_activity == at(50)


@pytest.mark.parametrize(
    "file",
    [
        name(9),
        name(9, segment=8),
        f"rollout-2026-03-10-{uuid(9)}.jsonl",
        f"rollout-{uuid(9)}.jsonl",
        "rollout-of-mine.jsonl",
    ],
)
def test_the_first_header_says_the_id_whatever_the_file_is_called(home: Path, only: Only, file: str) -> None:
    put(home / ".codex/sessions/2026/03/10" / file, [meta(1, session_id=uuid(7)), meta(2), said("Hello")])

    assert only().uuid == uuid(1)


@pytest.mark.parametrize(
    "file",
    [
        name(9),
        name(9, segment=8),
        f"rollout-2026-03-10-{uuid(9)}.jsonl",
        f"rollout-{uuid(9)}.jsonl",
    ],
)
def test_without_a_header_the_name_says_the_id(home: Path, only: Only, file: str) -> None:
    put(home / ".codex/sessions/2026/03/10" / file, [turn(1), said("Hello", 2)])

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(9),
        "title": "Hello",
        "project_dir": CWD,
        "launch_surface": None,
        "created": at(1),
        "last_activity": at(2),
    }


def test_a_later_header_that_says_more_does_not_rename_the_thread(home: Path, only: Only) -> None:
    rollout(home, [meta(1, cwd=..., originator="codex_exec"), meta(2, cwd="/srv/ancestor"), said("Hello")])

    session = only()

    assert (session.uuid, session.launch_surface) == (uuid(1), "codex_exec")


def test_a_header_without_an_id_is_none(home: Path, only: Only) -> None:
    rollout(home, [meta(id=...), turn(), said("Hello")], number=9)

    assert only().uuid == uuid(9)


@pytest.mark.parametrize("records", [[turn(), said("Hello")], [raw("Hello")], [{"note": "mine"}]])
def test_a_file_that_names_no_thread_is_no_session(home: Path, ask: Ask, records: list[Record]) -> None:
    put(home / ".codex/sessions/rollout-of-mine.jsonl", records)

    assert ask().sessions == ()


def test_created_is_what_the_header_says_not_when_it_was_written(home: Path, only: Only) -> None:
    rollout(home, [meta(seconds=5, timestamp=at(2)), said("Hello", 6)])

    assert only().created == at(2)


def test_created_is_the_first_record_where_the_header_says_nothing(home: Path, only: Only) -> None:
    rollout(home, [meta(seconds=5, timestamp=...), said("Hello", 6)])

    assert only().created == at(5)


@pytest.mark.parametrize("modified", [-86_400 * 300, 86_400 * 300])
def test_last_activity_is_the_last_record_whatever_the_file_time_says(home: Path, only: Only, modified: float) -> None:
    rollout(home, modified=modified)

    session = only()

    assert session.last_activity == at(30)
    assert "last_activity_source" not in session.extra


def test_a_thread_resumed_after_months_is_ordered_by_what_was_said_last(home: Path, ask: Ask) -> None:
    day = 86_400
    rollout(home, [meta(1), said("Old"), said("Back again", 200 * day)], number=1)
    rollout(home, [meta(2, 100 * day), said("Begun later", 100 * day)], number=2)

    assert [session.uuid for session in ask().sessions] == [uuid(1), uuid(2)]


@pytest.mark.parametrize("timestamp", [None, "soon", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", 17])
def test_a_record_with_an_absurd_time_does_not_count(home: Path, only: Only, timestamp: object) -> None:
    rollout(home, [meta(), said("Hello", 10), event("token_count") | {"timestamp": timestamp}])

    assert only().last_activity == at(10)


def test_times_without_a_zone_are_utc(home: Path, only: Only) -> None:
    rollout(home, [meta(), said("Hello") | {"timestamp": "2026-03-10T09:05:00"}])

    assert only().last_activity == at(300)


def test_records_without_any_time_leave_the_file_time(home: Path, only: Only) -> None:
    rollout(home, [meta(timestamp=...) | {"timestamp": None}, said("Hello") | {"timestamp": None}], modified=90)

    session = only()

    assert session.last_activity == at(90)
    assert session.extra["last_activity_source"] == "mtime"


@pytest.mark.parametrize(
    "megabytes",
    [2, 9],
)
def test_a_last_record_of_many_megabytes_still_says_the_time(home: Path, only: Only, megabytes: int) -> None:
    rollout(home, [meta(), said("Hello", 10), response("x" * (megabytes << 20), 500)])

    assert only().last_activity == at(500)


def test_models_are_listed_once_in_their_order(home: Path, only: Only) -> None:
    models = ["gpt-b", "gpt-a", "gpt-b", "gpt-c", "gpt-a"]
    rollout(home, [meta(), *(turn(second, model) for second, model in enumerate(models))])

    assert only().models == ("gpt-b", "gpt-a", "gpt-c")


def test_a_turn_without_a_model_adds_none(home: Path, only: Only) -> None:
    rollout(home, [meta(), wrapped("turn_context", {"cwd": CWD}), said("Hello")])

    assert only().models == ()


def test_models_of_a_copied_history_are_left_out(home: Path, only: Only) -> None:
    records = [
        meta(1, source=spawned(2), subagent_history_start_ordinal=3),
        meta(2),
        turn(1, "gpt-of-the-parent"),
        turn(2, "gpt-own"),
    ]
    rollout(home, numbered(records))

    assert only().models == ("gpt-own",)


def test_a_model_named_in_a_large_file_far_from_both_ends_is_found(home: Path, only: Only) -> None:
    filler = [response("x" * 1000, role="assistant")] * 200
    rollout(home, lines([meta(), *filler, turn(1, "gpt-in-the-middle"), *filler]))

    assert only().models == ("gpt-in-the-middle",)


def test_messages_are_those_of_both_sides(home: Path, only: Only) -> None:
    messages = [said("One"), event("agent_message", message="a"), event("agent_message", message="b"), said("Two")]
    others = [
        event("token_count"),
        event("agent_reasoning", text="hm"),
        response("One"),
        response("a", role="assistant"),
    ]
    rollout(home, [meta(), *messages, *others])

    assert only().message_count == 4


def test_completed_items_that_are_no_messages_do_not_count(home: Path, only: Only) -> None:
    items = [item("UserMessage", "One"), item("AgentMessage", "a"), item("CommandExecution", ""), item("Reasoning", "")]
    rollout(home, numbered([meta(history_mode="paginated"), *items]))

    assert only().message_count == 2


def test_what_codex_wrote_into_a_bare_rollout_is_no_message(home: Path, only: Only) -> None:
    rollout(home, [*bare(), raw(environment()), raw("Be terse", "developer"), raw("And the quince")])

    assert only().message_count == 3


def test_a_thread_in_which_nobody_spoke_has_no_messages(home: Path, only: Only) -> None:
    rollout(home, [meta(), turn()])

    session = only()

    assert (session.title, session.message_count) == (None, 0)


@pytest.mark.parametrize("originator", ["codex-tui", "codex_vscode", "Codex Desktop", "my own client/2"])
def test_the_surface_is_the_originator_word_for_word(home: Path, only: Only, originator: str) -> None:
    rollout(home, [meta(originator=originator, source="vscode"), said("Hello")])

    assert only().launch_surface == originator


def test_the_directory_is_taken_from_the_best_witness(home: Path, only: Only) -> None:
    context = response(environment("/srv/told"))
    rollout(home, [meta(cwd=...), context, turn(cwd="/srv/turn")])
    assert only().project_dir == "/srv/told"

    rollout(home, [meta(cwd="/srv/header"), context, turn(cwd="/srv/turn")])
    assert only().project_dir == "/srv/header"

    moves = [event("thread_settings_applied", thread_settings={"cwd": cwd}) for cwd in ("/srv/first", "/srv/last")]
    rollout(home, [meta(cwd="/srv/header"), context, turn(cwd="/srv/turn"), *moves, said("Hello")])
    assert only().project_dir == "/srv/last"

    state_database(home, [{"id": uuid(1), "cwd": "/srv/database"}])
    assert only().project_dir == "/srv/database"


def test_settings_near_the_end_of_a_large_file_are_seen(home: Path, only: Only) -> None:
    filler = [response("x" * 1000, role="assistant")] * 200
    moved = event("thread_settings_applied", thread_settings={"cwd": "/srv/moved"})
    rollout(home, lines([meta(cwd="/srv/header"), *filler, moved, said("Hello")]))

    assert only().project_dir == "/srv/moved"


@pytest.mark.parametrize(
    "text",
    [
        environment("/srv/told"),
        "<environment_context>\nCurrent working directory: /srv/told\nApproval policy: never\n</environment_context>",
    ],
)
def test_old_rollouts_have_only_what_the_model_was_told(home: Path, only: Only, text: str) -> None:
    header, *others = bare()
    rollout(home, [header, raw(text), *others])

    session = only()

    assert (session.project_dir, session.title) == ("/srv/told", "Prompt 1")


def test_the_turn_says_the_directory_of_a_thread_that_lost_its_header(home: Path, only: Only) -> None:
    rollout(home, [turn(cwd="/srv/turn"), said("Hello")])

    assert only().project_dir == "/srv/turn"


@pytest.mark.parametrize(
    "cwd", ["/srv/orchard/", "/srv/Bäume", "/srv/Ba\u0308ume", "/srv/two words", "C:\\work\\trees", "\\\\host\\trees"]
)
def test_a_directory_is_kept_as_it_is_written(home: Path, only: Only, cwd: str) -> None:
    rollout(home, [meta(cwd=cwd), said("Hello")])

    assert only().project_dir == cwd


def test_a_database_with_a_damaged_directory_does_not_hide_the_one_in_the_header(home: Path, only: Only) -> None:
    rollout(home)
    state_database(home, [{"id": uuid(1), "cwd": "trees"}])

    assert only().project_dir == CWD


@pytest.mark.parametrize("cwd", ["", ".", "trees", "~/trees"])
def test_a_directory_that_is_no_absolute_path_is_none(home: Path, only: Only, cwd: str) -> None:
    rollout(home, [meta(cwd=cwd), said("Hello")])

    session = only()

    assert (session.project_dir, session.resume_command) == (None, f"codex resume {uuid(1)}")


def test_an_archived_thread_says_so_and_is_taken_out_first(home: Path, only: Only) -> None:
    rollout(home, archived=True)

    session = only()

    assert session.extra["archived"] is True
    assert session.resume_command == f"cd {CWD} && codex unarchive {uuid(1)} && codex resume {uuid(1)}"


def test_an_active_thread_says_nothing_of_an_archive(home: Path, only: Only) -> None:
    rollout(home)

    assert "archived" not in only().extra


def test_a_directory_is_quoted_for_the_shell(home: Path, only: Only) -> None:
    rollout(home, [meta(cwd="/srv/Anna's $trees"), said("Hello")])

    assert only().resume_command == f"""cd '/srv/Anna'"'"'s $trees' && codex resume {uuid(1)}"""


def test_a_subagent_cannot_be_resumed(home: Path, only: Only) -> None:
    rollout(home, [meta(1, source=spawned(2)), said("Hello")])

    assert only().resume_command is None


def test_extra_tells_how_a_subagent_was_spawned(home: Path, only: Only) -> None:
    source = spawned(2, depth=3, agent_path="/root/prune", agent_nickname="Fern", agent_role="worker")
    rollout(home, [meta(1, source=source, thread_source="subagent"), said("Hello")])

    assert only().extra == {
        "source": source,
        "thread_source": "subagent",
        "model_provider": "openai",
        "agent_version": "0.150.0",
        "subagent_type": "worker",
        "nickname": "Fern",
        "agent_path": "/root/prune",
        "spawn_depth": 3,
    }


def test_extra_takes_fields_of_the_header_before_those_of_its_source(home: Path, only: Only) -> None:
    own: Record = {"agent_path": "/root/new", "agent_nickname": "Moss", "agent_role": "explorer"}
    old = spawned(2, agent_path="/root/old", agent_nickname="Fern", agent_role="worker")
    rollout(home, [meta(1, source=old, **own), said("Hello")])

    extra = only().extra

    assert (extra["agent_path"], extra["nickname"], extra["subagent_type"]) == ("/root/new", "Moss", "explorer")


def test_unknown_records_and_fields_change_nothing(home: Path, only: Only) -> None:
    unknown = [
        wrapped("aura_updated", {"type": "glow", "message": ["not", "text"]}),
        event("user_gesture", message={"kind": "wave"}),
        wrapped("compacted", {"message": "", "replacement_history": [{"type": "message", "role": "user"}]}),
    ]
    rollout(home, [meta(aura={"colour": "green"}), *unknown, turn(), said("Hello", 2)])

    session = only()

    assert (session.title, session.last_activity) == ("Hello", at(2))


@pytest.mark.parametrize("strange", [7, ["a"], {"a": 1}, True])
def test_what_a_spawned_thread_says_of_itself_in_unexpected_types_is_left_out(
    home: Path, only: Only, strange: object
) -> None:
    source = spawned(1, agent_role=strange, agent_type=strange, agent_nickname=strange, agent_path=strange, depth="1")
    rollout(home, [meta(source=source), said("Hello")])

    session = only()

    assert (session.kind, session.parent_uuid) == ("subagent", uuid(1))
    assert session.extra.keys() & {"subagent_type", "nickname", "agent_path", "spawn_depth"} == set()


@pytest.mark.parametrize("originator", [7, {"name": "codex-tui"}, ["codex-tui"]])
def test_a_header_of_unexpected_types_keeps_what_can_be_used(home: Path, only: Only, originator: object) -> None:
    rollout(
        home,
        [meta(originator=originator, git="main", source=["cli"], subagent_history_start_ordinal="x"), said("Hello")],
    )

    session = only()

    assert (session.uuid, session.kind, session.project_dir) == (uuid(1), "agent", CWD)
    assert (session.launch_surface, session.title) == (None, "Hello")


def test_the_date_in_a_file_name_is_no_time(home: Path, only: Only) -> None:
    put(
        home / ".codex/sessions/2020/01/02" / f"rollout-2020-01-02T03-04-05-{uuid(1)}.jsonl", [meta(), said("Hello", 2)]
    )

    session = only()

    assert (session.created, session.last_activity) == (at(), at(2))
