"""However large a file is, however long a line or a value in it, however many there are: little is held at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.builders import antigravity, claude, codex, opencode, pi
from tests.builders.common import put, uuid
from tests.builders.zstd import with_zeros
from tests.command.run import SESLS, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measured in the units of this system")

MEGABYTE = 1 << 20
MOST = 100 * MEGABYTE
MOST_FOR_A_VALUE = 200 * MEGABYTE
"""A value of a database is held whole, by SQLite and once more by Python."""

LONG = "x" * (50 * MEGABYTE)

# A new interpreter starts the command: the peak of a process counts that of the one it was copied from.
MEASURING = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss * 1024, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak(home: Path, *arguments: str) -> tuple[list[str | None], int]:
    """Return the titles that the command lists, and how many bytes of memory it held at most."""
    done = run(home, *arguments, command=(sys.executable, "-I", "-S", "-c", MEASURING, SESLS, "list", "--json"))
    assert done.status == 0, done.said
    return [session["title"] for session in done.json()["sessions"]], int(done.said)


def with_a_hole(path: Path) -> None:
    """Make a file of three gigabytes of one that is whole, as a file system without the blocks does."""
    with path.open("r+b") as file:
        file.truncate(3000 * MEGABYTE)
        file.seek(0, 2)
        file.write(b"\n")


def compressed_zeros(home: Path) -> None:
    """Write a rollout of a few hundred kilobytes that holds three gigabytes."""
    path = codex.rollout(home)
    put(path.with_name(f"{path.name}.zst"), with_zeros(path.read_bytes(), 3000 * MEGABYTE))
    path.unlink()


HOLES: Mapping[str, Callable[[Path], object]] = {
    "claude": lambda home: with_a_hole(claude.transcript(home)),
    "codex": lambda home: with_a_hole(codex.rollout(home)),
    "pi": lambda home: with_a_hole(pi.session(home)),
    "antigravity": lambda home: with_a_hole(antigravity.log(home)),
    "compressed": compressed_zeros,
}
LINES: Mapping[str, Callable[[Path], object]] = {
    "claude": lambda home: claude.transcript(home, [claude.user("Prompt 1"), claude.assistant(LONG)]),
    "claude's first": lambda home: claude.transcript(home, [claude.user("Prompt 1" + LONG)]),
    "codex": lambda home: codex.rollout(home, [codex.meta(), codex.said("Prompt 1"), codex.event("x", text=LONG)]),
    "codex's save": lambda home: codex.save(home, [codex.raw("Prompt 1"), codex.raw(LONG)]),
    "pi": lambda home: pi.session(home, [pi.header(), pi.said("Prompt 1"), pi.answered(LONG)]),
    "antigravity": lambda home: antigravity.log(home, [antigravity.asked("Prompt 1"), antigravity.answered(LONG)]),
    "antigravity's index": lambda home: (
        antigravity.conversation(home),
        antigravity.cached(home, {1: {"Title": LONG}}),
        antigravity.hub(home, {1: antigravity.summary(LONG)}),
    ),
    "opencode's record": lambda home: opencode.record(home, opencode.session(title="Prompt 1", summary=LONG)),
    "no JSON": lambda home: put(claude.transcript(home), claude.transcript(home).read_bytes() + LONG.encode()),
    "small values": lambda home: codex.rollout(
        home, [codex.meta(), codex.said("Prompt 1"), codex.event("x", list=[1] * (10 * MEGABYTE))]
    ),
}
VALUES: Mapping[str, Callable[[Path], object]] = {
    "opencode's message": lambda home: opencode.database(
        home, [opencode.session(messages=[opencode.user("Prompt 1", summary=LONG)], title="")]
    ),
    "opencode's part": lambda home: opencode.database(
        home, [opencode.session(messages=[opencode.user("Prompt 1" + LONG)], title="")]
    ),
    "antigravity's step": lambda home: antigravity.conversation(
        home, [antigravity.asked(), antigravity.answered(LONG)]
    ),
    "codex's title": lambda home: (
        codex.rollout(home),
        codex.state_database(home, [{"id": uuid(1), "cwd": "/" + LONG, "first_user_message": LONG}]),
    ),
}


@pytest.mark.parametrize("case", HOLES)
def test_a_file_of_gigabytes_takes_no_memory(home: Path, case: str) -> None:
    HOLES[case](home)

    titles, most = peak(home)

    assert titles == ["Prompt 1"]
    assert most < MOST


@pytest.mark.parametrize("case", LINES)
def test_a_line_of_50_megabytes_takes_no_memory(home: Path, case: str) -> None:
    LINES[case](home)

    titles, most = peak(home)

    assert [title and title[:8] for title in titles] == ["Prompt 1"]
    assert most < MOST


@pytest.mark.parametrize("case", VALUES)
def test_a_value_of_50_megabytes_in_a_database_takes_little_more_than_itself(home: Path, case: str) -> None:
    VALUES[case](home)

    titles, most = peak(home)

    assert [title and title[:8] for title in titles] == ["Prompt 1"]
    assert most < MOST_FOR_A_VALUE


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with ten sessions of 1,500 subagents each."""
    home = tmp_path_factory.mktemp("crowd") / "home"
    for parent in range(10):
        claude.transcript(home, number=parent)
        first = claude.subagent(home, "0000", parent=parent)
        text = first.read_text()
        for number in range(1, 1500):
            name = f"{parent}{number:03}"
            Path(f"{first.parent}/agent-{name}.jsonl").write_text(text.replace("0000", name))
    return home


@pytest.fixture(scope="module")
def least(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How much memory one session takes."""
    home = tmp_path_factory.mktemp("one") / "home"
    claude.transcript(home)
    return peak(home)[1]


@pytest.mark.parametrize(
    ("arguments", "most_for_each"),
    [
        ((), 850),
        (("--offset", "7000"), 950),
        (("--limit", "0"), 1400),
        (("--limit", "0", "--no-cache"), 1400),
    ],
)
def test_thousands_of_sessions_are_not_in_memory_at_once(
    crowd: Path, least: int, arguments: tuple[str, ...], most_for_each: int
) -> None:
    titles, most = peak(crowd, *arguments)

    assert len(titles) == (15_010 if "--limit" in arguments else 100)
    assert (most - least) / 15_010 < most_for_each


def test_what_is_measured_is_memory() -> None:
    program = "x = bytearray(300 << 20); print('{\"sessions\": []}')"
    command = [sys.executable, "-I", "-S", "-c", MEASURING, sys.executable, "-c", program]

    done = subprocess.run(command, capture_output=True, check=True)

    assert json.loads(done.stdout) == {"sessions": []}
    assert int(done.stderr) > 300 * MEGABYTE
