"""What the command shows on a real terminal."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.builders.claude import assistant, subagent, transcript, user
from tests.builders.codex import event, meta, rollout, said, turn
from tests.builders.common import uuid
from tests.command.run import Run, cells, plain, run_in_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")

DEEP = "/srv/果樹園/" + "a-long-folder-name/" * 6 + "end"
HOSTILE = (
    "Hi \x1b[31mred\x1b[0m \x1b]52;c;AAAA\x07 \x1b]0;PWNED\x07 \x1b]8;;http://x.example\x1b\\link \x1b[2J\x1b[H"
    " \x08\x08 [/] end"
)
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m")


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with seven sessions whose texts are long, wide, absent or hostile."""
    home = tmp_path_factory.mktemp("terminal") / "home"
    transcript(home, [user("短い題名 " * 40, cwd=DEEP), assistant(cwd=DEEP)], number=1, directory=DEEP)
    transcript(home, [user("\U0001f680 " * 80), assistant(model="a" * 80)], number=2)
    transcript(home, [user(HOSTILE), assistant()], number=3)
    transcript(home, [assistant()], number=4)
    subagent(home, "a5d6907d35987d0f7")
    evil_meta = meta(5, originator="\x1b]0;PWNED\x07[/] " + "surface " * 20, cwd="/srv/[bold]dir[/]")
    rollout(home, [evil_meta, turn(), said("[/not-open] :rocket: [link=http://x.example]l[/link]")], number=5)
    rollout(home, [meta(6, cwd=...), event("agent_message", 30, message="Done.")], number=6)
    return home


@cache
def shown(home: Path, *arguments: str, columns: int = 120, stderr_too: bool = False, **variables: str) -> Run:
    done = run_in_terminal(home, *arguments, columns=columns, stderr_too=stderr_too, variables=variables)
    assert done.status == 0, done.said
    return done


@pytest.mark.parametrize("columns", [20, 60, 80, 120])
def test_no_row_wraps(orchard: Path, columns: int) -> None:
    lines = shown(orchard, columns=columns).lines

    assert len(lines) == 8
    assert max(map(cells, lines)) <= columns


@pytest.mark.parametrize("columns", [20, 60, 80, 120, 200])
@pytest.mark.parametrize("colour", ["xterm-256color", "dumb"])
def test_no_row_of_a_tree_or_of_named_fields_wraps(orchard: Path, columns: int, colour: str) -> None:
    tree = shown(orchard, "list", "--format", "tree", columns=columns, TERM=colour)
    fields = ("--fields", "age_sec,title,project_dir,models,extra.git_branch,size_bytes,path,resume_command")
    named = shown(orchard, "list", *fields, columns=columns, TERM=colour)

    assert len(tree.lines) == len(named.lines) == 8
    assert max(map(cells, (*tree.lines, *named.lines))) <= columns
    assert all(line.isprintable() for line in (*tree.lines, *named.lines))
    assert ("no room for" in named.said) == (columns < 78)


def test_no_row_wraps_in_a_dumb_terminal(orchard: Path) -> None:
    assert max(map(cells, shown(orchard, columns=60, TERM="dumb").lines)) <= 60


def test_a_wider_terminal_shows_more_columns(orchard: Path) -> None:
    headings = {columns: shown(orchard, columns=columns).lines[0].split() for columns in (60, 80, 120)}

    assert headings[60] == ["AGE", "AGENT", "TITLE", "DIRECTORY"]
    assert headings[80] == ["AGE", "AGENT", "TITLE", "DIRECTORY", "ID"]
    assert headings[120][:6] == ["AGE", "AGENT", "TITLE", "DIRECTORY", "ID", "MODELS"]


def test_a_terminal_shows_colours(orchard: Path) -> None:
    assert COLOUR.search(shown(orchard).text)


def test_no_color_shows_none(orchard: Path) -> None:
    done = shown(orchard, NO_COLOR="1")

    assert not COLOUR.search(done.text)
    assert len(done.lines) == 8


def test_a_blank_no_color_counts_as_not_set(orchard: Path) -> None:
    assert COLOUR.search(shown(orchard, NO_COLOR="").text)


def test_what_is_said_below_is_dim_where_colours_are_shown(orchard: Path) -> None:
    assert "\x1b[2m7 sessions\x1b[0m" in shown(orchard, stderr_too=True).text
    assert "\n7 sessions\r" in shown(orchard, stderr_too=True, NO_COLOR="1").text


def test_a_dumb_terminal_gets_no_escapes(orchard: Path) -> None:
    assert "\x1b" not in shown(orchard, stderr_too=True, TERM="dumb").text


def test_hostile_texts_do_nothing(orchard: Path) -> None:
    for line in shown(orchard, columns=220).lines:
        assert line.isprintable()


def test_markup_is_shown_as_it_was_typed(orchard: Path) -> None:
    text = plain(shown(orchard, columns=220).text)

    assert "Hi red link [/] end" in text
    assert "[/not-open] :rocket: [link=http://x.example]l[/link]" in text
    assert "/srv/[bold]dir[/]" in text


def test_json_on_a_terminal_is_json(orchard: Path) -> None:
    assert shown(orchard, "list", "--json").json()["total"] == 7


def test_short_ids_begin_the_whole_ones(orchard: Path) -> None:
    text = plain(shown(orchard, columns=120).text)

    assert uuid(1)[:8] in text
    assert uuid(1) not in text


def test_an_empty_answer_shows_nothing_on_stdout(home: Path) -> None:
    done = shown(home)

    assert done.text == ""
    assert "No session to list." in done.said
