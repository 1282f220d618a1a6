"""Directories are compared as text in a normal form, at path boundaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesls.paths import absolute_dir, absolute_or_none, is_windows_path, is_within, normal, of_uri


@pytest.mark.parametrize("path", ["/a/b", "/a/b/sub", "/a/b/sub/deep", "/a/b/", "/a/b//sub", "/a/./b", "/a/x/../b"])
def test_a_directory_holds_itself_and_what_lies_below(path: str) -> None:
    assert is_within(path, "/a/b")


@pytest.mark.parametrize("path", ["/a/bc", "/a", "/", "/A/B", "/x/a/b", "/a/b/../c", "a/b", ""])
def test_a_directory_does_not_hold_its_neighbours(path: str) -> None:
    assert not is_within(path, "/a/b")


@pytest.mark.parametrize("directory", ["/a/b/", "/a/b//", "/a/b/.", "//a/b", "/a//b"])
def test_trailing_and_double_separators_do_not_count(directory: str) -> None:
    assert is_within("/a/b/sub", directory)
    assert not is_within("/a/bc", directory)


def test_the_root_holds_everything() -> None:
    assert is_within("/a", "/")
    assert is_within("/", "/")


def test_an_unknown_directory_is_nowhere() -> None:
    assert not is_within(None, "/")


def test_both_ways_to_write_an_accent_are_one_path() -> None:
    composed, decomposed = "/srv/verg\u00e9", "/srv/verge\u0301"

    assert is_within(decomposed, composed)
    assert is_within(composed + "/sub", decomposed)


@pytest.mark.parametrize(
    "path",
    [
        "C:\\orchard",
        "c:\\orchard",
        "C:/orchard",
        "C:\\orchard\\",
        "C:\\orchard\\trees",
        "c:/orchard/trees/old",
        "C:\\ORCHARD\\Trees",
    ],
)
def test_letters_and_slashes_of_windows_paths_are_one_path_in_any_spelling(path: str) -> None:
    assert is_within(path, "C:\\orchard")


@pytest.mark.parametrize("path", ["C:\\orchards", "D:\\orchard", "/c/orchard", "C:\\", "orchard"])
def test_windows_paths_end_at_boundaries_too(path: str) -> None:
    assert not is_within(path, "C:\\orchard\\")


def test_the_separator_at_the_end_of_a_windows_path_does_not_count() -> None:
    assert is_within("C:\\orchard", "C:\\orchard\\")
    assert is_within("C:\\orchard\\", "C:\\orchard")


def test_a_drive_holds_what_lies_on_it() -> None:
    assert is_within("C:\\orchard", "c:\\")
    assert not is_within("D:\\orchard", "c:\\")


def test_a_share_of_a_windows_network_is_a_path() -> None:
    assert is_within("\\\\barn\\trees\\old", "\\\\barn\\trees\\")
    assert is_within("\\\\?\\UNC\\Barn\\trees\\old", "\\\\barn\\Trees")
    assert not is_within("\\\\barn\\trees2", "\\\\barn\\trees")


@pytest.mark.parametrize("directory", ["/", "/barn", "/barn/trees"])
def test_no_directory_of_another_system_holds_a_windows_path(directory: str) -> None:
    assert not is_within("\\\\barn\\trees", directory)
    assert not is_within("C:\\barn\\trees", directory)


@pytest.mark.parametrize(
    "path",
    [
        "\\\\?\\C:\\orchard\\trees",
        "C:\\\\orchard\\trees",
        "C:\\.\\orchard",
        "C:\\barn\\..\\orchard",
    ],
)
def test_longer_spellings_of_a_windows_path_are_the_same_path(path: str) -> None:
    assert is_within(path, "C:\\orchard")


@pytest.mark.parametrize("path", ["C:\\a", "c:/a", "Z:\\", "\\\\barn\\trees"])
def test_windows_paths_are_told_on_every_system(path: str) -> None:
    assert is_windows_path(path)


@pytest.mark.parametrize("path", ["/a", "a", "C:", "C:a", "1:\\a", "ab:\\c", "/c:/a", ""])
def test_other_paths_are_none_of_windows(path: str) -> None:
    assert not is_windows_path(path)


def test_links_are_not_followed_in_a_comparison(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert normal(str(tmp_path / "link")) == str(tmp_path / "link")
    assert not is_within(str(tmp_path / "link"), str(tmp_path / "real"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (".", "/srv/orchard"),
        ("..", "/srv"),
        ("trees", "/srv/orchard/trees"),
        ("./trees/", "/srv/orchard/trees"),
        ("../barn", "/srv/barn"),
        ("~", "/home/ada"),
        ("~/barn", "/home/ada/barn"),
        ("~/barn/", "/home/ada/barn"),
        ("/etc/", "/etc"),
        ("/", "/"),
        ("C:\\orchard\\", "C:\\orchard\\"),
        ("\\\\barn\\trees", "\\\\barn\\trees"),
        (" trees", "/srv/orchard/ trees"),
        ("~~", "/srv/orchard/~~"),
    ],
)
def test_a_directory_may_be_typed_in_any_usual_way(typed: str, meant: str) -> None:
    assert absolute_dir(typed, cwd="/srv/orchard", home="/home/ada") == meant


@pytest.mark.parametrize("typed", ["", " ", "\t\n"])
def test_blank_text_is_no_directory(typed: str) -> None:
    with pytest.raises(ValueError, match="not an empty text"):
        absolute_dir(typed, cwd="/srv/orchard", home="/home/ada")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///srv/orchard", "/srv/orchard"),
        ("file:///srv/plum%20trees/%C3%A9", "/srv/plum trees/é"),
        ("file:///c%3A/orchard", "c:/orchard"),
        ("file:///C:/orchard", "C:/orchard"),
        ("file:///srv/%ff", "/srv/\udcff"),
        ("file://", ""),
        ("vscode-remote://ssh-remote+host/srv", None),
        ("/srv/orchard", None),
        ("", None),
    ],
)
def test_a_uri_of_a_file_names_a_local_path(uri: str, path: str | None) -> None:
    assert of_uri(uri) == path


def test_what_is_too_long_for_any_system_is_no_path() -> None:
    assert absolute_or_none("/" + "a" * 4095) is not None
    assert absolute_or_none("/" + "a" * 4096) is None
