"""Make a home in which all five agents worked a lot. The same arguments always make the same bytes and times.

    python -m benchmarks.make_home DEST [--shape mixed] [--sessions N] [--megabytes N] [--seed N]

| shape     | what it is                                                              | sessions | megabytes |
|-----------|-------------------------------------------------------------------------|----------|-----------|
| mixed     | a year of all five agents; a third of Claude's sessions are subagents   | 2724     | 1600      |
| subagents | Claude Code alone, 99 subagents below each session, all of them small   | 100000   | 500       |
| one       | one session of Claude Code, and no other                                | 1        | 1000      |
| database  | OpenCode alone: all sessions in one database                            | 2000     | 250       |

Sizes follow a log-normal law: the median is a tenth of the mean, and a few files have tens of megabytes. A session's
file holds what the agent writes: a prompt, then turns of an answer, a call of a tool and its result. All words are
invented. `grow` makes a session longer, as its agent would.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders import antigravity, claude, codex, opencode, pi
from tests.builders.common import START, epoch_ms, lines, uuid

MEGABYTE = 1_000_000
YEAR = 365 * 86_400
SPREAD = 1.8
"""The standard deviation of the logarithm of sizes."""
LARGEST = 40 * MEGABYTE
PROJECTS = tuple(f"/srv/work/{name}" for name in ("orchard", "barn", "mill", "brewery", "forge", "dairy", "stable"))
MARK = "made-by-benchmarks"

WORDS = tuple(
    """
    add all and api are as auth before branch build by cache can check client code config database delete deploy does
    error fail feature file fix for form from function handle help how if import in index is job key layout link list
    load log make merge migrate model module move new not of on open order page parse path please port query queue rate
    read release remove rename request reset retry review route run schema script send server session set should slow
    so split state store string style support sync table test that the then this time to token type update upload use
    user value version view web when where why with without worker write wrong
""".split()  # noqa: SIM905
)


class Shape(NamedTuple):
    """What a home is made of."""

    sessions: int
    megabytes: int
    shares: dict[str, float]
    """How much of the sessions is each agent's."""
    subagents: float
    """How much of Claude's sessions is subagents."""


SHAPES = {
    "mixed": Shape(
        2724, 1600, {"claude": 0.46, "codex": 0.28, "opencode": 0.11, "pi": 0.09, "antigravity": 0.06}, 0.33
    ),
    "subagents": Shape(100_000, 500, {"claude": 1}, 0.99),
    "one": Shape(1, 1000, {"claude": 1}, 0),
    "database": Shape(2000, 250, {"opencode": 1}, 0),
}


class Job(NamedTuple):
    """A session that is to be written."""

    number: int
    size: int
    seconds: float
    """When it began, from the builders' start on; mostly before it."""
    directory: str
    prompt: str
    source: random.Random

    def filler(self) -> str:
        """Return about as much text as a tool's result has: a few kilobytes."""
        return " ".join(self.source.choices(WORDS, k=int(min(self.source.lognormvariate(5.3, 1.2), 8000)) + 1))


def make(destination: Path, shape: Shape, seed: int) -> None:
    """Make a home of a shape; what an earlier call made is replaced."""
    if destination.exists() and any(destination.iterdir()) and not (destination / MARK).exists():
        raise SystemExit(f"{destination} was not made by this program, and stays as it is")
    shutil.rmtree(destination, ignore_errors=True)
    destination.mkdir(parents=True)
    source = random.Random(seed)
    jobs = list(_jobs(shape, source))
    start = 0
    for agent, share in shape.shares.items():
        end = start + round(share * len(jobs)) if agent != [*shape.shares][-1] else len(jobs)
        _WRITERS[agent](destination, jobs[start:end], shape)
        start = end
    (destination / MARK).write_text(json.dumps({"sessions": len(jobs), "seed": seed}))


def _jobs(shape: Shape, source: random.Random) -> Iterator[Job]:
    weights = [source.lognormvariate(0, SPREAD) for _ in range(shape.sessions)]
    # What the largest ones lose by their limit, the others get.
    together = sum(weights)
    total = shape.megabytes * MEGABYTE
    scale = float(total)
    for _ in range(20):
        limit = LARGEST / scale * together if shape.sessions > 1 else total
        scale *= total / sum(min(weight, limit) * scale / together for weight in weights)
    for number, weight in enumerate(weights, 1):
        size = weight * scale / together
        yield Job(
            number=number,
            size=round(min(size, LARGEST) if shape.sessions > 1 else size),
            seconds=-min(source.expovariate(5 / YEAR), YEAR),
            directory=source.choice(PROJECTS),
            prompt=" ".join(source.choices(WORDS, k=source.randint(4, 30))),
            source=random.Random(source.getrandbits(32)),
        )


