"""`sesls.list_sessions` is the command line's answer as Python objects."""

from __future__ import annotations

import contextlib
import io
import json
import re
import textwrap
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import sesls
from sesls.output.json import encoded
from tests.builders.claude import assistant, transcript, user
from tests.builders.common import uuid
from tests.command.run import mixed_home, run

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MOVING = (
    "CLAUDE_CONFIG_DIR CODEX_HOME CODEX_SQLITE_HOME OPENCODE_DB PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR"
    " XDG_CONFIG_HOME XDG_DATA_HOME APPDATA LOCALAPPDATA SESLS_STALL_SEC AI_R_STALL_SEC"
)


@pytest.fixture(autouse=True)
def machine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This process with a home of its own, and no variable that moves an agent's."""
    for name in MOVING.split():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent / "cache"))
    monkeypatch.chdir(home)
    return home


def uuids(**arguments: Any) -> set[str]:
    return {session.uuid for session in sesls.list_sessions(**arguments).sessions}


def test_it_lists_what_is_there(home: Path) -> None:
    empty = sesls.list_sessions()
    assert (empty.total, empty.sessions) == (0, ())
    assert empty.diagnostics is not None

    mixed_home(home)
    page = sesls.list_sessions(limit=0)
    assert (page.total, page.limit, page.offset, page.truncated) == (4, 0, 0, False)


def test_arguments_are_the_filters(home: Path) -> None:
    mixed_home(home)

    assert uuids(agent="codex") == {uuid(2), uuid(3)}
    assert uuids(agent=["codex"]) == uuids(agent=("codex", "codex")) == uuids(agent="codex")
    assert uuids(kind="subagent") == uuids(noise="only") == {"a5d6907d35987d0f7"}
    assert uuids(noise="exclude", project_dir="/srv/barn/") == {uuid(2)}


def test_arguments_find(home: Path) -> None:
    mixed_home(home)
    start = datetime(2026, 3, 10, tzinfo=UTC)

    assert uuids(since=start, until=start + timedelta(days=2)) == uuids(activity="stale") == uuids()
    assert uuids(since="2d") == uuids(until=date(2026, 3, 1)) == uuids(activity="fresh") == set()
    assert uuids(title="MEND") == uuids(title="roof", surface="codex*", model="gpt*") == {uuid(2)}
    assert uuids(branch="main", kind="agent") == {uuid(1)}
    assert [one.title for one in sesls.list_sessions(sort="title", reverse=True, limit=2).sessions] == [
        *("Paint the gate", "Mend the roof")
    ]


