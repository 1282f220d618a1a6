"""What is broken costs itself and one warning at most, never another session."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.adapters.conftest import uuids
from tests.builders.common import CWD, at, epoch_ms, put
from tests.builders.opencode import (
    DATA,
    GENERATIONS,
    MODEL,
    RECORDS,
    Message,
    Record,
    assistant,
    change,
    database,
    old_record,
    record,
    ses,
    session,
    text_part,
    user,
    v2_database,
)
from tests.conftest import Ask

Only = Callable[..., Session]

every_generation = pytest.mark.parametrize("version", GENERATIONS)
every_record = pytest.mark.parametrize("version", RECORDS)

BOM = b"\xef\xbb\xbf"
DEEP = b"[" * 100_000


def problems(page: Page) -> list[tuple[str, str, str]]:
    return [(warning.agent, warning.path, warning.problem) for warning in page.warnings]


# Databases


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"this is no database " * 99, "file is not a database"),
        (b"\x00" * 5000, "file is not a database"),
        (b"SQLite", "file is not a database"),
        (b"SQLite format 3\x00" + b"\xff" * 5000, "file is not a database"),
    ],
)
@pytest.mark.parametrize("file", ["opencode.db", "opencode-dev.db", "named.db"])
def test_what_is_no_database_costs_one_warning(home: Path, ask: Ask, file: str, content: bytes, problem: str) -> None:
    database(home, [session(1)], file="opencode-local.db")
    record(home, session(2))
    path = put(home / DATA / file, content)

    page = ask({"OPENCODE_DB": "named.db"})

    assert uuids(page) == [ses(1), ses(2)]
    assert problems(page) == [("opencode", str(path), problem)]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_database_that_was_cut_off_costs_one_warning(home: Path, ask: Ask, share: float) -> None:
    path = database(home, [session(number, [user("x" * 9000)]) for number in range(10, 60)])
    put(path, path.read_bytes()[: int(path.stat().st_size * share)])
    database(home, [session(1)], file="opencode-dev.db")

    page = ask()

    assert ses(1) in uuids(page)
    assert [warning.path for warning in page.warnings] == [str(path)]


@pytest.mark.parametrize("table", ["message", "part"])
def test_a_damaged_page_of_one_table_costs_no_session(home: Path, ask: Ask, table: str) -> None:
    sessions = [session(number, title="", time_updated=epoch_ms(60 + number)) for number in range(10, 30)]
    path = damaged(database(home, sessions), table)

    page = ask()

    assert {found.uuid: found.last_activity for found in page.sessions} == {
        ses(number): at(60 + number) for number in range(10, 30)
    }
    assert [warning.path for warning in page.warnings] == [str(path)]


def damaged(path: Path, table: str) -> Path:
    """Overwrite the first page of a table."""
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchone()
    content = path.read_bytes()
    return put(path, content[: (page - 1) * size] + b"\xff" * size + content[page * size :])


def test_an_empty_file_is_a_database_without_sessions(home: Path, ask: Ask) -> None:
    put(home / DATA / "opencode.db", b"")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_database_without_tables_is_one_without_sessions(home: Path, ask: Ask) -> None:
    change(database(home), "DROP TABLE session", "DROP TABLE message", "DROP TABLE part", "DROP TABLE session_message")
    change(home / DATA / "opencode.db", "DROP TABLE project")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_database_of_something_else_costs_one_warning(home: Path, ask: Ask) -> None:
    path = change(database(home, [session()]), "ALTER TABLE session RENAME TO meeting")

    page = ask()

    assert page.sessions == ()
    assert problems(page) == [("opencode", str(path), "has no table of sessions")]


@pytest.mark.parametrize("table", ["session", "session_v2"])
@pytest.mark.parametrize("value", [None, 7, b"ses_1", ""])
def test_a_row_without_an_id_is_no_session(home: Path, ask: Ask, table: str, value: object) -> None:
    v2_database(home, [session(1), session(2, [], id=value)], table=table)

    page = ask()

    assert (uuids(page), page.warnings) == ([ses(1)], ())


@pytest.mark.parametrize("odd", [7, 1.5, b"\xff\x00", "", "\x00", "null", "[]", "x" * 100_000])
def test_values_of_unexpected_types_cost_nothing_but_themselves(home: Path, ask: Ask, odd: object) -> None:
    names = ("directory", "title", "version", "agent", "model", "time_created", "time_updated", "fork_session_id")
    row: Record = dict.fromkeys(names, odd)
    v2_database(home, [session(1), session(2, **row)])

    page = ask()

    found = {one.uuid: one for one in page.sessions}
    assert found.keys() == {ses(1), ses(2)}
    assert (found[ses(1)].title, found[ses(1)].models) == ("Title 1", (MODEL,))
    assert (found[ses(2)].kind, found[ses(2)].project_dir, found[ses(2)].models) == ("agent", None, (MODEL,))
    assert page.warnings == ()


def test_text_that_is_no_utf_8_is_mended(home: Path, only: Only) -> None:
    path = database(home, [session()])
    change(path, "UPDATE session SET title = CAST(x'4772616674FF' AS TEXT)")

    assert only().title == "Graft\ufffd"


def test_a_zero_byte_does_not_end_a_text(home: Path, only: Only) -> None:
    database(home, [session(title="Graft\x00 the plum")])

    assert only().title == "Graft the plum"


UNREADABLE = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"7",
    b"\x00" * 400,
    b"\xff\xfe",
    DEEP,
    b"garbage",
    b'{"role": 7, "time": [], "path": "x", "model": 9}',
    b'{"time": {"created": "then", "completed": 1e999}}',
    b'{"time": {"completed": -1}}',
]


@every_generation
@pytest.mark.parametrize("data", UNREADABLE, ids=lambda data: repr(data[:12]))
def test_a_message_that_cannot_be_read_costs_itself(home: Path, ask: Ask, version: str, data: bytes) -> None:
    GENERATIONS[version](home, session(messages=[Message(data), user("Go"), assistant()], title=""))

    page = ask()

    (found,) = page.sessions
    assert (found.title, found.models, found.last_activity) == ("Go", (MODEL,), at(30))
    assert page.warnings == ()


@pytest.mark.parametrize("data", [None, 7, 1.5, "", "{"])
@pytest.mark.parametrize("table", ["message", "part"])
def test_data_of_unexpected_types_costs_itself(home: Path, ask: Ask, table: str, data: object) -> None:
    path = database(home, [session(1, title=""), session(2, title="")])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE {table} SET data = ? WHERE session_id = ?", [data, ses(1)])
        connection.commit()

    page = ask()

    found = {one.uuid: (one.title, one.message_count) for one in page.sessions}
    assert found == {ses(1): (None, 0 if table == "message" else 2), ses(2): ("Prompt 2", 2)}
    assert page.warnings == ()


# Records


@every_record
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b"{}",
        b'{"id": null}',
        b'{"id": ""}',
        b'{"id": 7}',
        b"\x00" * 413,
        b"\xff",
        DEEP,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_what_is_no_record_costs_one_warning(home: Path, ask: Ask, version: str, content: bytes) -> None:
    path = RECORDS[version](home, session(1))
    bad = put(path.with_name(f"{ses(2)}.json"), content)

    page = ask()

    assert uuids(page) == [ses(1)]
    assert problems(page) == [("opencode", str(bad), "is no readable session record")]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_record_that_was_cut_costs_itself(home: Path, ask: Ask, share: float) -> None:
    record(home, session(1))
    path = record(home, session(2))
    put(path, path.read_bytes()[: int(path.stat().st_size * share)])

    page = ask()

    assert ses(1) in uuids(page)
    assert len(page.sessions) + len(page.warnings) == 2


@every_record
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: BOM + content,
        lambda content: content + b"\n" + b"\x00" * 4096,
        lambda content: b"\x00" * 4096 + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content + b"}",
        lambda content: content.replace(b'"title"', b'"diffs": ["' + b"x" * 3_000_000 + b'"], "title"'),
        lambda content: content.replace(b'"title"', b'"count": ' + b"9" * 9000 + b', "title"'),
    ],
    ids=["byte order mark", "NULs behind", "NULs before", "CRLF", "one brace too many", "huge", "huge number"],
)
def test_damage_around_a_record_changes_nothing(
    home: Path, only: Only, version: str, damage: Callable[[bytes], bytes]
) -> None:
    path = RECORDS[version](home, session())
    put(path, damage(path.read_bytes()))

    found = only()

    assert (found.uuid, found.title, found.models, found.last_activity) == (ses(1), "Title 1", (MODEL,), at(30))


@pytest.mark.parametrize("odd", [7, [], {}, True, None, "\ud800", "x" * 100_000])
@pytest.mark.parametrize("field", ["title", "directory", "parentID", "version", "time"])
def test_a_field_of_an_unexpected_type_costs_itself(home: Path, ask: Ask, field: str, odd: object) -> None:
    path = record(home, session())
    content = json.loads(path.read_bytes()) | {field: odd}
    put(path, json.dumps(content))

    page = ask()

    (found,) = page.sessions
    assert (found.uuid, found.models, found.message_count, page.warnings) == (ses(1), (MODEL,), 2, ())
    if field != "directory":
        assert found.project_dir == CWD


@pytest.mark.parametrize("odd", ["then", [], -1, 1e300, None, True])
@pytest.mark.parametrize("field", ["created", "updated"])
def test_a_time_of_an_unexpected_type_costs_itself(home: Path, only: Only, field: str, odd: object) -> None:
    path = record(home, session())
    content = json.loads(path.read_bytes())
    content["time"][field] = odd
    put(path, json.dumps(content))

    found = only()

    assert (found.last_activity, found.created) == (at(30), None if field == "created" else at())


@pytest.mark.parametrize(
    "name",
    [
        "../elsewhere",
        "../../elsewhere",
        "{home}/elsewhere",
        "a/b",
        "..",
        ".",
        "ses_\x00",
        "ses_\ud800",
    ],
)
def test_a_record_whose_id_is_no_name_of_a_folder_has_no_messages(home: Path, ask: Ask, name: str) -> None:
    name = name.format(home=home)
    record(home, session(1))
    put(home / DATA / "storage/session/4b1d/odd.json", json.dumps({"id": name, "title": "Odd"}))
    if name.isprintable():
        put(home / DATA / "storage/message" / name / "msg_0.json", json.dumps(user().data))

    page = ask()

    assert {found.title: found.message_count for found in page.sessions} == {"Title 1": 2, "Odd": 0}
    assert page.warnings == ()


@pytest.mark.parametrize("name", ["ses_\u200b", "ses_\n", "ses_\u00a0x"])
@pytest.mark.parametrize("version", ["1.1", "1.18"])
def test_an_id_with_characters_that_cannot_be_seen_has_its_messages(
    home: Path, only: Only, version: str, name: str
) -> None:
    GENERATIONS[version](home, session(id=name))

    assert only().message_count == 2


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\x00" * 99, b'{"type": 7}', DEEP], ids=lambda data: repr(data[:9])
)
@pytest.mark.parametrize("version", ["0.5", "1.1", "1.18"])
def test_a_part_that_cannot_be_read_gives_way_to_the_next(home: Path, only: Only, version: str, content: bytes) -> None:
    prompt = Message(user().data, [content, text_part("Graft the plum")])
    GENERATIONS[version](home, session(messages=[prompt], title=""))

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("folder", ["message", "part"])
def test_a_session_whose_messages_are_gone_is_listed(home: Path, ask: Ask, folder: str) -> None:
    record(home, session(title=""))
    (home / DATA / "storage" / folder).rename(home / "away")

    page = ask()

    assert ([found.uuid for found in page.sessions], page.warnings) == ([ses(1)], ())


def test_messages_without_their_session_are_none(home: Path, ask: Ask) -> None:
    record(home, session(1)).unlink()
    old_record(home, session(2)).unlink()
    change(database(home, [session(3)]), "DELETE FROM session")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_broken_store_of_each_kind_costs_one_warning_each(home: Path, ask: Ask) -> None:
    database(home, [session(1)])
    record(home, session(2))
    old_record(home, session(3))
    broken = {
        put(home / DATA / name, b"\x00garbage")
        for name in (
            "opencode-dev.db",
            "storage/session/4b1d/x.json",
            "project/srv-orchard/storage/session/info/x.json",
        )
    }

    page = ask()

    assert uuids(page) == [ses(1), ses(2), ses(3)]
    assert {warning.path for warning in page.warnings} == {str(path) for path in broken}
    assert len(page.warnings) == 3
