"""Fuzz every reader, guided by coverage: damaged stores of all agents, and the modules of `formats` directly.

    pip install -e '.[test,fuzz]'
    nice python tools/fuzz.py [--seconds 3600] [--work .fuzz]
    python tools/fuzz.py --keep

What an input means and what must never happen stands in `tests/fuzz/targets.py`. The inputs kept in
`tests/fuzz/corpus` are where it starts from, with a whole file of every store. Each way to fail is written once to
`<work>/findings`, with its traceback; a run ends with status 1 when there are some. `--keep` replays all inputs found
and keeps in `tests/fuzz/corpus` the smallest ones that reach every line that any of them reaches, and the findings:
those are mended and stay as regression tests.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
SOURCE = str(ROOT / "src" / "sesls")
LONGEST_INPUT = 6000
LARGEST_CORPUS = 300_000
"""How many bytes of inputs are kept."""

Arc = tuple[str, int, int]


def seeds() -> Iterator[bytes]:
    """Yield inputs that put each file of a store in its own place, and give each to the reader of its format."""
    from tests.fuzz import stores
    from tests.fuzz.targets import TARGETS

    targets = list(TARGETS)
    for agent in stores.AGENTS:
        for place, (name, content) in enumerate(sorted(stores.whole(agent).items())):
            if len(content) < LONGEST_INPUT:
                yield bytes([targets.index(agent), 0, place]) + content
                reader = "zstd" if name.endswith(".zst") else "protobuf" if name.endswith(".pb") else "jsonl"
                yield bytes([targets.index(reader), 0, 4, 0, 1]) + content


def report(work: Path, data: bytes, error: BaseException) -> None:
    """Write a failing input and its traceback, where none that fails at the same place is there or it is shorter."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)][-3:]
    name = hashlib.sha256(f"{type(error).__name__} {places}".encode()).hexdigest()[:12]
    path = work / "findings" / name
    if not path.exists() or len(data) < path.stat().st_size:
        path.write_bytes(data)
        path.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), errors="replace")


def fuzz(work: Path, seconds: int) -> None:
    """Fuzz in this process; libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["sesls"]):
        from tests.fuzz.targets import run

    def try_one(data: bytes) -> None:
        try:
            run(data)
        except Exception as error:
            report(work, data, error)

    limits = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST_INPUT}",
        "-timeout=60",
        "-report_slow_units=60",
        "-rss_limit_mb=2000",
    ]
    output = f"-artifact_prefix={work / 'findings'}/"
    atheris.Setup([sys.argv[0], *limits, output, "-print_final_stats=1", str(work / "corpus"), str(CORPUS)], try_one)
    atheris.Fuzz()


def arcs_of(data: bytes, work: Path) -> set[Arc]:
    """Return which lines of sesls follow each other when an input is tried."""
    from tests.fuzz.targets import run

    arcs: set[Arc] = set()

    def enter(frame: FrameType, _event: str, _argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(SOURCE):
            return None
        last = 0

        def step(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal last
            if event == "line":
                arcs.add((file, last, frame.f_lineno))
                last = frame.f_lineno
            return step

        return step

    sys.settrace(enter)
    try:
        run(data)
    except Exception as error:
        sys.settrace(None)
        report(work, data, error)
    finally:
        sys.settrace(None)
    return arcs


def keep(work: Path) -> None:
    """Write the smallest inputs that together reach all that any input reaches."""
    CORPUS.mkdir(exist_ok=True)
    inputs = {path.read_bytes() for folder in (CORPUS, work / "corpus") for path in folder.iterdir()}
    findings = {path.read_bytes() for path in (work / "findings").iterdir() if not path.suffix}
    reached: set[Arc] = set()
    kept: list[bytes] = sorted(findings, key=len)
    size = sum(map(len, kept))
    for data in sorted(inputs - findings, key=lambda data: (len(data), data)):
        arcs = arcs_of(data, work)
        if not arcs <= reached and size + len(data) <= LARGEST_CORPUS:
            reached |= arcs
            size += len(data)
            kept.append(data)
    for path in CORPUS.iterdir():
        path.unlink()
    for data in kept:
        (CORPUS / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)
    print(f"{len(inputs)} inputs, {len(kept)} kept in {size} bytes; {len(reached)} steps between lines reached")


def main() -> int:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600, help="how long to fuzz")
    parser.add_argument("--work", type=Path, default=ROOT / ".fuzz", help="where inputs and findings are written")
    parser.add_argument("--keep", action="store_true", help="keep what was found in tests/fuzz/corpus")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    work: Path = options.work.resolve()
    sys.path.insert(0, str(ROOT))
    for folder in (CORPUS, work / "corpus", work / "findings"):
        folder.mkdir(parents=True, exist_ok=True)
    if options.keep:
        keep(work)
        return 0
    if options.inner:
        fuzz(work, options.seconds)
        return 0
    for data in seeds():
        (work / "corpus" / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)
    end = time.monotonic() + options.seconds
    # libFuzzer ends the process at an input that takes too long or too much: in another one it goes on.
    while (left := round(end - time.monotonic())) > 0:
        command = [sys.executable, __file__, "--inner", "--seconds", str(left), "--work", str(work)]
        subprocess.run(command, cwd=ROOT, check=False)
    found = sorted((work / "findings").iterdir())
    print(*(path for path in found if not path.suffix), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
