"""The command as a person or a script starts it, in a home that was made for it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tests import shapes
from tests.builders import claude, codex
from tests.builders.common import put, uuid

SESLS = str(Path(sysconfig.get_path("scripts")) / "sesls")

_SECONDS = 30
_KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def mixed_home(home: Path) -> Path:
    """Fill a home with four sessions of two agents, a name, a database and one broken file; return the home."""
    claude.transcript(home, number=1)
    claude.subagent(home, "a5d6907d35987d0f7", meta={"agentType": "Explore", "description": "Count the pears"})
    claude.code_record(home, 1)
    claude.transcript(home, b"", number=9)
    codex.rollout(home, number=2)
    codex.rollout(home, number=3, archived=True)
    codex.rollout(home, b"\x00\x01 no rollout\n", number=4)
    codex.state_database(home, [{"id": uuid(2), "cwd": "/srv/barn", "name": "Mend the roof", "title": "Mend"}])
    put(home / ".codex" / "session_index.jsonl", [{"id": uuid(3), "thread_name": "Paint the gate"}])
    return home


@dataclass(frozen=True, slots=True)
class Run:
    """What a finished command left."""

    status: int
    output: bytes
    """stdout, whose bytes matter."""
    said: str
    """stderr."""

    @property
    def text(self) -> str:
        """stdout as text, which has to be UTF-8."""
        return self.output.decode()

    @property
    def lines(self) -> list[str]:
        """The lines of stdout without colours."""
        return plain(self.text).splitlines()

    def json(self) -> Any:
        """Return the one JSON value on stdout, read by a strict reader, which has to be of a documented shape."""
        value = msgspec.json.decode(self.output)
        shapes.check(value)
        return value


def run(
    home: Path,
    *arguments: str,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
    command: Sequence[str] = (SESLS,),
    stdout: int = subprocess.PIPE,
    said_in: str = "utf-8",
) -> Run:
    """Run the command with pipes for its streams; `said_in` is the encoding of its stderr."""
    done = subprocess.run(
        [*command, *arguments],
        env=variables_of(home, variables),
        cwd=cwd or home.parent,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=_SECONDS,
        check=False,
    )
    return Run(done.returncode, done.stdout or b"", done.stderr.decode(said_in))


def run_into_closed_pipe(
    home: Path,
    *arguments: str,
    variables: Mapping[str, str] | None = None,
    command: Sequence[str] = (SESLS,),
) -> Run:
    """Run the command when whoever was to read its answer has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return run(home, *arguments, variables=variables, command=command, stdout=writer)
    finally:
        os.close(writer)


def run_in_terminal(
    home: Path,
    *arguments: str,
    columns: int,
    stderr_too: bool = False,
    variables: Mapping[str, str] | None = None,
    command: Sequence[str] = (SESLS,),
) -> Run:
    """Run the command with a terminal of that width for stdout, and the same one or a pipe for stderr."""
    import fcntl
    import pty
    import termios

    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [*command, *arguments],
        env=variables_of(home, {"TERM": "xterm-256color", **(variables or {})}),
        cwd=home.parent,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal if stderr_too else subprocess.PIPE,
    )
    os.close(terminal)
    shown = b""
    limit = threading.Timer(_SECONDS, process.kill)
    limit.start()
    with contextlib.suppress(OSError):  # a terminal whose program has ended cannot be read
        while piece := os.read(screen, 65_536):
            shown += piece
    os.close(screen)
    _, said = process.communicate()
    limit.cancel()
    return Run(process.returncode, shown, (said or b"").decode())


def without_privileges() -> tuple[str, ...] | None:
    """Return the start of a command that may read no more than its user may; None where that cannot be had."""
    if sys.platform == "win32":
        return None
    if os.geteuid() != 0:
        return (SESLS,)
    setpriv = shutil.which("setpriv")
    return None if setpriv is None else (setpriv, "--bounding-set=-dac_override,-dac_read_search", SESLS)


def imported_by(home: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> tuple[str, set[str]]:
    """Return what a command writes to stdout, and the names of all modules that it has imported by its end."""
    program = (
        "import sys\n"
        f"sys.argv[0] = {SESLS!r}\n"
        "from sesls.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print(*sys.modules, file=sys.stderr)\n"
    )
    done = run(home, *arguments, variables=variables, command=(sys.executable, "-c", program))
    assert done.status == 0, done.said
    return done.text, set(done.said.split())


def plain(text: str) -> str:
    """Return text without the styles that a terminal shows as colours."""
    return _STYLE.sub("", text)


def cells(line: str) -> int:
    """Return how many cells of a terminal a line takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
    return len(line) + wide - sum(unicodedata.combining(character) > 0 for character in line)


def variables_of(home: Path, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables of a process whose home this is, and nothing that moves an agent's."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    own = {"HOME": str(home), "USERPROFILE": str(home), "LANG": "C.UTF-8", "XDG_CACHE_HOME": str(home.parent / "cache")}
    return {**kept, **own, **(variables or {})}
