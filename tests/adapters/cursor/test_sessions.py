from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, START, at, put, uuid
from tests.builders.cursor import MODEL, PROJECT, ROOT, folder, line, plain, sidecar, store, transcript, turns

Ask = Callable[..., Page]
Only = Callable[..., Session]


def set_time(path: Path, seconds: float) -> None:
    os.utime(path, (START.timestamp() + seconds, START.timestamp() + seconds))


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = store(home)
    sidecar(home)
    transcript(home)

    found = only()

    assert (found.uuid, found.agent, found.title, found.kind, found.parent_uuid) == (
        uuid(1), "cursor", "Title 1", "agent", None,
    )  # fmt: skip
    assert (found.project_dir, found.path, found.size_bytes) == (CWD, str(path), path.stat().st_size)
    assert (found.created, found.last_activity) == (at(), at(30))
    assert (found.models, found.message_count) == ((MODEL,), 2)
    assert found.resume_command == f"cd {CWD} && cursor-agent --resume {uuid(1)}"
    assert found.extra == {}


def test_a_database_alone_tells_its_name_and_its_directory(home: Path, only: Only) -> None:
    set_time(store(home), 50)

    found = only()

    assert (found.title, found.project_dir, found.message_count) == ("Name 1", CWD, None)
    assert (found.created, found.last_activity) == (at(), at(50))
    assert found.extra == {"last_activity_source": "mtime"}


def test_a_directory_counts_only_where_the_folders_name_proves_it(home: Path, only: Only) -> None:
    store(home, workspaces=["file:///srv/other", "file:///srv/orchard"])

    assert only().project_dir == CWD


@pytest.mark.parametrize("workspaces", [(), ["file:///srv/other"], ["vscode-remote://ssh/srv/orchard"]])
def test_a_directory_that_nothing_proves_is_none_and_nothing_is_reopened(
    home: Path, only: Only, workspaces: list[str]
) -> None:
    store(home, workspaces=workspaces)

    assert (only().project_dir, only().resume_command) == (None, None)


def test_a_directory_with_other_signs_is_written_as_a_uri(home: Path, only: Only) -> None:
    store(home, directory="/srv/old orchard/ä", workspaces=["file:///srv/old%20orchard/%C3%A4"])

    assert only().project_dir == "/srv/old orchard/ä"


def test_a_name_that_nobody_gave_gives_way_to_the_first_prompt(home: Path, only: Only) -> None:
    store(home, name="New Agent")
    transcript(home)

    assert only().title == "Prompt 1"


@pytest.mark.parametrize("model", ["auto", "default", "", None, ...])
def test_the_choice_to_let_cursor_choose_is_no_model(home: Path, only: Only, model: object) -> None:
    store(home, lastUsedModel=model)

    assert only().models == ()


@pytest.mark.parametrize("blob", ["", ..., None])
def test_a_chat_in_which_nothing_was_said_is_no_session(home: Path, ask: Ask, blob: object) -> None:
    store(home, latestRootBlobId=blob)
    sidecar(home, hasConversation=False)

    assert (ask().sessions, ask().warnings) == ((), ())


def test_an_empty_database_is_not_worth_a_word(home: Path, ask: Ask) -> None:
    put(folder(home) / "store.db", b"")

    assert (ask().sessions, ask().warnings) == ((), ())


def test_what_was_written_into_the_log_of_changes_is_activity(home: Path, only: Only) -> None:
    path = store(home)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO blobs VALUES ('a', 'b')")
    connection.commit()
    set_time(path, 50)
    set_time(path.with_name("store.db-wal"), 90)

    assert only().last_activity == at(90)

    connection.close()


@pytest.mark.parametrize("encoded", [True, False])
def test_what_is_known_of_a_chat_is_json_in_hexadecimal_digits_or_as_it_is(
    home: Path, only: Only, encoded: bool
) -> None:
    path = store(home)
    meta = json.dumps({"name": "Grafting", "latestRootBlobId": "ab"})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET value = ?", (meta.encode().hex() if encoded else meta,))
        connection.commit()

    assert only().title == "Grafting"


