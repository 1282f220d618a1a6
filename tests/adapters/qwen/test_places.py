"""Where Qwen Code's sessions are looked for, and what lies there beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.adapters.conftest import needs_pipes, uuids
from tests.builders import claude
from tests.builders.common import CWD, put, uuid
from tests.builders.qwen import BASE, archived, old, project, session, subagent, turns
from tests.conftest import environment_of
from tests.watching import forbid

Ask = Callable[..., Page]
Only = Callable[..., Session]


def settings(home: Path, directory: object, place: str = BASE) -> Path:
    return put(home / place / "settings.json", json.dumps({"advanced": {"runtimeOutputDir": directory}}))


VALUES = ["{home}/moved", "moved", "~/moved", "{home}/moved/", " {home}/moved "]


@pytest.mark.parametrize("variable", ["QWEN_HOME", "QWEN_RUNTIME_DIR"])
@pytest.mark.parametrize("value", VALUES)
def test_variables_move_all_sessions(home: Path, ask: Ask, variable: str, value: str) -> None:
    session(home, number=1)
    session(home, number=2, base="moved")
    old(home, number=3, base="moved")

    assert uuids(ask({variable: value.format(home=home)})) == [uuid(2), uuid(3)]


def test_the_variable_for_sessions_alone_wins(home: Path, ask: Ask) -> None:
    session(home, number=1, base="home")
    session(home, number=2, base="runtime")

    assert uuids(ask({"QWEN_HOME": "home", "QWEN_RUNTIME_DIR": "runtime"})) == [uuid(2)]


@pytest.mark.parametrize("value", ["", "  "])
def test_blank_variables_move_nothing(home: Path, ask: Ask, value: str) -> None:
    session(home)

    assert uuids(ask({"QWEN_HOME": value, "QWEN_RUNTIME_DIR": value})) == [uuid(1)]


@pytest.mark.parametrize("value", VALUES[:-1])
@pytest.mark.parametrize("place", [BASE, "project/.qwen"])
def test_a_setting_adds_a_place(home: Path, value: str, place: str) -> None:
    session(home, number=1)
    session(home, number=2, base="moved")
    session(home, number=2, base="project/moved")
    settings(home, value.format(home=home), place)

    page = take(Query(agents=("qwen",)), environment_of(home, cwd=home / "project"))

    assert uuids(page) == [uuid(1), uuid(2)]


def test_a_variable_wins_over_a_setting(home: Path, ask: Ask) -> None:
    session(home, number=1, base="moved")
    session(home, number=2, base="runtime")
    settings(home, "moved")

    assert uuids(ask({"QWEN_RUNTIME_DIR": "runtime"})) == [uuid(2)]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff", b'{"advanced": 7}', b'{"advanced": {"runtimeOutputDir": []}}', b"[" * 99_999]
)
def test_broken_settings_add_nothing(home: Path, ask: Ask, content: bytes) -> None:
    session(home)
    put(home / BASE / "settings.json", content)

    assert (uuids(ask()), ask().warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("directory", ["", "nul\x00byte", "half\ud800pair", "x" * 300, "nowhere"])
def test_a_setting_that_cannot_be_costs_no_session(home: Path, ask: Ask, directory: str) -> None:
    session(home)
    settings(home, directory)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert len(page.warnings) <= 2


def test_a_place_by_two_names_counts_once(home: Path, only: Only) -> None:
    session(home)
    (home / "link").symlink_to(home / BASE)
    settings(home, str(home / "link"))

    assert "copies" not in only().extra


# Commands


def command(page: Page) -> str | None:
    return page.sessions[0].resume_command


PLAIN = f"qwen --resume {uuid(1)}"


@pytest.mark.parametrize("variable", ["QWEN_HOME", "QWEN_RUNTIME_DIR"])
def test_a_variable_that_is_set_holds_for_a_command_too(home: Path, ask: Ask, variable: str) -> None:
    session(home, base="moved")

    assert command(ask({variable: f"{home}/moved"})) == f"cd {CWD} && {PLAIN}"
    assert command(ask({variable: "~/moved"})) == f"cd {CWD} && {PLAIN}"


@pytest.mark.parametrize("variable", ["QWEN_HOME", "QWEN_RUNTIME_DIR"])
def test_a_command_brings_along_what_depends_on_the_directory(home: Path, ask: Ask, variable: str) -> None:
    session(home, base="moved")

    assert command(ask({variable: "moved"})) == f"cd {CWD} && env QWEN_RUNTIME_DIR={home}/moved {PLAIN}"


def test_a_command_brings_along_a_place_that_is_not_in_force(home: Path, ask: Ask) -> None:
    session(home)
    settings(home, str(home / "moved"))
    before = command(ask())
    (home / BASE / "projects").rename(home / "projects")
    session(home, base="moved")

    assert before == f"cd {CWD} && env QWEN_RUNTIME_DIR={home}/.qwen {PLAIN}"
    assert command(ask()) == f"cd {CWD} && {PLAIN}"


def test_a_command_is_quoted_for_a_shell(home: Path, only: Only) -> None:
    session(home, directory="/srv/plum tree")

    assert only().resume_command == f"cd '/srv/plum tree' && {PLAIN}"


# What lies there


@pytest.mark.parametrize(
    "place",
    [
        "meta.json",
        "extract-cursor.json",
        f"{uuid(9)}.jsonl",
        f"chats/{uuid(9)}.json",
        f"chats/{uuid(9)}.ledger.jsonl",
        f"chats/{uuid(9)}.worktree.json",
        f"chats/{uuid(9)}.pr.json",
        f"chats/.{uuid(9)}.op.tmp",
        f"chats/{uuid(9)}.jsonl.bak",
        f"chats/sub/{uuid(9)}.jsonl",
        f"chats/archive/sub/{uuid(9)}.jsonl",
        f"chats/archive/{uuid(9)}.ledger.jsonl",
        "chats/notes.jsonl",
        "chats/session-a.json",
        f"memory/{uuid(9)}.jsonl",
    ],
)
def test_other_files_of_a_project_are_no_sessions(home: Path, ask: Ask, place: str) -> None:
    session(home)
    put(project(home) / place, turns(9))

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("place", ["usage_record.jsonl", "debug", "history", "tmp/x/logs", "extension-store", "chats"])
def test_other_places_hold_no_sessions(home: Path, ask: Ask, place: str) -> None:
    session(home)
    path = home / BASE / place
    put(path if path.suffix else path / f"{uuid(9)}.jsonl", turns(9))

    assert uuids(ask()) == [uuid(1)]


def test_claudes_sessions_are_not_its_own_nor_the_other_way_round(home: Path, ask: Ask) -> None:
    session(home, number=1)
    subagent(home)
    archived(home, number=3)
    claude.transcript(home, number=2)

    everything = {(one.agent, one.uuid) for one in ask().sessions}

    expected = {("qwen", uuid(1)), ("qwen", "scout-call_1"), ("qwen", uuid(3)), ("claude", uuid(2))}
    assert everything == expected


def test_not_even_in_one_directory_are_they_confused(home: Path, ask: Ask) -> None:
    session(home, number=1, base="both")
    put(home / "both/projects" / project(home).name / f"{uuid(2)}.jsonl", [claude.user("Words"), claude.assistant()])

    page = ask({"CLAUDE_CONFIG_DIR": f"{home}/both", "QWEN_HOME": f"{home}/both"})

    assert {(one.agent, one.uuid) for one in page.sessions} == {("qwen", uuid(1)), ("claude", uuid(2))}


@pytest.mark.parametrize("place", [BASE, f"{BASE}/projects", f"{BASE}/projects/-srv-orchard", f"{BASE}/tmp"])
def test_a_file_where_a_folder_should_be_is_an_empty_store(home: Path, ask: Ask, place: str) -> None:
    put(home / place, "not a folder")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@needs_pipes
def test_named_pipes_are_passed_by(home: Path, ask: Ask) -> None:
    path = session(home)
    os.mkfifo(path.with_name(f"{uuid(9)}.jsonl"))
    os.mkfifo(home / BASE / "settings.json")

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("place", [BASE, f"{BASE}/projects", f"{BASE}/projects/-srv-orchard"])
def test_a_linked_folder_is_followed(home: Path, only: Only, place: str) -> None:
    session(home / "disk")
    link = home / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(home / "disk" / place)

    assert only().uuid == uuid(1)


def test_links_that_lead_back_end_and_double_nothing(home: Path, only: Only) -> None:
    path = session(home)
    (home / BASE / "projects" / "again").symlink_to(project(home))
    (home / BASE / "projects" / "loop").symlink_to(home / BASE / "projects")
    (path.parent / "archive").symlink_to(path.parent)
    path.with_name(f"{uuid(8)}.jsonl").symlink_to(path.name)
    path.with_name(f"{uuid(7)}.jsonl").symlink_to("/nowhere")

    found = only()

    assert (found.path, found.uuid) == (str(path), uuid(1))
    assert "copies" not in found.extra
    assert "archived" not in found.extra


@pytest.mark.parametrize("place", ["chats", "", f"subagents/{uuid(1)}", f"chats/{uuid(1)}.jsonl"])
def test_what_cannot_be_read_costs_one_warning(
    home: Path, ask: Ask, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(home)
    subagent(home)
    session(home, number=2, directory="/srv/barn")
    forbidden = project(home) / place
    forbid(monkeypatch, forbidden)

    page = ask()

    assert uuid(2) in uuids(page)
    problems = [(one.path, one.problem) for one in page.warnings]
    assert problems == ([(str(forbidden), "permission denied")] if place else [])


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_that_are_no_utf_8_are_read(home: Path, ask: Ask) -> None:
    session(home)
    os.rename(project(home), os.fsencode(home / BASE / "projects") + b"/m\xe4rz")

    assert uuids(ask()) == [uuid(1)]
