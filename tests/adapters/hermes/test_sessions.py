"""What Hermes Agent's databases and files say of a session."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, put
from tests.builders.hermes import (
    COLUMNS,
    HOME,
    MODEL,
    USAGE,
    answered,
    change,
    child,
    database,
    epoch,
    key,
    live_database,
    log,
    said,
    session,
    snapshot,
    structured,
    used,
    wall,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]


@pytest.fixture(autouse=True)
def wall_clock_of_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def by_id(page: Page) -> dict[str, Session]:
    return {one.uuid: one for one in page.sessions}


def test_a_row_tells_everything(home: Path, only: Only) -> None:
    path = database(home, [session(title="Titled", git_branch="main", ended_at=epoch(900))])

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": key(1),
        "agent": "hermes",
        "title": "Titled",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "message_count": 2,
        "size_bytes": None,
        "path": str(path),
        "resume_command": f"cd {CWD} && hermes --resume {key(1)}",
        "extra": {"source": "cli", "git_branch": "main"},
    }


@pytest.mark.parametrize("shm", [True, False])
def test_what_stands_in_the_wal_alone_is_read(home: Path, ask: Ask, shm: bool) -> None:
    live_database(home, [session(2)], shm=shm, at_rest=[session(1)])

    assert set(by_id(ask())) == {key(1), key(2)}


# What is a session


@pytest.mark.parametrize(
    "messages",
    [[], [said("…", role="system")], [said("…", role="tool")], [said("…", role="session_meta")]],
)
def test_a_run_in_which_nobody_said_anything_is_none(home: Path, ask: Ask, messages: list[Any]) -> None:
    database(home, [session(1, messages, message_count=9), session(2)])

    assert list(by_id(ask())) == [key(2)]


def test_a_prompt_without_an_answer_is_a_session_with_the_model_chosen(home: Path, only: Only) -> None:
    database(home, [session(1, [said("Graft")], usage=[])])

    found = only()

    assert (found.title, found.models, found.last_activity, found.message_count) == ("Graft", (MODEL,), at(1), 1)


def test_dumps_and_indexes_are_no_sessions(home: Path, ask: Ask) -> None:
    folder = home / HOME / "sessions"
    put(folder / f"request_dump_{key(1)}_20260310_090000_000000.json", json.dumps({"session_id": key(1)}))
    put(folder / "sessions.json", json.dumps({"agent:main": {"session_id": key(1)}}))
    put(home / HOME / ".hermes_history", "Graft")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


# Titles


@pytest.mark.parametrize("title", [None, "", "  ", "\u200b"])
def test_without_a_title_the_first_prompt_is_it(home: Path, only: Only, title: str | None) -> None:
    messages = [said("…", 0, "system"), said("Graft\nthe plum", 1), answered(2), said("Prune", 3)]
    database(home, [session(1, messages, title=title)])

    assert only().title == "Graft the plum"


def test_the_first_prompt_is_the_earliest(home: Path, only: Only) -> None:
    database(home, [session(1, [said("Later", 50), said("Earlier", 1)])])

    assert only().title == "Earlier"


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (
            structured({"type": "image_url"}, {"type": "text", "text": "Graft"}, {"type": "text", "text": "it"}),
            "Graft it",
        ),
        (structured({"type": "image_url"}), "Second"),
        ("\x00json:{", "Second"),
        ("\x00json:", "Second"),
        ("[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were…", "Second"),
        ("[CONTEXT SUMMARY]: earlier", "Second"),
        ("", "Second"),
        (None, "Second"),
        ("\u200b", "Second"),
        (b"Graft", "Graft"),
        (7, "7"),
    ],
)
def test_a_prompt_is_what_a_person_wrote(home: Path, only: Only, content: object, title: str) -> None:
    database(home, [session(1, [said(content), said("Second", 2)])])

    assert only().title == title


def test_what_was_taken_back_is_neither_title_nor_message(home: Path, only: Only) -> None:
    messages = [said("Taken back", 1, active=0), said("Graft", 2), answered(3)]
    database(home, [session(1, messages)])

    found = only()

    assert (found.title, found.message_count) == ("Graft", 2)


def test_what_was_summarised_is_a_title_still(home: Path, only: Only) -> None:
    summarised = [said("Graft", 1, active=0, compacted=1), answered(2, active=0, compacted=1)]
    database(home, [session(1, [*summarised, said("[CONTEXT COMPACTION — …]", 3), answered(4)])])

    found = only()

    assert (found.title, found.message_count, found.last_activity) == ("Graft", 2, at(4))


# Models


def test_models_are_those_used_in_order_and_not_those_of_helpers(home: Path, only: Only) -> None:
    usage = [used("b", 9), used("a", 2), used("tiny", 1, task="title_generation")]
    database(home, [session(1, usage=usage)])

    assert only().models == ("a", "b")


@pytest.mark.parametrize("usage", [[], [used("tiny", task="vision")]])
def test_without_any_use_the_model_chosen_counts(home: Path, only: Only, usage: list[Any]) -> None:
    database(home, [session(1, usage=usage)])

    assert only().models == (MODEL,)


def test_without_any_model_there_is_none(home: Path, only: Only) -> None:
    database(home, [session(1, usage=[], model=None)])

    assert only().models == ()


# Times


@pytest.mark.parametrize(
    ("moments", "last"),
    [((1, 30), 30), ((30, 1), 30), ((1, 1e12), 1), ((1, "soon"), 1), ((1, None), 1), ((-1e15,), 0), ((None,), 0)],
)
def test_the_last_activity_is_the_latest_sane_time_of_a_message(
    home: Path, only: Only, moments: tuple[object, ...], last: float
) -> None:
    times = [epoch(one) if isinstance(one, int | float) else one for one in moments]
    database(home, [session(1, [{"role": "user", "content": "Graft", "timestamp": one} for one in times])])

    assert only().last_activity == at(last)


def test_without_any_time_the_files_counts_and_is_said_to(home: Path, only: Only) -> None:
    path = database(home, [session(1, [said("Graft", timestamp=None)], started_at=None)])
    os.utime(path, (epoch(77), epoch(77)))

    found = only()

    assert (found.last_activity, found.created) == (at(77), None)
    assert found.extra["last_activity_source"] == "mtime"


# Where a session came from


def test_a_session_that_another_spawned_is_a_subagent(home: Path, ask: Ask) -> None:
    database(home, [session(1), child(2, 1), child(3, 2)])

    found = by_id(ask())

    assert [(found[key(n)].kind, found[key(n)].parent_uuid) for n in (1, 2, 3)] == [
        ("agent", None),
        ("subagent", key(1)),
        ("subagent", key(2)),
    ]
    assert (found[key(2)].project_dir, found[key(2)].resume_command) == (None, None)


@pytest.mark.parametrize(
    ("keys", "config", "parent"),
    [
        ({"source": "subagent", "parent_session_id": key(1)}, None, key(1)),
        ({"source": "subagent"}, None, None),
        ({"parent_session_id": key(1)}, {"_delegate_from": key(1)}, key(1)),
        ({}, {"_delegate_from": key(1)}, key(1)),
        ({}, {"_delegate_from": "__orphaned__"}, None),
        ({"parent_session_id": key(8)}, {"_delegate_from": key(8)}, key(8)),
    ],
)
def test_either_mark_makes_a_subagent(
    home: Path, ask: Ask, keys: dict[str, Any], config: object, parent: str | None
) -> None:
    database(home, [session(1), session(2, config=config, **keys)])

    found = by_id(ask())[key(2)]

    assert (found.kind, found.parent_uuid) == ("subagent", parent)


@pytest.mark.parametrize(
    ("end", "config", "extra"),
    [
        ("compression", None, {"continues": key(1)}),
        ("branched", None, {"forked_from": key(1)}),
        ("agent_close", {"_branched_from": key(1)}, {"forked_from": key(1)}),
        ("compression", {"_branched_from": key(1)}, {"forked_from": key(1)}),
        (None, None, {}),
    ],
)
def test_a_session_that_goes_on_from_another_is_no_subagent(
    home: Path, ask: Ask, end: str | None, config: object, extra: dict[str, str]
) -> None:
    database(home, [session(1, end_reason=end), session(2, config=config, parent_session_id=key(1))])

    found = by_id(ask())[key(2)]

    assert (found.kind, found.parent_uuid, found.extra) == ("agent", None, {"source": "cli", **extra})
    assert found.resume_command is not None


@pytest.mark.parametrize("schema", [None, 12, 15])
def test_before_subagents_were_marked_any_other_child_is_one(home: Path, ask: Ask, schema: int | None) -> None:
    children = [session(number, parent_session_id=key(parent)) for number, parent in ((4, 1), (5, 2), (6, 3))]
    ended = [session(1), session(2, end_reason="compression"), session(3, end_reason="branched")]
    database(home, [*ended, *children], schema=schema)

    found = by_id(ask())

    assert [found[key(number)].kind for number in (4, 5, 6)] == ["subagent", "agent", "agent"]
    assert found[key(4)].parent_uuid == key(1)


# The rest


def test_archived_sessions_and_those_of_other_programs_say_so(home: Path, ask: Ask) -> None:
    database(home, [session(1, archived=1), session(2, source="telegram", cwd=None)])

    found = by_id(ask())

    assert found[key(1)].extra == {"source": "cli", "archived": True}
    assert found[key(2)].extra == {"source": "telegram"}
    assert found[key(2)].resume_command == f"hermes --resume {key(2)}"


@pytest.mark.parametrize("cwd", ["orchard", "", None, 7])
def test_a_directory_that_is_none_is_not_shown(home: Path, only: Only, cwd: object) -> None:
    database(home, [session(1, cwd=cwd)])

    assert only().project_dir is None


def test_the_command_is_quoted(home: Path, only: Only) -> None:
    database(home, [session(1, cwd="/srv/my orchard")])

    command = only().resume_command

    assert command is not None
    assert shlex.split(command) == ["cd", "/srv/my orchard", "&&", "hermes", "--resume", key(1)]


# Older and newer tables


@pytest.mark.parametrize("gone", [column.split()[0] for column in COLUMNS[1:]])
def test_a_column_that_is_not_there_costs_itself_alone(home: Path, only: Only, gone: str) -> None:
    columns = [column for column in COLUMNS if column.split()[0] != gone]
    row = session(1, title="Titled")
    row.row.pop(gone, None)
    database(home, [row], columns=columns)

    found = only()

    assert found.uuid == key(1)
    assert found.title == ("Prompt 1" if gone == "title" else "Titled")
    assert found.project_dir == (None if gone == "cwd" else CWD)


def test_messages_without_marks_and_no_table_of_models(home: Path, only: Only) -> None:
    messages = "messages (session_id TEXT, role TEXT, content TEXT, timestamp REAL)"
    database(home, [session(1, usage=[])], others=[messages])

    found = only()

    assert (found.title, found.message_count, found.models) == ("Prompt 1", 2, (MODEL,))


def test_without_a_table_of_messages_their_number_tells(home: Path, ask: Ask) -> None:
    rows = [session(1, [], usage=[], message_count=2, title="Titled"), session(2, [], usage=[], message_count=0)]
    database(home, rows, others=[USAGE])

    (found,) = ask().sessions

    assert (found.uuid, found.message_count, found.last_activity) == (key(1), None, at())


# Files of older builds


def test_a_snapshot_alone_is_a_session(home: Path, only: Only) -> None:
    path = snapshot(home)

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": key(1),
        "title": "Prompt 1",
        "project_dir": None,
        "models": [MODEL],
        "created": at(),
        "last_activity": at(30),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "resume_command": None,
        "extra": {"source": "cli"},
    }


def test_a_log_alone_is_a_session(home: Path, only: Only) -> None:
    path = log(home)

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": key(1),
        "title": "Prompt 1",
        "models": [MODEL],
        "created": at(),
        "last_activity": at(30),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "resume_command": None,
    }


def test_times_without_a_zone_are_those_of_the_clock_on_the_wall(
    home: Path, only: Only, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "EST+5")
    time.tzset()
    snapshot(home, session_start=wall(-5 * 3600), last_updated=wall(-5 * 3600 + 30))

    found = only()

    assert (found.created, found.last_activity) == (at(), at(30))


def test_the_database_counts_and_the_files_are_copies(home: Path, only: Only) -> None:
    path = database(home, [session(1)])
    files = [snapshot(home, last_updated=wall(900)), log(home)]

    found = only()

    assert (found.path, found.last_activity) == (str(path), at(30))
    assert found.extra["copies"] == [str(one) for one in files]


@pytest.mark.parametrize(
    "messages", [[], [{"role": "system", "content": "…"}], [{"role": "tool", "content": "…"}], [{}]]
)
def test_a_file_in_which_nobody_said_anything_is_no_session(home: Path, ask: Ask, messages: list[Any]) -> None:
    snapshot(home, 1, messages)
    log(home, 2, messages)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_what_was_never_closed_stays_listed(home: Path, ask: Ask) -> None:
    database(home, [session(number) for number in range(1, 40)])

    assert len(ask().sessions) == 39


def test_damaged_messages_cost_no_session(home: Path, ask: Ask) -> None:
    path = database(home, [session(number, [said("x" * 3000), answered()], title=f"T{number}") for number in range(30)])
    pages = change(path, "CREATE TABLE IF NOT EXISTS spare (x)").read_bytes()
    root = _root_page(path, "messages")
    start = (root - 1) * 4096
    path.write_bytes(pages[:start] + b"\xff" * 4096 + pages[start + 4096 :])

    page = ask()

    assert {one.title for one in page.sessions} == {f"T{number}" for number in range(30)}


def _root_page(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return int(row[0])
