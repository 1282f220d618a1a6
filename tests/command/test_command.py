"""What a person or a script gets from the command: the answer on stdout, everything else on stderr, a status."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import pytest

from sesls import __version__, cli, inventory
from tests.builders.claude import assistant, transcript, user
from tests.builders.codex import rollout
from tests.builders.common import at, uuid
from tests.command.run import SESLS, mixed_home, plain, run, run_into_closed_pipe, variables_of, without_privileges

ENDED_BY_PIPE = -getattr(signal, "SIGPIPE", 0)
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with four sessions and one broken file, which no test changes."""
    return mixed_home(tmp_path_factory.mktemp("command") / "home")


answer = cache(run)


def test_json_is_one_value_on_stdout_even_with_warnings(mixed: Path) -> None:
    done = answer(mixed, "list", "--json")

    assert done.status == 0
    assert done.json()["total"] == 4
    assert [warning["agent"] for warning in done.json()["warnings"]] == ["codex"]
    assert "Traceback" not in done.said


def test_a_pipe_gets_a_heading_and_a_line_for_each_session_with_whole_values(mixed: Path) -> None:
    done = answer(mixed, "list")

    assert done.status == 0
    assert done.lines[0].split() == ["AGE", "AGENT", "TITLE", "DIRECTORY", "ID", "MODELS", "SURFACE", "MSGS"]
    assert len(done.lines) == 5
    assert all(any(one in line for line in done.lines) for one in (uuid(1), uuid(2), uuid(3), "a5d6907d35987d0f7"))
    assert "\x1b" not in done.text


def test_a_pipe_is_no_narrower_than_its_values(home: Path) -> None:
    directory = "/srv/" + "very-long-folder-name/" * 8 + "end"
    words = "A long title that goes on and on " * 6
    transcript(home, [user(words, cwd=directory), assistant(cwd=directory)], directory=directory)

    done = run(home, "list", variables={"COLUMNS": "20"})

    assert directory in done.text
    assert words.strip() in done.text


def test_what_is_said_about_the_answer_stands_on_stderr(mixed: Path) -> None:
    done = answer(mixed, "list", "--limit", "1")

    assert "warning: codex: ~/.codex/sessions/" in done.said
    assert "1 to 1 of 4 sessions; next: --offset 1" in done.said
    assert "warning" not in done.text


def test_without_a_command_it_lists(mixed: Path) -> None:
    assert answer(mixed).text == answer(mixed, "list").text != ""


def test_the_module_is_the_command(mixed: Path) -> None:
    assert run(mixed, "list", command=(sys.executable, "-m", "sesls")).text == answer(mixed, "list").text


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_one_line(home: Path, flag: str) -> None:
    assert run(home, flag).text == f"sesls {__version__}\n"


