"""Where Gemini CLI's sessions are looked for, and what lies there beside them, Antigravity's not least."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters import adapter
from sesls.page import Page
from sesls.session import Session
from tests.adapters.conftest import needs_pipes, uuids
from tests.builders import antigravity
from tests.builders.common import CWD, put, uuid
from tests.builders.gemini import TMP, file_name, project, session, subagent, turns
from tests.conftest import environment_of
from tests.watching import forbid, reading_of

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_the_variable_names_the_directory_that_the_agents_own_lies_in(home: Path, ask: Ask) -> None:
    session(home, number=1)
    session(home / "moved", number=2)

    for value in (f"{home}/moved", "moved", f"{home}/moved/", " "):
        expected = [uuid(1)] if not value.strip() else [uuid(2)]
        assert uuids(ask({"GEMINI_CLI_HOME": value})) == expected


def test_a_command_brings_a_variable_along_that_is_no_absolute_directory(home: Path, ask: Ask) -> None:
    session(home / "moved")

    commands = [ask({"GEMINI_CLI_HOME": value}).sessions[0].resume_command for value in (f"{home}/moved", "moved")]

    plain = f"gemini --resume {uuid(1)}"
    assert commands == [f"cd {CWD} && {plain}", f"cd {CWD} && env GEMINI_CLI_HOME={home}/moved {plain}"]


def test_there_is_one_place(home: Path) -> None:
    (store,) = adapter("gemini").stores(environment_of(home))

    assert store.path == str(home / TMP)


@pytest.mark.parametrize(
    "place",
    [
        "chats/checkpoint-mytag.json",
        "chats/session-a.jsonl.tmp-77",
        "chats/session-a.jsonl.unreadable-1796030000000",
        "chats/session-a.jsonl.bak",
        "chats/session-a.txt",
        "chats/other.jsonl",
        f"chats/{uuid(9)}.jsonl",
        "chats/sub/folder/session-a.jsonl",
        "logs/session-a.jsonl",
        "tool-outputs/session-a.jsonl",
        "checkpoint-mytag.json",
        "logs.json",
        "session-a.jsonl",
    ],
)
def test_other_files_of_a_project_are_no_sessions(home: Path, ask: Ask, place: str) -> None:
    session(home)
    put(project(home) / place, turns(9))

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize(
    "place",
    [
        "antigravity/chats",
        "antigravity-cli/x/chats",
        "history/orchard/chats",
        "chats",
        "tmp/chats",
        "antigravity/tmp/x/chats",
    ],
)
def test_other_folders_hold_no_sessions(home: Path, ask: Ask, place: str) -> None:
    session(home)
    put(home / ".gemini" / place / file_name(9), turns(9))

    assert uuids(ask()) == [uuid(1)]


def test_antigravity_is_not_taken_for_it_nor_the_other_way_round(home: Path, ask: Ask) -> None:
    antigravity.whole_store(home)
    before = {(one.uuid, one.title) for one in ask().sessions}
    session(home, number=0xFF)

    page = ask()

    assert {one.agent for one in page.sessions} == {"antigravity", "gemini"}
    assert [one.uuid for one in ask(agents=("gemini",)).sessions] == [uuid(0xFF)]
    assert {(one.uuid, one.title) for one in ask(agents=("antigravity",)).sessions} == before


def test_nothing_of_antigravity_is_opened(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    antigravity.whole_store(home)
    session(home)
    reading = reading_of(monkeypatch)

    ask(agents=("gemini",))

    assert {Path(path).relative_to(home).parts[:2] for path in reading.openings} == {
        (".gemini", "tmp"),
        (".gemini", "projects.json"),
    }


@pytest.mark.parametrize("place", [TMP, f"{TMP}/orchard", f"{TMP}/orchard/chats", ".gemini"])
def test_a_file_where_a_folder_should_be_is_an_empty_store(home: Path, ask: Ask, place: str) -> None:
    put(home / place, "not a folder")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@needs_pipes
def test_named_pipes_are_passed_by(home: Path, ask: Ask) -> None:
    path = session(home)
    os.mkfifo(path.with_name("session-pipe.jsonl"))
    (path.parent / uuid(1)).mkdir()
    os.mkfifo(path.parent / uuid(1) / "pipe.jsonl")

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_folders_named_like_sessions_are_folders(home: Path, ask: Ask) -> None:
    session(home)
    (project(home) / "chats" / "session-folder.jsonl").mkdir()

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("place", [".gemini", TMP, f"{TMP}/orchard", f"{TMP}/orchard/chats"])
def test_a_linked_folder_is_followed(home: Path, only: Only, place: str) -> None:
    session(home / "disk")
    project(home / "disk")
    link = home / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(home / "disk" / place)

    assert only().uuid == uuid(1)


def test_links_that_lead_back_end_and_double_nothing(home: Path, only: Only) -> None:
    path = session(home)
    (home / TMP / "loop").symlink_to(home / TMP)
    (home / TMP / "again").symlink_to(home / TMP / "orchard")
    (path.parent / "chats").symlink_to(path.parent)
    path.with_name("session-self.jsonl").symlink_to("session-self.jsonl")
    path.with_name("session-gone.jsonl").symlink_to("/nowhere/at/all.jsonl")
    path.with_name("session-other.jsonl").symlink_to(path.name)

    found = only()

    assert (found.path, found.kind, found.extra) == (str(path), "agent", {})


@pytest.mark.parametrize("place", [TMP, f"{TMP}/orchard", f"{TMP}/orchard/chats", f"{TMP}/orchard/chats/{uuid(1)}"])
def test_a_folder_that_cannot_be_read_costs_one_warning(
    home: Path, ask: Ask, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(home)
    subagent(home, turns(3), number=3)
    session(home, number=2, directory="/srv/barn")
    if place.endswith("orchard"):
        (home / place).rename(home / "gone")
        (home / place).symlink_to("/nowhere")
    else:
        forbid(monkeypatch, home / place)

    page = ask()

    if place != TMP:
        assert uuid(2) in uuids(page)
    assert len(page.warnings) == (0 if place.endswith("orchard") else 1)


def test_a_session_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    session(home, number=1)
    path = session(home, number=2)
    forbid(monkeypatch, path)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [("gemini", str(path), "permission denied")]


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_that_are_no_utf_8_are_read(home: Path, ask: Ask) -> None:
    path = session(home)
    os.rename(path, os.fsencode(path.parent) + b"/session-\xff.jsonl")
    os.rename(home / TMP / "orchard", os.fsencode(home / TMP) + b"/m\xe4rz")

    assert uuids(ask()) == [uuid(1)]