def test_a_database_of_something_else_is_reported(home: Path, ask: Ask) -> None:
    path = store(home)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE meta")
        connection.commit()

    assert [one.problem for one in ask().warnings] == ["has no table of what is known of the chat"]


def test_what_lies_beside_a_damaged_database_still_tells_of_the_session(home: Path, ask: Ask) -> None:
    path = put(folder(home) / "store.db", b"SQLite format 3\x00" + b"no database" * 900)
    sidecar(home)

    page = ask()

    assert [(one.title, one.project_dir, one.resume_command) for one in page.sessions] == [("Title 1", CWD, None)]
    assert [one.path for one in page.warnings] == [str(path)]


# Transcripts


def test_a_transcript_alone_is_a_session_of_nowhere_with_its_files_time(home: Path, only: Only) -> None:
    path = transcript(home)

    found = only()

    assert (found.uuid, found.title, found.project_dir, found.resume_command) == (uuid(1), "Prompt 1", None, None)
    assert (found.path, found.last_activity, found.created) == (str(path), at(40), None)
    assert (found.message_count, found.size_bytes, found.models) == (2, path.stat().st_size, ())
    assert found.extra == {"last_activity_source": "mtime"}


def test_a_spawned_session_lies_below_the_one_that_spawned_it(home: Path, ask: Ask) -> None:
    store(home)
    transcript(home)
    transcript(home, 2, parent=1)

    (child,) = ask(kind="subagent").sessions

    assert (child.uuid, child.parent_uuid, child.title) == (uuid(2), uuid(1), "Prompt 2")


def test_a_chat_that_says_so_is_a_subagent(home: Path, only: Only) -> None:
    store(home)
    sidecar(home, isSubagent=True)

    assert (only().kind, only().parent_uuid, only().resume_command) == ("subagent", None, None)


def test_a_transcript_in_plain_text_is_read(home: Path, only: Only) -> None:
    transcript(home, 1, plain(), ending=".txt", is_flat=True)

    assert (only().title, only().message_count) == ("Prompt 1", 2)


def test_a_prompt_without_marks_is_the_whole_text(home: Path, only: Only) -> None:
    transcript(home, 1, [line("user", "Graft the plum"), line("assistant", "Done.")])

    assert only().title == "Graft the plum"


def test_a_transcript_in_both_formats_is_one_session(home: Path, only: Only) -> None:
    transcript(home, 1, turns(1))
    transcript(home, 1, plain(9), ending=".txt", is_flat=True)

    assert only().title == "Prompt 1"


def test_other_files_of_a_session_are_no_transcripts(home: Path, only: Only) -> None:
    path = transcript(home)
    put(path.parent / "notes.jsonl", turns(9))
    put(home / ROOT / "projects" / PROJECT / "worker.log", "workspacePath=/srv/orchard\n")

    assert only().uuid == uuid(1)


def test_a_transcript_without_a_record_is_reported_and_an_empty_one_is_not(home: Path, ask: Ask) -> None:
    path = transcript(home, 1, b"no record\n")
    transcript(home, 2, b"")

    assert [(one.path, one.problem) for one in ask().warnings] == [(str(path), "holds no readable record")]


# Places


@pytest.mark.parametrize(
    ("variables", "root"),
    [
        ({}, ".cursor"),
        ({"XDG_CONFIG_HOME": "{home}/config"}, "config/cursor"),
        ({"XDG_CONFIG_HOME": "{home}/config"}, ".cursor"),
        ({"CURSOR_CONFIG_DIR": "{home}/moved", "XDG_CONFIG_HOME": "{home}/config"}, "moved"),
    ],
)
def test_chats_lie_where_variables_put_them(home: Path, only: Only, variables: dict[str, str], root: str) -> None:
    store(home, root=root)
    given = {name: value.format(home=home) for name, value in variables.items()}

    assert only(variables=given).uuid == uuid(1)


def test_variables_move_chats_and_transcripts_apart(home: Path, ask: Ask) -> None:
    store(home)
    transcript(home, 2)

    assert [one.uuid for one in ask({"CURSOR_CONFIG_DIR": str(home / "moved")}).sessions] == [uuid(2)]
    assert [one.uuid for one in ask({"CURSOR_DATA_DIR": str(home / "moved")}).sessions] == [uuid(1)]
