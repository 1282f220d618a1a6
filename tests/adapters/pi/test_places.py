"""Where sessions are looked for, and what may lie there beside them."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters import adapter
from sesls.formats import files
from sesls.page import Page
from tests.adapters.conftest import Forbid, needs_pipes, uuids
from tests.builders.common import lines, put, uuid
from tests.builders.pi import AGENT_DIR, file_name, folder, header, said, session, turns
from tests.conftest import environment_of

Ask = Callable[..., Page]


def flat(home: Path, directory: str, number: int, **keys: Any) -> Path:
    """Write a session right into a directory, as Pi does where a variable or a setting names one."""
    return put(home / directory / file_name(number), turns(number, **keys))


def settings(home: Path, session_dir: object, directory: str = AGENT_DIR) -> Path:
    return put(home / directory / "settings.json", json.dumps({"theme": "dark", "sessionDir": session_dir}))


# The agent directory


def test_sessions_lie_in_the_agent_directory(home: Path, ask: Ask) -> None:
    path = session(home)

    assert [one.path for one in ask().sessions] == [str(path)]


@pytest.mark.parametrize("variable", ["PI_CODING_AGENT_DIR", "CODING_AGENT_DIR"])
@pytest.mark.parametrize("value", ["{home}/elsewhere", "elsewhere", "~/elsewhere", " {home}/elsewhere/ "])
def test_a_variable_moves_the_agent_directory(home: Path, ask: Ask, variable: str, value: str) -> None:
    session(home, number=1)
    session(home, number=2, root="elsewhere")

    page = ask({variable: value.format(home=home)})

    assert uuids(page) == [uuid(2)]


def test_the_agent_directory_may_be_the_home_itself(home: Path, ask: Ask) -> None:
    session(home, root="")

    assert uuids(ask({"PI_CODING_AGENT_DIR": "~"})) == [uuid(1)]


def test_the_variable_of_later_versions_wins(home: Path, ask: Ask) -> None:
    session(home, number=1, root="old")
    session(home, number=2, root="new")

    assert uuids(ask({"CODING_AGENT_DIR": "old", "PI_CODING_AGENT_DIR": "new"})) == [uuid(2)]


@pytest.mark.parametrize("value", ["", "  "])
def test_blank_variables_move_nothing(home: Path, ask: Ask, value: str) -> None:
    session(home)

    page = ask(dict.fromkeys(("PI_CODING_AGENT_DIR", "CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"), value))

    assert uuids(page) == [uuid(1)]


def test_an_agent_directory_that_is_not_there_is_empty(home: Path, ask: Ask) -> None:
    session(home)

    page = ask({"PI_CODING_AGENT_DIR": "nowhere"})

    assert (page.sessions, page.warnings) == ((), ())


def test_a_stray_session_in_the_agent_directory_itself_is_found(home: Path, ask: Ask) -> None:
    flat(home, AGENT_DIR, 1)
    flat(home, "elsewhere", 2)

    assert uuids(ask()) == [uuid(1)]
    assert uuids(ask({"PI_CODING_AGENT_DIR": "elsewhere"})) == [uuid(2)]


def test_other_folders_of_the_agent_directory_hold_no_sessions(home: Path, ask: Ask) -> None:
    session(home)
    flat(home, f"{AGENT_DIR}/git/a-package/fixtures", 9)

    assert uuids(ask()) == [uuid(1)]


def test_sessions_that_an_extension_keeps_beside_the_others_are_subagents(home: Path, ask: Ask) -> None:
    flat(home, f"{AGENT_DIR}/subagent-sessions/a1", 1)

    assert [(one.uuid, one.kind) for one in ask().sessions] == [(uuid(1), "subagent")]


# Session directories


@pytest.mark.parametrize("value", ["{home}/flat", "flat", "~/flat", "{home}/flat/"])
def test_a_variable_adds_a_session_directory(home: Path, ask: Ask, value: str) -> None:
    session(home, number=1)
    flat(home, "flat", 2)

    page = ask({"PI_CODING_AGENT_SESSION_DIR": value.format(home=home)})

    assert uuids(page) == [uuid(1), uuid(2)]


@pytest.mark.parametrize("value", ["{home}/flat", "flat", "~/flat"])
def test_a_setting_adds_a_session_directory(home: Path, ask: Ask, value: str) -> None:
    session(home, number=1)
    flat(home, "flat", 2)
    settings(home, value.format(home=home))

    assert uuids(ask()) == [uuid(1), uuid(2)]


def test_a_setting_of_the_current_directory_adds_a_session_directory(home: Path, ask: Ask) -> None:
    session(home, number=1)
    flat(home, "flat", 2)
    settings(home, "flat", ".pi")

    assert uuids(ask()) == [uuid(1), uuid(2)]


def test_a_moved_agent_directory_has_its_own_settings(home: Path, ask: Ask) -> None:
    flat(home, "old", 1)
    flat(home, "new", 2)
    settings(home, "old")
    settings(home, "new", "elsewhere")

    assert uuids(ask({"PI_CODING_AGENT_DIR": "elsewhere"})) == [uuid(2)]


def test_all_session_directories_count(home: Path, ask: Ask) -> None:
    session(home, number=1)
    for number, directory in enumerate(("by-variable", "by-setting", "by-project"), 2):
        flat(home, directory, number)
    settings(home, "by-setting")
    settings(home, "by-project", ".pi")

    page = ask({"PI_CODING_AGENT_SESSION_DIR": "by-variable"})

    assert uuids(page) == [uuid(number) for number in range(1, 5)]


def test_a_session_directory_holds_sessions_of_many_directories(home: Path, ask: Ask) -> None:
    flat(home, "flat", 1, cwd="/srv/orchard")
    flat(home, "flat", 2, cwd="/srv/barn")

    page = ask({"PI_CODING_AGENT_SESSION_DIR": "flat"})

    assert {one.project_dir for one in page.sessions} == {"/srv/orchard", "/srv/barn"}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff\x00", b'{"sessionDir": 7}', b'{"sessionDir": ""}']
)
@pytest.mark.parametrize("directory", [AGENT_DIR, ".pi"])
def test_broken_settings_add_nothing(home: Path, ask: Ask, directory: str, content: bytes) -> None:
    session(home)
    put(home / directory / "settings.json", content)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("directory", [AGENT_DIR, ".pi"])
def test_settings_that_cannot_be_read_add_nothing(home: Path, ask: Ask, forbid: Forbid, directory: str) -> None:
    session(home)
    flat(home, "flat", 2)
    forbid(settings(home, "flat", directory))

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@needs_pipes
@pytest.mark.parametrize("directory", [AGENT_DIR, ".pi"])
def test_a_named_pipe_or_a_folder_instead_of_settings_adds_nothing(home: Path, ask: Ask, directory: str) -> None:
    session(home)
    os.mkfifo(home / directory / "settings.json")
    (home / "elsewhere" / "settings.json").mkdir(parents=True)

    assert uuids(ask()) == [uuid(1)]
    assert uuids(ask({"PI_CODING_AGENT_DIR": "elsewhere"})) == []


@pytest.mark.parametrize("directory", [AGENT_DIR, ".pi"])
@pytest.mark.parametrize(
    "session_dir",
    [
        pytest.param("nul\x00byte", id="NUL"),
        pytest.param("half\ud800pair", id="half of a surrogate pair"),
        pytest.param("x" * 300, id="a name too long"),
        pytest.param("x/" * 3000, id="a path too long"),
        pytest.param("nowhere", id="not there"),
    ],
)
def test_a_session_directory_that_cannot_be_costs_no_session(
    home: Path, ask: Ask, session_dir: str, directory: str
) -> None:
    session(home)
    settings(home, session_dir, directory)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert len(page.warnings) <= 1


@pytest.mark.parametrize(
    "value", [AGENT_DIR, f"{AGENT_DIR}/", f"{AGENT_DIR}/sessions", f"~/{AGENT_DIR}/sessions/", "link"]
)
def test_a_directory_by_another_name_counts_once(home: Path, ask: Ask, value: str) -> None:
    session(home)
    (home / "link").symlink_to(f"{AGENT_DIR}/sessions")
    settings(home, value)

    page = ask({"PI_CODING_AGENT_SESSION_DIR": value})

    assert uuids(page) == [uuid(1)]
    assert "copies" not in page.sessions[0].extra


def test_the_places_come_with_the_most_likely_first(home: Path) -> None:
    settings(home, "by-setting")

    stores = adapter("pi").stores(environment_of(home, {"PI_CODING_AGENT_SESSION_DIR": "by-variable"}))

    paths = [store.path for store in stores]
    assert paths[0] == str(home / AGENT_DIR / "sessions")
    assert paths.index(str(home / "by-variable")) < paths.index(str(home / "by-setting"))
    assert paths[-1] == str(home / AGENT_DIR)


# What lies there


@pytest.mark.parametrize("place", ["", "--srv-orchard--", "a/b/c/d/e/f", "--srv\norchard--", ".hidden", "plum tree"])
def test_sessions_are_found_at_any_depth(home: Path, ask: Ask, place: str) -> None:
    path = flat(home, f"{AGENT_DIR}/sessions/{place}", 1)

    assert [one.path for one in ask().sessions] == [str(path)]


@pytest.mark.parametrize("name", ["session.jsonl", "Nightly.jsonl", "x.jsonl"])
def test_a_session_may_have_any_name(home: Path, ask: Ask, name: str) -> None:
    put(folder(home) / name, turns())

    assert uuids(ask()) == [uuid(1)]


@pytest.mark.parametrize("suffix", [".json", ".bak", ".jsonl.bak", ".jsonl.tmp", ".jsonl.3.bak", ".jsonl~", ".md", ""])
def test_files_with_another_ending_are_no_sessions(home: Path, ask: Ask, suffix: str) -> None:
    session(home)
    put(folder(home) / f"copy{suffix}", turns(9))

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\n\n", id="blank"),
        pytest.param(lines([{"agent": "scout", "task": "Prune", "ts": 1_773_133_200}]), id="history of runs"),
        pytest.param(lines([{"version": 1, "recordType": "message", "runId": "4f2a"}]), id="transcript of a run"),
        pytest.param(lines([{"type": "other", "id": "x"}]), id="records of another type"),
        pytest.param(lines([said("Prune")]), id="a message alone"),
        pytest.param(lines([header(id=...), said("Prune")]), id="header without an id"),
        pytest.param(lines([header(id=7), said("Prune")]), id="header with a number for an id"),
        pytest.param(lines([header(id=""), said("Prune")]), id="header with an empty id"),
        pytest.param(b"no JSON\n", id="text"),
    ],
)
@pytest.mark.parametrize(
    "place", ["run-history.jsonl", "sessions/--srv-orchard--/subagent-artifacts/a1_transcript.jsonl"]
)
def test_what_extensions_write_is_neither_a_session_nor_a_problem(
    home: Path, ask: Ask, place: str, content: bytes
) -> None:
    session(home)
    put(home / AGENT_DIR / place, content)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_an_empty_folder_is_no_session(home: Path, ask: Ask) -> None:
    folder(home).mkdir(parents=True)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_folders_named_like_sessions_are_folders(home: Path, ask: Ask) -> None:
    session(home)
    put(folder(home) / file_name(2) / "inner.txt", "x")
    (home / AGENT_DIR / "stray.jsonl").mkdir()

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("place", [".pi", AGENT_DIR, f"{AGENT_DIR}/sessions", "flat"])
def test_a_file_where_a_folder_should_be_is_an_empty_store(home: Path, ask: Ask, place: str) -> None:
    put(home / place, "not a folder")

    page = ask({"PI_CODING_AGENT_SESSION_DIR": "flat"})

    assert (page.sessions, page.warnings) == ((), ())


# Links


def test_a_linked_file_is_followed(home: Path, ask: Ask) -> None:
    target = put(home / "backup" / "session.txt", turns())
    link = folder(home) / file_name()
    link.parent.mkdir(parents=True)
    link.symlink_to(target)

    assert [(one.uuid, one.path) for one in ask().sessions] == [(uuid(1), str(link))]


@pytest.mark.parametrize("place", [".pi", AGENT_DIR, f"{AGENT_DIR}/sessions", f"{AGENT_DIR}/sessions/--srv-orchard--"])
def test_a_linked_folder_is_followed(home: Path, ask: Ask, place: str) -> None:
    session(home / "disk")
    link = home / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(home / "disk" / place)

    assert uuids(ask()) == [uuid(1)]


def test_links_that_lead_back_end_and_double_nothing(home: Path, ask: Ask) -> None:
    path = session(home)
    (path.parent / "again").symlink_to(".")
    (path.parent / "up").symlink_to("..")
    (path.parent / "top").symlink_to(home)
    path.with_name("self.jsonl").symlink_to("self.jsonl")
    path.with_name("gone.jsonl").symlink_to("/nowhere/at/all.jsonl")
    path.with_name("other.jsonl").symlink_to(path.name)

    page = ask()

    assert ([one.path for one in page.sessions], page.warnings) == ([str(path)], ())
    assert "copies" not in page.sessions[0].extra


def test_a_hard_link_doubles_nothing(home: Path, ask: Ask) -> None:
    path = session(home)
    os.link(path, path.with_name("zzz.jsonl"))

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert "copies" not in page.sessions[0].extra


# What cannot be read, and what goes away


@needs_pipes
@pytest.mark.parametrize("place", ["sessions/--srv-orchard--/pipe.jsonl", "pipe.jsonl"])
def test_named_pipes_are_passed_by(home: Path, ask: Ask, place: str) -> None:
    session(home)
    os.mkfifo(home / AGENT_DIR / place)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_a_session_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid) -> None:
    session(home, number=1)
    path = session(home, number=2)
    forbid(path)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [("pi", str(path), "permission denied")]


@pytest.mark.parametrize(
    ("place", "stores"),
    [("sessions/--srv-barn--", ["sessions/--srv-barn--"]), ("sessions", ["sessions"]), ("", ["sessions", ""])],
)
def test_a_folder_that_cannot_be_read_costs_a_warning_for_each_store(
    home: Path, ask: Ask, forbid: Forbid, place: str, stores: list[str]
) -> None:
    session(home, directory="/srv/barn")
    flat(home, "flat", 2)
    forbid(home / AGENT_DIR / place)

    page = ask({"PI_CODING_AGENT_SESSION_DIR": "flat"})

    assert uuid(2) in uuids(page)
    assert [(one.path, one.problem) for one in page.warnings] == [
        (str(home / AGENT_DIR / store), "permission denied") for store in stores
    ]


def test_a_session_that_is_deleted_while_it_is_listed_costs_nothing(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(home, number=1)
    vanishing = session(home, number=2)
    opened = files.opened

    def opened_late(path: str) -> int:
        if path == str(vanishing):
            vanishing.unlink()
        return opened(path)

    monkeypatch.setattr(files, "opened", opened_late)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize(
    ("error", "problems"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file"), []),
        (OSError(errno.EIO, "Input/output error"), ["input/output error"]),
    ],
)
def test_a_session_that_is_lost_before_its_details_are_read_is_still_listed(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, error: OSError, problems: list[str]
) -> None:
    path = session(home)
    opened, times = files.opened, []

    def opened_once(given: str) -> int:
        times.append(given)
        if times.count(given) > 1:
            raise error
        return opened(given)

    monkeypatch.setattr(files, "opened", opened_once)

    page = ask()

    assert [(one.path, one.title, one.models, one.message_count) for one in page.sessions] == [
        (str(path), None, (), None)
    ]
    assert [one.problem for one in page.warnings] == problems


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_that_are_no_utf_8_are_read(home: Path, ask: Ask) -> None:
    place = os.fsencode(home / AGENT_DIR / "sessions") + b"/--m\xe4rz--"
    os.makedirs(place)
    with open(place + b"/\xff.jsonl", "wb") as file:
        file.write(lines(turns()))

    assert uuids(ask()) == [uuid(1)]


def test_a_moved_directory_is_searched_no_deeper_than_pi_writes(home: Path, ask: Ask) -> None:
    settings(home, "/srv/nothing-here")
    elsewhere = home / "elsewhere"
    settings(home, str(elsewhere))
    own = put(elsewhere / file_name(1), turns(1))
    put(elsewhere / "--srv-orchard--" / file_name(2), turns(2))
    put(own.with_suffix("") / "4f2a" / "run-0" / "session.jsonl", turns(3))
    put(elsewhere / "backup" / file_name(4), turns(4))

    assert sorted(session.uuid for session in ask().sessions) == [uuid(1), uuid(2), uuid(3)]
