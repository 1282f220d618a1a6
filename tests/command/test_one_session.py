"""`sesls show`, `path` and `resume`: one session, by the start of its id."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters import claude
from sesls.inventory import named
from sesls.session import Details, Summary
from tests.builders import pi
from tests.builders.claude import assistant, subagent, transcript, user
from tests.builders.codex import meta, rollout, said, turn
from tests.builders.common import uuid
from tests.command.run import cells, mixed_home, plain, run, run_in_terminal
from tests.conftest import environment_of

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SUBAGENT = "a5d6907d35987d0f7"
COMMANDS = ("show", "path", "resume")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed_home(tmp_path_factory.mktemp("one") / "home")


def at_home(home: Path, *arguments: str, number: int = 1, **keys: str) -> str:
    """Write a Claude session that ran in a directory that is there, and return that."""
    directory = home / "orchard"
    directory.mkdir(exist_ok=True)
    rows = [user("Here", cwd=str(directory), sessionId=uuid(number)), assistant(cwd=str(directory))]
    transcript(home, rows, number=number, directory=str(directory))
    return str(directory)


@pytest.mark.parametrize("name", [uuid(2), uuid(2)[:8], f"codex:{uuid(2)}", "codex:00000002"])
def test_show_as_json_is_what_the_list_has(mixed: Path, name: str) -> None:
    listed = next(one for one in run(mixed, "list", "--json").json()["sessions"] if one["uuid"] == uuid(2))
    done = run(mixed, "show", name, "--json")

    shown = done.json()

    assert (done.status, done.said) == (0, "")
    assert {**shown, "age_sec": 0} == {**listed, "age_sec": 0}


def test_show_in_a_pipe_is_a_line_for_each_field_with_whole_values(mixed: Path) -> None:
    done = run(mixed, "show", uuid(2))
    fields = dict(line.split(None, 1) for line in done.lines)

    assert fields["title"] == "Mend the roof"
    assert (fields["agent"], fields["id"], fields["kind"], fields["parent"]) == ("codex", uuid(2), "agent", "—")
    assert fields["directory"] == "/srv/barn"
    assert fields["active"].startswith("2026-03-10 09:00:30 UTC · ")
    assert fields["file"] == run(mixed, "path", uuid(2)).text.strip()
    assert fields["resume"].endswith(f"codex resume {uuid(2)}")
    assert fields["agent_version"] == "0.150.0"


@pytest.mark.parametrize("columns", [40, 60, 120])
def test_show_on_a_terminal_is_as_wide_as_that_and_loses_nothing(mixed: Path, columns: int) -> None:
    done = run_in_terminal(mixed, "show", SUBAGENT, columns=columns)
    text = "".join(line.strip() for line in done.lines)

    assert done.status == 0
    assert "\x1b[" in done.text
    assert max(map(cells, done.lines)) <= columns
    assert "Count the pears" in text
    assert f"agent-{SUBAGENT}.jsonl" in text.replace(" ", "")
    assert "│" not in text


def test_show_without_colours_has_none(mixed: Path) -> None:
    assert "\x1b" not in run_in_terminal(mixed, "show", SUBAGENT, columns=80, variables={"NO_COLOR": "1"}).text


def test_show_masks_secrets_unless_asked_not_to(home: Path) -> None:
    transcript(home, [user(f"deploy with {TOKEN} please"), assistant()])

    masked, shown = run(home, "show", uuid(1)), run(home, "show", uuid(1), "--no-redact")

    assert TOKEN[:16] not in masked.text
    assert "deploy with [REDACTED_" in masked.text
    assert TOKEN in shown.text


def test_nothing_of_a_store_reaches_a_terminal_as_more_than_text(home: Path) -> None:
    hostile = "\x1b]52;c;AAAA\x07Hi [bold]there[/bold] \x1b[2J"
    rollout(home, [meta(5, cwd="/srv/\x1b[31mred", originator="\x1b]0;x\x07[/] o"), turn(), said(hostile)], number=5)

    for done in (run(home, "show", uuid(5)), run_in_terminal(home, "show", uuid(5), columns=100)):
        assert all(line.isprintable() for line in done.lines)
        assert "Hi [bold]there[/bold]" in plain(done.text)
        assert "[/] o" in plain(done.text)


def test_path_is_the_file_byte_for_byte(home: Path) -> None:
    path = transcript(home, directory="/srv/orchard")
    odd = path.parent.with_name("-srv-\udcff orchard")
    try:
        path.parent.rename(odd)
    except OSError:
        pytest.skip("this file system takes no such names")

    assert run(home, "path", uuid(1)).output == os.fsencode(odd / path.name) + b"\n"


def test_a_file_names_its_session(mixed: Path) -> None:
    path = run(mixed, "path", uuid(1)).text.strip()

    assert run(mixed, "show", path, "--json").json()["uuid"] == uuid(1)
    assert run(mixed, "show", os.path.relpath(path, mixed), "--json", cwd=mixed).json()["uuid"] == uuid(1)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_of_several_is_bad_usage_that_tells_them(mixed: Path, command: str) -> None:
    done = run(mixed, command, "0000")

    assert (done.status, done.output) == (2, b"")
    first, *others = done.said.splitlines()
    assert first == "sesls: '0000' may be any of 3 sessions:"
    assert [line.split()[:2] for line in others] == [[uuid(1), "claude"], [uuid(2), "codex"], [uuid(3), "codex"]]
    assert others[1].endswith("Mend the roof")


def test_of_very_many_the_newest_are_told(home: Path) -> None:
    for number in range(13):
        transcript(home, number=number)

    lines = run(home, "show", "0000").said.splitlines()

    assert len(lines) == 12
    assert lines[-1] == "  and 3 older ones"


def test_candidates_fit_the_terminal(mixed: Path) -> None:
    done = run_in_terminal(mixed, "show", "0000", columns=50, stderr_too=True)

    assert done.status == 2
    assert max(map(cells, done.lines)) <= 50
    assert [line.split()[0] for line in done.lines[1:]] == [uuid(1)[:8], uuid(2)[:8], uuid(3)[:8]]


def test_of_one_id_in_two_directories_the_files_are_told(home: Path) -> None:
    paths = [str(pi.session(home, directory=directory)) for directory in ("/srv/orchard", "/srv/barn")]

    done = run(home, "show", uuid(1))

    assert done.status == 2
    assert all(path in done.said for path in paths)
    assert run(home, "show", paths[1], "--json").json()["path"] == paths[1]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["ffff", "\x1b[2J", "codex:ffff", "/srv/nothing"])
def test_a_name_of_none_is_one_sentence_and_status_1(home: Path, command: str, name: str) -> None:
    transcript(home)

    done = run(home, command, name)

    assert (done.status, done.output) == (1, b"")
    assert done.said == f"sesls: there is no session {name!r}\n"


def test_where_something_could_not_be_read_that_is_said_too(mixed: Path) -> None:
    assert run(mixed, "show", "ffff").said == "sesls: there is no session 'ffff'; 1 warning, see sesls diagnostics\n"


@pytest.mark.parametrize("arguments", [("show",), ("show", ""), ("path", " "), ("resume", "a", "b")])
def test_no_name_is_bad_usage(mixed: Path, arguments: tuple[str, ...]) -> None:
    done = run(mixed, *arguments)

    assert (done.status, done.output) == (2, b"")
    assert done.said.count("\n") == 1


def test_no_cache_keeps_nothing(mixed: Path) -> None:
    variables = {"XDG_CACHE_HOME": str(mixed / "nowhere")}

    for command in COMMANDS:
        run(mixed, command, uuid(1), "--no-cache", variables=variables)

    assert not (mixed / "nowhere").exists()


def test_the_details_of_no_other_session_are_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 30):
        transcript(home, number=number)
    read: list[str] = []
    details = claude.details

    def noted(one: Summary, *rest: Any) -> Details:
        read.append(one.uuid)
        return details(one, *rest)

    monkeypatch.setattr(claude, "details", noted)

    page = named(uuid(7), environment_of(home), most=10)

    assert (page.total, read) == (1, [uuid(7)])


def test_resume_prints_the_command(home: Path) -> None:
    directory = at_home(home)

    done = run(home, "resume", uuid(1))

    assert (done.status, done.said) == (0, "")
    assert done.text == f"cd {directory} && claude --resume {uuid(1)}\n"


@pytest.mark.parametrize("flags", [(), ("--exec",)])
def test_a_spawned_session_is_not_reopened(mixed: Path, flags: tuple[str, ...]) -> None:
    done = run(mixed, "resume", SUBAGENT, *flags)

    assert (done.status, done.output) == (1, b"")
    assert "another session spawned" in done.said
    assert uuid(1) in done.said


@pytest.mark.parametrize("flags", [(), ("--exec",)])
def test_a_session_whose_directory_is_gone_is_not_reopened(mixed: Path, flags: tuple[str, ...]) -> None:
    done = run(mixed, "resume", uuid(2), *flags)

    assert (done.status, done.output) == (1, b"")
    assert done.said == "sesls: its directory is gone: /srv/barn\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no program becomes another one there")
def test_exec_becomes_the_agent_in_the_directory(home: Path) -> None:
    directory = at_home(home)
    agent = home / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text('#!/bin/sh\necho "$PWD" "$#" "$@" "$PPID"; exit 7\n')
    agent.chmod(0o755)

    done = run(home, "resume", uuid(1), "--exec", variables={"PATH": f"{agent.parent}:{os.environ['PATH']}"})

    assert done.status == 7
    # No shell stays between: the parent is whoever started sesls.
    assert done.text == f"{directory} 2 --resume {uuid(1)} {os.getpid()}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no program becomes another one there")
def test_exec_takes_all_steps(home: Path) -> None:
    directory = home / "or chard && co"
    directory.mkdir()
    rollout(home, [meta(3, cwd=str(directory)), turn(), said("Here")], number=3, archived=True)
    agent = home / "bin" / "codex"
    agent.parent.mkdir()
    agent.write_text('#!/bin/sh\necho "$PWD" "$@"\n')
    agent.chmod(0o755)

    done = run(home, "resume", uuid(3), "--exec", variables={"PATH": f"{agent.parent}:{os.environ['PATH']}"})

    assert done.lines == [f"{directory} unarchive {uuid(3)}", f"{directory} resume {uuid(3)}"]


@pytest.mark.skipif(sys.platform == "win32", reason="no program becomes another one there")
def test_exec_of_an_agent_that_is_not_installed_is_one_sentence(home: Path) -> None:
    at_home(home)

    done = run(home, "resume", uuid(1), "--exec", variables={"PATH": str(home)})

    assert (done.status, done.output) == (1, b"")
    assert done.said == "sesls: there is no program claude\n"


def test_a_subagents_file_is_found_by_its_id(home: Path) -> None:
    path = subagent(home, SUBAGENT)
    transcript(home)

    assert run(home, "path", SUBAGENT[:5]).text == f"{path}\n"
