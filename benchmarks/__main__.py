"""Run all benchmarks and write what they say into docs/benchmarks.md.

    pip install -e '.[bench]'
    python -m benchmarks [--peers VENV] [--runs N] [--only NAME ...]

Needs 4 GB of disk and, with all peers, about half an hour of a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.compare import ROOT, describe
from benchmarks.report import table, write

PROGRAMS = ("startup", "redaction")


def output_of(*arguments: str) -> str:
    """Return what a program of this interpreter writes."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.rstrip()


def inner() -> str:
    """Return a table of what the parts of a listing cost."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        output_of("-m", "pytest", "-q", "benchmarks/inner", f"--benchmark-json={results}")
        found = json.loads(results.read_text())["benchmarks"]
    lines = (
        (
            one["name"].removeprefix("test_").replace("_", " "),
            f"{one['stats']['median'] * 1000:.2f} ms",
            f"{one['stats']['min'] * 1000:.2f} ms",
        )
        for one in found
    )
    return table(("part", "median", "least"), lines)


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, help="the environment that other programs are installed in")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", choices=("inner", *PROGRAMS, "compare"), action="append")
    options = parser.parse_args()
    chosen = options.only or ("inner", *PROGRAMS, "compare")
    if "inner" in chosen:
        write("inner", f"{inner()}\n\n{describe()}")
    for name in PROGRAMS:
        if name in chosen:
            write(name, f"```\n{output_of(f'benchmarks/{name}.py')}\n```\n\n{describe()}")
    if "compare" in chosen:
        peers = ["--peers", str(options.peers)] if options.peers else []
        print(output_of("-m", "benchmarks.compare", "--runs", str(options.runs), "--write", *peers))


if __name__ == "__main__":
    main()
