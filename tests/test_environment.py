"""What sesls knows of its machine stands in one value."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sesls.environment import Environment


def environment(**variables: str) -> Environment:
    return Environment(home="/home/ada", variables=variables, cwd="/srv/orchard", config_home="/home/ada/.config")


@pytest.mark.parametrize(("given", "value"), [("1", "1"), (" 1 ", "1"), ("", None), (" \t", None)])
def test_a_blank_variable_counts_as_not_set(given: str, value: str | None) -> None:
    assert environment(NAME=given).value("NAME") == value


def test_a_variable_that_is_not_set_has_no_value() -> None:
    assert environment().value("NAME") is None
    assert environment().directory("NAME") is None


@pytest.mark.parametrize(
    ("given", "directory"),
    [("/srv/claude", "/srv/claude"), ("claude", "/srv/orchard/claude"), ("", None), ("  ", None)],
)
def test_a_variable_names_a_directory_seen_from_the_caller(given: str, directory: str | None) -> None:
    assert environment(NAME=given).directory("NAME") == directory


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("~", "/home/ada"),
        ("~/pears", "/home/ada/pears"),
        ("~ada/pears", "/srv/orchard/~ada/pears"),
        ("/srv/pears", "/srv/pears"),
        ("pears", "/srv/orchard/pears"),
    ],
)
def test_a_path_may_begin_in_the_home(given: str, path: str) -> None:
    assert environment().expanded(given) == path


def test_paths_in_the_home_are_joined() -> None:
    assert environment().in_home(".codex", "sessions") == os.path.join("/home/ada", ".codex", "sessions")


def test_desktop_programs_are_looked_for_where_every_system_keeps_them() -> None:
    assert environment().config_homes() == (
        "/home/ada/.config",
        "/home/ada/Library/Application Support",
        "/home/ada/AppData/Roaming",
    )
    assert environment().local_data_homes() == ("/home/ada/AppData/Local",)


def test_variables_add_the_places_they_name() -> None:
    moved = environment(XDG_CONFIG_HOME="/srv/xdg", APPDATA="/srv/roaming", LOCALAPPDATA="/srv/local")

    assert moved.config_homes()[1] == "/srv/xdg"
    assert "/srv/roaming" in moved.config_homes()
    assert moved.local_data_homes()[0] == "/srv/local"


def test_a_place_named_twice_is_one_place() -> None:
    assert len(environment(XDG_CONFIG_HOME="/home/ada/.config").config_homes()) == 3


def test_this_process_gives_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("SESLS_MADE_UP", "here")
    monkeypatch.chdir(home)

    current = Environment.current()

    assert (current.home, current.cwd, current.value("SESLS_MADE_UP")) == (str(home), str(home), "here")


def test_a_deleted_directory_is_the_one_the_shell_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(os, "getcwd", gone)

    monkeypatch.setenv("PWD", "/srv/gone")
    assert Environment.current().cwd == "/srv/gone"

    monkeypatch.delenv("PWD")
    assert Environment.current().cwd == os.path.sep
