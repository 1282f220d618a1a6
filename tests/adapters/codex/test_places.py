"""Where threads are looked for, and what may lie there beside them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.formats import files
from sesls.page import Page
from sesls.session import Session
from tests.adapters.conftest import Forbid, needs_pipes, uuids
from tests.builders.codex import bare, meta, name, name_index, rollout, said, save, state_database
from tests.builders.common import lines, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_variable_moves_the_home(home: Path, ask: Ask) -> None:
    rollout(home, number=1)
    moved = rollout(home, number=2, root="elsewhere")
    archived = rollout(home, number=3, root="elsewhere", archived=True)

    page = ask({"CODEX_HOME": str(home / "elsewhere")})

    assert {session.path for session in page.sessions} == {str(moved), str(archived)}


def test_a_moved_home_is_that_of_names_and_databases_too(home: Path, only: Only) -> None:
    rollout(home, root="elsewhere")
    name_index(home, (1, "In the old home"))
    state_database(home, [{"id": uuid(1), "cwd": "/srv/old"}])
    name_index(home, (1, "In the new home"), root="elsewhere")
    state_database(home, [{"id": uuid(1), "cwd": "/srv/new"}], root="elsewhere")

    session = only(variables={"CODEX_HOME": str(home / "elsewhere")})

    assert (session.title, session.project_dir) == ("In the new home", "/srv/new")


@pytest.mark.parametrize("value", ["", "  "])
def test_a_blank_variable_moves_nothing(home: Path, only: Only, value: str) -> None:
    rollout(home)

    assert only(variables={"CODEX_HOME": value, "CODEX_SQLITE_HOME": value}).uuid == uuid(1)


def test_a_relative_home_is_one_below_the_working_directory(home: Path, only: Only) -> None:
    path = rollout(home, root="elsewhere")

    assert only(variables={"CODEX_HOME": "elsewhere"}).path == str(path)


@pytest.mark.parametrize("value", ["{home}/.codex", "{home}/.codex/", "{home}/link"])
def test_the_usual_home_by_another_name_counts_once(home: Path, only: Only, value: str) -> None:
    rollout(home)
    (home / "link").symlink_to(".codex")

    session = only(variables={"CODEX_HOME": value.format(home=home)})

    assert "copies" not in session.extra


def test_a_home_that_is_not_there_is_empty(home: Path, ask: Ask) -> None:
    rollout(home)

    page = ask({"CODEX_HOME": str(home / "nowhere")})

    assert (page.sessions, page.warnings) == ((), ())


def test_saves_of_the_typescript_builds_stay_in_the_usual_home(home: Path, ask: Ask) -> None:
    saved = save(home, number=1)
    rollout(home, number=2)
    rollout(home, bare(3), number=3)
    moved = rollout(home, number=4, root="elsewhere")

    page = ask({"CODEX_HOME": str(home / "elsewhere")})

    assert {session.path for session in page.sessions} == {str(saved), str(moved)}


@pytest.mark.parametrize("value", ["{home}/databases", "databases"])
def test_a_variable_moves_the_databases(home: Path, only: Only, value: str) -> None:
    rollout(home)
    state_database(home, [{"id": uuid(1), "cwd": "/srv/moved"}], root="databases")

    assert only(variables={"CODEX_SQLITE_HOME": value.format(home=home)}).project_dir == "/srv/moved"


@pytest.mark.parametrize("value", ["{home}/.codex/databases", "databases"])
def test_the_configuration_moves_the_databases(home: Path, only: Only, value: str) -> None:
    rollout(home)
    put(home / ".codex/config.toml", f'model = "x"\nsqlite_home = "{value.format(home=home)}"\n')
    state_database(home, [{"id": uuid(1), "cwd": "/srv/moved"}], root=".codex/databases")

    assert only().project_dir == "/srv/moved"


def test_the_configuration_may_start_at_the_home_directory(home: Path, only: Only) -> None:
    rollout(home)
    put(home / ".codex/config.toml", 'sqlite_home = "~/databases"')
    state_database(home, [{"id": uuid(1), "cwd": "/srv/moved"}], root="databases")

    assert only().project_dir == "/srv/moved"


def test_the_configuration_wins_over_the_variable_and_that_over_the_home(home: Path, only: Only) -> None:
    rollout(home)
    variables = {"CODEX_SQLITE_HOME": str(home / "named")}
    state_database(home, [{"id": uuid(1), "cwd": "/srv/home"}])
    assert only(variables=variables).project_dir == "/srv/home"

    state_database(home, [{"id": uuid(1), "cwd": "/srv/named"}], root="named")
    assert only(variables=variables).project_dir == "/srv/named"

    put(home / ".codex/config.toml", f'sqlite_home = "{home}/configured"')
    state_database(home, [{"id": uuid(1), "cwd": "/srv/configured"}], root="configured")
    assert only(variables=variables).project_dir == "/srv/configured"


@pytest.mark.parametrize(
    "config", [b"sqlite_home = ", b"sqlite_home = 7", b'sqlite_home = ""', b'sqlite_home = "\xff"']
)
def test_a_broken_configuration_moves_nothing(home: Path, ask: Ask, config: bytes) -> None:
    rollout(home)
    put(home / ".codex/config.toml", config)
    state_database(home, [{"id": uuid(1), "cwd": "/srv/home"}])

    page = ask()

    assert [session.project_dir for session in page.sessions] == ["/srv/home"]
    assert page.warnings == ()


@pytest.mark.parametrize(
    "folder",
    [
        "sessions",
        "sessions/2020/01/02",
        "sessions/2026/13/77",
        "sessions/a/b/c/d/e/f",
        "archived_sessions",
        "archived_sessions/2026/03/10",
    ],
)
def test_threads_are_found_at_any_depth(home: Path, only: Only, folder: str) -> None:
    path = put(home / ".codex" / folder / name(), [meta(), said("Hello")])

    assert only().path == str(path)


@pytest.mark.parametrize(
    "file",
    [
        "notes.jsonl",
        f"{name()}.bak",
        f"{name()}.tmp",
        f"{name()}~",
        f"{name()}.zst.tmp",
        f"._{name()}",
        f".{name()}.swp",
        f"copy of {name()}",
        "rollout-compress-4711.tmp",
        "history.jsonl",
    ],
)
def test_what_lies_beside_threads_is_none(home: Path, ask: Ask, file: str) -> None:
    path = rollout(home)
    put(path.with_name(file), lines([meta(9), said("Not me")]))

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_files_of_codex_outside_its_folders_of_threads_are_none(home: Path, ask: Ask) -> None:
    rollout(home)
    for file in (name(9), f"rollout-migrations/{name(9)}", f".tmp/{name(9)}", f"worktrees/1a/orchard/{name(9)}"):
        put(home / ".codex" / file, lines([meta(9), said("Not me")]))

    assert uuids(ask()) == [uuid(1)]


def test_folders_named_like_threads_are_folders(home: Path, ask: Ask) -> None:
    path = rollout(home)
    put(path.with_name(name(2)) / "inner.txt", "x")
    put(path.with_name("rollout-migrations") / "journal.json", "{}")
    path.with_name(name(3, suffix=".jsonl.zst")).mkdir()

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_a_linked_file_is_followed(home: Path, only: Only) -> None:
    target = put(home / "backup" / "thread.txt", [meta(), said("Hello")])
    link = home / ".codex/sessions" / name()
    link.parent.mkdir(parents=True)
    link.symlink_to(target)

    session = only()

    assert (session.title, session.path) == ("Hello", str(link))


@pytest.mark.parametrize("folder", [".codex", ".codex/sessions", ".codex/sessions/2026"])
def test_a_linked_folder_is_followed(home: Path, only: Only, folder: str) -> None:
    put(home / "disk" / "sessions/2026/03/10" / name(), [meta(), said("Hello")])
    link = home / folder
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(home / "disk" / folder.removeprefix(".codex").lstrip("/"))

    assert only().title == "Hello"


def test_links_that_lead_back_end_and_double_nothing(home: Path, ask: Ask) -> None:
    path = rollout(home)
    (home / ".codex/sessions/again").symlink_to(".")
    (path.parent / "up").symlink_to("../..")
    (path.parent / "top").symlink_to(home / ".codex")
    path.with_name(name(2)).symlink_to(name(2))
    path.with_name(name(3)).symlink_to("/nowhere/at/all.jsonl")
    path.with_name(name(4)).symlink_to(path.name)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())
    assert "copies" not in page.sessions[0].extra


def test_a_thread_that_is_linked_to_from_another_folder_is_shown_where_it_lies(home: Path, only: Only) -> None:
    path = rollout(home)
    link = home / ".codex/sessions/2025" / path.name
    link.parent.mkdir()
    link.symlink_to(path)

    assert only().path == str(path)


def test_a_hard_link_doubles_nothing(home: Path, only: Only) -> None:
    path = rollout(home)
    os.link(path, path.with_name(name(9)))

    assert "copies" not in only().extra


@needs_pipes
def test_named_pipes_are_passed_by(home: Path, ask: Ask) -> None:
    path = rollout(home)
    for pipe in (path.with_name(name(2)), path.with_name(name(3, suffix=".jsonl.zst")), home / ".codex/config.toml"):
        os.mkfifo(pipe)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@needs_pipes
@pytest.mark.parametrize("file", ["session_index.jsonl", "state_5.sqlite"])
def test_a_named_pipe_instead_of_an_index_costs_a_warning(home: Path, ask: Ask, file: str) -> None:
    rollout(home)
    os.mkfifo(home / ".codex" / file)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert [(warning.path, warning.problem) for warning in page.warnings] == [
        (str(home / ".codex" / file), "not a regular file")
    ]


@pytest.mark.parametrize("file", ["sessions/2026/03/10", "session_index.jsonl", "state_5.sqlite"])
def test_what_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid, file: str) -> None:
    rollout(home, number=1)
    rollout(home, number=2, archived=True)
    name_index(home, (2, "Two"))
    state_database(home, [])
    forbid(home / ".codex" / file)

    page = ask()

    assert uuid(2) in uuids(page)
    assert [(warning.agent, warning.path, warning.problem) for warning in page.warnings] == [
        ("codex", str(home / ".codex" / file), "permission denied")
    ]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zst", ".json"])
def test_a_thread_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid, suffix: str) -> None:
    rollout(home, number=1)
    path = rollout(home, [], number=2, suffix=suffix)
    forbid(path)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert [warning.path for warning in page.warnings] == [str(path)]


def test_a_configuration_that_cannot_be_read_moves_nothing(home: Path, only: Only, forbid: Forbid) -> None:
    rollout(home)
    forbid(put(home / ".codex/config.toml", 'sqlite_home = "/srv"'))

    assert only().uuid == uuid(1)


def test_a_thread_that_is_deleted_while_it_is_listed_costs_nothing(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollout(home, number=1)
    vanishing = rollout(home, number=2)
    opened = files.opened

    def opened_late(path: str) -> int:
        if path == str(vanishing):
            vanishing.unlink()
        return opened(path)

    monkeypatch.setattr(files, "opened", opened_late)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_a_thread_that_is_deleted_before_its_details_are_read_is_still_listed(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rollout(home)
    opened, times = files.opened, []

    def opened_once(path: str) -> int:
        times.append(path)
        if times.count(path) > 1:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return opened(path)

    monkeypatch.setattr(files, "opened", opened_once)

    page = ask()

    assert [(session.path, session.title) for session in page.sessions] == [(str(path), None)]
    assert page.warnings == ()


@pytest.mark.parametrize("file", [".codex", ".codex/sessions", ".codex/archived_sessions"])
def test_a_file_where_a_folder_should_be_is_an_empty_store(home: Path, ask: Ask, file: str) -> None:
    put(home / file, "not a folder")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_that_are_no_utf_8_are_read(home: Path, only: Only) -> None:
    folder = os.fsencode(home / ".codex/sessions") + b"/m\xe4rz"
    os.makedirs(folder)
    with open(folder + b"/rollout-\xff.jsonl", "wb") as file:
        file.write(lines([meta(), said("Hello")]))

    assert only().title == "Hello"
