"""Which directory a session belongs to: what names it, in which order, and nothing guessed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, put, uuid
from tests.builders.gemini import TMP, hashed, header, printed, project, registry, said, session, slug, turns

Ask = Callable[..., Page]
Only = Callable[..., Session]

OTHER = "/srv/meadow/orchard"


def bare(home: Path, records: list[dict[str, object]] | None = None, name: str = "orchard") -> Path:
    """Write a session whose folder does not say whose it is."""
    path = session(home, records or turns(projectHash="0" * 64), name=name)
    (path.parent.parent / ".project_root").unlink()
    return path


@pytest.mark.parametrize("directory", [CWD, "/srv/with space", "/srv/ünïcode 中文", "/", "C:\\src\\orchard"])
def test_the_folder_says_whose_it_is(home: Path, only: Only, directory: str) -> None:
    session(home, turns(directory="/srv/elsewhere"), directory=directory)

    assert only().project_dir == directory


@pytest.mark.parametrize("mark", [f"{CWD}\n", f"  {CWD} \r\n"])
def test_blanks_around_it_do_not_count(home: Path, only: Only, mark: str) -> None:
    path = session(home)
    put(path.parent.parent / ".project_root", mark)

    assert only().project_dir == CWD


def test_two_directories_of_one_name_have_two_folders(home: Path, ask: Ask) -> None:
    session(home, number=1, directory="/srv/a/orchard")
    session(home, number=2, directory="/srv/b/orchard", name="orchard-1")

    assert {one.uuid: one.project_dir for one in ask().sessions} == {
        uuid(1): "/srv/a/orchard",
        uuid(2): "/srv/b/orchard",
    }


def test_the_folder_of_the_shadow_repository_says_it_too(home: Path, only: Only) -> None:
    bare(home)
    put(home / ".gemini/history/orchard/.project_root", OTHER)

    assert only().project_dir == OTHER


def test_the_registry_names_it_where_no_folder_does(home: Path, only: Only) -> None:
    bare(home)
    registry(home, {OTHER: "orchard", "/srv/barn": "barn"})

    assert only().project_dir == OTHER


def test_the_folder_is_believed_before_the_registry(home: Path, only: Only) -> None:
    session(home)
    registry(home, {OTHER: "orchard"})

    assert only().project_dir == CWD


def test_a_registry_that_names_two_directories_names_none(home: Path, only: Only) -> None:
    bare(home)
    registry(home, {OTHER: "orchard", CWD: "orchard"})

    assert (only().project_dir, only().resume_command) == (None, None)


def test_the_workspace_of_a_session_is_its_last_witness(home: Path, only: Only) -> None:
    bare(home, turns(projectHash="0" * 64, directories=[OTHER, "/srv/barn"]))

    assert only().project_dir == OTHER


@pytest.mark.parametrize("directories", [[], ["orchard"], [""], None, "orchard", [7]])
def test_a_workspace_of_no_directory_is_none(home: Path, only: Only, directories: object) -> None:
    bare(home, turns(projectHash="0" * 64, directories=directories))

    assert only().project_dir is None


# Hashes


def test_a_hash_that_nothing_explains_stays_unknown(home: Path, only: Only) -> None:
    printed(home)

    assert (only().project_dir, only().resume_command) == (None, None)


def in_the_registry(home: Path) -> None:
    registry(home, {"/srv/barn": "barn", CWD: "orchard"})


def in_another_folder(home: Path) -> None:
    project(home)


def in_the_trusted_folders(home: Path) -> None:
    put(home / ".gemini/trustedFolders.json", json.dumps({"/srv/barn": "DO_NOT_TRUST", CWD: "TRUST_FOLDER"}))


@pytest.mark.parametrize("known", [in_the_registry, in_another_folder, in_the_trusted_folders])
@pytest.mark.parametrize("name", [hashed(), "orchard-1"])
def test_a_directory_that_is_known_is_recognised_by_its_hash(
    home: Path, only: Only, known: Callable[[Path], None], name: str
) -> None:
    printed(home, name=name)
    known(home)

    assert only().project_dir == CWD
    assert only().resume_command == f"cd {CWD} && gemini --resume {uuid(1)}"


def test_the_home_is_known_too(home: Path, only: Only) -> None:
    printed(home, name=hashed(str(home)))

    assert only().project_dir == str(home)


def test_the_name_of_a_folder_is_never_decoded(home: Path, only: Only) -> None:
    bare(home, name="srv-orchard")

    assert only().project_dir is None


# What is broken


@pytest.mark.parametrize("mark", [b"", b"\n", b"orchard", b"\xff\xfe", b"/srv/m\xe4rz", b"../orchard", b"\x00" * 9])
def test_a_broken_mark_names_nothing(home: Path, only: Only, mark: bytes) -> None:
    path = bare(home)
    put(path.parent.parent / ".project_root", mark)

    assert only().project_dir is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"projects": 7}',
        b'{"projects": []}',
        b'{"projects": {"/srv/barn": 7}}',
        b'{"projects": {"orchard": "orchard"}}',
        b'{"projects": {"": "orchard"}}',
        b"[" * 100_000,
    ],
)
@pytest.mark.parametrize("file", ["projects.json", "trustedFolders.json"])
def test_a_broken_registry_names_nothing_and_costs_nothing(home: Path, ask: Ask, file: str, content: bytes) -> None:
    bare(home)
    printed(home, number=2)
    put(home / ".gemini" / file, content)

    page = ask()

    assert ({one.project_dir for one in page.sessions}, page.total, page.warnings) == ({None}, 2, ())


def test_half_of_a_surrogate_pair_in_the_registry_costs_nothing(home: Path, ask: Ask) -> None:
    bare(home)
    put(home / ".gemini/projects.json", '{"projects": {"/srv/\\ud800": "orchard", "/srv/\\ud801": "barn"}}')

    page = ask()

    assert (page.total, page.warnings) == (1, ())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("file", ["projects.json", "trustedFolders.json", "tmp/orchard/.project_root"])
def test_named_pipes_name_nothing_and_block_nothing(home: Path, only: Only, file: str) -> None:
    bare(home)
    os.mkfifo(home / ".gemini" / file)

    assert only().project_dir is None


def test_a_command_is_quoted_for_a_shell(home: Path, only: Only) -> None:
    session(home, [header(sessionId="a b"), said("Hello")], directory="/srv/plum tree")

    assert only().resume_command == "cd '/srv/plum tree' && gemini --resume 'a b'"


def test_slugs_are_as_the_agent_makes_them(home: Path) -> None:
    assert [slug(path) for path in ("/srv/Mixed.Case_dots", "/srv/ünïcode 中文", "/srv/中")] == [
        "mixed-case-dots",
        "n-code",
        "project",
    ]
    assert (project(home) / ".project_root").is_relative_to(home / TMP)
