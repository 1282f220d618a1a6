"""A home like the one that the documentation has in mind, and programs that stand in for those of others."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.builders.claude import assistant, folder, subagent, transcript, user
from tests.builders.common import put, uuid
from tests.builders.mixed import write
from tests.command.run import SESLS, mixed_home, variables_of
from tests.docs.pages import AGENTS, OTHERS

DOCUMENTED = "cd613e30-6a3c-4a7e-9d0b-3f1f0d1f2a11"
"""The session whose id the pages use."""

# Prints what it was called with, and what a `<(…)` among that holds.
_STAND_IN = """\
#!/bin/sh
printf '%s\\n' "$0" "$@"
for one; do if [ -p "$one" ]; then cat "$one"; fi; done
"""
_FIRST_LINE = "#!/bin/sh\nhead -n 1\n"


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory `~/src/shop` in a home with sessions of all agents, some of them of today and yesterday."""
    home = write(mixed_home(tmp_path_factory.mktemp("docs") / "home"))
    directory = home / "src" / "shop"
    directory.mkdir(parents=True)
    for number, title, age in ((77, "Move the payment webhook to the queue", 60), (78, "Rename the basket", 86_460)):
        stamp = (datetime.now(UTC) - timedelta(seconds=age)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        keys: dict[str, Any] = {"cwd": str(directory), "timestamp": stamp, "sessionId": uuid(number)}
        transcript(home, [user(title, **keys), assistant(**keys)], number=number, directory=str(directory))
        subagent(home, f"a{number:016x}", parent=number, directory=str(directory))
    put(
        folder(home, str(directory)) / f"{DOCUMENTED}.jsonl",
        [user("Fix the cart", cwd=str(directory)), assistant(cwd=str(directory))],
    )
    return directory


@pytest.fixture(scope="session")
def programs(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The variables with which stand-ins, sesls and what is installed are found, in this order."""
    folder = tmp_path_factory.mktemp("programs")
    for name in (*AGENTS, *OTHERS):
        program = folder / name
        program.write_text(_FIRST_LINE if name == "fzf" else _STAND_IN, encoding="utf-8")
        program.chmod(0o755)
    home = shop.parents[1]
    path = f"{folder}:{Path(SESLS).parent}:{variables_of(home).get('PATH', '')}"
    return {"PATH": path, "SHELL": shutil.which("bash") or "/bin/sh", "OPENCODE_CONFIG": str(folder)}
