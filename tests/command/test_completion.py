"""What a shell gets that asks for words: ids with titles, directories, options; never an error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sesls import completion
from sesls.adapters import REGISTRY
from tests.builders import opencode, pi
from tests.builders.claude import assistant, transcript, user
from tests.builders.codex import meta, rollout, said, turn
from tests.builders.common import uuid
from tests.command.run import SESLS, Run, imported_by, mixed_home, run, variables_of
from tests.conftest import environment_of

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def variables(shell: str, typed: str) -> dict[str, str]:
    """Return how a shell asks for what may follow."""
    words = typed.split(" ")
    own = {
        "bash": {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": typed},
        "fish": {"_TYPER_COMPLETE_ARGS": typed, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
        "powershell": {"_TYPER_COMPLETE_ARGS": typed, "_TYPER_COMPLETE_WORD_TO_COMPLETE": words[-1]},
    }[shell]
    return {"_SESLS_COMPLETE": f"complete_{shell}", **own}


def asked(home: Path, typed: str, shell: str = "bash", **more: str) -> Run:
    done = run(home, variables=variables(shell, typed) | more)
    assert done.said == ""
    return done


def rest() -> None:
    """Wait until what was written lies back so far that it is remembered."""
    time.sleep(2.1)


def words(home: Path, typed: str) -> list[str]:
    return asked(home, typed).text.split()


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that was listed once, in a directory of its own."""
    home = mixed_home(tmp_path_factory.mktemp("completion") / "home")
    rest()
    run(home, "list")
    return home


@pytest.mark.parametrize("command", ["show", "path", "resume"])
def test_ids_that_begin_so(listed: Path, command: str) -> None:
    assert words(listed, f"sesls {command} 0000") == [uuid(1), uuid(2), uuid(3)]
    assert words(listed, f"sesls {command} {uuid(2)[:8]}") == [uuid(2)]
    assert words(listed, f"sesls {command} codex:0000") == [f"codex:{uuid(2)}", f"codex:{uuid(3)}"]
    assert words(listed, f"sesls {command} x") == []


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("zsh", f'"{uuid(2)}":"Mend the roof"'),
        ("fish", f"{uuid(2)}\tMend the roof"),
        ("powershell", f"{uuid(2)}:::Mend the roof"),
    ],
)
def test_titles_stand_beside_them(listed: Path, shell: str, line: str) -> None:
    assert line in asked(listed, "sesls show 00", shell).text


def test_the_newest_come_first_and_not_all(home: Path) -> None:
    for number in range(130):
        transcript(home, [user(f"Prompt {number}", number), assistant(seconds=number)], number=number)
    run(home, "list", "-n", "0")

    assert words(home, "sesls show 0") == [uuid(number) for number in range(129, 29, -1)]


def test_project_directories(listed: Path) -> None:
    assert words(listed, "sesls list --project-dir /srv/") == ["/srv/orchard", "/srv/barn"]
    assert words(listed, "sesls diagnostics -d /srv/b") == ["/srv/barn"]
    assert "/srv/orchard\t3 sessions" in asked(listed, "sesls list --project-dir /", "fish").text


def test_directories_below_home_stay_as_they_are_typed(home: Path) -> None:
    for number, place in enumerate((f"{home}/src/shop", "/srv/barn", f"{home}/with blank")):
        transcript(home, [user(cwd=place, text="Hi"), assistant(cwd=place)], number=number, directory=place)
    run(home, "list")

    assert words(home, "sesls list -d ~/s") == ["~/src/shop"]
    assert f"{home}/src/shop" in words(home, "sesls list -d ")
    # A blank would be two words in bash: the shell's own completion knows how to write it.
    assert not any("blank" in word for word in words(home, "sesls list -d "))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("sesls sh", ["show"]),
        ("sesls list --kind ", ["agent", "subagent"]),
        ("sesls list --project", ["--project-dir"]),
        ("sesls list --agent co", [agent for agent in REGISTRY if agent.startswith("co")]),
        ("sesls schema a", ["agents"]),
        ("sesls cache ", ["path", "info", "clear"]),
    ],
)
def test_what_sesls_itself_knows(home: Path, typed: str, expected: list[str]) -> None:
    assert words(home, typed) == expected


def test_secrets_are_masked_also_after_a_listing_that_showed_them(home: Path) -> None:
    transcript(home, [user(f"deploy with {TOKEN} please"), assistant()])
    rest()
    run(home, "list", "--no-redact")
    assert TOKEN not in asked(home, "sesls show ", "fish").text

    run(home, "list")
    assert f"{uuid(1)}\tdeploy with [REDACTED_GITHUB_TOKEN] please" in asked(home, "sesls show ", "fish").text


HOSTILE = "x\\$(touch HERE) \\`touch HERE\\` $(touch HERE) ' ; touch HERE # )) [bold] end"


