"""The command `sesls acp` as an editor starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sesls.adapters import REGISTRY
from tests.acp.client import SECONDS, Client, asking, ids, initialize
from tests.builders import claude, codex, mixed
from tests.builders.common import CWD
from tests.command.run import SESLS, imported_by, mixed_home, run, variables_of
from tests.command.test_imports import completion, packages
from tests.command.test_untouched import fingerprint


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed.write(tmp_path_factory.mktemp("acp") / "home")


def fed(home: Path, text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Return what the command leaves after it got all of its input at once."""
    return subprocess.run(
        [SESLS, "acp", *arguments],
        input=text,
        env=variables_of(home),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize("version", [1, 2])
def test_it_lists_what_the_list_lists(orchard: Path, version: int) -> None:
    listed = run(orchard, "list", "--json", "--limit", "0").json()["sessions"]
    with Client(orchard) as client:
        shown = client.started(version).ask("session/list")["result"]["sessions"]

        assert ids(shown) == [f"{one['agent']}:{one['uuid']}" for one in listed]
        for info, session in zip(shown, listed, strict=True):
            own = info["_meta"]["sesls"]
            assert {name: session.get(name) for name in own} == own
            assert (info["cwd"], info["title"]) == (session["project_dir"], session["title"])
        assert client.close() == (0, [], "")


def test_all_that_was_sent_at_once_is_answered_in_order(orchard: Path) -> None:
    asked = [asking("session/list", {}, number) for number in range(5)]
    done = fed(orchard, asking("initialize", initialize(1), "first") + b"".join(asked).removesuffix(b"\n"))

    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["first", *range(5)]


@pytest.mark.parametrize("arguments", [(), ("--watch", "0.1")])
def test_it_survives_anything_and_ends_with_its_input(orchard: Path, arguments: tuple[str, ...]) -> None:
    lines = [b"hello", b"", b"\r", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b"x" * 3_000_000, b'{"jsonrpc":"2.0"}']
    end = asking("initialize", initialize(2)).replace(b"\n", b"\r\n")
    done = fed(orchard, b"\n".join([*lines, end]), *arguments)
    answers = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.returncode == 0
    assert done.stderr == b""
    assert [one["error"]["code"] for one in answers[:-1]] == [-32700, -32600, -32700, -32700, -32700, -32700, -32600]
    assert answers[-1]["result"]["protocolVersion"] == 2


@pytest.mark.parametrize("arguments", [(), ("--watch", "60")])
def test_without_input_it_says_nothing(orchard: Path, arguments: tuple[str, ...]) -> None:
    done = fed(orchard, b"", *arguments)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_it_ends_quietly_when_nobody_reads_the_answers(orchard: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    asked = b"".join(asking("initialize", initialize(1), number) for number in range(100))
    done = subprocess.run(
        [SESLS, "acp"],
        input=asked,
        env=variables_of(orchard),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=SECONDS,
        check=False,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")


def test_streams_that_do_not_wait_are_made_to(orchard: Path) -> None:
    requests, into = os.pipe()
    answers, out = os.pipe()
    for descriptor in (requests, out):
        os.set_blocking(descriptor, False)
    process = subprocess.Popen([SESLS, "acp"], stdin=requests, stdout=out, env=variables_of(orchard))
    os.close(requests)
    os.close(out)
    with open(into, "wb") as writer, open(answers, "rb") as reader:
        for number in range(3):  # each but the first while it waits
            writer.write(asking("initialize", initialize(1), number))
            writer.flush()
            assert json.loads(reader.readline())["id"] == number
    assert process.wait(SECONDS) == 0


def test_what_anything_else_prints_gets_between_no_messages(orchard: Path) -> None:
    program = (
        "import sys\n"
        "from sesls import cli, inventory\n"
        "select = inventory.select\n"
        "inventory.select = lambda *given: print('a stray line') or select(*given)\n"
        f"sys.argv = [{SESLS!r}, 'acp']\n"
        "cli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=asking("initialize", initialize(1)) + asking("session/list"),
        env=variables_of(orchard),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )

    assert done.returncode == 0
    assert [list(json.loads(line)) for line in done.stdout.splitlines()] == [["jsonrpc", "id", "result"]] * 2
    assert b"a stray line" in done.stderr


def test_what_was_learnt_is_kept_at_the_end(home: Path) -> None:
    claude.transcript(home, [claude.user("Words " * 12_000), claude.assistant()])
    with Client(home) as client:
        view = client.started().ask("session/new", {"cwd": CWD, "mcpServers": []})["result"]
        client.ask("session/prompt", {**view, "prompt": [{"type": "text", "text": "Hello"}]})
        assert not any((home.parent / "cache").rglob("claude.contents"))
        client.close()

    assert any((home.parent / "cache").rglob("claude.contents"))


@pytest.mark.parametrize("arguments", [("--agent", "nobody"), ("--watch", "0"), ("--watch", "x"), ("--limit", "5")])
def test_bad_usage_is_told_on_stderr_before_anything_is_answered(orchard: Path, arguments: tuple[str, ...]) -> None:
    done = fed(orchard, asking("initialize", initialize(1)), *arguments)

    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"sesls: ")


def test_flags_filter_as_those_of_the_list_do(orchard: Path) -> None:
    flags = ("--agent", "pi", "--agent", "codex", "--kind", "agent", "--noise", "exclude")
    listed = run(orchard, "list", "--json", *flags).json()["sessions"]
    with Client(orchard, *flags) as client:
        shown = client.started().ask("session/list")["result"]["sessions"]

    assert ids(shown) == [f"{one['agent']}:{one['uuid']}" for one in listed]


def test_it_imports_no_more_than_it_needs(orchard: Path) -> None:
    _, modules = imported_by(orchard, "acp")

    assert modules & {*REGISTRY.values(), "queue"} == set()
    assert packages(modules) & {"rich", "pydantic", "sqlite3", "asyncio", "json"} == set()


def test_no_store_is_changed(home: Path, tmp_path: Path) -> None:
    mixed_home(home)
    codex.rollout(home, number=20, archived=True)
    before = fingerprint(home)
    with Client(home, "--watch", "0.1", "--no-cache") as client:
        client.started(2)
        for session in client.ask("session/list")["result"]["sessions"]:
            named = {"sessionId": session["sessionId"], "cwd": session["cwd"]}
            client.ask("session/resume", named)
            client.ask("session/prompt", {**named, "prompt": [{"type": "text", "text": "Hello"}]})
            client.ask("session/close", named)
        view = client.ask("session/new", {"cwd": "/srv/orchard"})["result"]
        client.ask("session/prompt", {**view, "prompt": [{"type": "text", "text": "Hello"}]})
        status, _, _ = client.close()

    assert status == 0
    assert fingerprint(home) == before
    assert not (home.parent / "cache").exists()


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("--agent cl", ["claude", "cline"]),
        ("--kind ", ["agent", "subagent"]),
        ("--noise e", ["exclude"]),
        ("--wa", ["--watch"]),
    ],
)
def test_its_options_are_completed(home: Path, typed: str, completed: list[str]) -> None:
    done = run(home, variables=completion("bash", f"sesls acp {typed}"))

    assert done.text.split() == completed
