"""Indexes and caches add what the files do not tell; they lag, change their layout and break, and cost no session."""

from __future__ import annotations

import base64
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.formats import sqlite
from sesls.page import Page
from sesls.session import Session
from tests.builders.antigravity import (
    CLI,
    SHARED,
    STATE_KEY,
    URI,
    Fields,
    Row,
    about,
    cached,
    conversation,
    database,
    encode,
    encrypted,
    history,
    hub,
    last_conversations,
    listed,
    moment,
    project,
    prompted,
    state,
    state_value,
    summaries,
    summary,
)
from tests.builders.common import CWD, at, lines, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

STATE = ".config/Antigravity/User/globalStorage/state.vscdb"
LISTED = f".gemini/{CLI}/conversation_summaries.db"
HUB = f".gemini/{SHARED}/agyhub_summaries_proto.pb"
LAST = f".gemini/{CLI}/cache/last_conversations.json"
CACHE = f".gemini/{CLI}/cache/conversation_metadata.json"
HISTORY = f".gemini/{CLI}/history.jsonl"
PROJECT = ".gemini/config/projects/trees.json"

LOCKING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode=EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("DELETE FROM " + sys.argv[2])
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def unnamed(home: Path) -> Path:
    """An encrypted conversation: whatever else is known of it, an index told."""
    return encrypted(home, root=SHARED)


# What each index tells


def test_the_list_of_conversations_adds_its_columns(home: Path, only: Only, unnamed: Path) -> None:
    summaries(home, listed(title="Graft the plum", modified=500.123, workspace_uris=f'["{URI}"]'))

    session = only()

    assert (session.title, session.project_dir, session.last_activity) == ("Graft the plum", CWD, at(500.123))
    assert session.launch_surface == "antigravity-ide"


def test_the_list_of_conversations_may_hold_whole_summaries(home: Path, only: Only, unnamed: Path) -> None:
    raw = encode(summary("Graft the plum", modified=500, created=-5, workspaces=[URI]))
    summaries(home, listed(raw_summary=raw))

    session = only()

    assert (session.title, session.project_dir) == ("Graft the plum", CWD)
    assert (session.last_activity, session.created) == (at(500), at(-5))


def test_columns_of_the_list_count_before_its_summaries(home: Path, only: Only, unnamed: Path) -> None:
    raw = encode(summary("Of the summary", modified=9, workspaces=["file:///srv/summary"]))
    summaries(home, listed(title="Of the list", modified=500, workspace_uris=f'["{URI}"]', raw_summary=raw))

    session = only()

    assert (session.title, session.project_dir, session.last_activity) == ("Of the list", CWD, at(500))


@pytest.mark.parametrize("write", [hub, state])
def test_a_summary_adds_what_it_tells(home: Path, only: Only, unnamed: Path, write: Callable[..., Path]) -> None:
    write(home, {1: summary("Graft the plum", modified=500, created=-5, workspaces=[URI])})

    session = only()

    assert (session.title, session.project_dir) == ("Graft the plum", CWD)
    assert (session.last_activity, session.created) == (at(500), at(-5))


def test_the_trajectory_in_a_summary_names_the_directory_before_the_summary(
    home: Path, only: Only, unnamed: Path
) -> None:
    hub(home, {1: summary(workspaces=["file:///srv/summary"], meta=about())})

    assert only().project_dir == CWD


def test_the_trajectory_in_a_summary_names_the_project(home: Path, only: Only, unnamed: Path) -> None:
    hub(home, {1: summary(meta=about(workspaces=(), project="trees"))})
    project(home, "trees", [{"folderUri": URI}])

    assert only().project_dir == CWD


def test_the_list_names_the_project(home: Path, only: Only, unnamed: Path) -> None:
    summaries(home, listed(project_id="trees"))
    project(home, "trees", [{"folderUri": URI}])

    assert only().project_dir == CWD


def test_the_cache_names_the_project(home: Path, only: Only, unnamed: Path) -> None:
    cached(home, {1: {"ProjectID": "trees"}})
    project(home, "trees", [{"folderUri": URI}])

    assert only().project_dir == CWD


@pytest.mark.parametrize("name", ["trees.json.bak", "trees", ".trees.json.swp"])
def test_other_files_beside_projects_are_none(home: Path, only: Only, unnamed: Path, name: str) -> None:
    summaries(home, listed(project_id="trees"))
    path = project(home, "trees", [{"folderUri": URI}])
    path.rename(path.with_name(name))

    assert only().project_dir is None


def test_a_conversation_in_the_desktop_program_s_index_is_its_own(home: Path, only: Only, unnamed: Path) -> None:
    hub(home, {1: summary("Graft the plum")})

    assert only().launch_surface == "antigravity-desktop"


