"""What is shown while a lot is read: a line on a terminal, after a moment, gone at the end; nothing anywhere else."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.builders.claude import transcript
from tests.builders.common import uuid
from tests.command.run import Run, run, run_in_terminal, variables_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")

SLOW = """
import sys, time
from sesls import parallel
from sesls.adapters import claude
from sesls.__main__ import main

summarise = claude.summarise
def slowly(candidate):
    time.sleep(0.02)
    return summarise(candidate)
claude.summarise = slowly
parallel.processes = lambda: {processes}
sys.argv[0] = "sesls"
main()
"""
CLEAR = "\r\x1b[K"


@pytest.fixture
def many(home: Path) -> Path:
    for number in range(50):
        transcript(home, number=number)
    return home


def slowly(home: Path, *arguments: str, columns: int = 80, processes: int = 1, **variables: str) -> Run:
    command = (sys.executable, "-c", SLOW.format(processes=processes))
    return run_in_terminal(home, *arguments, columns=columns, stderr_too=True, variables=variables, command=command)


def test_a_long_reading_is_counted_and_leaves_nothing(many: Path) -> None:
    done = slowly(many, "list", NO_COLOR="1")
    shown, _, answer = done.text.rpartition(CLEAR)

    assert done.status == 0
    assert "reading claude: 2" in shown
    assert " of 50" in shown
    assert answer.startswith("AGE ")
    assert "\x1b" not in answer
    assert "reading" not in answer


@pytest.mark.parametrize("command", ["show", "path", "agents", "diagnostics"])
def test_other_commands_do_too(many: Path, command: str) -> None:
    assert "reading claude" in slowly(many, command, *([uuid(1)] if command in ("show", "path") else [])).text


def test_it_stays_on_its_line(many: Path) -> None:
    lines = slowly(many, "list", "--json", columns=20).text.partition("{")[0].split(CLEAR)

    assert len(lines) > 2
    assert max(map(len, lines)) < 20


def test_copies_of_the_process_are_quiet(home: Path) -> None:
    for number in range(620):
        transcript(home, number=number)
    time.sleep(2.1)  # what was written just now is not handed from copy to copy
    text = slowly(home, "list", "-n", "1", processes=2).text.partition("AGE ")[0]
    counts = [int(part.split()[3]) for part in text.split(CLEAR) if " of 620" in part]

    assert counts[:-1] == sorted(counts[:-1])
    assert len(counts) > 10


def test_a_dumb_terminal_shows_none(many: Path) -> None:
    assert "reading" not in slowly(many, "list", TERM="dumb").text


def test_what_is_fast_shows_none(many: Path) -> None:
    assert "reading" not in run_in_terminal(many, "list", columns=80, stderr_too=True).text


def test_a_pipe_gets_none(many: Path) -> None:
    done = run(many, "list", "--json", command=(sys.executable, "-c", SLOW.format(processes=1)))

    assert (done.status, done.said) == (0, "")


def test_lines_that_stream_to_the_terminal_are_not_disturbed(many: Path) -> None:
    text = slowly(many, "list", "--format", "jsonl").text

    assert "reading" not in text
    assert text.count("\r\n") >= 50


def test_ctrl_c_takes_it_away(many: Path) -> None:
    import pty

    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW.format(processes=1).replace("0.02", "0.2"), "list"],
        env=variables_of(many, {"TERM": "xterm-256color"}),
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    while b" of 50" not in shown:
        shown += os.read(screen, 4096)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    status = process.wait(10)
    with contextlib.suppress(OSError):
        while piece := os.read(screen, 4096):
            shown += piece
    os.close(screen)

    assert status == 130
    assert shown.endswith(CLEAR.encode())
