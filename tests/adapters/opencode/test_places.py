"""Where sessions are looked for, and what may lie there beside them."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.formats import files
from sesls.inventory import diagnose
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.adapters.conftest import Forbid, needs_pipes, uuids
from tests.builders.common import put
from tests.builders.opencode import (
    DATA,
    GENERATIONS,
    MODEL,
    database,
    msg,
    old_record,
    record,
    ses,
    session,
    user,
    v2_database,
)
from tests.conftest import Ask, environment_of

Only = Callable[..., Session]


def problems(page: Page) -> list[tuple[str, str, str]]:
    return [(warning.agent, warning.path, warning.problem) for warning in page.warnings]


# The data directory


@pytest.mark.parametrize("version", GENERATIONS)
def test_sessions_lie_below_the_home_on_every_system(home: Path, only: Only, version: str) -> None:
    path = GENERATIONS[version](home, session())

    assert path.is_relative_to(home / ".local/share/opencode")
    assert only().path == str(path)


def test_a_variable_moves_the_data(home: Path, ask: Ask) -> None:
    database(home, [session(1)])
    database(home, [session(2)], data="moved/opencode")
    record(home, session(3), data="moved/opencode")

    page = ask({"XDG_DATA_HOME": str(home / "moved")})

    assert uuids(page) == [ses(2), ses(3)]


@pytest.mark.parametrize("value", ["", "  "])
def test_a_blank_variable_moves_nothing(home: Path, only: Only, value: str) -> None:
    database(home, [session()])

    assert only(variables={"XDG_DATA_HOME": value, "OPENCODE_DB": value}).uuid == ses(1)


def test_a_relative_data_home_is_one_below_the_working_directory(home: Path, only: Only) -> None:
    path = database(home, [session()], data="moved/opencode")

    assert only(variables={"XDG_DATA_HOME": "moved"}).path == str(path)


@pytest.mark.parametrize(
    "name", ["OPENCODE_DATA", "OPENCODE_DATA_DIR", "OPENCODE_TEST_HOME", "APPDATA", "LOCALAPPDATA"]
)
def test_variables_that_opencode_does_not_know_move_nothing(home: Path, ask: Ask, name: str) -> None:
    database(home, [session(1)])
    for folder in ("moved", "moved/opencode", f"moved/{DATA}"):
        database(home, [session(2)], data=folder)

    assert uuids(ask({name: str(home / "moved")})) == [ses(1)]


@pytest.mark.parametrize(
    "folder",
    [
        "Library/Application Support/opencode",
        "AppData/Roaming/opencode",
        "AppData/Local/opencode",
        ".config/opencode",
        ".opencode",
        ".local/state/opencode",
    ],
)
def test_other_folders_of_that_name_hold_no_sessions(home: Path, ask: Ask, folder: str) -> None:
    database(home, [session()], data=folder)
    record(home, session(), data=folder)

    assert uuids(ask()) == []


def test_a_home_without_opencode_is_empty(ask: Ask) -> None:
    page = ask({"XDG_DATA_HOME": "/nowhere/at/all", "OPENCODE_DB": "/nowhere/either.db"})

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.parametrize(
    ("value", "places"), [("named.db", [DATA, f"{DATA}/named.db"]), (":memory:", [DATA]), (" ", [DATA])]
)
def test_the_places_looked_at_are_named(home: Path, value: str, places: list[str]) -> None:
    diagnostics, _ = diagnose(Query(), environment_of(home, {"OPENCODE_DB": value}))

    (scanned,) = [one for one in diagnostics.to_dict()["scanned"] if one["agent"] == "opencode"]
    assert [root["path"] for root in scanned["roots"]] == [str(home / place) for place in places]


# Databases


@pytest.mark.parametrize(
    "file",
    ["opencode.db", "opencode-dev.db", "opencode-local.db", "opencode-next.db", "opencode-0.0.0-dev_2.1-A.db"],
)
def test_every_channel_has_its_database(home: Path, only: Only, file: str) -> None:
    path = database(home, [session()], file=file)

    assert only().path == str(path)


def test_the_databases_of_several_channels_are_listed_together(home: Path, ask: Ask) -> None:
    for number, file in enumerate(("opencode.db", "opencode-dev.db", "opencode-local.db"), 1):
        database(home, [session(number)], file=file)

    assert uuids(ask()) == [ses(1), ses(2), ses(3)]


@pytest.mark.parametrize(
    "file",
    [
        "opencode.db.backup",
        "opencode.db~",
        "opencode.sqlite",
        "opencode-dev.db.old",
        "._opencode.db",
        "old-opencode.db",
        "opencode2.db",
        "copy of opencode.db",
        "cache.db",
        "backup/opencode.db",
        "snapshot/4b1d/opencode.db",
    ],
)
def test_other_databases_are_none_of_opencode(home: Path, ask: Ask, file: str) -> None:
    database(home, [session(1)])
    database(home, [session(2)], file=file)

    assert uuids(ask()) == [ses(1)]


@pytest.mark.parametrize("value", ["{home}/named.db", "named.db", "../named.db", " {home}/named.db\n"])
def test_a_variable_names_one_more_database(home: Path, ask: Ask, value: str) -> None:
    places = {"named.db": DATA, "../named.db": f"{DATA}/.."}
    database(home, [session(1)])
    database(home, [session(2)], data=places.get(value, "."), file="named.db")

    page = ask({"OPENCODE_DB": value.format(home=home)})

    assert (uuids(page), page.warnings) == ([ses(1), ses(2)], ())


def test_a_relative_name_is_one_below_moved_data(home: Path, only: Only) -> None:
    path = database(home, [session()], data="moved/opencode", file="named.db")

    assert only(variables={"XDG_DATA_HOME": str(home / "moved"), "OPENCODE_DB": "named.db"}).path == str(path)


def test_a_relative_name_is_not_one_below_the_working_directory(home: Path, ask: Ask) -> None:
    database(home, [session()], data=".", file="named.db")

    assert uuids(ask({"OPENCODE_DB": "named.db"})) == []


@pytest.mark.parametrize("value", ["opencode.db", "{home}/.local/share/opencode/opencode.db", "{home}/link.db"])
def test_the_usual_database_by_another_name_counts_once(home: Path, only: Only, value: str) -> None:
    path = database(home, [session()])
    (home / "link.db").symlink_to(path)

    found = only(variables={"OPENCODE_DB": value.format(home=home)})

    assert (found.path, "copies" in found.extra) == (str(path), False)


@pytest.mark.parametrize("value", [":memory:", "{home}/.local/share/opencode", "nowhere.db", "nowhere/", "/", "."])
def test_a_name_that_leads_to_no_file_adds_nothing(home: Path, ask: Ask, value: str) -> None:
    database(home, [session(1)])

    page = ask({"OPENCODE_DB": value.format(home=home)})

    assert (uuids(page), page.warnings) == ([ses(1)], ())


def test_what_lies_beside_a_named_database_is_not_opened(home: Path, ask: Ask) -> None:
    named = database(home, [session(1)], data="elsewhere", file="named.db")
    put(named.with_name("opencode.db"), b"this is no database " * 99)
    put(named.with_name("named.db.bak"), b"this is no database " * 99)

    page = ask({"OPENCODE_DB": str(named)})

    assert (uuids(page), page.warnings) == ([ses(1)], ())


# Records


@pytest.mark.parametrize("project", ["4b1d", "global", "a name with blanks"])
def test_records_lie_in_the_folder_of_any_project(home: Path, only: Only, project: str) -> None:
    path = record(home, session(), project=project)

    assert (only().path, only().models) == (str(path), (MODEL,))


@pytest.mark.parametrize("slug", ["srv-orchard", "global", "C-Users-someone"])
@pytest.mark.parametrize("inline", [True, False])
def test_old_records_lie_in_the_folder_of_any_project(home: Path, only: Only, slug: str, inline: bool) -> None:
    path = old_record(home, session(), slug=slug, inline=inline)

    assert (only().path, only().models) == (str(path), (MODEL,))


@pytest.mark.parametrize(
    "file",
    [
        "storage/session/4b1d/{id}.json.tmp",
        "storage/session/4b1d/{id}.json~",
        "storage/session/4b1d/{id}.jsonc",
        "storage/session/4b1d/nested/{id}.json",
        "storage/session/{id}.json",
        "storage/session_diff/{id}.json",
        "storage/session_share/{id}.json",
        "storage/project/{id}.json",
        "storage/todo/{id}.json",
        "project/srv-orchard/app.json",
        "project/srv-orchard/storage/session/{id}.json",
        "project/srv-orchard/storage/session/share/{id}.json",
        "tool-output/{id}.json",
    ],
)
def test_what_lies_beside_records_is_none(home: Path, ask: Ask, file: str) -> None:
    path = record(home, session(1))
    old_record(home, session(2))
    put(home / DATA / file.format(id=ses(3)), path.read_bytes().replace(ses(1).encode(), ses(3).encode()))

    page = ask()

    assert (uuids(page), page.warnings) == ([ses(1), ses(2)], ())


@pytest.mark.parametrize("file", ["msg_9.json.tmp", "msg_9.json~", "msg_9", "nested/msg_9.json"])
def test_what_lies_beside_messages_is_none(home: Path, only: Only, file: str) -> None:
    record(home, session())
    put(home / DATA / "storage/message" / ses(1) / file, json.dumps(user().data))

    assert only().message_count == 2


def test_files_that_macos_puts_beside_copied_ones_are_not_worth_a_word(home: Path, ask: Ask) -> None:
    path = record(home, session())
    put(path.with_name(f"._{path.name}"), b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X")

    page = ask()

    assert (uuids(page), page.warnings) == ([ses(1)], ())


def test_secrets_and_logs_are_never_opened(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = [
        put(home / DATA / name, "{}")
        for name in ("auth.json", "mcp-auth.json", "log/opencode.log", "snapshot/4b1d/HEAD", "tool-output/tool_1")
    ]
    database(home, [session(1)])
    record(home, session(2))
    old_record(home, session(3))
    touched: Counter[str] = Counter()
    for name in ("open", "scandir"):
        real = getattr(os, name)

        def noting(path: Any, *args: Any, real: Any = real, **keys: Any) -> Any:
            touched[str(path)] += 1
            return real(path, *args, **keys)

        monkeypatch.setattr(os, name, noting)

    ask()

    assert touched.keys() & {str(path) for path in secret} == set()
    assert touched.keys() & {str(path.parent) for path in secret} == {str(home / DATA)}


# Links


@pytest.mark.parametrize("version", GENERATIONS)
def test_linked_data_is_followed(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session())
    (home / DATA).rename(home / "disk")
    (home / DATA).symlink_to(home / "disk")

    found = only()

    assert (found.title, found.models) == ("Title 1", (MODEL,))
    assert found.path.startswith(str(home / DATA))


def test_a_linked_database_is_followed(home: Path, only: Only) -> None:
    target = database(home, [session()], data="disk", file="sessions")
    link = home / DATA / "opencode.db"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)

    found = only()

    assert (found.path, found.models) == (str(link), (MODEL,))


def test_a_linked_project_is_followed(home: Path, only: Only) -> None:
    path = record(home, session())
    path.parent.rename(home / "disk")
    path.parent.symlink_to(home / "disk")

    assert only().path == str(path)


def test_links_double_nothing(home: Path, ask: Ask) -> None:
    one = database(home, [session(1)])
    two = record(home, session(2))
    three = old_record(home, session(3))
    one.with_name("opencode-dev.db").symlink_to(one)
    os.link(one, one.with_name("opencode-local.db"))
    two.with_name("other.json").symlink_to(two)
    (two.parents[1] / "again").symlink_to(two.parent)
    (home / DATA / "project" / "again").symlink_to(home / DATA / "project" / "srv-orchard")

    page = ask()

    assert (uuids(page), page.warnings) == ([ses(1), ses(2), ses(3)], ())
    assert {found.path for found in page.sessions} == {str(one), str(two), str(three)}
    assert ["copies" in found.extra for found in page.sessions] == [False] * 3


def test_links_that_lead_nowhere_or_back_cost_nothing(home: Path, ask: Ask) -> None:
    path = record(home, session())
    path.with_name("gone.json").symlink_to("/nowhere/at/all.json")
    path.with_name("self.json").symlink_to("self.json")
    (path.parents[1] / "up").symlink_to("..")
    (home / DATA / "project").mkdir()
    (home / DATA / "project" / "top").symlink_to(home / DATA)
    (home / DATA / "opencode.db").symlink_to("opencode.db")

    page = ask()

    assert (uuids(page), page.warnings) == ([ses(1)], ())


# What is no file, or may not be read


@needs_pipes
def test_named_pipes_are_passed_by(home: Path, ask: Ask) -> None:
    path = record(home, session(1))
    old = old_record(home, session(2))
    messages = home / DATA / "storage/message" / ses(1)
    for pipe in (
        home / DATA / "opencode.db",
        home / DATA / "opencode-dev.db",
        path.with_name(f"{ses(3)}.json"),
        old.with_name(f"{ses(4)}.json"),
        messages / f"{msg(ses(1), 0)[:-1]}x.json",
        home / "named.db",
    ):
        os.mkfifo(pipe)

    page = ask({"OPENCODE_DB": str(home / "named.db")})

    assert (uuids(page), page.warnings) == ([ses(1), ses(2)], ())
    assert [found.message_count for found in page.sessions] == [2, 2]


@needs_pipes
def test_a_pipe_instead_of_a_part_is_not_waited_for(home: Path, only: Only) -> None:
    record(home, session(title=""))
    part = home / DATA / "storage/part" / msg(ses(1), 0) / "prt_0.json"
    part.unlink()
    os.mkfifo(part)

    assert (only().title, only().message_count) == (None, 2)


def test_folders_named_like_files_are_folders(home: Path, ask: Ask) -> None:
    path = record(home, session())
    for folder in (
        home / DATA / "opencode.db",
        path.with_name(f"{ses(2)}.json"),
        home / DATA / "storage/message" / ses(1) / "msg_2.json",
        home / DATA / "storage/part" / msg(ses(1), 0) / "prt_2.json",
    ):
        folder.mkdir()

    page = ask()

    assert (uuids(page), page.warnings) == ([ses(1)], ())
    assert page.sessions[0].message_count == 2


@pytest.mark.parametrize(
    "file",
    [
        "",
        "storage",
        "storage/session",
        "storage/session/4b1d",
        "storage/message",
        "storage/part",
        "project",
        "project/srv-orchard",
        "project/srv-orchard/storage/session",
        "project/srv-orchard/storage/session/info",
    ],
)
def test_a_file_where_a_folder_should_be_costs_what_was_in_it(home: Path, ask: Ask, file: str) -> None:
    record(home, session(1, title=""))
    old_record(home, session(2, title=""))
    folder = home / DATA / file
    shutil.rmtree(folder)
    put(folder, "not a folder")

    page = ask()

    assert page.warnings == ()
    assert {ses(1), ses(2)} - set(uuids(page)) == _lost_with(file)


def _lost_with(file: str) -> set[str]:
    lost = {ses(1)} if file in ("", "storage", "storage/session", "storage/session/4b1d") else set()
    return lost | ({ses(2)} if file == "" or file.startswith("project") else set())


@pytest.mark.parametrize(
    ("file", "lost"),
    [
        ("", {1, 2, 3, 4}),
        ("opencode.db", {1}),
        ("opencode-dev.db", {2}),
        ("storage/session", {3}),
        ("storage/session/4b1d", {3}),
        (f"storage/session/4b1d/{ses(3)}.json", {3}),
        ("project", {4}),
        ("project/srv-orchard/storage/session/info", {4}),
        (f"project/srv-orchard/storage/session/info/{ses(4)}.json", {4}),
    ],
)
def test_what_may_not_be_read_costs_one_warning(
    home: Path, ask: Ask, forbid: Forbid, file: str, lost: set[int]
) -> None:
    database(home, [session(1)])
    database(home, [session(2)], file="opencode-dev.db")
    record(home, session(3))
    old_record(home, session(4))
    unreadable = home / DATA / file
    forbid(unreadable)

    page = ask()

    assert uuids(page) == [ses(number) for number in range(1, 5) if number not in lost]
    assert problems(page) == [("opencode", str(unreadable), "permission denied")]


@pytest.mark.parametrize("file", ["message/{id}/{msg}.json", "part/{msg}", "part/{msg}/prt_0.json"])
def test_a_message_that_may_not_be_read_leaves_its_session(home: Path, only: Only, forbid: Forbid, file: str) -> None:
    record(home, session(title=""))
    forbid(home / DATA / "storage" / file.format(id=ses(1), msg=msg(ses(1), 0)))

    found = only()

    assert (found.title, found.models) == (None, (MODEL,))


def test_messages_that_may_not_be_read_are_not_counted(home: Path, only: Only, forbid: Forbid) -> None:
    record(home, session())
    forbid(home / DATA / "storage/message" / ses(1))

    assert only().message_count is None


def test_a_named_database_that_may_not_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid) -> None:
    database(home, [session(1)])
    named = database(home, [session(2)], data=".", file="named.db")
    forbid(named)

    page = ask({"OPENCODE_DB": str(named)})

    assert uuids(page) == [ses(1)]
    assert problems(page) == [("opencode", str(named), "permission denied")]


# Deleted while it is listed


@pytest.mark.parametrize("version", GENERATIONS)
def test_what_is_deleted_while_it_is_listed_costs_nothing(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    database(home, [session(1)], file="opencode-dev.db")
    vanishing = GENERATIONS[version](home, session(2))
    opened = files.opened

    def opened_late(path: str) -> int:
        if path == str(vanishing):
            vanishing.unlink(missing_ok=True)
        return opened(path)

    monkeypatch.setattr(files, "opened", opened_late)

    page = ask()

    assert (uuids(page), page.warnings) == ([ses(1)], ())


def test_a_database_that_is_deleted_before_its_details_are_read_is_still_listed(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(home, [session()])
    opened, times = files.opened, []

    def opened_once(path: str) -> int:
        times.append(path)
        if len(times) > 1:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return opened(path)

    monkeypatch.setattr(files, "opened", opened_once)

    page = ask()

    assert [(found.path, found.message_count) for found in page.sessions] == [(str(path), None)]
    assert page.warnings == ()


def test_messages_that_are_deleted_before_they_are_counted_are_not_worth_a_word(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record(home, session())
    opened = files.opened

    def opened_if_record(name: str) -> int:
        if name != str(path):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", name)
        return opened(name)

    monkeypatch.setattr(files, "opened", opened_if_record)

    page = ask()

    assert ([found.title for found in page.sessions], page.warnings) == (["Title 1"], ())


# Names


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_folders_whose_names_are_no_utf_8_are_read(home: Path, only: Only) -> None:
    path = record(home, session())
    os.rename(path.parent, os.fsencode(path.parent.parent) + b"/m\xe4rz")

    assert (only().title, only().models) == ("Title 1", (MODEL,))


@pytest.mark.parametrize("name", ["100%", "why?", "issue #7", "a&b=c", "two words", "bäume 🌳", "file:"])
@pytest.mark.skipif(os.name == "nt", reason="such names cannot be given there")
def test_a_home_of_any_name_is_read(home: Path, only: Only, name: str) -> None:
    path = v2_database(home, [session()], data=f"{name}/opencode")

    assert only(variables={"XDG_DATA_HOME": str(home / name)}).path == str(path)
