"""Conversations of older and newer versions than the one whose schema is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.antigravity import (
    SHARED,
    answered,
    artifact,
    asked,
    conversation,
    database,
    database_path,
    encode,
    encrypted,
    log,
    tables,
)
from tests.builders.common import CWD, at

Ask = Callable[..., Page]
Only = Callable[..., Session]

PROSE = b"# Overview\n\nThe person asked to graft the plum.\n{and so on}\n"


# Logs


@pytest.mark.parametrize("name", ["overview.txt", "transcript.jsonl", "transcript_full.jsonl"])
def test_the_log_has_had_three_names(home: Path, only: Only, name: str) -> None:
    path = log(home, name=name)

    session = only()

    assert (session.path, session.title, session.last_activity) == (str(path), "Prompt 1", at(30))


def test_the_shorter_log_counts(home: Path, only: Only) -> None:
    for name in ("overview.txt", "transcript_full.jsonl", "transcript.jsonl"):
        path = log(home, [asked(f"By {name}")], name=name)

        assert (only().title, only().path) == (f"By {name}", str(path))


def test_an_overview_in_prose_tells_only_that_it_is_there(home: Path, ask: Ask) -> None:
    path = log(home, PROSE, name="overview.txt", root=SHARED, modified=90)

    page = ask()

    (session,) = page.sessions
    assert (session.path, session.title, session.created) == (str(path), None, None)
    assert (session.last_activity, session.message_count, page.warnings) == (at(90), None, ())


def test_an_overview_beside_an_encrypted_conversation_tells_what_it_is_about(home: Path, only: Only) -> None:
    path = encrypted(home, modified=60)
    log(home, [asked("Graft the plum"), answered()], name="overview.txt", root=SHARED)

    session = only()

    assert (session.path, session.title, session.message_count) == (str(path), "Graft the plum", 2)
    assert (session.created, session.last_activity) == (at(0), at(30))


def test_beside_an_overview_in_prose_an_artifact_names_the_conversation(home: Path, only: Only) -> None:
    log(home, PROSE, name="overview.txt", root=SHARED)
    artifact(home, "# Prune the apple", updated=20)

    session = only()

    assert (session.title, session.last_activity) == ("Prune the apple", at(20))


# Databases


@pytest.mark.parametrize("missing", ["trajectory_meta", "gen_metadata", "parent_references"])
def test_a_table_that_a_version_lacks_costs_what_it_told(home: Path, ask: Ask, missing: str) -> None:
    database(database_path(home), {name: table for name, table in tables().items() if name != missing})

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.project_dir, session.message_count) == ("Prompt 1", CWD, 2)
    assert page.warnings == ()


def test_a_database_without_metadata_has_its_steps(home: Path, ask: Ask) -> None:
    database(database_path(home), {"steps": tables()["steps"]})

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.project_dir, session.message_count) == ("Prompt 1", None, 2)
    assert (session.created, session.last_activity, page.warnings) == (at(0), at(30), ())


def test_a_database_without_steps_has_its_metadata(home: Path, ask: Ask) -> None:
    database(database_path(home), {"trajectory_metadata_blob": tables()["trajectory_metadata_blob"]})

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.project_dir, session.created) == (None, CWD, at(0))
    assert (session.extra, page.warnings) == ({"last_activity_source": "mtime"}, ())


@pytest.mark.parametrize("missing", ["idx", "step_type", "status", "metadata", "error_details", "step_payload"])
def test_a_column_that_a_version_lacks_costs_what_it_told(home: Path, ask: Ask, missing: str) -> None:
    path = conversation(home)
    names = {"idx", "step_type", "status", "metadata", "error_details", "step_payload"} - {missing}
    change = f"CREATE TABLE kept AS SELECT {', '.join(names)} FROM steps"
    database(path, tables(), [change, "DROP TABLE steps", "ALTER TABLE kept RENAME TO steps"])

    page = ask()

    (session,) = page.sessions
    assert (session.project_dir, session.created, page.warnings) == (CWD, at(0), ())
    assert session.title == (None if missing in ("idx", "step_type", "step_payload") else "Prompt 1")
    assert session.last_activity == at(30) or missing == "idx"


def test_tables_of_no_more_columns_than_are_read_are_enough(home: Path, only: Only) -> None:
    steps = ("idx INTEGER PRIMARY KEY, step_type", [{"idx": idx, "step_type": 14 + idx} for idx in (0, 1)])
    generations = ("idx INTEGER PRIMARY KEY, data", [{"idx": 1, "data": encode({1: {19: "gemini-second"}})}])
    database(database_path(home), {"steps": steps, "gen_metadata": generations})

    session = only()

    assert (session.message_count, session.models) == (2, ("gemini-second",))


@pytest.mark.parametrize("table", ["trajectory_meta", "gen_metadata", "parent_references", "trajectory_metadata_blob"])
def test_a_table_of_other_columns_costs_what_it_told(home: Path, ask: Ask, table: str) -> None:
    database(database_path(home), {**tables(), table: ("aura", [{"aura": "green"}])})

    page = ask()

    assert [session.title for session in page.sessions] == ["Prompt 1"]
    assert page.warnings == ()


@pytest.mark.parametrize("table", ["trajectory_meta", "gen_metadata", "parent_references", "trajectory_metadata_blob"])
def test_a_table_without_rows_tells_nothing(home: Path, ask: Ask, table: str) -> None:
    columns, _ = tables()[table]
    database(database_path(home), {**tables(), table: (columns, [])})

    page = ask()

    assert [session.title for session in page.sessions] == ["Prompt 1"]
    assert page.warnings == ()


def test_tables_and_columns_of_tomorrow_change_nothing(home: Path, ask: Ask) -> None:
    changes = ["CREATE TABLE aura (id)", "ALTER TABLE steps ADD COLUMN aura", "PRAGMA user_version = 99"]
    database(database_path(home), tables(), changes)

    page = ask()

    assert [(session.title, session.message_count) for session in page.sessions] == [("Prompt 1", 2)]
    assert page.warnings == ()


def test_a_database_that_is_not_in_wal_mode_is_read(home: Path, only: Only) -> None:
    path = database(database_path(home), tables(), [])
    data = bytearray(path.read_bytes())
    data[18:20] = b"\x01\x01"
    path.write_bytes(data)

    assert only().title == "Prompt 1"