def test_arguments_name_homes_and_the_project_around(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(home / "shop")
    (home / "shop" / ".git").mkdir(parents=True)
    (home / "shop" / "web").mkdir()
    mixed_home(home / "disk")
    transcript(home, [user("Here", cwd=own), assistant(cwd=own)], directory=own, number=5)
    monkeypatch.chdir(home / "shop" / "web")

    assert uuids(here=True) == {uuid(5)}
    assert uuids(home=home / "disk") == uuids(home=["../../disk", str(home / "disk")])
    assert len(uuids(home=("~", home / "disk"))) == 5


def test_arguments_are_the_page(home: Path) -> None:
    mixed_home(home)
    everything = [session.uuid for session in sesls.list_sessions().sessions]

    page = sesls.list_sessions(None, 2, 1)

    assert [session.uuid for session in page.sessions] == everything[1:3]
    assert (page.total, page.limit, page.offset, page.truncated) == (4, 2, 1, True)


@pytest.mark.parametrize("typed", [".", "~", "~/orchard/..", "orchard", "../home"])
def test_a_directory_may_be_relative(home: Path, typed: str) -> None:
    directory = str(home / "orchard")
    transcript(home, [user("Here", cwd=directory), assistant(cwd=directory)], directory=directory)

    assert uuids(project_dir=typed) == {uuid(1)}


def test_secrets_are_masked_unless_asked_for(home: Path) -> None:
    transcript(home, [user(f"deploy with {TOKEN}"), assistant()])

    masked, shown = sesls.list_sessions(), sesls.list_sessions(redact=False)

    assert TOKEN not in str(masked.to_dict())
    assert sum(masked.redactions.values()) == 1
    assert shown.sessions[0].title == f"deploy with {TOKEN}"
    assert shown.redactions == {}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"agent": "nobody"}, "agent is one of claude, codex.*, not 'nobody'"),
        ({"agent": ["claude", "nobody"]}, "agent is one of claude, codex.*, not 'nobody'"),
        ({"agent": ""}, "agent is one of claude, codex.*, not ''"),
        ({"kind": "parent"}, "kind is one of agent and subagent, not 'parent'"),
        ({"noise": "loud"}, "noise is one of include, exclude and only, not 'loud'"),
        ({"limit": -1}, "limit is zero or more, not -1"),
        ({"limit": True}, "limit is a whole number, not True"),
        ({"limit": "5"}, "limit is a whole number, not '5'"),
        ({"offset": -1}, "offset is zero or more, not -1"),
        ({"offset": 1.0}, "offset is a whole number, not 1.0"),
        ({"project_dir": " "}, "project_dir is a directory, not an empty text"),
        ({"here": "yes"}, "here is true or false, not 'yes'"),
        ({"since": "soon"}, "since is a day .*, not 'soon'"),
        ({"until": 5}, "until is a point in time, not 5"),
        ({"activity": "lively"}, "activity is one of fresh and stale, not 'lively'"),
        ({"title": ""}, "title is a text to look for, not ''"),
        ({"model": ["a"]}, r"model is a text to look for, not \['a'\]"),
        ({"sort": "age"}, "sort is one of activity, created, title and size, not 'age'"),
        ({"reverse": 1}, "reverse is true or false, not 1"),
        ({"home": "/nowhere/at/all"}, "home is a directory, and there is none at '/nowhere/at/all'"),
        ({"home": [""]}, "home is a directory, not an empty text"),
        ({"home": 5}, "home is a directory or several, not 5"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        sesls.list_sessions(**arguments)


@pytest.mark.parametrize("arguments", [{"agent": 5}, {"agent": [["claude"]]}, {"project_dir": 5}])
def test_arguments_of_a_wrong_type_are_refused_in_one_sentence(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^(agent|project_dir) is "):
        sesls.list_sessions(**arguments)


def test_the_page_as_plain_data_is_the_json_of_the_command_line(home: Path) -> None:
    mixed_home(home)

    printed = re.sub(rb'"age_sec": ?\d+', b"", run(home, "list", "--json").output)

    assert re.sub(rb'"age_sec": ?\d+', b"", encoded(sesls.list_sessions().to_dict())) == printed


def test_the_empty_page_as_plain_data_is_the_json_of_the_command_line(home: Path) -> None:
    mixed_home(home)

    printed = run(home, "list", "--json", "--project-dir", "/srv/nowhere").output

    assert encoded(sesls.list_sessions(project_dir="/srv/nowhere").to_dict()) == printed


def test_plain_data_has_the_documented_fields_in_their_order(home: Path) -> None:
    transcript(home)
    answer = sesls.list_sessions().to_dict()

    assert list(answer) == ["schema_version", "sessions", "total", "offset", "limit", "truncated"]
    assert answer["schema_version"] == 1
    assert list(answer["sessions"][0]) == [
        *("uuid", "agent", "title", "kind", "parent_uuid", "project_dir", "launch_surface", "models"),
        *("last_activity", "date", "age_sec", "activity", "created", "size_bytes", "message_count", "path"),
        *("resume_command", "extra"),
    ]


def test_every_field_has_its_type(home: Path) -> None:
    mixed_home(home)
    text, text_or_none, number_or_none = (str,), (str, type(None)), (int, type(None))
    types = {
        **dict.fromkeys(("uuid", "agent", "kind", "last_activity", "date", "activity", "path"), text),
        **dict.fromkeys(("title", "parent_uuid", "project_dir", "launch_surface"), text_or_none),
        **dict.fromkeys(("created", "resume_command"), text_or_none),
        **dict.fromkeys(("size_bytes", "message_count"), number_or_none),
        "models": (list,),
        "age_sec": (int,),
        "extra": (dict,),
    }
    for session in sesls.list_sessions().to_dict()["sessions"]:
        for name, value in session.items():
            assert isinstance(value, types[name]), name


def test_instants_are_utc_with_milliseconds_and_the_date_is_the_last_activity(home: Path) -> None:
    mixed_home(home)

    for session in sesls.list_sessions().sessions:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", session.last_activity)
        assert session.date == session.last_activity


def test_an_empty_extra_is_left_out(home: Path) -> None:
    rows = [user("Words", version=..., gitBranch=..., entrypoint=...)]
    transcript(home, rows)

    assert "extra" not in sesls.list_sessions().to_dict()["sessions"][0]


def test_what_is_optional_is_there_only_when_there_is_something(home: Path) -> None:
    mixed_home(home)
    transcript(home, [user(f"deploy with {TOKEN}"), assistant()], number=5)

    assert {"redactions", "warnings"} <= sesls.list_sessions().to_dict().keys()
    assert "diagnostics" in sesls.list_sessions(project_dir="/srv/nowhere").to_dict()


def test_records_do_not_change(home: Path) -> None:
    transcript(home)
    page = sesls.list_sessions()

    with pytest.raises(AttributeError):
        page.total = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        page.sessions[0].title = "Other"  # type: ignore[misc]


def test_the_example_of_the_docstring_runs(home: Path) -> None:
    directory = str(home / "src" / "shop" / "web")
    transcript(home, [user("Sell pears", cwd=directory), assistant(cwd=directory)], directory=directory)
    assert sesls.__doc__ is not None
    example = sesls.__doc__.partition("\n\n")[2]

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(textwrap.dedent(example), {})

    assert printed.getvalue() == "2026-03-10T09:00:30.000Z Sell pears\n"


@pytest.mark.parametrize("name", sesls.__all__)
def test_public_names_are_there(name: str) -> None:
    assert getattr(sesls, name) is not None


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sesls.nothing  # noqa: B018


def test_plain_data_is_json(home: Path) -> None:
    mixed_home(home)
    answer = sesls.list_sessions(limit=1).to_dict()

    assert json.loads(json.dumps(answer)) == answer
