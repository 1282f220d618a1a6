"""What each generation of Mistral Vibe's stores says of a session."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, START, at, epoch_ms, put, uuid
from tests.builders.vibe import (
    ALIAS,
    GENERATION,
    GENERATIONS,
    MODEL,
    answered,
    appended,
    child,
    entry,
    folder,
    meta,
    said,
    save,
    shown,
    started,
    unified,
    unified_child,
    unified_without_meta,
    wall,
)
from tests.builders.vibe import at as zoned

Ask = Callable[..., Page]
Only = Callable[..., Session]

every_generation = pytest.mark.parametrize("version", GENERATIONS)


@pytest.fixture(autouse=True)
def wall_clock_of_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def by_id(page: Page) -> dict[str, Session]:
    return {one.uuid: one for one in page.sessions}


@every_generation
def test_every_generation_tells_everything(home: Path, only: Only, version: str) -> None:
    path = GENERATIONS[version](home, 1, CWD)

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": uuid(1),
        "agent": "vibe",
        "title": "Prompt 1",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "message_count": 2,
        "path": str(path),
        "resume_command": f"cd {CWD} && vibe --resume {uuid(1)}",
    }
    assert found.extra == {}


def test_the_size_is_that_of_the_file_that_holds_the_messages(home: Path, ask: Ask) -> None:
    whole = save(home, 1)
    messages = folder(home, 2) / "messages.jsonl"
    unified(home, 3)

    sizes = {one.uuid: one.size_bytes for one in ask().sessions}

    assert sizes == {uuid(1): whole.stat().st_size, uuid(2): messages.stat().st_size, uuid(3): None}


# What is a session


@pytest.mark.parametrize(
    "messages", [[], [said("…", "system")], [said("Remember", injected=True)], [said("…", "tool")]]
)
def test_in_which_nobody_said_anything_is_none(home: Path, ask: Ask, messages: list[Any]) -> None:
    save(home, 1, messages)
    folder(home, 2, messages)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_unified_session_in_which_nobody_said_anything_is_none(home: Path, ask: Ask) -> None:
    unified(home, 1, [], session=shown(preview=""))
    unified_without_meta(home, 2, [], session=shown(2, preview=None))

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_what_lies_beside_sessions_is_none(home: Path, ask: Ask) -> None:
    root = home / ".vibe/logs/session"
    put(root / "active" / ".registry", b"")
    put(root / "unified" / ".session-index.json", json.dumps({"entries": []}))
    put(root / "unified" / uuid(9) / "scheduled-loops.json", "{}")
    put(root / "plugins" / "packages" / "meta.json", json.dumps(meta()))
    put(root / "notes.json", "{}")
    put(home / ".vibe/vibehistory", "Graft")
    put(home / ".vibe/logs/vibe.log", "Graft")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_prompt_without_an_answer_is_a_session(home: Path, ask: Ask) -> None:
    save(home, 1, [said("Graft")])
    folder(home, 2, [said("Graft")], title=None)
    unified(home, 3, [], session=shown(3, preview=""), journal=[started("Graft")])

    assert [(one.title, one.message_count) for one in ask().sessions] == [("Graft", 1), ("Graft", 1), ("Graft", 0)]


# Titles


@pytest.mark.parametrize("write", [folder, unified])
def test_a_title_comes_first(home: Path, only: Only, write: Callable[..., Path]) -> None:
    write(home, 1, title="Given")

    assert only().title == "Given"


def test_a_title_that_only_the_state_has_counts(home: Path, only: Only) -> None:
    unified(home, session=shown(title="Given"))

    assert only().title == "Given"


def test_the_first_prompt_of_a_person_is_the_title_else(home: Path, ask: Ask) -> None:
    messages = [
        said("Remember", injected=True),
        said([{"type": "text", "text": "Graft"}, {"type": "image"}]),
        answered(),
    ]
    folder(home, 2, messages, title=None)
    save(home, 1, [said(None), said(" "), *messages[1:]])

    assert {one.title for one in ask().sessions} == {"Graft"}


def test_without_a_preview_the_earliest_message_of_the_chunks_is_the_title(home: Path, only: Only) -> None:
    entries = [entry("Later", 9), entry("Graft", 1), entry("Done.", 0, "assistant"), entry("", 0)]
    unified(home, 1, entries, session=shown(preview=""), journal=[started("Last")])

    assert only().title == "Graft"


def test_a_chunk_that_is_too_large_is_left_out(home: Path, only: Only) -> None:
    unified(home, 1, [entry("x" * 3_000_000)], session=shown(preview=""), journal=[started("Graft")])

    assert only().title == "Graft"


# Models


@pytest.mark.parametrize(
    ("config", "models"),
    [
        ({"model_name": "a", "active_model": ALIAS, "models": [{"name": "b", "alias": ALIAS}]}, ("a",)),
        ({"active_model": ALIAS, "models": [{"name": "b", "alias": ALIAS}]}, ("b",)),
        ({"active_model": "b", "models": [{"name": "b"}]}, ("b",)),
        ({"active_model": ALIAS, "models": [{"name": "b", "alias": "other"}]}, ()),
        ({"active_model": ALIAS}, ()),
        ({"models": [{"name": "b", "alias": None}]}, ()),
        ({"active_model": ALIAS, "models": {"b": 7}}, ()),
        ({}, ()),
        (None, ()),
    ],
)
def test_the_model_is_the_one_that_the_alias_means(
    home: Path, ask: Ask, config: object, models: tuple[str, ...]
) -> None:
    folder(home, 1, config=config)
    unified(home, 2, config=config)
    save(home, 3, agent_config=config)

    assert [one.models for one in ask().sessions] == [models] * 3


# Times


@pytest.mark.parametrize(
    ("keys", "updated", "last"),
    [
        ({}, 30, 30),
        ({"end_time": None}, 20, 29),
        ({"end_time": None, "bumped_at": None}, 20, 20),
        ({"bumped_at": zoned(50)}, 30, 50),
        ({"end_time": zoned(60)}, 30, 60),
        ({}, 90, 90),
        ({"end_time": "soon", "bumped_at": 7}, 20, 20),
    ],
)
def test_the_last_activity_is_the_latest_time(
    home: Path, only: Only, keys: dict[str, Any], updated: float, last: float
) -> None:
    unified(home, session=shown(updatedAt=epoch_ms(updated)), **keys)

    assert only().last_activity == at(last)


def test_times_of_1_are_those_of_the_clock_on_the_wall(home: Path, only: Only, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "EST+5")
    time.tzset()
    save(home, start_time=wall(-5 * 3600), end_time=wall(-5 * 3600 + 30))

    found = only()

    assert (found.created, found.last_activity) == (at(), at(30))


@every_generation
def test_without_any_time_the_files_counts_and_is_said_to(home: Path, only: Only, version: str) -> None:
    if version == "1":
        path = save(home, start_time=None, end_time=None)
    elif version == "2":
        path = folder(home, start_time=None, end_time=None) / "meta.json"
    else:
        told = shown(createdAt=None, updatedAt=None)
        path = unified(home, session=told, start_time=None, end_time=None, bumped_at=None) / "meta.json"
    os.utime(path, (START.timestamp() + 77,) * 2)

    found = only()

    assert (found.last_activity, found.created) == (at(77), None)
    assert found.extra["last_activity_source"] == "mtime"


# Messages


def test_messages_that_vibe_wrote_itself_do_not_count(home: Path, only: Only) -> None:
    folder(home, 1, [said("Graft"), answered(), said("Remember", injected=True), said("…", "tool"), answered()])

    assert only().message_count == 3


def test_messages_of_a_unified_session_are_those_of_its_state_and_of_what_came_after(home: Path, only: Only) -> None:
    told = [entry("Graft"), entry("Done.", 30, "assistant"), entry("…", 31, "tool"), entry("…", 32, type="notice")]
    late = appended(entry("Prune", 40), entry("Done.", 50, "assistant"), entry("Done.", 30, "assistant"))
    early = appended(entry("Gone", 20), sequence=8)
    path = unified(home, 1, told, journal=[early, late])
    put(path / "chunks" / f"{'0' * 64}.json", json.dumps([entry("Of an older state", 5)]))

    assert only().message_count == 4


@pytest.mark.parametrize("gone", ["CURRENT", "chunks", f"generations/{GENERATION}/manifest.json"])
def test_messages_that_cannot_all_be_read_are_not_counted(home: Path, only: Only, gone: str) -> None:
    path = unified(home)
    (path / gone).rename(home / "gone")

    found = only()

    assert (found.title, found.message_count) == ("Prompt 1", None)


# A unified folder in pieces


def test_without_a_current_the_newest_state_counts(home: Path, only: Only) -> None:
    path = unified(home)
    put(path / "CURRENT", json.dumps({"generation": "0000000000000099"}))
    put(path / "generations/0000000000000004/projection-state.json", json.dumps({"snapshot": {"session": shown(8)}}))

    assert only().title == "Prompt 1"


@pytest.mark.parametrize("generation", ["../../../../elsewhere", "..", "", "a\x00b", 7, None])
def test_no_name_leads_out_of_the_folder(home: Path, only: Only, generation: object) -> None:
    path = unified(home, 1, [], session=shown(preview="Graft"))
    put(path / "CURRENT", json.dumps({"generation": generation}))
    put(
        home / ".vibe/logs/elsewhere/projection-state.json",
        json.dumps({"snapshot": {"session": shown(preview="Stolen")}}),
    )

    assert only().title == "Graft"


def test_without_a_state_what_is_noted_beside_it_counts(home: Path, only: Only) -> None:
    path = unified(home, title="Given")
    (path / "generations").rename(home / "gone")

    found = only()

    assert (found.uuid, found.title, found.last_activity) == (uuid(1), "Given", at(30))


def test_what_is_noted_may_be_damaged(home: Path, only: Only) -> None:
    path = unified(home)
    put(path / "meta.json", b'{"session_id": "')

    found = only()

    assert (found.uuid, found.title, found.project_dir) == (uuid(1), "Prompt 1", None)


def test_a_folder_of_which_nothing_can_be_read_is_reported(home: Path, ask: Ask) -> None:
    unified(home, 2)
    path = put(home / ".vibe/logs/session/unified" / uuid(1) / "meta.json", b"\x00\xff")

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "is no readable session")]


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_broken_session_is_reported(home: Path, ask: Ask, version: str) -> None:
    path = put(GENERATIONS[version](home, 1, CWD), b"\x00\xff")
    folder(home, 2)

    page = ask()

    assert [one.uuid for one in page.sessions] == [uuid(2)]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "is no readable session")]


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_session_without_an_id_is_reported(home: Path, ask: Ask, version: str) -> None:
    if version == "1":
        save(home, session_id=None)
    else:
        folder(home, session_id=7)

    page = ask()

    assert page.sessions == ()
    assert [one.problem for one in page.warnings] == ["is a session without an id"]


@pytest.mark.parametrize("content", [b"", b"\x00\xff"])
def test_messages_that_were_lost_are_noted_all_the_same(home: Path, only: Only, content: bytes) -> None:
    folder(home, 1, content, total_messages=2)

    found = only()

    assert (found.title, found.message_count, found.last_activity) == ("Prompt 1", 0, at(30))


def test_messages_alone_are_no_session(home: Path, ask: Ask) -> None:
    (folder(home) / "meta.json").unlink()

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_torn_last_message_costs_itself(home: Path, only: Only) -> None:
    folder(home, 1, b'{"role":"user","content":"Graft"}\n{"role":"assistant","con', title=None)

    found = only()

    assert (found.title, found.message_count) == ("Graft", 1)


# Sessions that others spawned


def test_a_folder_below_another_was_spawned_by_it(home: Path, ask: Ask) -> None:
    parent = folder(home, 1)
    inner = child(parent, 7)
    child(inner, 8, "plan")

    found = by_id(ask())

    one, two = found[uuid(7)], found[uuid(8)]
    assert (one.kind, one.parent_uuid, one.title, one.resume_command) == ("subagent", uuid(1), "Prompt 7", None)
    assert (one.project_dir, one.models, one.extra) == (CWD, (MODEL,), {"subagent_type": "explore"})
    assert (two.kind, two.parent_uuid, two.extra) == ("subagent", uuid(7), {"subagent_type": "plan"})
    assert found[uuid(1)].kind == "agent"


def test_a_child_whose_parent_cannot_be_read_is_a_child_all_the_same(home: Path, ask: Ask) -> None:
    parent = folder(home, 1)
    child(parent, 7)
    (parent / "meta.json").unlink()

    (found,) = ask().sessions

    assert (found.kind, found.parent_uuid) == ("subagent", None)


def test_a_unified_folder_without_notes_was_spawned(home: Path, ask: Ask) -> None:
    unified(home, 1)
    path = unified_child(home, 1, 7)

    found = by_id(ask())[f"child-{7:024x}"]

    assert found.to_dict() == found.to_dict() | {
        "title": "Prompt 7",
        "kind": "subagent",
        "parent_uuid": uuid(1),
        "project_dir": None,
        "models": [],
        "created": at(),
        "last_activity": at(30),
        "message_count": 1,
        "path": str(path / "CURRENT"),
        "resume_command": None,
    }


# Sessions that go on from others


@pytest.mark.parametrize("write", [folder, unified])
def test_a_session_that_goes_on_from_another_is_no_child(home: Path, ask: Ask, write: Callable[..., Path]) -> None:
    write(home, 1)
    write(home, 2, parent_session_id=uuid(1))

    found = by_id(ask())[uuid(2)]

    assert (found.kind, found.parent_uuid, found.extra) == ("agent", None, {"forked_from": uuid(1)})


def test_a_session_continued_in_a_file_of_its_own_is_two(home: Path, ask: Ask) -> None:
    folder(home, 1)
    folder(home, 2, [said("Prompt 1"), answered(), said("Prompt 2")], title="Prompt 1")

    assert [(one.uuid, one.title) for one in ask().sessions] == [(uuid(1), "Prompt 1"), (uuid(2), "Prompt 1")]


def test_an_upgrade_keeps_the_old_files(home: Path, only: Only) -> None:
    old = [folder(home) / "meta.json", save(home)]
    new = unified(home) / "meta.json"

    found = only()

    assert found.path == str(new)
    assert found.extra["copies"] == [str(path) for path in old]


def test_the_newest_copy_counts(home: Path, only: Only) -> None:
    unified(home)
    newest = folder(home, end_time=zoned(900)) / "meta.json"

    assert only().path == str(newest)


# The rest


@pytest.mark.parametrize("write", [folder, unified])
def test_what_else_is_noted(home: Path, only: Only, write: Callable[..., Path]) -> None:
    write(home, archived_at=zoned(60), pinned_at=zoned(50), git_branch="main")

    assert only().extra == {"archived": True, "pinned": True, "git_branch": "main"}


@pytest.mark.parametrize("directory", [None, "", "orchard", 7])
@every_generation
def test_a_directory_that_is_none_is_not_shown(home: Path, only: Only, version: str, directory: Any) -> None:
    GENERATIONS[version](home, 1, directory)

    found = only()

    assert (found.project_dir, found.resume_command) == (None, f"vibe --resume {uuid(1)}")


def test_the_command_is_quoted(home: Path, only: Only) -> None:
    unified(home, environment={"working_directory": "/srv/my orchard"})

    command = only().resume_command

    assert command is not None
    assert shlex.split(command) == ["cd", "/srv/my orchard", "&&", "vibe", "--resume", uuid(1)]
