"""Where sessions are looked for, what may lie there beside them, and how much of it is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters import adapter
from sesls.adapters.cline import records
from sesls.formats import files
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.adapters.conftest import Forbid, uuids
from tests.builders.cline import (
    DATA,
    SESSIONS,
    STORAGE,
    answered,
    child,
    entry,
    folder,
    index,
    manifest,
    said,
    session,
    session_id,
    task,
    task_id,
    thread,
    ui,
)
from tests.builders.common import epoch_ms, put
from tests.conftest import environment_of
from tests.watching import Reading

Ask = Callable[..., Page]


@pytest.mark.parametrize(
    ("variables", "root"),
    [
        ({"CLINE_DIR": "{home}/other"}, "other/data/sessions"),
        ({"CLINE_DIR": "other"}, "other/data/sessions"),
        ({"CLINE_DATA_DIR": "{home}/other"}, "other/sessions"),
        ({"CLINE_DATA_DIR": "{home}/other", "CLINE_DIR": "/nowhere"}, "other/sessions"),
        ({"CLINE_SESSION_DATA_DIR": "{home}/other", "CLINE_DATA_DIR": "/nowhere"}, "other"),
        ({"CLINE_DIR": " ", "CLINE_DATA_DIR": "", "CLINE_SESSION_DATA_DIR": " "}, SESSIONS),
    ],
)
def test_variables_replace_the_place_of_sessions(home: Path, ask: Ask, variables: dict[str, str], root: str) -> None:
    session(home, root=".cline/data/sessions")
    session(home, number=2, root=root)

    page = ask(variables={name: value.format(home=home) for name, value in variables.items()})

    assert session_id(2) in uuids(page)
    assert (session_id(1) in uuids(page)) == (root == SESSIONS)


@pytest.mark.parametrize(
    ("variables", "root"), [({"CLINE_DIR": "other"}, "other/data"), ({"CLINE_DATA_DIR": "other"}, "other"), ({}, DATA)]
)
def test_variables_replace_the_place_of_tasks(home: Path, ask: Ask, variables: dict[str, str], root: str) -> None:
    task(home, root=root)

    assert uuids(ask(variables=variables)) == [task_id(1)]


@pytest.mark.parametrize(
    "editor",
    [
        ".config/Code",
        ".config/Code - Insiders",
        ".config/VSCodium",
        ".config/Cursor",
        ".config/Windsurf",
        "Library/Application Support/Code",
        "AppData/Roaming/Code",
        ".vscode-server/data",
        ".cursor-server/data",
    ],
)
def test_the_extension_keeps_tasks_in_every_editor(home: Path, ask: Ask, editor: str) -> None:
    task(home, root=f"{editor}/User/globalStorage/saoudrizwan.claude-dev")

    assert uuids(ask()) == [task_id(1)]


def test_the_places_come_with_the_most_likely_first(home: Path) -> None:
    places = [place.path for place in adapter("cline").stores(environment_of(home))]

    assert places[:3] == [str(home / SESSIONS), str(home / DATA), str(home / STORAGE)]
    assert len(places) == len(set(places))


def test_what_else_lies_there_is_no_session(home: Path, ask: Ask) -> None:
    session(home)
    put(home / DATA / "db" / "sessions.db", b"SQLite format 3\x00")
    put(home / DATA / "globalState.json", "{}")
    put(home / SESSIONS / "stray.json", "{}")
    put(home / SESSIONS / "x" / "y.json", "{}")
    put(home / DATA / "tasks" / "stray.json", "{}")
    (home / SESSIONS / "y" / "y.json").mkdir(parents=True)
    (home / DATA / "tasks" / "z" / "ui_messages.json").mkdir(parents=True)
    (home / SESSIONS / "loop").symlink_to(home / SESSIONS)

    assert (uuids(ask()), ask().warnings) == ([session_id(1)], ())


@pytest.mark.parametrize("place", [".cline", DATA, SESSIONS, f"{DATA}/tasks", f"{DATA}/state", STORAGE])
def test_a_file_where_a_folder_should_be_is_no_problem(home: Path, ask: Ask, place: str) -> None:
    put(home / place, "not a folder")

    assert (ask().sessions, ask().warnings) == ((), ())


def test_a_linked_home_counts_once(home: Path, ask: Ask) -> None:
    path = session(home, root="elsewhere/data/sessions")
    (home / ".cline").symlink_to(home / "elsewhere")

    (found,) = ask(variables={"CLINE_DIR": str(home / "elsewhere")}).sessions

    assert (found.path, found.extra.get("copies")) == (str(path), None)


@pytest.mark.parametrize("name", ["{id}.json", "{id}.messages.json", "agent_1773133200500_abcdef.messages.json"])
def test_a_file_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid, name: str) -> None:
    session(home)
    child(home)
    session(home, number=2)
    path = folder(home) / name.format(id=session_id(1))
    forbid(path)

    page = ask()

    assert {session_id(1), session_id(2)} <= set(uuids(page))
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "permission denied")]


def test_an_index_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid) -> None:
    task(home)
    path = index(home, [entry()])
    forbid(path)

    page = ask()

    assert [(one.uuid, one.title) for one in page.sessions] == [(task_id(1), "Prompt 1")]
    assert [(one.path, one.problem) for one in page.warnings] == [(str(path), "permission denied")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("place", ["sessions/p/p.json", "sessions/p/p.messages.json", "tasks/p/ui_messages.json"])
def test_named_pipes_hold_nothing_up(home: Path, ask: Ask, place: str) -> None:
    session(home)
    (home / DATA / place).parent.mkdir(parents=True)
    os.mkfifo(home / DATA / place)

    assert (uuids(ask()), ask().warnings) == ([session_id(1)], ())


@pytest.mark.parametrize("kind", [session, task])
def test_a_session_that_is_lost_before_its_details_are_read_is_still_listed(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, kind: Callable[..., Path]
) -> None:
    path = kind(home)
    opened = files.opened
    seen: list[str] = []

    def losing(name: str) -> int:
        seen.append(name)
        if seen.count(str(path)) == 2:
            path.unlink()
        return opened(name)

    monkeypatch.setattr(files, "opened", losing)

    page = ask()

    assert [one.message_count for one in page.sessions] == [None]
    assert page.warnings == ()


def test_a_session_that_is_not_on_the_page_costs_a_window_of_each_file(home: Path, ask: Ask, reading: Reading) -> None:
    session(home, thread([said("Newest")], 2, updated=9000), number=2)
    path = session(home, [said("Graft"), *[answered()] * 5000], manifest(metadata={"systemPrompt": "x" * 90_000}))
    index(home, [])

    page = ask(limit=1)

    assert (page.total, uuids(page)) == (2, [session_id(2)])
    for own in (path, folder(home) / f"{session_id(1)}.json"):
        assert 0 < reading.read[str(own)] <= records._WINDOW
        assert reading.openings[str(own)] == 1


def test_a_long_first_prompt_costs_no_more(home: Path, ask: Ask, reading: Reading) -> None:
    session(home, thread([said("Newest")], 2, updated=9000), number=2)
    path = session(home, [said("x" * 3_000_000), answered()], manifest(prompt="x" * 10_000))

    assert ask(limit=1).total == 2
    assert reading.read[str(path)] <= records._WINDOW


def test_a_long_task_costs_its_end(home: Path, ask: Ask, reading: Reading) -> None:
    task(home, ui("Newest", last=9000), number=2)
    more = [{"ts": epoch_ms(40), "type": "say", "say": "text", "text": "x" * 900}] * 1000
    path = task(home, [*ui("Graft"), *more])

    assert uuids(ask(limit=1)) == [task_id(2)]
    assert 0 < reading.read[str(path)] <= 16 << 10


def test_an_index_is_read_once_for_all_tasks_of_a_page(home: Path, ask: Ask, reading: Reading) -> None:
    for number in range(1, 6):
        task(home, number=number)
    path = index(home, [entry(number) for number in range(1, 6)])

    assert {one.title for one in ask().sessions} == {f"Prompt {number}" for number in range(1, 6)}
    assert reading.openings[str(path)] == 2  # and once for the directories


def test_what_changes_shows_in_the_next_listing(home: Path, tmp_path: Path) -> None:
    session(home)
    task(home)
    environment = environment_of(home, cache=tmp_path / "cache")
    assert {one.title for one in take(Query(), environment).sessions} == {"Prompt 1"}

    session(home, about=manifest(metadata={"title": "Renamed"}))
    index(home, [entry(task="From the index")])

    assert {one.title for one in take(Query(), environment).sessions} == {"Renamed", "From the index"}