@pytest.mark.parametrize("arguments", [("--help",), ("list", "-h")])
def test_help_in_a_pipe_is_plain_text(home: Path, arguments: tuple[str, ...]) -> None:
    done = run(home, *arguments)

    assert done.status == 0
    assert "Usage: sesls" in done.text
    assert "\x1b" not in done.text
    assert done.said == ""
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "--json", "--limit", "abc"), "'abc'"),
        (("list", "--json", "--limit", "-1"), "limit is zero or more, not -1"),
        (("list", "--offset", "-1"), "offset is zero or more, not -1"),
        (("list", "--agent", "nobody"), "agent is one of claude, codex"),
        (("diagnostics", "--agent", "nobody"), "agent is one of claude, codex"),
        (("list", "--kind", "parent"), "'agent', 'subagent'"),
        (("list", "--noise", "loud"), "'include', 'exclude', 'only'"),
        (("list", "--project-dir", " "), "not an empty text"),
        (("list", "--json", "--no-such-option"), "--no-such-option"),
        (("list", "too", "much"), "too much"),
        (("list", "--since", "soon"), "since is a day"),
        (("list", "--until", "2026-02-30"), "until is a day"),
        (("list", "--since", "1d", "--until", "2d"), "since is no later than until"),
        (("list", "--activity", "lively"), "'fresh', 'stale'"),
        (("list", "--title", " "), "title is a text to look for"),
        (("list", "--model", ""), "model is a text to look for"),
        (("list", "--home", "/nowhere/at/all"), "there is none at '/nowhere/at/all'"),
        (("list", "--home", " "), "home is a directory, not an empty text"),
        (("list", "--sort", "age"), "'activity', 'created', 'title', 'size'"),
        (("list", "--format", "xml"), "'table', 'tree', 'json', 'jsonl', 'csv'"),
        (("list", "--json", "--format", "csv"), "--json and --format csv"),
        (("list", "--fields", "uuid", "--format", "tree"), "not with tree"),
        (("list", "--fields", "uuid", "--json"), "not with json"),
        (("list", "--fields", "uuid,colour"), "not 'colour'"),
        (("list", "--fields", ""), "not ''"),
        (("list", "--fields", "extra."), "not 'extra.'"),
        (("list", "--fields", "uuid,uuid"), "uuid twice"),
        (("diagnostics", "--since", "soon"), "since is a day"),
        (("diagnostics", "--home", "/nowhere/at/all"), "there is none at"),
        (("list", "--limit"), "--limit"),
        (("lost",), "'lost'"),
        (("\x1b[2Jlist\n",), "No such command"),
    ],
)
def test_bad_usage_is_one_sentence_on_stderr_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["sesls", *arguments])

    with pytest.raises(SystemExit) as end:
        cli.main()

    answer, said = capsys.readouterr()
    assert end.value.code == 2
    assert answer == ""
    assert said.startswith("sesls: ")
    assert said.removesuffix("\n").isprintable()
    assert words in said


def test_bad_usage_fails_the_command(home: Path) -> None:
    done = run(home, "list", "--json", "--limit", "abc")

    assert (done.status, done.output) == (2, b"")
    assert done.said.startswith("sesls: ")
    assert done.said.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("list", "--json"),
        ("diagnostics",),
        ("--help",),
        ("--version",),
    ],
)
def test_a_reader_that_has_gone_ends_it_quietly(mixed: Path, arguments: tuple[str, ...]) -> None:
    done = run_into_closed_pipe(mixed, *arguments)

    assert done.said == ""
    assert done.status == ENDED_BY_PIPE


@pytest.mark.parametrize("arguments", [("list",), ("list", "--json")])
def test_a_reader_that_goes_amid_a_long_answer_ends_it_quietly(home: Path, arguments: tuple[str, ...]) -> None:
    for number in range(60):
        transcript(home, [user("words " * 40), assistant()], number=number)

    done = run_into_closed_pipe(home, *arguments, variables={"PYTHONUNBUFFERED": "1"})

    assert (done.status, done.said) == (ENDED_BY_PIPE, "")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no such state there")