def test_a_conversation_that_the_desktop_program_does_not_list_is_the_ide_s(
    home: Path, only: Only, unnamed: Path
) -> None:
    hub(home, {2: summary("Another")})

    assert only().launch_surface == "antigravity-ide"


@pytest.mark.parametrize("key", [STATE_KEY, "unifiedStateSync.trajectorySummaries"])
def test_the_ide_s_index_has_had_two_names(home: Path, only: Only, unnamed: Path, key: str) -> None:
    state(home, {1: summary("Graft the plum")}, key=key)

    assert only().title == "Graft the plum"


def test_other_values_of_the_ide_are_not_read(home: Path, only: Only, unnamed: Path) -> None:
    state(home, {1: summary("Of the editor's own chat")}, key="chat.ChatSessionStore.index")

    assert only().title is None


def test_the_ide_s_index_may_be_stored_as_bytes(home: Path, only: Only, unnamed: Path) -> None:
    state(home, state_value({1: summary("Graft the plum")}).encode())

    assert only().title == "Graft the plum"


def test_the_history_tells_where_a_conversation_was_started(home: Path, only: Only, unnamed: Path) -> None:
    history(home, [prompted(workspace="/srv/other", number=2), prompted("/model", type="slash_command"), prompted()])

    assert only().project_dir == CWD


def test_the_newest_conversation_of_a_directory_ran_there(home: Path, only: Only, unnamed: Path) -> None:
    last_conversations(home, {CWD: uuid(1), "/srv/other": uuid(2)})

    assert only().project_dir == CWD


# Times


@pytest.mark.parametrize(
    ("text", "last_activity"),
    [
        ("2026-03-10 09:08:20.123456+00:00", at(500.123)),
        ("2026-03-10 09:08:20.123456789+00:00", at(500.123)),
        ("2026-03-10 11:08:20+02:00", at(500)),
        ("2026-03-10T09:08:20Z", at(500)),
        ("0001-01-01 00:00:00+00:00", at(0)),
        ("soon", at(0)),
        ("", at(0)),
        (None, at(0)),
        (b"2026", at(0)),
    ],
)
def test_a_time_of_the_list_is_an_instant_or_none(
    home: Path, only: Only, unnamed: Path, text: object, last_activity: str
) -> None:
    summaries(home, listed(last_modified_time=text))

    assert only().last_activity == last_activity


@pytest.mark.parametrize("seconds", [-1, 0, 1 << 60])
def test_an_absurd_time_of_a_summary_does_not_count(home: Path, only: Only, unnamed: Path, seconds: int) -> None:
    hub(home, {1: {3: {1: seconds}, 7: {1: seconds}}})

    session = only()

    assert (session.last_activity, session.created) == (at(0), None)


def test_a_list_that_lags_does_not_make_a_conversation_older(home: Path, only: Only) -> None:
    conversation(home)
    summaries(home, listed(modified=5))

    assert only().last_activity == at(30)


# Layouts


@pytest.mark.parametrize("missing", ["title", "preview", "last_modified_time", "workspace_uris", "raw_summary"])
def test_columns_that_a_version_lacks_are_absent(home: Path, ask: Ask, unnamed: Path, missing: str) -> None:
    whole = listed(title="Graft the plum", modified=500, workspace_uris=f'["{URI}"]', preview="And the quince")
    summaries(home, whole, columns=[name for name in whole if name != missing])

    page = ask()

    (session,) = page.sessions
    known = (session.title, session.last_activity, session.project_dir)
    assert page.warnings == ()
    assert known == (
        "And the quince" if missing == "title" else "Graft the plum",
        at(0) if missing == "last_modified_time" else at(500),
        None if missing == "workspace_uris" else CWD,
    )


def test_columns_of_tomorrow_change_nothing(home: Path, only: Only, unnamed: Path) -> None:
    summaries(home, listed(title="Graft the plum", aura="green"), columns=["aura", "title", "conversation_id"])

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("columns", ["title", "id, title"])
def test_a_list_without_ids_is_empty(home: Path, ask: Ask, unnamed: Path, columns: str) -> None:
    database(home / LISTED, {"conversation_summaries": (columns, [{"title": "Graft the plum"}])})

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == ([None], ())


@pytest.mark.parametrize("file", [LISTED, STATE])
def test_a_database_without_its_table_is_empty(home: Path, ask: Ask, unnamed: Path, file: str) -> None:
    database(home / file, {"others": ("id", [])})

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == ([None], ())


@pytest.mark.parametrize("columns", ["key", "value", "name, content"])
def test_a_table_of_values_with_other_columns_is_empty(home: Path, ask: Ask, unnamed: Path, columns: str) -> None:
    database(home / STATE, {"ItemTable": (columns, [])})

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == ([None], ())


