"""What installed packages bring is looked for once, and again when packages change."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sesls import looks
from sesls.adapters import plugins
from sesls.adapters.plugins import Plugin
from tests.builders.common import put


@pytest.fixture
def searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A folder of packages on the path, twice, and how often it was searched."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setattr(looks, "_SETTLED_NS", -(10**12))
    monkeypatch.setattr(sys, "path", ["", str(folder), str(folder)])
    counted: list[int] = []

    def installed(folders: list[str]) -> Iterator[tuple[str, Plugin]]:
        counted.append(len(folders))
        yield "acme", Plugin("acme", "sesls-acme", "1.0")

    monkeypatch.setattr(plugins, "_installed", installed)
    return counted


def test_a_path_that_names_a_folder_twice_is_searched_once(tmp_path: Path, searches: list[int]) -> None:
    found = [plugins.found(str(tmp_path / "cache"), "/srv") for _ in range(3)]

    assert found == [{"acme": Plugin("acme", "sesls-acme", "1.0")}] * 3
    assert searches == [1]


def test_it_is_searched_again_where_a_package_came(tmp_path: Path, searches: list[int]) -> None:
    plugins.found(str(tmp_path / "cache"), "/srv")
    (tmp_path / "packages" / "new").mkdir()
    plugins.found(str(tmp_path / "cache"), "/srv")

    assert len(searches) == 2


def test_the_program_that_runs_is_no_place_of_packages(
    tmp_path: Path, searches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in ("bin", "other"):
        monkeypatch.setattr(sys, "argv", [str(tmp_path / program / "sesls")])
        monkeypatch.setattr(sys, "path", [str(tmp_path / program), str(tmp_path / "packages")])
        plugins.found(str(tmp_path / "cache"), "/srv")

    assert searches == [1]


@pytest.mark.parametrize("damage", [lambda content: content[:-20], lambda content: content[:-20] + bytes(20)])
def test_what_is_remembered_and_damaged_counts_as_nothing(
    tmp_path: Path, searches: list[int], damage: Callable[[bytes], bytes]
) -> None:
    plugins.found(str(tmp_path / "cache"), "/srv")
    (kept,) = (path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    kept.write_bytes(damage(kept.read_bytes()))

    found = [plugins.found(str(tmp_path / "cache"), "/srv") for _ in range(2)]

    assert found == [{"acme": Plugin("acme", "sesls-acme", "1.0")}] * 2
    assert len(searches) == 2


def package(folder: Path, name: str, kind: str, group: str) -> None:
    put(
        folder / f"{name}{kind}" / ("METADATA" if "dist" in kind.lower() else "PKG-INFO"),
        f"Name: {name}\nVersion: 1.0\n",
    )
    put(folder / f"{name}{kind}" / "entry_points.txt", f"[{group}]\n{name} = {name}.adapter\n")


@pytest.mark.parametrize("kind", [".dist-info", ".egg-info", ".DIST-INFO"])
def test_packages_of_either_kind_bring_adapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    package(tmp_path / "packages", "acme", kind, "sesls.adapters")
    package(tmp_path / "packages", "other", kind, "console_scripts")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages")])

    assert plugins.found(None, "/srv") == {"acme": Plugin("acme.adapter", "acme", "1.0")}


def test_an_egg_brings_adapters_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    egg = tmp_path / "acme-1.0-py3.11.egg"
    put(egg / "EGG-INFO" / "PKG-INFO", "Name: acme\nVersion: 1.0\n")
    put(egg / "EGG-INFO" / "entry_points.txt", "[sesls.adapters]\nacme = acme.adapter\n")
    monkeypatch.setattr(sys, "path", [str(egg)])

    assert list(plugins.found(None, "/srv")) == ["acme"]


def test_an_archive_of_packages_brings_adapters_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "packages", "acme", ".dist-info", "sesls.adapters")
    archive = shutil.make_archive(str(tmp_path / "packages"), "zip", tmp_path / "packages")
    monkeypatch.setattr(sys, "path", [archive])

    assert list(plugins.found(None, "/srv")) == ["acme"]


def test_where_no_package_names_an_adapter_none_is_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "packages", "other", ".dist-info", "console_scripts")
    put(tmp_path / "packages" / "plain.dist-info" / "METADATA", "Name: plain\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages"), str(tmp_path / "missing")])
    monkeypatch.delattr("importlib.metadata.distributions")

    assert plugins.found(None, "/srv") == {}
