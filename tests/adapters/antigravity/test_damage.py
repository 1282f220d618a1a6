"""Damage costs what it destroyed, at most one warning, and never another conversation."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sesls.adapters.antigravity.log import Line, contents_of, sender, task
from sesls.page import Page
from sesls.session import Session
from tests.builders.antigravity import (
    MODEL,
    SHARED,
    Fields,
    Row,
    Step,
    about,
    annotation,
    answered,
    artifact,
    asked,
    conversation,
    database,
    database_path,
    encode,
    encrypted,
    json_lines,
    log,
    ran,
    tables,
)
from tests.builders.common import CWD, at, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

PAGE = 4096
FILLER = b"x" * (20 * PAGE)
LARGE: list[Step | Row] = [
    asked("Graft the plum"),
    answered(FILLER.decode()),
    ran().row(2, error_details=FILLER),
    answered(),
]

REQUEST = json_lines([asked("Graft the plum")])
ANSWER = json_lines([answered(seconds=20)])
WHOLE = REQUEST + ANSWER


def burnt(path: Path, filler: bytes = FILLER) -> Path:
    """Destroy those pages of a database that hold nothing but this."""
    data = path.read_bytes()
    pages = [data[start : start + PAGE] for start in range(0, len(data), PAGE)]
    destroyed = [b"\xff" * PAGE if page[4:] in filler else page for page in pages]
    assert destroyed != pages
    return put(path, b"".join(destroyed))


def with_column(value: object, column: str, table: str = "steps") -> dict[str, tuple[str, Iterable[dict[str, object]]]]:
    """Return the tables of a conversation in which one column of one table holds this in every row."""
    return {
        name: (columns, [{**row, column: value} if name == table else dict(row) for row in rows])
        for name, (columns, rows) in tables([asked(), ran(), answered()]).items()
    }


# Databases


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"this is no database " * 500, id="text"),
        pytest.param(b"SQLite format 3\x00" + b"\xff" * 5000, id="a header and garbage"),
        pytest.param(b"\x00" * 8192, id="NULs"),
        pytest.param(b"SQLite", id="half a header"),
        pytest.param(b"x", id="one byte"),
    ],
)
def test_a_file_that_is_no_database_costs_one_warning(home: Path, ask: Ask, content: bytes) -> None:
    conversation(home, number=1)
    path = put(database_path(home, 2), content)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert [(warning.agent, warning.path) for warning in page.warnings] == [("antigravity", str(path))]
    assert page.warnings[0].problem


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_database_that_was_cut_off_costs_one_warning(home: Path, ask: Ask, share: float) -> None:
    conversation(home, number=1)
    path = conversation(home, LARGE, number=2)
    put(path, path.read_bytes()[: int(path.stat().st_size * share)])

    page = ask()

    assert uuid(1) in {session.uuid for session in page.sessions}
    assert [warning.path for warning in page.warnings] == [str(path)]


def test_a_database_of_another_program_costs_one_warning(home: Path, ask: Ask) -> None:
    path = database(database_path(home), {"songs": ("name", [])})

    page = ask()

    assert page.sessions == ()
    assert [(warning.path, warning.problem) for warning in page.warnings] == [
        (str(path), "has no table of a conversation")
    ]


def test_a_damaged_database_does_not_hide_its_log(home: Path, ask: Ask) -> None:
    put(database_path(home), b"this is no database " * 500)
    path = log(home)

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.path, session.resume_command) == ("Prompt 1", str(path), None)
    assert len(page.warnings) == 1


def test_a_damaged_database_does_not_hide_an_older_one_of_another_root(home: Path, ask: Ask) -> None:
    put(database_path(home), b"this is no database " * 500)
    path = conversation(home, root=SHARED)

    page = ask()

    assert [session.path for session in page.sessions] == [str(path)]
    assert len(page.warnings) == 1


def test_a_step_that_is_destroyed_costs_one_warning_and_its_words(home: Path, ask: Ask) -> None:
    path = burnt(conversation(home, [asked(FILLER.decode()), answered()]))

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.project_dir, session.last_activity) == (None, CWD, at(30))
    assert [warning.path for warning in page.warnings] == [str(path)]


def test_messages_that_could_not_be_counted_are_not_zero(home: Path, only: Only) -> None:
    burnt(conversation(home, [asked(FILLER.decode()), answered()]))

    assert only().message_count in (None, 2)


def test_messages_of_a_database_without_steps_are_those_of_its_log(home: Path, only: Only) -> None:
    database(database_path(home), {name: table for name, table in tables().items() if name != "steps"})
    assert only().message_count is None

    log(home)
    assert only().message_count == 2


ODD = [None, 7, 1.5, "text", b"", b"\xff" * 50, b"\x0a", FILLER]


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("column", ["metadata", "step_payload", "step_type", "status"])
def test_a_column_of_odd_values_costs_what_it_told(home: Path, ask: Ask, column: str, value: object) -> None:
    database(database_path(home), with_column(value, column))

    page = ask()

    (session,) = page.sessions
    assert (session.project_dir, session.created, page.warnings) == (CWD, at(0), ())
    assert session.title == ("Prompt 1" if column in ("metadata", "status") else None)


@pytest.mark.parametrize("value", ODD)
def test_metadata_of_odd_values_cost_what_they_told(home: Path, ask: Ask, value: object) -> None:
    database(database_path(home), with_column(value, "data", "trajectory_metadata_blob"))

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.project_dir, session.created) == ("Prompt 1", None, at(0))
    assert page.warnings == ()


@pytest.mark.parametrize("value", [None, 1.5, "text", b"\x0f"])
def test_a_source_of_another_type_is_none(home: Path, ask: Ask, value: object) -> None:
    database(database_path(home), with_column(value, "source", "trajectory_meta"))

    page = ask()

    assert [(session.title, session.kind) for session in page.sessions] == [("Prompt 1", "agent")]
    assert page.warnings == ()


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("table", ["gen_metadata", "parent_references"])
def test_rows_of_odd_values_add_nothing(home: Path, ask: Ask, table: str, value: object) -> None:
    odd = ("idx INTEGER PRIMARY KEY, data", [{"idx": idx, "data": value} for idx in range(3)])
    database(database_path(home), {**tables([asked(), answered(model=None)]), table: odd})

    page = ask()

    assert [(session.title, session.models, session.extra) for session in page.sessions] == [
        ("Prompt 1", (), {"step_count": 2})
    ]
    assert page.warnings == ()


@pytest.mark.parametrize("end", range(1, 34, 4))
def test_of_cut_metadata_the_whole_fields_are_read(home: Path, only: Only, end: int) -> None:
    whole = encode(about(-5))
    conversation(home, meta=whole[: len(whole) - end])

    session = only()

    assert session.created in (at(-5), at(0))
    assert (session.title, session.last_activity) == ("Prompt 1", at(30))


def test_unknown_fields_and_steps_change_nothing(home: Path, only: Only) -> None:
    unknown: Fields = {99: "aura", 1000: {1: 7}, 536_870_911: 1}
    step = ran().row(1, step_type=9999, metadata=encode({**ran().metadata(), **unknown}), step_payload=encode(unknown))
    conversation(home, [asked("Graft the plum"), step, answered()], meta=about(others=unknown))

    session = only()

    assert (session.title, session.message_count, session.models) == ("Graft the plum", 2, (MODEL,))
    assert (session.created, session.project_dir) == (at(0), CWD)


@pytest.mark.parametrize("text", ["\x00", "Graft\x00the plum", "\x1b[2JGraft", "\x1b]52;c;eA==\x07Graft"])
def test_a_request_that_a_terminal_could_obey_is_made_harmless(home: Path, only: Only, text: str) -> None:
    conversation(home, [asked(text), asked("Plum", 5)])

    assert (only().title or "x").isprintable()


def test_a_directory_with_bytes_that_are_no_text_is_kept(home: Path, only: Only) -> None:
    conversation(home, meta=about(workspaces=["file:///srv/b%E4ume"]))

    assert only().project_dir == "/srv/b\udce4ume"


# Logs


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE.rstrip(b"\n"), id="no line end"),
        pytest.param(WHOLE + ANSWER[:40], id="torn last line"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(b"\x00" * 4096 + b"\n" + WHOLE, id="NULs first"),
        pytest.param(REQUEST + b"\x00" * 4096 + ANSWER, id="NULs before a record"),
        pytest.param(b"\xef\xbb\xbf" + WHOLE, id="byte order mark"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(WHOLE.replace(b"\n", b"\n\n \n"), id="blank lines"),
        pytest.param(WHOLE.replace(b"}\n{", b"}{"), id="glued records"),
        pytest.param(REQUEST + ANSWER[:40] + ANSWER, id="a record glued to a torn one"),
        pytest.param(REQUEST + b"garbage\n{\n}\nnull\n[]\n7\n" + ANSWER, id="garbage lines"),
        pytest.param(REQUEST + b"\xff\xfe\x80\n" + ANSWER, id="a line of no text"),
        pytest.param(REQUEST + b"[" * 100_000 + b"\n" + ANSWER, id="a line nested too deeply"),
        pytest.param(REQUEST + b'{"a":' * 100_000 + b"\n" + ANSWER, id="objects nested too deeply"),
        pytest.param(REQUEST + b"x" * 3_000_000 + b"\n" + ANSWER, id="huge line of no text"),
        pytest.param(REQUEST + json_lines([ran().line(1, output="x" * 3_000_000)]) + ANSWER, id="huge record"),
    ],
)
def test_damage_around_the_lines_changes_nothing(home: Path, ask: Ask, content: bytes) -> None:
    log(home, content)
    log(home, number=2)

    page = ask()

    assert page.warnings == ()
    session = {session.uuid: session for session in page.sessions}[uuid(1)]
    assert (session.title, session.message_count) == ("Graft the plum", 2)
    assert (session.created, session.last_activity) == (at(0), at(20))


@pytest.mark.parametrize("end", range(len(REQUEST), len(WHOLE), 13))
def test_a_log_being_written_shows_what_is_complete(home: Path, only: Only, end: int) -> None:
    log(home, WHOLE[:end])

    session = only()

    assert (session.title, session.message_count) == ("Graft the plum", 1 if end < len(WHOLE) - 1 else 2)


@pytest.mark.parametrize("content", [b"\n", b"\x00" * 4096, b"garbage\n" * 99, b"null\n[]\n7\n", REQUEST[:40]])
def test_a_log_of_which_nothing_can_be_read_is_a_conversation_without_words(
    home: Path, ask: Ask, content: bytes
) -> None:
    log(home, content, modified=90)

    page = ask()

    (session,) = page.sessions
    assert (session.title, session.last_activity, session.message_count) == (None, at(90), None)
    assert (session.extra, page.warnings) == ({"last_activity_source": "mtime"}, ())


@pytest.mark.parametrize("value", [7, None, [], {}, True, "x", 1.5])
@pytest.mark.parametrize("key", ["step_index", "source", "type", "created_at", "content", "status"])
def test_a_key_of_another_type_costs_what_it_told(home: Path, ask: Ask, key: str, value: object) -> None:
    log(home, [asked("Graft the plum"), ran().line(1, **{key: value}), answered(seconds=20)])

    page = ask()

    assert [(session.title, session.last_activity) for session in page.sessions] == [("Graft the plum", at(20))]
    assert page.warnings == ()


def test_bytes_that_are_no_utf_8_leave_the_rest_of_a_request(home: Path, only: Only) -> None:
    log(home, WHOLE.replace(b"plum", b"pl\xfcm"))

    assert only().title == "Graft the pl\ufffdm"


def test_half_of_a_surrogate_pair_leaves_the_rest_of_a_request(home: Path, only: Only) -> None:
    log(home, WHOLE.replace(b"plum", b"pl\\ud83dum"))

    assert only().title == "Graft the plum"


@contextmanager
def without_hanging() -> Iterator[None]:
    """Interrupt what takes a thousand times the processor's time that it needs, however busy the machine is."""

    def interrupt(signal: int, frame: object) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.3)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
