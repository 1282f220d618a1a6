"""The part of YAML that Copilot writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sesls.adapters.copilot import workspace
from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, put, uuid
from tests.builders.copilot import SESSIONS, session, turns
from tests.builders.copilot import workspace as written

Ask = Callable[..., Page]
Only = Callable[..., Session]


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """A function that returns the values of a text."""
    return lambda text: workspace.read(str(put(tmp_path / "workspace.yaml", text)))


Read = Callable[[str], dict[str, str]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Graft the plum", "Graft the plum"),
        ("  Graft  ", "Graft"),
        ("Graft # the plum", "Graft"),
        ("Graft#the plum", "Graft#the plum"),
        ("Graft the plum:now", "Graft the plum:now"),
        ("'Graft: the plum # now'", "Graft: the plum # now"),
        ("'It''s a plum'", "It's a plum"),
        ("''", ""),
        ("'Graft' # a comment", "Graft"),
        ('"Graft: \\"the\\" plum\\n\\tnow"', 'Graft: "the" plum\n\tnow'),
        ('"\\u00e9\\x41\\U0001F331\\\\ \\/"', "éA🌱\\ /"),
        ('"\\ud83c\\udf31"', "🌱"),
        ('"\\0\\e\\N\\_\\L\\P"', "\0\x1b\x85\xa0\u2028\u2029"),
        ('"\\U99999999"', "\ufffd"),
        ("中文 🌱 ünï", "中文 🌱 ünï"),
        ("2026", "2026"),
        ("true", "true"),
        ("-x", "-x"),
        ("null", None),
        ("~", None),
        ("", None),
        ("# only a comment", None),
        ("'no end", None),
        ('"no end', None),
        ('"no end\\"', None),
        ("Graft\n  the plum\n\n  now", "Graft the plum\nnow"),
        ("'Graft\n  the plum'", "Graft the plum"),
        ('"Graft\n  the \\\n  plum"', "Graft the plum"),
        ("|-\n  Graft\n  the: plum # now", "Graft\nthe: plum # now"),
        ("|\n  Graft\n\n  the plum\n", "Graft\n\nthe plum"),
        ("|+\n  Graft\n\n", "Graft"),
        ("|2-\n    Graft\n  the plum", "  Graft\nthe plum"),
        ("|-2\n    Graft", "  Graft"),
        (">-\n  Graft\n  the plum\n\n  now", "Graft the plum\nnow"),
        ("|-", ""),
        ("|x", "|x"),
    ],
)
def test_a_value_is_read(read: Read, value: str, expected: str | None) -> None:
    assert read(f"id: a\nname: {value}\ncwd: /srv\n") == {
        "id": "a",
        "cwd": "/srv",
        **({} if expected is None else {"name": expected}),
    }


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_ends_of_lines_will_do(read: Read, end: str) -> None:
    assert read(f"id: a{end}name: |-{end}  b{end}  c{end}cwd: /srv{end}") == {"id": "a", "name": "b\nc", "cwd": "/srv"}


def test_keys_may_come_in_any_order_and_the_last_one_counts(read: Read) -> None:
    assert read("cwd: /a\nid: x\ncwd: /b") == {"cwd": "/b", "id": "x"}


def test_what_is_no_member_is_passed_over(read: Read) -> None:
    text = "\ufeff---\n# a comment\n- x\nid: a\nlist:\n  - 1\nmap:\n  id: inner\n? odd\n: b\n...\nname: b\nno value:x\n"

    assert read(text) == {"id": "a", "name": "b", "list": "- 1", "map": "id: inner"}


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert workspace.read(str(tmp_path / "workspace.yaml")) == {}


def test_a_name_of_several_lines_is_one_title(home: Path, only: Only) -> None:
    session(home, yaml=written(name="|-\n  A first prompt\n  with two lines: and a colon # and hash"))

    assert (only().title, only().created) == ("A first prompt with two lines: and a colon # and hash", at())


@pytest.mark.parametrize(
    "yaml", [b"", b"\x00" * 900, b"\xff\xfe\x80", b"{]", b"id", b"cwd: 'x", b'name: "\\', b"- " * 99_999]
)
def test_a_workspace_that_says_nothing_costs_nothing(home: Path, ask: Ask, yaml: bytes) -> None:
    session(home, yaml=yaml)

    page = ask()

    assert [(one.title, one.project_dir, one.created) for one in page.sessions] == [("Prompt 1", CWD, at())]
    assert page.warnings == ()


def test_a_huge_workspace_is_read_as_far_as_it_matters(home: Path, only: Only) -> None:
    session(home, turns(), yaml=written(cwd="/srv/barn", name="x" * 5_000_000))

    assert (only().project_dir, only().title) == ("/srv/barn", "x" * 200 + "…")


def test_a_workspace_that_is_a_folder_costs_one_warning(home: Path, ask: Ask) -> None:
    session(home, yaml=None)
    (home / SESSIONS / uuid(1) / "workspace.yaml").mkdir()

    page = ask()

    assert [one.title for one in page.sessions] == ["Prompt 1"]
    assert [one.problem for one in page.warnings] == ["not a regular file"]


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=80) | st.text("name: '\"|>-+2\\#\n\t x", max_size=60))
@example("name: |9\n x")
def test_any_text_is_read(text: str) -> None:
    for key, lines in workspace._members(text):
        value = workspace._value(lines)
        assert key
        assert value is None or isinstance(value, str)
