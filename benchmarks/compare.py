"""Time listings of sesls and of other programs on the same homes: cold, A B A B …, and warm, A A B B ….

    python -m benchmarks.compare [--peers VENV] [--homes DIR] [--runs N] [--shape NAME ...] [--write]

Others are run from the environment that `--peers` names (by default the one of this interpreter); those that are not
there are left out, with a word. To install them all:

    python -m venv peers
    peers/bin/pip install session-ls fast-resume 4top list-coding-agents agent-session-reader "mcp<2" claude-agent-sdk

Homes are made once, by `make_home`, below `--homes`. `cold` means that before each run all that programs keep of
earlier ones is removed (the system has the files in memory, so the figure is the program's own work); `warm`,
again, with nothing changed, and `grown`, after a session of a gigabyte got a megabyte longer. Figures are medians, of
the memory the maximum. CPU is user and system time of all processes of a program; RSS is that of its largest process.
`--write` puts the tables into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.make_home import SHAPES, grow, largest_transcript, make
from benchmarks.report import table, write

ROOT = Path(__file__).resolve().parent.parent
SEED = 20261130
LONGEST_SECONDS = 600

_SDK = "import claude_agent_sdk as sdk, json; print(json.dumps([one.session_id for one in sdk.list_sessions()]))"

# A new interpreter starts the program: the peak of a process counts that of the one it was copied from.
_MEASURING = """
import os, subprocess, sys, time
start = time.perf_counter()
nothing = subprocess.DEVNULL
process = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], "wb"), stderr=nothing, stdin=nothing)
_, status, usage = os.wait4(process.pid, 0)
print(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


class Program(NamedTuple):
    """A program that lists sessions."""

    name: str
    distribution: str
    command: Sequence[str]
    """Its first word is a script of the environment that it is installed in."""


OWN = (
    Program("sesls, all sessions", "sesls", ("sesls", "list", "--json", "--limit", "0")),
    Program("sesls, a page of 100", "sesls", ("sesls", "list", "--json")),
)
PEERS = (
    Program("session-ls", "session-ls", ("session-ls", "--json")),
    Program("fast-resume", "fast-resume", ("fr", "--json", "--all")),
    Program("4top", "4top", ("4top", "list", "--json")),
    Program("list-coding-agents", "list-coding-agents", ("lc", "--all", "--limit", "0", "--json")),
    Program("agent-session-reader", "agent-session-reader", ("ai-r", "list", "--json")),
    Program("claude-agent-sdk", "claude-agent-sdk", ("python", "-c", _SDK)),
)
AGENTS_OF = {"claude-agent-sdk": {"claude"}}
"""Those that know fewer agents than a home has are run where theirs are."""


class Run(NamedTuple):
    """What one run took."""

    wall: float
    cpu: float
    peak: int
    """In bytes."""
    rows: int
    status: int


def version(scripts: Path, distribution: str) -> str | None:
    """Return the version of a distribution in an environment, or None where it is not installed there."""
    code = f"import importlib.metadata as m; print(m.version({distribution!r}))"
    done = subprocess.run([scripts / "python", "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def run(scripts: Path, program: Program, home: Path, output: Path) -> Run:
    """Run a program once in a home."""
    caches = home.with_name(f"{home.name}-caches")
    variables = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "XDG_CACHE_HOME": str(caches / "cache"),
        "XDG_STATE_HOME": str(caches / "state"),
    }
    command = [str(scripts / program.command[0]), *program.command[1:]]
    measuring = [sys.executable, "-I", "-S", "-c", _MEASURING, str(output), *command]
    try:
        done = subprocess.run(
            measuring, env=variables, cwd=home, capture_output=True, text=True, check=True, timeout=LONGEST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return Run(LONGEST_SECONDS, LONGEST_SECONDS, 0, 0, -1)
    wall, cpu, peak, status = done.stdout.split()
    return Run(float(wall), float(cpu), int(peak) * 1024, rows(output), int(status))


def rows(output: Path) -> int:
    """Return how many sessions an answer has: one JSON value with a list in it, or a value on each line."""
    content = output.read_bytes()
    try:
        answer = json.loads(content)
    except ValueError:
        return sum(line.startswith(b"{") for line in content.splitlines())
    if isinstance(answer, dict):
        return max((len(value) for value in answer.values() if isinstance(value, list)), default=0)
    return len(answer)


def entries(home: Path, depth: int = 3) -> Iterator[Path]:
    """Yield what lies in a home, folders after what is in them; not what lies deeper than programs keep anything."""
    for entry in sorted(home.iterdir()):
        if depth > 1 and entry.is_dir():
            yield from entries(entry, depth - 1)
        yield entry


def forget(home: Path, known: Collection[str]) -> None:
    """Remove what programs keep of earlier runs: beside the home, and in it."""
    shutil.rmtree(home.with_name(f"{home.name}-caches"), ignore_errors=True)
    for path in [path for path in entries(home) if str(path.relative_to(home)) not in known]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def home_of(folder: Path, shape: str) -> tuple[Path, Collection[str]]:
    """Return the home of a shape, made where it is not there yet, and the names of what belongs to it."""
    home, names = folder / shape, folder / f"{shape}.json"
    if not names.exists():
        print(f"making {home}", file=sys.stderr)
        make(home, SHAPES[shape], SEED)
        names.write_text(json.dumps([str(path.relative_to(home)) for path in entries(home)]))
    return home, frozenset(json.loads(names.read_text()))


def into_memory(home: Path) -> None:
    """Read every file once, so that the system has it in memory."""
    block = bytearray(1 << 20)
    for path in home.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.readinto(block):
                    pass


def measure(
    scripts: Mapping[str, Path], programs: Sequence[Program], folder: Path, shape: str, runs: int
) -> Iterator[tuple[str, Program, list[Run]]]:
    """Yield what each program took in a home of a shape, cold and warm, and after it grew if it is one session."""
    home, known = home_of(folder, shape)
    output = folder / "output"
    into_memory(home)
    largest = largest_transcript(home) if shape == "one" else None
    for mode in ("cold", "warm", "grown") if largest else ("cold", "warm"):
        found: dict[str, list[Run]] = {program.name: [] for program in programs}
        size = largest.stat().st_size if largest else 0
        forget(home, known)
        if mode == "warm":
            # One program after the other: some of them change databases when they read them, which costs the next.
            for program in programs:
                run(scripts[program.name], program, home, output)
                time.sleep(2.5)  # what was written only just before it was read may not be remembered
                run(scripts[program.name], program, home, output)
                found[program.name] += [run(scripts[program.name], program, home, output) for _ in range(runs)]
        else:
            for program in programs if mode == "grown" else ():
                run(scripts[program.name], program, home, output)
            for _ in range(runs if mode == "grown" else max(runs // 2, 1)):
                if largest and mode == "grown":
                    grow(largest)
                for program in programs:
                    if mode == "cold":
                        forget(home, known)
                    found[program.name].append(run(scripts[program.name], program, home, output))
        if largest:
            os.truncate(largest, size)
        for program in programs:
            yield mode, program, found[program.name]
    forget(home, known)


def lines(
    scripts: Mapping[str, Path],
    versions: Mapping[str, str],
    programs: Sequence[Program],
    folder: Path,
    shape: str,
    runs: int,
) -> Iterator[Sequence[str]]:
    """Yield the lines of the table of a shape."""
    for mode, program, took in measure(scripts, programs, folder, shape, runs):
        failed = [one.status for one in took if one.status]
        name = program.name if program in OWN else f"{program.name} {versions[program.name]}"
        yield (
            mode,
            name,
            f"{statistics.median(one.wall for one in took):.2f} s",
            f"{statistics.median(one.cpu for one in took):.2f} s",
            f"{max(one.peak for one in took) / 1e6:.0f} MB",
            f"{took[-1].rows:,}" + (f" (failed: {failed[0]})" if failed else ""),
        )


def describe() -> str:
    """Return when and on what machine figures are made."""
    load = os.getloadavg()[0]
    model = next((line.split(":")[1].strip() for line in _cpu() if line.startswith("model name")), platform.machine())
    busy = "" if load < 1 else f" The machine was busy: its load was {load:.1f}."
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores ({model}), {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}.{busy}"
    )


def _cpu() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def main() -> None:
    """Print the tables, and write them where asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, help="the environment that the others are installed in")
    parser.add_argument("--homes", type=Path, default=ROOT / ".benchmarks", help="where homes are made")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--shape", choices=SHAPES, action="append", help="only these homes")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    own = Path(sys.executable).parent
    others = options.peers.resolve() / "bin" if options.peers else own
    scripts = {program.name: own if program in OWN else others for program in (*OWN, *PEERS)}
    found = {program.name: version(scripts[program.name], program.distribution) for program in (*OWN, *PEERS)}
    versions = {name: one for name, one in found.items() if one is not None}
    missing = [program.name for program in PEERS if program.name not in versions]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}", file=sys.stderr)
    options.homes.mkdir(parents=True, exist_ok=True)
    for shape in options.shape or SHAPES:
        agents = set(SHAPES[shape].shares)
        programs = [
            program
            for program in (*OWN, *PEERS)
            if program.name in versions and (not (own_agents := AGENTS_OF.get(program.name)) or agents & own_agents)
        ]
        when = describe()
        head = ("caches", "program", "wall", "CPU", "peak RSS", "sessions")
        text = table(head, lines(scripts, versions, programs, options.homes.resolve(), shape, options.runs))
        note = f"{when} sesls {versions[OWN[0].name]}."
        if missing:
            note += f" Not installed: {', '.join(missing)}."
        print(f"\n{shape}\n\n{text}\n\n{note}")
        if options.write:
            write(f"compare {shape}", f"{text}\n\n{note}")


if __name__ == "__main__":
    main()
