"""The table is as wide as the terminal and no row wraps; in a pipe every value is whole."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sesls.output.table import lines as lines_of
from sesls.output.table import write_coloured, write_fitted, write_plain
from sesls.session import Session
from tests.builders.common import uuid
from tests.command.run import cells, plain

HEADINGS = ["AGE", "AGENT", "TITLE", "DIRECTORY", "ID", "MODELS", "SURFACE", "MSGS"]
WIDTHS = [*range(24, 100), *range(100, 221, 5)]


def session(number: int = 1, **fields: object) -> Session:
    values: dict[str, Any] = {
        "uuid": uuid(number),
        "agent": "claude",
        "title": f"Prompt {number}",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": "/srv/orchard",
        "launch_surface": "claude-cli",
        "models": ("claude-sonnet-4-5-20250929",),
        "last_activity": "2026-03-10T09:00:30.000Z",
        "date": "2026-03-10T09:00:30.000Z",
        "age_sec": 3 * 86_400,
        "activity": "stale",
        "created": None,
        "size_bytes": 1,
        "message_count": 2,
        "path": "/home/ada/.claude/projects/-srv-orchard/x.jsonl",
        "resume_command": None,
        "extra": {},
        **fields,
    }
    return Session(**values)


PLAIN = [session(1), session(2, agent="codex", launch_surface="codex_cli_rs", models=("gpt-5.2-codex",))]
AWKWARD = [
    session(1, title="短い題名 " * 40, project_dir="/home/ada/" + "果樹園/" * 12),
    session(2, title="\U0001f680" * 150, kind="subagent", models=("a" * 60, "b" * 60)),
    session(3, title="e\u0301" * 100, agent="antigravity", launch_surface="antigravity-ide " * 4),
    session(4, title=None, project_dir=None, models=(), launch_surface=None, message_count=None),
    session(5, title="x" * 200, project_dir="/srv/" + "deep/" * 30, message_count=12_345_678, age_sec=10**12),
    session(6, uuid="日本語の識別子" * 9, models=("果" * 40,)),
    session(7, title="[/] [bold]x[/bold] :rocket:", project_dir="/srv/[bold]dir[/]", models=("[red]",)),
]


def written(encoding: str, write: Callable[[io.TextIOWrapper], object]) -> list[str]:
    with io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace", newline="") as stream:
        write(stream)
        stream.flush()
        return stream.buffer.getvalue().decode(encoding).splitlines()


def drawn(sessions: Sequence[Session], cells: int, encoding: str = "utf-8") -> list[str]:
    rows = lines_of(sessions, unicode=encoding == "utf-8")
    return written(encoding, lambda stream: write_fitted(rows, stream, home="/home/ada", cells=cells))


def coloured(sessions: Sequence[Session], cells: int) -> list[str]:
    agents, rows = ("claude", "codex"), lines_of(sessions, unicode=True)
    return written("utf-8", lambda stream: write_coloured(rows, stream, home="/home/ada", cells=cells, agents=agents))


def piped(sessions: Sequence[Session], encoding: str = "utf-8") -> list[str]:
    rows = lines_of(sessions, unicode=encoding == "utf-8")
    return written(encoding, lambda stream: write_plain(rows, stream))


def column(lines: Sequence[str], heading: str) -> list[str]:
    start = lines[0].index(heading)
    return [line[start:].split("  ")[0].strip() for line in lines[1:]]


def test_no_heading_wraps_where_there_is_hardly_room() -> None:
    assert cells(drawn(AWKWARD, 20)[0]) <= 20


@pytest.mark.parametrize("sessions", [PLAIN, AWKWARD], ids=["plain", "awkward"])
def test_no_row_wraps_at_any_width(sessions: list[Session]) -> None:
    for width in WIDTHS:
        lines = drawn(sessions, width)

        assert len(lines) == len(sessions) + 1
        assert max(map(cells, lines)) <= width


def test_no_row_wraps_where_signs_are_replaced() -> None:
    assert max(map(len, drawn(AWKWARD, 60, "ascii"))) <= 60


@pytest.mark.parametrize("sessions", [PLAIN, AWKWARD], ids=["plain", "awkward"])
def test_columns_go_from_the_least_important_on(sessions: list[Session]) -> None:
    shown = [drawn(sessions, width)[0].split() for width in WIDTHS[6:]]

    assert all(some == HEADINGS[: len(some)] for some in shown)
    assert [len(some) for some in shown] == sorted(len(some) for some in shown)
    assert (shown[0], shown[-1]) == (HEADINGS[:3], HEADINGS)


def test_columns_go_before_the_title_gets_narrow() -> None:
    long = [session(title="word " * 40, project_dir="/srv/" + "deep/" * 30)]

    for width in range(60, 221, 10):
        (row,) = drawn(long, width)[1:]

        assert row.count("word") >= 6


def test_an_id_is_as_short_as_is_unambiguous_among_the_rows() -> None:
    ids = ["12345678-1111-4000-8000-000000000001", "12345678-1122-4000-8000-000000000002", uuid(3), "a5d6907d35987d0f7"]

    lines = drawn([session(uuid=one) for one in ids], 120)

    assert column(lines, "ID") == ["12345678-111", "12345678-112", "00000003", "a5d6907d"]
    assert column(drawn([session(uuid=ids[0])], 120), "ID") == ["12345678"]


def test_long_ids_are_unambiguous_too() -> None:
    ids = ["a-name-of-a-session-that-a-person-typed-" + end for end in ("one", "two")]

    shown = column(drawn([session(uuid=one) for one in ids], 220), "ID")

    assert len(set(shown)) == 2


def test_home_is_a_tilde_on_a_terminal() -> None:
    lines = drawn([session(project_dir="/home/ada/orchard"), session(project_dir="/home/adam")], 120)

    assert column(lines, "DIRECTORY") == ["~/orchard", "/home/adam"]


def test_the_end_of_a_long_directory_is_kept() -> None:
    (shown,) = column(drawn([session(project_dir="/srv/" + "deep/" * 30 + "orchard")], 120), "DIRECTORY")

    assert shown.startswith("…/deep/")
    assert shown.endswith("/deep/orchard")


def test_a_long_title_ends_in_a_sign() -> None:
    (shown,) = column(drawn([session(title="word " * 40)], 80), "TITLE")

    assert shown.startswith("word word")
    assert shown.endswith("…")


def test_what_is_absent_is_a_dash() -> None:
    nothing = session(title=None, project_dir=None, models=(), launch_surface=None, message_count=None)

    assert drawn([nothing], 200)[1].split() == ["3d", "claude", "—", "—", "00000001", "—", "—", "—"]
    assert piped([nothing])[1].split() == ["3d", "claude", "—", "—", uuid(1), "—", "—", "—"]


def test_numbers_of_messages_stand_one_below_the_other() -> None:
    lines = drawn([session(1, message_count=7), session(2, message_count=1234)], 200)

    assert (lines[1][-4:], lines[2][-4:]) == ("   7", "1234")


def test_no_messages_are_not_absent() -> None:
    assert drawn([session(message_count=0)], 200)[1].split()[-1] == "0"


def test_a_spawned_session_has_a_sign() -> None:
    assert column(drawn([session(kind="subagent")], 120), "TITLE") == ["↳ Prompt 1"]
    assert column(piped([session(kind="subagent", title=None)]), "TITLE") == ["↳ —"]


def test_of_several_models_the_last_is_named_and_the_others_counted() -> None:
    several = session(models=("opus", "haiku", "sonnet"))

    assert column(drawn([several], 120), "MODELS") == ["sonnet +2"]
    assert column(piped([several]), "MODELS") == ["opus,haiku,sonnet"]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_a_stream_without_the_signs_gets_others(encoding: str) -> None:
    sessions = [session(1, title="word " * 40), session(2, kind="subagent", project_dir=None)]

    lines = drawn(sessions, 80, encoding)

    assert column(lines, "TITLE")[0].endswith("~")
    assert column(lines, "TITLE")[1] == "> Prompt 2"
    assert column(lines, "DIRECTORY")[1] == "-"
    assert "  > Prompt 2  " in piped(sessions, encoding)[2]


def test_a_pipe_gets_whole_values() -> None:
    lines = piped(AWKWARD)

    assert lines[0].split() == HEADINGS
    for one, line in zip(AWKWARD, lines[1:], strict=True):
        assert one.uuid in line
        assert (one.title or "—").strip() in line
        assert (one.project_dir or "—") in line
        assert ",".join(one.models) in line


def test_columns_of_a_pipe_are_aligned_and_end_without_blanks() -> None:
    lines = piped([session(1, title="果樹園", launch_surface="x"), session(2, title="Prompt", message_count=None)])

    assert len({cells(line[: line.index("/srv")]) for line in lines[1:]}) == 1
    assert all(line == line.rstrip() for line in lines)


def test_markup_and_codes_are_shown_as_they_were_typed() -> None:
    text = "[/] [bold]x[/bold] :rocket: [link=http://x.example]l[/link]"

    for lines in (drawn([session(title=text, project_dir="/srv/[/]")], 220), piped([session(title=text)])):
        assert text in lines[1]
    assert column(drawn([session(project_dir="/srv/[/]")], 120), "DIRECTORY") == ["/srv/[/]"]


def test_nothing_in_a_session_reaches_the_stream_as_a_control_character() -> None:
    evil = "\x1b]0;PWNED\x07\x1b[2Ja\nb\x9b31m\u202e"
    hostile = session(uuid=evil, agent=evil, project_dir=f"/srv/{evil}", launch_surface=evil, models=(evil, evil))

    for lines in (drawn([hostile], 220), piped([hostile])):
        assert len(lines) == 2
        assert all(line.isprintable() for line in lines)


@pytest.fixture
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 256 colours, whatever the one is in which the tests run."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("colours")
def test_colours_say_what_is_fresh_and_which_agent_it_is() -> None:
    sessions = [session(1, activity="fresh", age_sec=5), session(2, agent="codex"), session(3, agent="other")]

    lines = coloured(sessions, 80)

    assert lines[1].startswith("\x1b[1;32m5s")
    assert "\x1b[36mclaude" in lines[1]
    assert "\x1b[32mcodex" in lines[2]
    assert not re.search(r"\x1b\[3\dm", lines[3])


@pytest.mark.usefixtures("colours")
@pytest.mark.parametrize("sessions", [PLAIN, AWKWARD], ids=["plain", "awkward"])
def test_colours_change_nothing_else(sessions: list[Session]) -> None:
    for cells_wide in (20, 60, 80, 120, 220):
        assert [plain(line).rstrip() for line in coloured(sessions, cells_wide)] == drawn(sessions, cells_wide)


FIELD_NAMES = ("age_sec", "title", "project_dir", "models", "size_bytes", "extra.git_branch", "path", "resume_command")


def named(sessions: Sequence[Session], cells: int, *fields: str) -> tuple[list[str], Sequence[str]]:
    """Return a table of named fields and those for which there was no room."""
    missing: list[Sequence[str]] = []
    rows = lines_of(sessions, unicode=True)

    def write(stream: io.TextIOWrapper) -> None:
        missing.append(write_fitted(rows, stream, home="/home/ada", cells=cells, fields=fields))

    return written("utf-8", write), missing[0]


@pytest.mark.parametrize("wide", WIDTHS)
def test_named_fields_never_wrap_and_what_has_no_room_is_told(wide: int) -> None:
    lines, missing = named(AWKWARD, wide, *FIELD_NAMES)

    assert max(map(cells, lines)) <= wide
    assert len(lines) == len(AWKWARD) + 1
    shown = FIELD_NAMES[: len(FIELD_NAMES) - len(missing)]
    assert tuple(missing) == FIELD_NAMES[len(shown) :]
    assert bool(missing) == (wide < 78)


def test_named_fields_are_columns_in_their_order_and_narrow_ones_are_whole() -> None:
    lines, _ = named(
        [session(1, title="word " * 40, extra={"git_branch": "main"})], 60, "extra.git_branch", "title", "kind"
    )

    assert lines[0].split() == ["EXTRA.GIT_BRANCH", "TITLE", "KIND"]
    assert lines[1].split()[0] == "main"
    assert lines[1].endswith("…  agent")


def test_named_fields_are_whole_in_a_pipe() -> None:
    rows = lines_of(AWKWARD, unicode=True)

    lines = written("utf-8", lambda stream: write_plain(rows, stream, fields=("uuid", "project_dir", "title")))

    for one, line in zip(AWKWARD, lines[1:], strict=True):
        assert one.uuid in line
        assert one.project_dir is None or one.project_dir in line
        assert (one.title or "—").rstrip() in line


def test_named_fields_are_coloured_too() -> None:
    rows = lines_of(PLAIN, unicode=True)
    options: dict[str, Any] = {"home": "/home/ada", "cells": 80, "fields": ("agent", "title", "uuid")}

    lines = written("utf-8", lambda stream: write_coloured(rows, stream, agents=("claude", "codex"), **options))

    assert "\x1b[" in lines[1]
    assert [plain(line).rstrip() for line in lines] == [
        line.rstrip() for line in named(PLAIN, 80, *options["fields"])[0]
    ]


def test_homes_are_shown_where_there_are_any() -> None:
    lines = drawn([session(1, home="/mnt/disk/ada"), session(2, home="/home/ada")], 160)

    assert column(lines, "HOME") == ["/mnt/disk/ada", "~"]
    assert "HOME" not in drawn(PLAIN, 160)[0]