def test_values_of_unexpected_types_are_absent(home: Path, ask: Ask, unnamed: Path) -> None:
    odd = listed(
        title=7,
        preview=b"\xff",
        last_modified_time=-1.5,
        workspace_uris=7,
        project_id=7,
        parent_conversation_id=b"x",
        raw_summary="text",
    )
    summaries(home, odd, listed(conversation_id=None), listed(conversation_id=7))

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.project_dir, session.parent_uuid) == (None, None, None)
    assert (session.last_activity, page.warnings) == (at(0), ())


def test_text_that_is_no_utf_8_is_mended(home: Path, only: Only, unnamed: Path) -> None:
    path = summaries(home, listed())
    connection = sqlite3.connect(path)
    connection.execute("UPDATE conversation_summaries SET title = CAST(x'4772616674FF' AS TEXT)")
    connection.commit()
    connection.close()

    assert only().title == "Graft�"


@pytest.mark.parametrize("uris", ["", "null", "{}", "[", "[7]", '"x"', "\x00", "[" * 50_000])
def test_workspaces_that_are_no_list_are_absent(home: Path, ask: Ask, unnamed: Path, uris: str) -> None:
    summaries(home, listed(title="Graft the plum", workspace_uris=uris))

    page = ask()

    assert [(session.title, session.project_dir) for session in page.sessions] == [("Graft the plum", None)]
    assert page.warnings == ()


# Damage


@pytest.mark.parametrize("file", [LISTED, STATE])
@pytest.mark.parametrize(
    "content", [b"this is no database " * 500, b"SQLite format 3\x00" + b"\xff" * 5000, b"\x00" * 5000, b"SQLite"]
)
def test_a_damaged_database_costs_one_warning_and_no_session(
    home: Path, ask: Ask, unnamed: Path, file: str, content: bytes
) -> None:
    conversation(home, number=2)
    path = put(home / file, content)

    page = ask()

    assert {session.uuid for session in page.sessions} == {uuid(1), uuid(2)}
    assert [(warning.agent, warning.path) for warning in page.warnings] == [("antigravity", str(path))]
    assert page.warnings[0].problem


@pytest.mark.parametrize("file", [LISTED, STATE, HUB, HISTORY, LAST, CACHE, PROJECT])
def test_an_empty_file_is_an_index_of_nothing(home: Path, ask: Ask, unnamed: Path, file: str) -> None:
    put(home / file, b"")

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == ([None], ())


DEEP = b"[" * 100_000
DEEP_OBJECT = b'{"a":' * 100_000
GARBAGE = [b"garbage", b"\x00" * 5000, b"\xff\xfe" * 500, b"{", b"null", b"7", b"[]", b'"x"', DEEP]


@pytest.mark.parametrize("file", [HUB, HISTORY, PROJECT, LAST, CACHE])
@pytest.mark.parametrize("content", GARBAGE)
def test_a_damaged_file_costs_no_session(home: Path, ask: Ask, unnamed: Path, file: str, content: bytes) -> None:
    conversation(home, number=2)
    put(home / file, content)

    page = ask()

    assert {session.uuid for session in page.sessions} == {uuid(1), uuid(2)}
    assert {warning.path for warning in page.warnings} <= {str(home / file)}


@pytest.mark.parametrize("file", [HISTORY, PROJECT, LAST, CACHE])
def test_a_file_nested_too_deeply_costs_no_session(home: Path, ask: Ask, unnamed: Path, file: str) -> None:
    conversation(home, number=2)
    put(home / file, DEEP_OBJECT)

    assert {session.uuid for session in ask().sessions} == {uuid(1), uuid(2)}


@pytest.mark.parametrize("file", [LAST, CACHE])
def test_a_torn_cache_costs_one_warning(home: Path, ask: Ask, unnamed: Path, file: str) -> None:
    path = put(home / file, b'{"/srv/orchard": "0000')

    assert [warning.path for warning in ask().warnings] == [str(path)]


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param({"summary": {"Title": 7}}, id="title"),
        pytest.param({"summary": {"WorkspaceURIs": "x"}}, id="workspaces"),
        pytest.param({"summary": []}, id="summary"),
        pytest.param([], id="entry"),
    ],
)
def test_a_damaged_entry_of_a_cache_costs_only_itself(home: Path, only: Only, unnamed: Path, damaged: object) -> None:
    put(home / CACHE, lines([{"conversations": {uuid(2): damaged, uuid(1): {"summary": {"Title": "Graft"}}}}]))

    assert only().title == "Graft"


@pytest.mark.parametrize("damaged", [7, None, ["x"], {"a": 1}])
def test_a_damaged_entry_of_the_newest_conversations_costs_only_itself(
    home: Path, only: Only, unnamed: Path, damaged: object
) -> None:
    last_conversations(home, {"/srv/a": damaged, CWD: uuid(1)})

    assert only().project_dir == CWD


