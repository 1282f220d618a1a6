"""Where sessions are looked for, what may lie there beside them, and how much of it is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters import adapter
from sesls.adapters.continue_cli import records
from sesls.formats import files
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.adapters.conftest import Forbid, uuids
from tests.builders.common import at, epoch_ms, put, uuid
from tests.builders.continue_cli import SESSIONS, answered, entry, index, said, session
from tests.conftest import environment_of
from tests.watching import Reading

Ask = Callable[..., Page]


@pytest.mark.parametrize("value", ["{home}/other", "other"])
def test_a_variable_replaces_the_home(home: Path, ask: Ask, value: str) -> None:
    session(home)
    session(home, number=2, root="other/sessions")
    index(home, [entry(2)], root="other/sessions")

    page = ask(variables={"CONTINUE_GLOBAL_DIR": value.format(home=home)})

    assert [(one.uuid, one.created) for one in page.sessions] == [(uuid(2), at())]
    assert uuids(ask(variables={"CONTINUE_GLOBAL_DIR": " "})) == [uuid(1)]


def test_there_is_one_place(home: Path) -> None:
    assert [one.path for one in adapter("continue").stores(environment_of(home))] == [str(home / SESSIONS)]


def test_what_else_lies_there_is_no_session(home: Path, ask: Ask) -> None:
    session(home)
    for name in ("logs/cn.log", "index/x.json", "dev_data/x.json", "input_history.json", "config.yaml"):
        put(home / ".continue" / name, "[]")
    put(home / SESSIONS / f"._{uuid(1)}.json", b"\x00\x05\x16\x07")
    put(home / SESSIONS / f"{uuid(2)}.json.tmp", "{")
    (home / SESSIONS / f"{uuid(3)}.json").mkdir()
    (home / SESSIONS / "gone.json").symlink_to(home / "nowhere")

    assert (uuids(ask()), ask().warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("place", [".continue", SESSIONS])
def test_a_file_where_a_folder_should_be_is_no_problem(home: Path, ask: Ask, place: str) -> None:
    put(home / place, "not a folder")

    assert (ask().sessions, ask().warnings) == ((), ())


@pytest.mark.parametrize("name", ["sessions.json", f"{uuid(2)}.json"])
def test_a_file_that_cannot_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid, name: str) -> None:
    session(home)
    session(home, number=2)
    index(home, [entry()])
    forbid(home / SESSIONS / name)

    page = ask()

    assert uuid(1) in uuids(page)
    assert [(one.path, one.problem) for one in page.warnings] == [(str(home / SESSIONS / name), "permission denied")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["sessions.json", f"{uuid(2)}.json"])
def test_named_pipes_hold_nothing_up(home: Path, ask: Ask, name: str) -> None:
    session(home)
    os.mkfifo(home / SESSIONS / name)

    assert (uuids(ask()), ask().warnings) == ([uuid(1)], ())


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


def test_a_session_that_is_not_on_the_page_costs_one_window(home: Path, ask: Ask, reading: Reading) -> None:
    session(home, number=2, modified=9000)
    path = session(home, [said("Graft"), *[answered("x" * 900)] * 1000])

    page = ask(limit=1)

    assert (page.total, uuids(page)) == (2, [uuid(2)])
    assert 0 < reading.read[str(path)] <= records._WINDOW
    assert reading.openings[str(path)] == 1


def test_a_long_first_prompt_costs_no_more(home: Path, ask: Ask, reading: Reading) -> None:
    session(home, number=2, modified=9000)
    path = session(home, [said("x" * 3_000_000), answered()])

    assert ask(limit=1).total == 2
    assert reading.read[str(path)] <= records._WINDOW
    assert {one.title[:9] for one in ask().sessions if one.title} == {"x" * 9, "Prompt 2"}


def test_what_changes_shows_in_the_next_listing(home: Path, tmp_path: Path) -> None:
    session(home)
    environment = environment_of(home, cache=tmp_path / "cache")
    assert [(one.title, one.created) for one in take(Query(), environment).sessions] == [("Prompt 1", None)]

    index(home, [entry(date=str(epoch_ms(-1)))])
    session(home, title="Much newer")

    assert [(one.title, one.created) for one in take(Query(), environment).sessions] == [("Much newer", at(-1))]
