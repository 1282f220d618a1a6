"""Ctrl-C ends the command at once, without a word and without leaving anything behind, as other signals do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.builders.claude import transcript
from tests.builders.codex import rollout, state_database
from tests.builders.common import uuid
from tests.command.run import variables_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")

HELD_UP = """
import os, sys, time
from sesls import parallel
from sesls.__main__ import main

def hold(*_):
    os.write(2, b"here\\n")
    time.sleep(60)

{patch}
parallel.processes = lambda: 2
sys.argv = ["sesls", "list", "--json"]
main()
"""
READING = "from sesls.adapters import claude; claude.summarise = hold"
WRITING = """
from sesls.cache import disk
write = disk.write
def pieces():
    yield b"half"
    hold()
disk.write = lambda path, *_: write(path, pieces())
"""
QUERYING = """
from sesls.adapters.codex import state
def read(path, query):
    from sesls.formats import sqlite
    os.write(2, b"here\\n")
    forever = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    return sqlite.read(path, lambda connection: connection.execute(forever).fetchall())
state.sqlite.answer = lambda path, query, default, report: read(path, query)
"""


@pytest.fixture
def many(home: Path) -> Path:
    """A home with so many sessions that several processes read it, and a database that has to be copied."""
    for number in range(620):
        transcript(home, number=number)
    rollout(home, number=700)
    database = state_database(home, [{"id": uuid(700), "name": "Mend the roof"}])
    Path(f"{database}-journal").write_bytes(b"x")
    return home


def started(home: Path, *command: str) -> subprocess.Popen[bytes]:
    variables = variables_of(home, {"TMPDIR": str(home.parent)})
    return subprocess.Popen(
        [sys.executable, *command],
        env=variables,
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    """Return the status, the answer and the rest of what was said, after a check that no copy of it lives on."""
    answer, said = process.communicate(timeout=10)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    return process.returncode, answer, said


def left_by(home: Path) -> list[str]:
    """Return the half-written files and private copies that lie about."""
    cache = [path.name for path in (home.parent / "cache").rglob("*") if path.suffix[1:].isdecimal()]
    return cache + [path.name for path in home.parent.glob("sesls-*")]


@pytest.mark.parametrize(("patch", "heard"), [(READING, 2), (WRITING, 1), (QUERYING, 1)])
@pytest.mark.parametrize("everyone", [False, True])
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (getattr(signal, "SIGHUP", 1), -1)],
)
def test_whatever_it_does(many: Path, patch: str, heard: int, everyone: bool, number: int, status: int) -> None:
    process = started(many, "-c", HELD_UP.format(patch=patch))
    assert process.stderr is not None
    for _ in range(heard):
        assert process.stderr.readline() == b"here\n"
    time.sleep(0.1)

    before = time.monotonic()
    # A terminal sends it to every process, `kill` to one.
    (os.killpg if everyone else os.kill)(process.pid, number)

    assert ended(process) == (status, b"", b"")
    assert time.monotonic() - before < 5
    assert left_by(many) == []


@pytest.mark.parametrize("milliseconds", range(40, 400, 40))
def test_whenever(many: Path, milliseconds: int) -> None:
    process = started(many, "-m", "sesls", "list", "--json")
    time.sleep(milliseconds / 1000)
    os.killpg(process.pid, signal.SIGINT)

    status, _, said = ended(process)

    # Before its first line Python itself is in charge.
    assert status in (0, 130) or (status == -signal.SIGINT and milliseconds < 200)
    assert status != 130 or said == b""
    assert left_by(many) == []


def test_who_is_started_to_ignore_it_does(many: Path) -> None:
    shell = f"trap '' INT; exec {sys.executable} -m sesls list --json"
    process = subprocess.Popen(["/bin/sh", "-c", shell], env=variables_of(many), cwd=many, stdout=subprocess.PIPE)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)

    answer, _ = process.communicate(timeout=20)

    assert process.returncode == 0
    assert b'"total": 621' in answer