@pytest.fixture
def hostile(home: Path) -> Path:
    """A home of ids, directories and titles that a shell may obey, listed once."""
    place = "/srv/$(touch HERE)"
    rollout(home, [meta(5, cwd=place), turn(cwd=place), said(HOSTILE)], number=5)
    pi.session(home, [pi.header(1, id="0`touch HERE`"), pi.said("Hi")], directory="/srv/other")
    pi.session(home, [pi.header(2, id="0 * ;touch HERE"), pi.said("Hi")], directory="/srv/third")
    rest()
    run(home, "list")
    return home


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell"])
def test_what_a_shell_may_obey_is_left_out(hostile: Path, shell: str) -> None:
    text = asked(hostile, "sesls show 0", shell).text

    assert uuid(5) in text
    assert "[bold] end" in text
    assert not {"\\\\$", "`"} & {text[place : place + len(bad)] for bad in ("\\\\$", "`") for place in range(len(text))}
    assert "$(touch" not in text.replace("\\$(touch", "")
    assert "0 *" not in text


def test_bash_itself_completes(listed: Path) -> None:
    assert in_bash(listed, "sesls", "show", "0000000") == [uuid(1), uuid(2), uuid(3)]
    assert in_bash(listed, "sesls", "list", "-d", "/srv/b") == ["/srv/barn"]


def test_bash_itself_obeys_nothing(hostile: Path) -> None:
    assert in_bash(hostile, "sesls", "show", "0") == [uuid(5)]
    assert in_bash(hostile, "sesls", "list", "-d", "/srv/") == ["/srv/orchard"]
    assert not list(hostile.rglob("HERE"))


def in_bash(home: Path, *typed: str) -> list[str]:
    """Return what bash offers after words, by the script that sesls gives it."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not here")
    path = {"PATH": f"{Path(SESLS).parent}{os.pathsep}{os.environ['PATH']}"}
    script = run(
        home, "--show-completion", "bash", variables={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    ).text
    ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sesls_completion sesls; printf "%s\\n" "${COMPREPLY[@]}"'
    program = f"{script}\n{ask}"
    done = subprocess.run(
        [bash, "--norc", "-c", program, "bash", *typed],
        env=variables_of(home, path),
        cwd=home,
        capture_output=True,
        timeout=30,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_ids_need_neither_rich_nor_an_adapter(listed: Path, shell: str) -> None:
    text, modules = imported_by(listed, variables=variables(shell, "sesls show 0000"))

    assert uuid(1) in text
    assert modules & {*REGISTRY.values(), "sesls.inventory", "sesls.redaction"} == set()
    assert {module.partition(".")[0] for module in modules} & {"rich", "sqlite3", "asyncio"} == set()


def test_no_store_is_looked_at(listed: Path, tmp_path: Path) -> None:
    cache = str(listed.parent / "cache")
    gone = tmp_path / "home"
    environment = environment_of(listed, cache=Path(cache) / "sesls")
    shutil.copytree(listed, gone)
    before = completion.ids("0000", environment)
    moved = listed.with_name("elsewhere")
    listed.rename(moved)
    try:
        assert completion.ids("0000", environment) == before != []
    finally:
        moved.rename(listed)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
@pytest.mark.parametrize(
    "typed", ["sesls show ", "sesls list -d ", "sesls show claude:", "sesls nothing x", "sesls show 'a"]
)
def test_nothing_listed_yet_is_nothing_to_offer(home: Path, shell: str, typed: str) -> None:
    asked(home, typed, shell)

    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "broken",
    [
        {"_SESLS_COMPLETE": "complete_bash"},
        {"_SESLS_COMPLETE": "complete_nothing"},
        {"_SESLS_COMPLETE": "nonsense"},
        {"_SESLS_COMPLETE": "complete_bash", "COMP_WORDS": "sesls show 'x", "COMP_CWORD": "two"},
        {"_SESLS_COMPLETE": "complete_bash", "COMP_WORDS": "", "COMP_CWORD": "-3"},
    ],
)
def test_a_question_that_makes_no_sense_gets_no_error(listed: Path, broken: dict[str, str]) -> None:
    done = run(listed, variables=broken)

    assert done.said == ""
    assert "Traceback" not in done.text


def test_a_damaged_cache_gets_no_error(home: Path) -> None:
    mixed_home(home)
    run(home, "list")
    for path in (home.parent / "cache").rglob("*.*"):
        content = path.read_bytes()
        path.write_bytes(content[:40] + b"garbage" + content[47:])

    assert asked(home, "sesls show 0").text.strip() == ""
    assert asked(home, "sesls list -d /").text.strip() == ""


def test_ids_that_are_no_uuids(home: Path) -> None:
    opencode.database(home, [opencode.session(1)])
    run(home, "list")

    assert words(home, "sesls show ses_") == [opencode.ses(1)]


@pytest.mark.skipif(sys.platform == "win32", reason="zsh is not there")
def test_zsh_itself_obeys_nothing(hostile: Path) -> None:
    zsh = shutil.which("zsh")
    if zsh is None:
        pytest.skip("zsh is not here")
    answer = asked(hostile, "sesls show 0", "zsh").text
    # As _arguments evaluates what stands between the brackets.
    program = "_arguments() { local action=${1#*: :}; eval ws=\\( ${action[3,-3]} \\); print -l -- $ws }; eval $1"
    subprocess.run([zsh, "-f", "-c", program, "zsh", answer], cwd=hostile, timeout=30, check=True)
    assert not list(hostile.rglob("HERE"))