def _fill(path: Path, head: Sequence[object], turn: object, job: Job, last: float) -> None:
    """Write a file of JSON lines: its head, and turns that differ in their filler until it has its size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    template = lines([turn])
    with path.open("wb") as file:
        file.write(lines(head))
        pieces = [template.replace(b"FILLER", job.filler().encode()) for _ in range(min(1 + job.size // 4000, 30))]
        while file.tell() < job.size:
            file.write(job.source.choice(pieces))
    moment = START.timestamp() + last
    os.utime(path, (moment, moment))


def _write_claude(home: Path, jobs: Sequence[Job], shape: Shape) -> None:
    spawned = round(shape.subagents * 100)
    parents = [job for job in jobs if job.number % 100 >= spawned]
    for job in jobs:
        last = job.seconds + 600
        keys: dict[str, Any] = {"cwd": job.directory, "sessionId": uuid(job.number)}
        folder = claude.folder(home, job.directory)
        path = folder / f"{uuid(job.number)}.jsonl"
        if job.number % 100 < spawned and parents:
            parent = parents[job.number % len(parents)]
            keys = {
                "cwd": parent.directory,
                "sessionId": uuid(parent.number),
                "isSidechain": True,
                "agentId": f"a{job.number:016x}",
            }
            folder = claude.folder(home, parent.directory) / uuid(parent.number) / "subagents"
            path = folder / f"agent-a{job.number:016x}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_name(f"{path.stem}.meta.json").write_text(
                json.dumps({"agentType": "Explore", "description": job.prompt[:40]})
            )
        head = [claude.user(job.prompt, job.seconds, **keys), claude.assistant("Done.", job.seconds + 5, **keys)]
        _fill(path, head, claude.assistant("FILLER", last, **keys), job, last)


def _write_codex(home: Path, jobs: Sequence[Job], shape: Shape) -> None:
    del shape
    for job in jobs:
        last = job.seconds + 600
        day = START + timedelta(seconds=job.seconds)
        path = home / ".codex" / "sessions" / f"{day:%Y/%m/%d}" / codex.name(job.number)
        head = [
            codex.meta(job.number, job.seconds, cwd=job.directory),
            codex.turn(job.seconds, cwd=job.directory),
            codex.said(job.prompt, job.seconds + 1),
        ]
        _fill(path, head, codex.event("agent_message", last, message="FILLER"), job, last)
    codex.name_index(home, *((job.number, f"Named {job.number}") for job in jobs[::5]))


def _write_pi(home: Path, jobs: Sequence[Job], shape: Shape) -> None:
    del shape
    for job in jobs:
        last = job.seconds + 600
        path = pi.folder(home, job.directory) / pi.file_name(job.number, job.seconds)
        head = [pi.header(job.number, job.seconds, cwd=job.directory), pi.said(job.prompt, job.seconds + 1)]
        _fill(path, head, pi.answered("FILLER", last), job, last)


def _write_antigravity(home: Path, jobs: Sequence[Job], shape: Shape) -> None:
    del shape
    for job in jobs:
        filler = antigravity.answered(job.filler(), job.seconds + 60)
        size = len(lines([filler.line(1)]))
        steps = [antigravity.asked(job.prompt, job.seconds), *[filler] * max(job.size // size, 1)]
        if job.number % 2:
            meta = antigravity.about(job.seconds, workspaces=[f"file://{job.directory}"])
            antigravity.conversation(home, steps, number=job.number, meta=meta)
        else:
            antigravity.log(home, steps, number=job.number, modified=job.seconds + 600)


def _write_opencode(home: Path, jobs: Sequence[Job], shape: Shape) -> None:
    """Write one database. Most of it is parts, which hold what tools returned."""
    del shape
    path = opencode.database(home, ())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA journal_mode=MEMORY")
        for job in jobs:
            begin = job.seconds
            messages = [opencode.user(job.prompt, seconds=begin)]
            pieces = [job.filler() for _ in range(10)]
            size = 0
            while size < job.size:
                parts = [opencode.text_part(job.source.choice(pieces), callID=number) for number in range(6)]
                answer = opencode.assistant(begin + 10)
                messages.append(answer._replace(parts=parts))
                # A third more than the texts: pages are not full, and ids stand in rows and indexes.
                size += round(1.35 * sum(len(str(part["text"])) for part in parts)) + 600
            row = {"directory": job.directory, "time_created": epoch_ms(begin), "time_updated": epoch_ms(begin + 600)}
            opencode.fill(connection, [opencode.session(job.number, messages, **row)])
        connection.commit()
        connection.execute("PRAGMA journal_mode=WAL")


_WRITERS = {
    "claude": _write_claude,
    "codex": _write_codex,
    "opencode": _write_opencode,
    "pi": _write_pi,
    "antigravity": _write_antigravity,
}


def largest_transcript(home: Path) -> Path:
    """Return the largest transcript of Claude Code."""
    return max((home / ".claude").rglob("*.jsonl"), key=lambda path: (path.stat().st_size, str(path)))


def grow(path: Path, megabytes: int = 1) -> None:
    """Add so many megabytes to a transcript."""
    line = lines([claude.assistant("grown " * 500, path.stat().st_size % 1000)])
    with path.open("ab") as file:
        file.write(line * (megabytes * MEGABYTE // len(line)))


def main() -> None:
    """Make the home that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("destination", type=Path)
    parser.add_argument("--shape", choices=SHAPES, default="mixed")
    parser.add_argument("--sessions", type=int)
    parser.add_argument("--megabytes", type=int)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    shape = SHAPES[options.shape]
    shape = shape._replace(sessions=options.sessions or shape.sessions, megabytes=options.megabytes or shape.megabytes)
    make(options.destination.resolve(), shape, options.seed)


if __name__ == "__main__":
    main()