@pytest.mark.parametrize(
    "content",
    [
        pytest.param("`Model Selection` from a to " * 2000, id="settings"),
        pytest.param("<USER_REQUEST>" * 20_000, id="requests without an end"),
        pytest.param(f"<USER_REQUEST>a{' ' * 100_000}b</USER_REQUEST>", id="blanks in a request"),
        pytest.param(f"content=a{' ' * 100_000}b", id="blanks in a task"),
        pytest.param("content=" * 20_000, id="tasks"),
        pytest.param("sender=" * 20_000, id="senders"),
    ],
)
def test_no_text_makes_the_reading_hang(content: str) -> None:
    line = Line(source="USER_EXPLICIT", type="USER_INPUT", content=content)

    with without_hanging():
        contents_of([line])
        sender(content)
        task(content)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
@pytest.mark.parametrize("content", [b"x" * 300_000, b"x " * 100_000, b"x:" * 100_000, b'x:"\\' * 80_000])
def test_no_annotation_makes_the_reading_hang(home: Path, only: Only, content: bytes) -> None:
    conversation(home)
    put(annotation(home, ""), content)

    with without_hanging():
        session = only()

    assert session.title == "Prompt 1"


# What lies beside them


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 500, b"\x00" * 500, b'title: "', b"title: " * 99_999, encode({1: "Graft", 4: 1})]
)
def test_a_damaged_annotation_adds_nothing(home: Path, ask: Ask, content: bytes) -> None:
    conversation(home)
    put(annotation(home, ""), content)

    page = ask()

    assert [(session.title, session.extra) for session in page.sessions] == [("Prompt 1", {"step_count": 2})]
    assert page.warnings == ()


