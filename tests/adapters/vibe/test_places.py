"""Where Mistral Vibe's sessions are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from tests.builders.common import put, uuid
from tests.builders.vibe import child, folder, save, unified

Ask = Callable[..., Page]


def ids(page: Page) -> set[str]:
    return {one.uuid for one in page.sessions}


def write_all(home: Path, root: str) -> None:
    save(home, 1, root=root)
    child(folder(home, 2, root=root), 7)
    unified(home, 3, root=root)


EVERYTHING = {uuid(1), uuid(2), uuid(3), uuid(7)}


@pytest.mark.parametrize(
    ("root", "variables"),
    [
        (".vibe/logs/session", {}),
        ("moved/logs/session", {"VIBE_HOME": "{home}/moved"}),
        ("moved/logs/session", {"VIBE_HOME": "moved"}),
        ("moved/logs/session", {"VIBE_HOME": "~/moved"}),
        (".vibe/logs/session", {"VIBE_HOME": ""}),
    ],
)
def test_all_generations_are_found(home: Path, ask: Ask, root: str, variables: dict[str, str]) -> None:
    write_all(home, root)

    assert ids(ask({name: value.replace("{home}", str(home)) for name, value in variables.items()})) == EVERYTHING


def test_a_variable_replaces_the_home(home: Path, ask: Ask) -> None:
    write_all(home, ".vibe/logs/session")

    assert ids(ask({"VIBE_HOME": str(home / "moved")})) == set()


@pytest.mark.parametrize("path", ["~/moved", "{home}/moved", "moved"])
@pytest.mark.parametrize("settings", [".vibe/config.toml", "own/config.toml"])
def test_a_setting_moves_them_and_the_old_ones_stay(home: Path, ask: Ask, settings: str, path: str) -> None:
    variables = {"VIBE_HOME": "own"} if settings.startswith("own") else {}
    own = "own" if variables else ".vibe"
    path = path.replace("{home}", str(home))
    put(home / settings, f'active_model = "x"\n[session_logging]\nsave_dir = "{path}"\nsession_prefix = "log"\n')
    write_all(home, "moved")
    folder(home, 4, root="moved", prefix="log")
    folder(home, 5, root=f"{own}/logs/session")

    assert ids(ask(variables)) == EVERYTHING | {uuid(4), uuid(5)}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"save_dir",
        b'[session_logging]\nsave_dir = ""',
        b"[session_logging]\nsave_dir = 7",
        b"session_logging = 7 # save_dir",
        b'[session_logging]\nsave_dir = "a\\u0000b"',
        b"\xff\xfe save_dir",
        b'[session_logging]\nsave_dir = "/proc"',
        b"[" * 5000 + b"save_dir",
    ],
)
def test_settings_that_say_nothing_cost_nothing(home: Path, ask: Ask, content: bytes) -> None:
    put(home / ".vibe/config.toml", content)
    write_all(home, ".vibe/logs/session")

    page = ask()

    assert ids(page) == EVERYTHING
    assert page.warnings == ()


@pytest.mark.parametrize(
    "place", [".vibe", ".vibe/logs/session/unified", ".vibe/logs/session/session_20260310_090000_x"]
)
def test_links_in_loops_end(home: Path, ask: Ask, place: str) -> None:
    write_all(home, ".vibe/logs/session")
    (home / place).mkdir(parents=True, exist_ok=True)
    (home / place / "agents").symlink_to(home / ".vibe/logs/session")
    (home / place / "session_20260310_090000_loop").symlink_to(home / ".vibe/logs/session")

    page = ask()

    assert ids(page) == EVERYTHING
    assert len(page.sessions) == 4


def test_files_in_the_place_of_folders_cost_nothing(home: Path, ask: Ask) -> None:
    folder(home, 1)
    put(home / ".vibe/logs/session/unified", "no folder")
    put(home / ".vibe/logs/session/session_20260310_090000_x", "no folder")

    page = ask()

    assert (ids(page), page.warnings) == ({uuid(1)}, ())


def test_folders_in_the_place_of_files_cost_nothing(home: Path, ask: Ask) -> None:
    folder(home, 1)
    root = home / ".vibe/logs/session"
    for path in (
        root / "session_20260310_090000_x.json",
        root / "session_20260310_090000_y" / "meta.json",
        root / "unified" / uuid(9) / "meta.json",
        root / "unified" / "child-0a" / "CURRENT",
    ):
        path.mkdir(parents=True)

    page = ask()

    assert (ids(page), page.warnings) == ({uuid(1)}, ())
