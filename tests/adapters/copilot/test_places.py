"""Where sessions are looked for, and what may lie there beside them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters import adapter
from sesls.formats import files
from sesls.page import Page
from tests.adapters.conftest import Forbid, uuids
from tests.builders.common import lines, put, uuid
from tests.builders.copilot import SAVES, SESSIONS, flat, save, session, turns, workspace
from tests.conftest import environment_of

Ask = Callable[..., Page]


def test_sessions_lie_in_the_home(home: Path, ask: Ask) -> None:
    session(home)
    flat(home, number=2)
    save(home, number=3)

    assert uuids(ask()) == [uuid(1), uuid(2), uuid(3)]


@pytest.mark.parametrize("value", ["{home}/other", "other", "{home}/other/"])
def test_a_variable_replaces_the_home(home: Path, ask: Ask, value: str) -> None:
    session(home)
    session(home, number=2, root="other/session-state")
    save(home, number=3, root="other/history-session-state")

    page = ask(variables={"COPILOT_HOME": value.format(home=home)})

    assert uuids(page) == [uuid(2), uuid(3)]


@pytest.mark.parametrize("value", ["", "  "])
def test_a_blank_variable_moves_nothing(home: Path, ask: Ask, value: str) -> None:
    session(home)

    assert uuids(ask(variables={"COPILOT_HOME": value, "XDG_STATE_HOME": value})) == [uuid(1)]


def test_the_state_home_of_older_builds_adds_sessions(home: Path, ask: Ask) -> None:
    session(home)
    save(home, number=2, root="state/.copilot/history-session-state")
    flat(home, number=3, root="state/.copilot/session-state")

    assert uuids(ask(variables={"XDG_STATE_HOME": str(home / "state")})) == [uuid(1), uuid(2), uuid(3)]
    assert uuids(ask(variables={"XDG_STATE_HOME": str(home)})) == [uuid(1)]


def test_what_was_moved_and_linked_counts_once(home: Path, ask: Ask) -> None:
    path = session(home)
    (home / "state" / ".copilot").mkdir(parents=True)
    (home / "state" / ".copilot" / "session-state").symlink_to(home / SESSIONS)

    page = ask(variables={"XDG_STATE_HOME": str(home / "state")})

    assert [(one.path, one.extra.get("copies")) for one in page.sessions] == [(str(path), None)]


def test_the_places_come_with_the_most_likely_first(home: Path) -> None:
    places = adapter("copilot").stores(environment_of(home, {"XDG_STATE_HOME": "/state"}))

    assert [place.path for place in places] == [
        str(home / SESSIONS),
        str(home / SAVES),
        "/state/.copilot/session-state",
        "/state/.copilot/history-session-state",
    ]


@pytest.mark.parametrize("place", [".copilot", SESSIONS, f"{SESSIONS}/{uuid(1)}"])
def test_a_file_where_a_folder_should_be_is_no_problem(home: Path, ask: Ask, place: str) -> None:
    put(home / place, "not a folder")

    assert (ask().sessions, ask().warnings) == ((), ())


def test_folders_named_like_files_are_no_sessions(home: Path, ask: Ask) -> None:
    session(home)
    (home / SESSIONS / f"{uuid(2)}.jsonl").mkdir()
    (home / SESSIONS / uuid(3) / "events.jsonl").mkdir(parents=True)
    (home / SAVES / f"session_{uuid(4)}_1.json").mkdir(parents=True)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_linked_sessions_are_followed(home: Path, ask: Ask) -> None:
    session(home, root="elsewhere")
    (home / SESSIONS).mkdir(parents=True)
    (home / SESSIONS / uuid(1)).symlink_to(home / "elsewhere" / uuid(1))
    (home / SESSIONS / "loop").symlink_to(home / SESSIONS)
    (home / SESSIONS / "gone").symlink_to(home / "nowhere")

    page = ask()

    assert ([(one.uuid, one.title) for one in page.sessions], page.warnings) == ([(uuid(1), "Prompt 1")], ())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("place", [f"{uuid(2)}/events.jsonl", f"{uuid(1)}/workspace.yaml", f"{uuid(2)}.jsonl"])
def test_named_pipes_hold_nothing_up(home: Path, ask: Ask, place: str) -> None:
    session(home, yaml=None)
    (home / SESSIONS / place).parent.mkdir(exist_ok=True)
    os.mkfifo(home / SESSIONS / place)

    assert uuids(ask()) == [uuid(1)]


def test_a_session_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid) -> None:
    session(home)
    path = session(home, number=2)
    forbid(path)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [
        ("copilot", str(path), "permission denied")
    ]


@pytest.mark.parametrize("place", [uuid(2), "."])
def test_a_folder_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid, place: str) -> None:
    save(home)
    session(home, number=2)
    forbid(home / SESSIONS / place)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert [one.problem for one in page.warnings] == ["permission denied"]


def test_a_workspace_that_cannot_be_read_costs_one_warning_and_no_session(home: Path, ask: Ask, forbid: Forbid) -> None:
    path = session(home)
    forbid(path.with_name("workspace.yaml"))

    page = ask()

    assert [(one.title, one.project_dir) for one in page.sessions] == [("Prompt 1", "/srv/orchard")]
    assert [one.path for one in page.warnings] == [str(path.with_name("workspace.yaml"))]


def test_a_session_that_is_lost_before_its_details_are_read_is_still_listed(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = session(home)
    opened = files.opened
    seen: list[str] = []

    def losing(name: str) -> int:
        seen.append(name)
        if seen.count(str(path)) == 2:
            path.unlink()
        return opened(name)

    monkeypatch.setattr(files, "opened", losing)

    page = ask()

    assert [(one.uuid, one.message_count) for one in page.sessions] == [(uuid(1), None)]
    assert page.warnings == ()


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_that_are_no_utf_8_are_read(home: Path, ask: Ask) -> None:
    folder = os.path.join(os.fsencode(home / SESSIONS), b"\xff\xfe")
    os.makedirs(folder)
    with open(os.path.join(folder, b"events.jsonl"), "wb") as file:
        file.write(lines(turns()))

    page = ask()

    assert [one.title for one in page.sessions] == ["Prompt 1"]


def test_a_renamed_session_shows_its_new_name(home: Path, tmp_path: Path) -> None:
    from sesls.inventory import take
    from sesls.query import Query

    path = session(home, yaml=workspace(name="Old"))
    environment = environment_of(home, cache=tmp_path / "cache")
    assert take(Query(), environment).sessions[0].title == "Old"

    put(path.with_name("workspace.yaml"), workspace(name="Much newer", cwd="/srv/barn"))

    found = take(Query(), environment).sessions[0]
    assert (found.title, found.project_dir) == ("Much newer", "/srv/barn")