DAMAGED_JSON = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"7",
    b"\xff" * 50,
    b"\x00" * 50,
    b'{"cwd": 7, "updatedAt": 7}',
    b"[" * 99_999,
]


@pytest.mark.parametrize("content", DAMAGED_JSON)
def test_a_damaged_note_of_the_server_adds_nothing(home: Path, ask: Ask, content: bytes) -> None:
    put(conversation(home).with_suffix(".meta"), content)

    page = ask()

    assert [(session.title, session.project_dir) for session in page.sessions] == [("Prompt 1", CWD)]
    assert page.warnings == ()


@pytest.mark.parametrize("content", DAMAGED_JSON)
def test_a_damaged_file_beside_an_artifact_adds_nothing(home: Path, ask: Ask, content: bytes) -> None:
    path = artifact(home, "# Prune")
    put(path.with_name("task.md.metadata.json"), content)

    page = ask()

    assert [(session.title, session.last_activity) for session in page.sessions] == [("Prune", at(0))]
    assert page.warnings == ()


@pytest.mark.parametrize("content", [b"\xff\xfe" * 99, b"\x00" * 9000, b"#" * 99_999, b"# ", b"# \xff\xfe\n"])
def test_an_artifact_of_no_text_is_a_conversation(home: Path, ask: Ask, content: bytes) -> None:
    put(artifact(home), content)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert page.warnings == ()


@pytest.mark.parametrize("content", [b"x", b"\x00" * 5000, b"SQLite format 3\x00" * 99, encode({1: "Graft"})])
def test_an_encrypted_conversation_may_hold_any_bytes(home: Path, ask: Ask, content: bytes) -> None:
    encrypted(home, content=content)

    page = ask()

    assert [(session.uuid, session.title) for session in page.sessions] == [(uuid(1), None)]
    assert page.warnings == ()


def test_each_of_many_damaged_conversations_costs_one_warning(home: Path, ask: Ask) -> None:
    damaged = [put(database_path(home, number), b"this is no database " * 500) for number in range(2, 8)]
    conversation(home)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert sorted(warning.path for warning in page.warnings) == sorted(map(str, damaged))


def test_nested_fields_of_any_depth_are_read(home: Path, only: Only) -> None:
    deep: Fields = {1: "x"}
    for _ in range(3000):
        deep = {8: encode(deep)}
    conversation(home, meta=about(others=deep))

    assert only().title == "Prompt 1"