@pytest.mark.parametrize(
    "damaged", [b"{", b"garbage", b"null", b"[]", b"\x00" * 70_000, b'{"workspace": 7}', DEEP, b'{"a":' * 100_000]
)
def test_a_damaged_line_of_the_history_costs_only_itself(home: Path, ask: Ask, unnamed: Path, damaged: bytes) -> None:
    history(home, damaged + b"\n" + lines([prompted("Graft the plum")]))

    page = ask()

    assert [(session.title, session.project_dir) for session in page.sessions] == [("Graft the plum", CWD)]
    assert page.warnings == ()


def test_a_damaged_project_costs_only_itself(home: Path, only: Only) -> None:
    conversation(home, meta=about(workspaces=(), project="trees"))
    project(home, "trees", [{"folderUri": URI}])
    put(home / ".gemini/config/projects/bushes.json", b'{"id": "trees", "projectResources"')

    assert only().project_dir == CWD


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param({1: 7}, id="an id that is a number"),
        pytest.param({2: summary("Nobody's")}, id="no id"),
        pytest.param({1: b"\xff", 2: summary("Nobody's")}, id="an id that is no text"),
        pytest.param({1: uuid(2)}, id="no summary"),
        pytest.param({1: uuid(2), 2: b"\xff\xff"}, id="a summary of garbage"),
    ],
)
def test_a_damaged_entry_of_the_desktop_s_index_costs_only_itself(
    home: Path, ask: Ask, unnamed: Path, damaged: Fields
) -> None:
    whole: Fields = {1: uuid(1), 2: summary("Graft the plum")}
    put(home / HUB, encode({1: [damaged, whole]}))

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == (["Graft the plum"], ())


def test_of_a_cut_index_the_whole_entries_are_read(home: Path, ask: Ask) -> None:
    for number in (1, 2):
        encrypted(home, number=number)
    path = hub(home, {1: summary("Graft the plum"), 2: summary("And the quince")})
    put(path, path.read_bytes()[:-5])

    assert {session.title for session in ask().sessions} == {"Graft the plum", None}


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "",
        "no base64!",
        "Pflaume",
        base64.b64encode(b"\xff" * 99).decode(),
        b"\xff\xfe",
        state_value({1: summary("Graft the plum")})[:-9],
        base64.b64encode(encode({1: {1: uuid(1), 2: {1: "no base64!"}}})).decode(),
        base64.b64encode(encode({1: {1: uuid(1), 2: {1: 7}}})).decode(),
    ],
)
def test_a_damaged_value_of_the_ide_costs_nothing(home: Path, ask: Ask, unnamed: Path, value: object) -> None:
    state(home, value)

    page = ask()

    assert ([session.uuid for session in page.sessions], page.warnings) == ([uuid(1)], ())


def test_an_index_s_damage_does_not_hide_the_others(home: Path, only: Only, unnamed: Path) -> None:
    put(home / LISTED, b"this is no database " * 500)
    put(home / HUB, b"\xff" * 500)
    state(home, {1: summary("Graft the plum")})

    assert only().title == "Graft the plum"


@pytest.mark.parametrize(("file", "table"), [(LISTED, "conversation_summaries"), (STATE, "ItemTable")])
def test_a_locked_index_costs_at_most_one_warning(
    home: Path, ask: Ask, unnamed: Path, monkeypatch: pytest.MonkeyPatch, file: str, table: str
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    rows: list[Row] = [{"conversation_id": uuid(1), "title": "Graft", "key": STATE_KEY, "value": ""}]
    path = database(home / file, {table: ("conversation_id, title, key, value", rows)})

    command = [sys.executable, "-c", LOCKING, str(path), table]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        page = ask()
        process.communicate()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert {warning.path for warning in page.warnings} <= {str(path)}


def test_a_huge_list_is_read(home: Path, only: Only) -> None:
    encrypted(home, number=0x500)
    summaries(home, *(listed(number, title=f"Title {number}") for number in range(0x600)))

    assert only().title == f"Title {0x500}"


def test_no_index_is_read_where_there_is_no_conversation(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / LISTED, b"this is no database " * 500)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_the_time_in_an_index_orders_the_sessions(home: Path, ask: Ask) -> None:
    encrypted(home, number=1, modified=10)
    encrypted(home, number=2, modified=20)
    hub(home, {1: {3: moment(500)}})

    assert [session.uuid for session in ask().sessions] == [uuid(1), uuid(2)]


def test_the_desktop_program_s_index_counts_before_the_ide_s(home: Path, only: Only, unnamed: Path) -> None:
    state(home, {1: summary("Of the IDE")})
    hub(home, {1: summary("Of the desktop program")})

    assert only().title == "Of the desktop program"
