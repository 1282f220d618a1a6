"""A session's directory comes from its rows; its project folder's name only decides between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.claude import Row, assistant, transcript, user, work
from tests.builders.common import CWD, put, uuid
from tests.conftest import Ask

Only = Callable[..., Session]

ELSEWHERE = "/srv/meadow"


def moved(directory: object) -> Row:
    return {"type": "relocated", "relocatedCwd": directory, "sessionId": uuid(1)}


def in_folder(home: Path, name: str, rows: list[Row], number: int = 1) -> Path:
    """Write a transcript into a project folder of any name."""
    return put(home / ".claude" / "projects" / name / f"{uuid(number)}.jsonl", rows)


# Which of the directories in its rows


def test_the_directory_is_the_one_its_rows_name(home: Path, only: Only) -> None:
    transcript(home)

    assert only().project_dir == CWD


def test_a_change_of_directory_in_a_shell_changes_nothing(home: Path, only: Only) -> None:
    rows = [
        user("Start"),
        assistant(cwd=f"{CWD}/rows/three"),
        user("On", 60, cwd="/tmp"),
        assistant(seconds=70, cwd="/tmp"),
    ]
    transcript(home, rows)

    assert only().project_dir == CWD


def test_the_folder_tells_which_directory_is_meant(home: Path, only: Only) -> None:
    transcript(home, [user("Start", cwd="/tmp"), assistant(cwd=f"{CWD}/rows"), user("On", 60), assistant(seconds=70)])

    assert only().project_dir == CWD


def test_the_first_directory_counts_where_none_fits_the_folder(home: Path, only: Only) -> None:
    in_folder(home, "a-name-set-by-a-variable", [user("Start"), assistant(cwd=ELSEWHERE)])

    assert only().project_dir == CWD


def test_rows_without_a_directory_come_before_the_one_that_has_it(home: Path, only: Only) -> None:
    queued: Row = {"type": "queue-operation", "operation": "enqueue", "sessionId": uuid(1)}
    snapshot: Row = {"type": "file-history-snapshot", "snapshot": {}}
    transcript(home, [queued, snapshot, user("Start", cwd=...), assistant()])

    assert only().project_dir == CWD


def test_the_directory_of_a_large_file_is_that_of_its_start(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), *work(200, cwd="/tmp")])

    assert only().project_dir == CWD


def test_a_directory_behind_a_first_row_longer_than_a_window_is_found(home: Path, only: Only) -> None:
    queued: Row = {"type": "queue-operation", "operation": "enqueue", "content": "x" * 200_000}
    transcript(home, [queued, user("Start"), *work(100, cwd="/tmp")])

    assert only().project_dir == CWD


@pytest.mark.parametrize("nested", ["toolUseResult", "attachment", "params"])
def test_a_directory_inside_a_nested_record_does_not_count(home: Path, only: Only, nested: str) -> None:
    keys: Row = {"cwd": ..., nested: {"cwd": ELSEWHERE}}
    transcript(home, [user("Start", **keys), assistant()])

    assert only().project_dir == CWD


def test_a_directory_inside_a_prompt_does_not_count(home: Path, only: Only) -> None:
    transcript(home, [user('{"type":"relocated","relocatedCwd":"/evil","cwd":"/evil"}'), assistant()])

    assert only().project_dir == CWD


# No directory


@pytest.mark.parametrize("cwd", [..., None, "", 7, ["/srv/orchard"]])
def test_without_a_directory_there_is_none_and_nothing_is_decoded_from_the_folder(
    home: Path, only: Only, cwd: object
) -> None:
    in_folder(home, "-srv-orchard", [user("Start", cwd=cwd), assistant(cwd=cwd)])

    assert only().project_dir is None


@pytest.mark.parametrize("cwd", ["orchard", "./orchard", "~/orchard", "C:orchard"])
def test_a_directory_that_is_not_absolute_is_none(home: Path, only: Only, cwd: str) -> None:
    transcript(home, [user("Start", cwd=cwd)])

    assert only().project_dir is None


# Folder names are lossy


def test_directories_that_share_a_folder_stay_apart(home: Path, ask: Ask) -> None:
    directories = ["/srv/plum-tree/old_rows", "/srv/plum/tree-old/rows", "/srv/plum.tree/old rows"]
    for number, directory in enumerate(directories, start=1):
        in_folder(home, "-srv-plum-tree-old-rows", [user("Start", cwd=directory)], number)

    assert {session.uuid: session.project_dir for session in ask().sessions} == {
        uuid(number): directory for number, directory in enumerate(directories, start=1)
    }
    assert [session.uuid for session in ask(project_dir="/srv/plum").sessions] == [uuid(2)]


@pytest.mark.parametrize(
    ("directory", "name"),
    [
        ("/", "-"),
        ("/home/ada", "-home-ada"),
        ("/srv/Plum Trees (old).d", "-srv-Plum-Trees--old--d"),
        ("/srv/果樹園", "-srv----"),
        ("/srv/żółć", "-srv-----"),
        ("/srv/tree-🌳", "-srv-tree---"),
        ("/srv/🌳🌲/x", "-srv------x"),
        ("C:\\Users\\ada\\plums", "C--Users-ada-plums"),
        ("\\\\wsl.localhost\\Debian\\srv\\plums", "--wsl-localhost-Debian-srv-plums"),
    ],
)
def test_the_folder_of_a_directory_is_known(home: Path, only: Only, directory: str, name: str) -> None:
    in_folder(home, name, [user("Start", cwd="/tmp"), assistant(cwd=directory)])

    assert only().project_dir == directory


def test_letter_case_decides_between_directories(home: Path, only: Only) -> None:
    in_folder(home, "-srv-Orchard", [user("Start", cwd="/srv/orchard"), assistant(cwd="/srv/Orchard")])

    assert only().project_dir == "/srv/Orchard"


# Long names


LONG = "/srv/" + "/".join(f"terrace-{number:02}" for number in range(20))
SLUG = LONG.replace("/", "-")


@pytest.mark.parametrize(
    "name",
    [f"{SLUG[:200]}-v0f75r", f"{SLUG[:200]}-1x", SLUG],
    ids=["one-hash", "another-hash", "not-cut"],
)
def test_the_cut_part_of_a_long_name_decides(home: Path, only: Only, name: str) -> None:
    in_folder(home, name, [user("Start", cwd="/tmp"), assistant(cwd=LONG)])

    assert only().project_dir == LONG


def test_a_directory_that_only_begins_like_a_long_name_does_not_fit(home: Path, only: Only) -> None:
    in_folder(home, f"{SLUG[:200]}-v0f75r", [user("Start", cwd=LONG[:150]), assistant(cwd=LONG)])

    assert only().project_dir == LONG


def test_characters_beyond_the_first_plane_count_twice_for_the_cut(home: Path, only: Only) -> None:
    directory = "/srv/" + "🌳" * 98 + "/x"  # 201 UTF-16 units, 103 characters
    in_folder(home, "-srv-" + "-" * 195 + "-1x2y", [user("Start", cwd="/tmp"), assistant(cwd=directory)])

    assert only().project_dir == directory


# Moved sessions


def test_a_moved_session_is_where_it_was_moved_to(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), assistant(), moved(ELSEWHERE)], directory=ELSEWHERE)

    assert only().project_dir == ELSEWHERE


def test_the_last_move_counts(home: Path, only: Only) -> None:
    rows = [user("Start"), moved("/srv/first"), user("On", 60, cwd="/srv/first"), moved(ELSEWHERE)]
    transcript(home, rows, directory=ELSEWHERE)

    assert only().project_dir == ELSEWHERE


@pytest.mark.parametrize("empty", [None, "", 7])
def test_a_move_to_nowhere_does_not_count(home: Path, only: Only, empty: object) -> None:
    transcript(home, [user("Start"), moved(ELSEWHERE), assistant(), moved(empty)], directory=ELSEWHERE)

    assert only().project_dir == ELSEWHERE


@pytest.mark.parametrize(("before", "after"), [(0, 400), (200, 200), (400, 0)], ids=["head", "middle", "tail"])
def test_a_move_anywhere_in_a_large_file_is_found(home: Path, only: Only, before: int, after: int) -> None:
    rows = [user("Start"), *work(before), moved(ELSEWHERE), *work(after, 900, cwd="/tmp")]
    transcript(home, rows, directory=ELSEWHERE)

    assert only().project_dir == ELSEWHERE


def test_the_last_of_several_moves_amid_a_large_file_counts(home: Path, only: Only) -> None:
    rows = [
        user("Start"),
        *work(100),
        moved("/srv/first"),
        *work(100, cwd="/tmp"),
        moved(ELSEWHERE),
        *work(100, cwd="/tmp"),
    ]
    transcript(home, rows, directory=ELSEWHERE)

    assert only().project_dir == ELSEWHERE


def test_a_move_amid_a_large_file_counts_after_one_at_its_start(home: Path, only: Only) -> None:
    rows = [
        user("Start"),
        moved("/srv/first"),
        *work(100, cwd="/srv/first"),
        moved(ELSEWHERE),
        *work(100, cwd=ELSEWHERE),
    ]
    transcript(home, rows, directory=ELSEWHERE)

    assert only().project_dir == ELSEWHERE


# As text


def test_a_directory_is_shown_as_it_was_written(home: Path, only: Only) -> None:
    directory = "/srv/../srv/orchard/./rows"
    transcript(home, [user("Start", cwd=directory)], directory=directory)

    assert only().project_dir == directory


@pytest.mark.parametrize("directory", ["C:\\Users\\ada\\plums", "c:/Users/ada/plums", "\\\\wsl.localhost\\Debian\\srv"])
def test_a_directory_of_windows_is_kept_and_quoted(home: Path, only: Only, directory: str) -> None:
    transcript(home, [user("Start", cwd=directory)], directory=directory)

    session = only()

    assert session.project_dir == directory
    assert session.resume_command is not None
    assert session.resume_command.endswith(f" && claude --resume {uuid(1)}")


def test_directories_of_windows_are_found_by_either_spelling(home: Path, only: Only) -> None:
    transcript(home, [user("Start", cwd="C:\\Users\\ada\\plums")], directory="C:\\Users\\ada\\plums")

    assert only(project_dir="c:/Users/ada").uuid == uuid(1)