@pytest.mark.parametrize("arguments", [("--json",), ("--format", "csv"), ("--format", "table")])
def test_a_slow_reader_of_a_pipe_that_does_not_block_gets_all(home: Path, arguments: tuple[str, ...]) -> None:
    for number in range(300):
        transcript(home, number=number)
    expected = run(home, "list", "-n", "0", *arguments)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with subprocess.Popen(
        [SESLS, "list", "-n", "0", *arguments],
        env=variables_of(home),
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(writer)
        time.sleep(1)
        with open(reader, "rb") as stream:
            answer = stream.read()

    assert process.returncode == 0
    assert answer.count(b"\n") == expected.output.count(b"\n")


def test_an_interruption_is_status_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **keys: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(inventory, "take", interrupted)
    monkeypatch.setattr(sys, "argv", ["sesls", "list"])

    with pytest.raises(SystemExit) as end:
        cli.main()

    assert end.value.code == 130


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize("arguments", [("list",), ("list", "--json"), ("diagnostics",)])
def test_an_answer_that_cannot_be_written_is_one_sentence_and_status_1(mixed: Path, arguments: tuple[str, ...]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = run(mixed, *arguments, stdout=full)
    finally:
        os.close(full)

    assert done.status == 1
    assert done.said.splitlines()[-1].startswith("sesls: ")
    assert "Traceback" not in done.said


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of Unix")
def test_a_closed_stderr_costs_what_would_be_said_there_alone(mixed: Path) -> None:
    shell = ("/bin/sh", "-c", 'exec "$0" "$@" 2>&-')
    done = run(mixed, "list", command=(*shell, *(sys.executable, "-m", "sesls")))

    assert done.status == 0
    assert len(done.lines) == 5


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_stream_that_cannot_show_a_text_shows_what_it_can(home: Path, encoding: str) -> None:
    transcript(home, [user("果樹園 \u2713 \u2192 \U0001f680 żółć verg\u00e9 end"), assistant()])
    variables = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}

    table, json = (run(home, "list", *flags, variables=variables) for flags in ((), ("--json",)))

    assert table.status == json.status == 0
    assert uuid(1) in table.output.decode(encoding)
    assert "end" in table.output.decode(encoding)
    assert json.json()["sessions"][0]["title"] == "果樹園 \u2713 \u2192 \U0001f680 żółć verg\u00e9 end"


@pytest.mark.parametrize(
    ("typed", "below"), [(".", "orchard"), ("orchard", "."), ("../orchard/", "orchard"), ("~/orchard", ".")]
)
def test_a_directory_is_typed_relative_to_the_caller(home: Path, typed: str, below: str) -> None:
    directory = str(home / "orchard")
    (home / "orchard").mkdir()
    transcript(home, [user("Here", cwd=directory), assistant(cwd=directory)], directory=directory)
    transcript(home, number=2)

    done = run(home, "list", "--json", "--project-dir", typed, cwd=home / below)

    assert [session["title"] for session in done.json()["sessions"]] == ["Here"]


@pytest.mark.parametrize(
    ("flags", "total"),
    [
        (("-a", "codex", "--agent", "claude", "--kind", "agent"), 3),
        (("--agent", "codex", "-d", "/srv/barn"), 1),
        (("--noise", "exclude", "--project-dir", "/srv/orchard"), 2),
    ],
)
def test_flags_are_filters(mixed: Path, flags: tuple[str, ...], total: int) -> None:
    assert run(mixed, "list", "--json", *flags).json()["total"] == total


@pytest.mark.parametrize(
    ("flags", "total"),
    [
        (("--since", "2026-03-10T09:00:00Z", "--until", "2026-03-12"), 4),
        (("--since", "2d"), 0),
        (("--activity", "stale", "--surface", "codex*"), 2),
        (("--model", "*sonnet*", "--branch", "main"), 1),
        (("--title", "mend THE"), 1),
        (("--title", "the", "--sort", "title", "--reverse", "--noise", "exclude"), 2),
    ],
)
def test_flags_that_find_are_filters_of_the_list_and_the_diagnostics(
    mixed: Path, flags: tuple[str, ...], total: int
) -> None:
    assert run(mixed, "list", "--json", *flags).json()["total"] == total
    if "--sort" not in flags:
        found = run(mixed, "diagnostics", "--json", *flags).json()
        assert found["corpus"]["sessions"] - sum(found["removed"].values()) == total


def test_the_shapes_show_the_same_sessions_in_the_same_order(mixed: Path) -> None:
    ids = [session["uuid"] for session in answer(mixed, "list", "--json").json()["sessions"]]

    both = [run(mixed, "list", *flags).text for flags in (("--format", "json"), ("--json", "--format", "json"))]
    assert len({re.sub(r'"age_sec":\d+', "", text) for text in both}) == 1
    lines = run(mixed, "list", "--format", "jsonl").text.splitlines()
    assert [msgspec.json.decode(line)["uuid"] for line in lines] == ids
    assert run(mixed, "list", "--format", "csv", "--fields", "uuid").text == "\r\n".join(["uuid", *ids, ""])
    assert [line.split()[0] for line in run(mixed, "list", "--fields", "uuid,title").lines] == ["UUID", *ids]


def test_a_tree_in_a_pipe_has_whole_values(mixed: Path) -> None:
    lines = run(mixed, "list", "--format", "tree").lines

    parent = next(number for number, line in enumerate(lines) if uuid(1) in line)
    assert "└─ Count the pears" in lines[parent + 1]
    assert "a5d6907d35987d0f7" in lines[parent + 1]


@pytest.mark.parametrize("shape", ["jsonl", "csv"])
def test_what_is_said_of_lines_and_cells_stands_on_stderr(mixed: Path, shape: str) -> None:
    some = run(mixed, "list", "--format", shape, "--limit", "1")
    none = run(mixed, "list", "--format", shape, "--title", "nothing of the kind")

    assert "warning: codex" in some.said
    assert "1 to 1 of 4 sessions" in some.said
    assert (none.status, len(none.text.splitlines())) == (0, shape == "csv")
    assert "The filter title nothing of the kind leaves none of 4 sessions." in none.said


@pytest.mark.parametrize("shape", ["table", "tree", "jsonl", "csv"])
def test_no_shape_shows_a_control_character(home: Path, shape: str) -> None:
    hostile = "Hi \x1b[31mred\x1b[0m \x1b]52;c;AAAA\x07 \x9b2J \u202egnp\rover\n=1+1"
    transcript(
        home, [user(hostile, cwd="/srv/\x1b]0;x\x07a", gitBranch="\x1b[2Jm\nain"), assistant()], directory="/srv/x"
    )

    fields = () if shape == "tree" else ("--fields", "title,project_dir,extra.git_branch,path")
    done = run(home, "list", "--format", shape, *fields)

    assert all(line.isprintable() for line in done.text.replace("\r\n", "\n").split("\n"))


@pytest.mark.parametrize("shape", ["tree", "jsonl", "csv"])
def test_shapes_end_quietly_when_their_reader_has_gone(mixed: Path, shape: str) -> None:
    done = run_into_closed_pipe(mixed, "list", "--format", shape)

    assert (done.status, done.said) == (ENDED_BY_PIPE, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize("shape", ["jsonl", "csv"])
def test_lines_that_cannot_be_written_are_one_sentence_and_status_1(mixed: Path, shape: str) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = run(mixed, "list", "--format", shape, stdout=full)
    finally:
        os.close(full)

    assert done.status == 1
    assert done.said.startswith("sesls: no answer")


def test_here_is_the_project_around_the_caller_with_its_worktrees(home: Path) -> None:
    shop, other = home / "shop", home / "shop-two"
    for number, directory in enumerate((shop / "web", other, home / "shops"), start=1):
        directory.mkdir(parents=True)
        own: dict[str, Any] = {"cwd": str(directory), "sessionId": uuid(number)}
        rows = [user("Words", **own), assistant(**own)]
        transcript(home, rows, number=number, directory=str(directory))
    admin = shop / ".git" / "worktrees" / "two"
    admin.mkdir(parents=True)
    (admin / "gitdir").write_text(f"{other / '.git'}\n")
    (admin / "commondir").write_text("../..\n")
    (other / ".git").write_text(f"gitdir: {admin}\n")

    for directory in (shop, shop / "web", other):
        found = run(home, "list", "--json", "--here", cwd=directory).json()
        assert {session["uuid"] for session in found["sessions"]} == {uuid(1), uuid(2)}
    assert run(home, "list", "--json", "--here", cwd=home / "shops").json()["total"] == 1


def test_another_home_is_named_in_every_row(home: Path, mixed: Path) -> None:
    transcript(home, number=7)

    one, both = (
        run(home, "list", "--json", *flags).json()
        for flags in (("--home", str(mixed)), ("--home", str(mixed), "--home", "~", "--home", str(home)))
    )

    assert {session["home"] for session in one["sessions"]} == {str(mixed)}
    assert (one["total"], both["total"]) == (4, 5)
    assert str(mixed) in run(home, "list", "--home", str(mixed)).text


def test_paging_flags_cut_a_page_out_of_all(mixed: Path) -> None:
    done = run(mixed, "list", "--json", "-n", "2", "--offset", "1").json()

    assert (len(done["sessions"]), done["total"], done["truncated"]) == (2, 4, True)


def test_an_offset_past_the_end_is_an_empty_answer_with_a_word_about_it(mixed: Path) -> None:
    done = run(mixed, "list", "--offset", "9")

    assert (done.status, done.text) == (0, "")
    assert "The offset 9 lies past the end: 4 sessions." in done.said


def test_secrets_are_masked_unless_asked_for(home: Path) -> None:
    transcript(home, [user(f"deploy with {TOKEN} please"), assistant()])

    masked, shown = run(home, "list"), run(home, "list", "--no-redact")

    assert TOKEN[:16] not in masked.text
    assert "deploy with [REDACTED_" in masked.text
    assert "--no-redact" in masked.said
    assert TOKEN in shown.text


def test_an_empty_home_is_an_empty_answer(home: Path) -> None:
    table, json = run(home, "list"), run(home, "list", "--json")

    assert (table.status, table.text) == (0, "")
    assert "No session to list." in table.said
    assert "no ~/.codex/sessions" in table.said
    assert (json.status, json.json()["sessions"], json.json()["total"]) == (0, [], 0)
    assert list(home.iterdir()) == []


def test_a_home_that_is_not_there_is_an_empty_answer(home: Path) -> None:
    done = run(home / "gone", "list", "--json", cwd=home)

    assert (done.status, done.json()["total"]) == (0, 0)


def test_diagnostics_are_an_answer_of_their_own(mixed: Path) -> None:
    text, json = run(mixed, "diagnostics"), run(mixed, "diagnostics", "--json")

    assert text.status == json.status == 0
    assert "total        4 sessions, 2026-03-10" in text.text
    assert "warning      codex: ~/.codex/sessions/" in text.text
    assert list(json.json()) == ["scanned", "corpus", "filters", "hints", "warnings"]


@pytest.mark.parametrize("command", ["list", "diagnostics"])
def test_nothing_in_a_store_reaches_a_pipe_as_a_control_character(home: Path, command: str) -> None:
    hostile = "Hi \x1b[31mred\x1b[0m \x1b]52;c;AAAA\x07 \x1b[2J \x08\x9b2J \u202egnp\rover\n" + uuid(9) + " forged"
    transcript(home, [user(hostile, cwd="/srv/\x1b]0;x\x07a"), assistant()], directory="/srv/x")
    rollout(home, b"no rollout", suffix="\x1b[31m\n.jsonl")

    done = run(home, command)

    assert all(line.isprintable() for line in [*done.text.splitlines(), *done.said.splitlines()])
    assert not any(line.startswith(uuid(9)) for line in done.lines)
    assert plain(done.text) == done.text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_in_a_store_does_not_hold_it_up(home: Path) -> None:
    place = transcript(home).parent
    os.mkfifo(place / f"{uuid(7)}.jsonl")
    os.mkfifo(rollout(home).with_name(f"rollout-{at(0)[:10]}T09-00-00-{uuid(8)}.jsonl"))
    os.mkfifo(home / ".codex" / "session_index.jsonl")

    assert run(home, "list", "--json").json()["total"] == 2


@pytest.mark.skipif(without_privileges() is None, reason="the superuser may read everything")
@pytest.mark.parametrize(
    ("place", "mode"),
    [
        (".claude", 0),
        (".claude/projects", 0),
        (".claude/projects/-srv-orchard", 0),
        (".claude/projects/-srv-orchard", 0o444),
        (f".claude/projects/-srv-orchard/{uuid(1)}.jsonl", 0),
    ],
)
def test_what_cannot_be_read_is_a_warning_and_costs_no_other_session(home: Path, place: str, mode: int) -> None:
    transcript(home)
    rollout(home, number=2)
    (home / place).chmod(mode)
    try:
        done = run(home, "list", "--json", command=without_privileges() or ())
    finally:
        (home / place).chmod(0o755)

    assert [session["uuid"] for session in done.json()["sessions"]] == [uuid(2)]
    assert len(done.json()["warnings"]) == 1
    assert done.json()["warnings"][0]["path"].startswith(str(home / place))
    assert done.json()["warnings"][0]["problem"] == "permission denied"


@pytest.mark.skipif(without_privileges() is None, reason="the superuser may read everything")
def test_a_home_that_cannot_be_read_is_an_empty_answer_that_says_so(home: Path) -> None:
    mixed_home(home).chmod(0)
    try:
        done = run(home, "list", "--json", command=without_privileges() or ())
    finally:
        home.chmod(0o755)

    assert (done.status, done.json()["total"]) == (0, 0)
    assert [hint for hint in done.json()["diagnostics"]["hints"] if "cannot be read" in hint] != []
    assert not any(item["sessions"] for item in done.json()["diagnostics"]["scanned"])
