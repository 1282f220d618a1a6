"""Whatever stands in stores, in names, in the arguments and in the environment: no terminal gets to obey or hide it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.builders import antigravity, claude, codex, opencode, pi
from tests.builders.common import put, uuid
from tests.command.run import Run, run, run_in_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="such names do not exist there")

EVIL = "\x1b]0;PWNED\x07\x1b[2J\x9b31m\x85\u202ecod\u2066exe\u200b\u2028x\r\ny\x08\x7f\U000e0041\u00ad\ufeff"
"""Sequences that set a title, clear the screen and colour it, controls of both kinds, hidden and turned-round text."""

EVIL_NAME = EVIL.replace("/", "")
EVIL_BYTES = "\udcff\x1b[31m"
"""In a name: a byte that is no UTF-8, and a colour."""

UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m|\r(?=\n)")
"""What sesls itself writes to a terminal, and what a terminal makes of a line's end."""


def _name(arguments: str | tuple[str, ...]) -> str:
    words = arguments if isinstance(arguments, str) else " ".join(arguments)
    return words.replace(EVIL_NAME, "EVIL").replace(EVIL_BYTES, "BYTES") or "nothing"


ENCODINGS = ("ascii", "cp1252", "cp437", "utf-16")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home, itself of a hostile name, in which every text is hostile."""
    home = tmp_path_factory.mktemp("hostile") / f"home {EVIL_NAME}"
    home.mkdir()
    directory = f"/srv/{EVIL}"
    claude.transcript(
        home,
        [
            claude.user(f"{EVIL} title", cwd=directory, gitBranch=EVIL, version=EVIL, entrypoint=EVIL),
            claude.assistant(model=f"m{EVIL}", cwd=directory, gitBranch=EVIL, version=EVIL, entrypoint=EVIL),
        ],
        directory=directory,
    )
    claude.subagent(home, EVIL_NAME, meta={"agentType": EVIL, "description": EVIL})
    put(claude.folder(home, EVIL_BYTES) / f"{uuid(9)}.jsonl", b"")
    source = codex.spawned(1, agent_role=EVIL, agent_nickname=EVIL)
    header = codex.meta(2, cwd=directory, originator=EVIL, source=source, cli_version=EVIL, model_provider=EVIL)
    codex.rollout(home, [header, codex.turn(model=EVIL), codex.said(EVIL)], number=2)
    put(home / ".codex/sessions" / f"rollout-{EVIL_NAME}.jsonl", b"garbage")
    put(home / ".codex/sessions" / f"rollout-{EVIL_BYTES}.jsonl", b"garbage")
    put(home / ".codex/state_5.sqlite", b"garbage")
    row = {"id": f"ses_{EVIL}", "directory": directory, "version": EVIL, "agent": EVIL, "parent_id": EVIL}
    opencode.database(home, [opencode.session(3, [opencode.assistant(model=EVIL)], title=EVIL, **row)])
    put(home / opencode.DATA / "opencode-broken.db", b"garbage")
    antigravity.conversation(
        home,
        [antigravity.asked(EVIL), antigravity.answered(model=EVIL)],
        meta=antigravity.about(
            workspaces=[f"file://{directory}"], role=EVIL, type_name=EVIL, branch=EVIL, project=EVIL
        ),
    )
    put(antigravity.database_path(home, 5), b"garbage")
    pi.session(home, [pi.header(6, id=EVIL, cwd=directory), pi.said(EVIL), pi.answered(model=EVIL)], number=6)
    put(pi.folder(home) / f"{EVIL_NAME}.jsonl", [pi.header(7, id=EVIL), pi.said(EVIL)])
    put(pi.folder(home) / f"{EVIL_BYTES}.jsonl", b"garbage")
    return home


def assert_harmless(shown: str) -> None:
    for line in shown.split("\n"):
        unsafe = UNSAFE.search(line)
        assert unsafe is None, f"{unsafe.group()!r} in {line!r}"


def texts(done: Run, encoding: str) -> str:
    """Return what a run wrote to both streams, which has to be of that encoding."""
    return done.output.decode(encoding) + done.said


COMMANDS: Sequence[tuple[str, ...]] = (
    (),
    ("list", "--no-redact"),
    ("list", "--json"),
    ("list", "--project-dir", f"/srv/{EVIL}"),
    ("list", "--project-dir", EVIL),
    ("list", "--project-dir", "/srv/nothing"),
    ("list", "--limit", "1"),
    ("diagnostics",),
    ("diagnostics", "--json"),
    ("diagnostics", "--project-dir", EVIL, "--agent", "pi"),
    ("cache", "path"),
    ("cache", "info"),
    ("cache", "info", "--json"),
)
ERRORS: Sequence[tuple[str, ...]] = (
    (EVIL,),
    (f"--{EVIL}",),
    (f"-{EVIL}",),
    ("list", EVIL),
    ("list", f"--{EVIL}"),
    ("list", "--agent", EVIL),
    ("list", "--agent", f"clau{EVIL}de"),
    ("list", "--kind", EVIL),
    ("list", "--noise", EVIL),
    ("list", "--limit", EVIL),
    ("list", "--offset", EVIL),
    ("list", "--limit", "-1"),
    ("list", "--agent", EVIL_BYTES),
    ("list", "--kind", EVIL_BYTES),
    ("cache", EVIL),
    ("diagnostics", "--agent", EVIL),
    ("schema", EVIL),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=_name)
def test_nothing_hostile_reaches_a_pipe(hostile: Path, arguments: tuple[str, ...]) -> None:
    done = run(hostile, *arguments)

    assert done.status == 0
    assert_harmless(texts(done, "utf-8"))


@pytest.mark.parametrize("arguments", COMMANDS, ids=_name)
@pytest.mark.parametrize("variables", [{}, {"TERM": "dumb"}], ids=["colours", "dumb"])
def test_nothing_hostile_reaches_a_terminal(
    hostile: Path, arguments: tuple[str, ...], variables: dict[str, str]
) -> None:
    done = run_in_terminal(hostile, *arguments, columns=150, stderr_too=True, variables=variables)

    assert done.status == 0
    assert_harmless(OWN_STYLE.sub("", done.text))


@pytest.mark.parametrize("arguments", ERRORS, ids=_name)
def test_no_error_repeats_a_hostile_argument(hostile: Path, arguments: tuple[str, ...]) -> None:
    done = run(hostile, *arguments)

    assert done.status == 2
    assert len(done.said.splitlines()) == 1
    assert_harmless(texts(done, "utf-8"))


def test_the_home_is_one_whose_texts_are_shown(hostile: Path) -> None:
    done = run(hostile, "list", "--json")

    assert done.json()["total"] >= 7
    assert {session["agent"] for session in done.json()["sessions"]} == {
        "antigravity", "claude", "codex", "opencode", "pi",
    }  # fmt: skip
    assert len(done.json()["warnings"]) >= 4
    assert "title" in run(hostile).text


@pytest.mark.parametrize("cache", [f"/tmp/{EVIL_NAME}", f"/tmp/{EVIL_BYTES}"], ids=_name)
@pytest.mark.parametrize("command", ["path", "info", "clear"])
def test_a_cache_folder_of_a_hostile_name_is_no_harm(hostile: Path, cache: str, command: str) -> None:
    done = run_in_terminal(hostile, "cache", command, columns=80, stderr_too=True, variables={"XDG_CACHE_HOME": cache})

    assert done.status == 0
    assert_harmless(OWN_STYLE.sub("", done.text))


def test_a_pipe_gets_the_cache_folder_as_it_is(hostile: Path) -> None:
    done = run(hostile, "cache", "path", variables={"XDG_CACHE_HOME": f"/tmp/{EVIL_NAME}"})

    assert done.text == f"/tmp/{EVIL_NAME}/sesls\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "arguments", [(), ("list", "--json"), ("diagnostics",), ("list", "--help"), ("list", "-d", "/srv/none")], ids=_name
)
def test_no_encoding_of_the_streams_makes_a_command_fail(
    hostile: Path, arguments: tuple[str, ...], encoding: str
) -> None:
    done = run(hostile, *arguments, variables={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}, said_in=encoding)

    assert done.status == 0, done.said
    assert "Traceback" not in done.said
    assert_harmless(done.output.decode("utf-8" if "--json" in arguments else encoding))


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1", "nonsense"])
@pytest.mark.parametrize("is_utf_8", ["0", "1"])
def test_no_locale_makes_a_command_fail(hostile: Path, locale: str, is_utf_8: str) -> None:
    variables = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": is_utf_8, "PYTHONCOERCECLOCALE": "0"}
    for arguments in ((), ("list", "--json"), ("diagnostics",), ("list", "--agent", EVIL), ("--help",)):
        done = run(hostile, *arguments, variables=variables, said_in="latin-1")

        assert done.status == (2 if EVIL in arguments else 0), done.said
        assert "Traceback" not in done.said
        assert_harmless(done.output.decode("latin-1" if is_utf_8 == "0" and "--json" not in arguments else "utf-8"))
