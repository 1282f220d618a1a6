"""What starting costs: CPU time of interpreters that import something, over many runs.

    python benchmarks/startup.py [RUNS]

Each line: the least and the median milliseconds of user and system time, and what was run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from importlib.util import find_spec

STATEMENTS = (
    "pass",
    "import typer",
    "import typer; app = typer.Typer(); app.command('a')(lambda: None); app.command('b')(lambda: None); app(['a'])",
    "import typer, platformdirs",
    "import typer, msgspec",
    "import typer, json",
    "import typer, rich.console, rich.table",
    "import typer, sqlite3",
    "import typer; from backports import zstd" if sys.version_info < (3, 14) else "import typer, compression.zstd",
    *(["import typer, mcp.server.lowlevel"] if find_spec("mcp") else []),
    "import sesls.cli",
    "import sesls.cli, sesls.inventory, sesls.adapters.claude, sesls.adapters.codex",
)


def cpu_milliseconds(command: list[str]) -> float:
    """Run a command and return the CPU time it took."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return (usage.ru_utime + usage.ru_stime) * 1000


def main() -> None:
    """Print one line for each statement."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for statement in STATEMENTS:
        times = [cpu_milliseconds([sys.executable, "-c", statement]) for _ in range(runs)]
        print(f"{min(times):6.1f} {statistics.median(times):6.1f}  {statement}")


main()
