"""Stores that change while they are read: at the worst moment, by hand, and by another process all the time."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from sesls.formats import sqlite
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.builders import antigravity, claude, codex, mixed, opencode, pi
from tests.builders.common import put, uuid
from tests.conftest import environment_of
from tests.fuzz.targets import check_shown

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")

NUMBER = 0x66
"""A session beside those of the mixed home: the one that changes."""

Change = Callable[[Path], object]


def _grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"type":"user","cwd":"/srv/other"}\n{"type":"half of a rec')


def _cut_to_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _replaced_by_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _replaced_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _replaced_by_a_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _replaced(path: Path) -> None:
    other = path.with_name("new")
    other.write_bytes(path.read_bytes()[::-1])
    other.replace(path)


CHANGES: dict[str, Change] = {
    "it grows": _grown,
    "it is emptied": lambda path: os.truncate(path, 0),
    "it is cut": _cut_to_half,
    "it vanishes": Path.unlink,
    "its folder vanishes": lambda path: shutil.rmtree(path.parent),
    "it is renamed": lambda path: path.rename(path.with_name("renamed" + path.suffix)),
    "its folder is renamed": lambda path: path.parent.rename(path.parent.with_name("renamed")),
    "it is replaced": _replaced,
    "a pipe takes its place": _replaced_by_a_pipe,
    "a folder takes its place": _replaced_by_a_folder,
    "a loop takes its place": _replaced_by_a_loop,
}

FILES: dict[str, Callable[[Path], Path]] = {
    "claude": lambda home: claude.transcript(home, number=NUMBER, directory="/srv/live"),
    "codex": lambda home: put(home / ".codex/sessions/2026/04/01" / codex.name(NUMBER), codex.paginated(NUMBER)),
    "pi": lambda home: pi.session(home, number=NUMBER, directory="/srv/live"),
    "antigravity": lambda home: antigravity.conversation(home, number=NUMBER, root=antigravity.IDE),
    "antigravity's log": lambda home: antigravity.log(home, number=NUMBER),
    "opencode": lambda home: opencode.database(home, [opencode.session(NUMBER)], file="opencode-live.db"),
    "opencode's record": lambda home: opencode.record(home, opencode.session(NUMBER), project="live"),
}

LINES = ("listed", "opened", "read", "read again")
DATABASE = ("listed", "opened", "connected")
SMALL = ("listed", "opened", "read")
MOMENTS = {
    "claude": LINES,
    "codex": LINES,
    "pi": LINES,
    "antigravity": DATABASE,
    "antigravity's log": SMALL,
    "opencode": DATABASE,
    "opencode's record": SMALL,
}
CASES = [(file, moment, change) for file, moments in MOMENTS.items() for moment in moments for change in CHANGES]


@contextmanager
def changing(path: Path, moment: str, change: Change, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Make a change at a moment of the reading, once; the list tells whether that moment came."""
    came: list[str] = []
    descriptors: dict[int, int] = {}

    def strike() -> None:
        if not came:
            came.append(moment)
            change(path)

    os_open, pread, scandir, connect = os.open, os.pread, os.scandir, sqlite3.connect

    def opening(name: Any, *arguments: Any, **keys: Any) -> int:
        if moment == "opened" and name == str(path):
            strike()
        descriptor = os_open(name, *arguments, **keys)
        if name == str(path):
            descriptors[descriptor] = 0
        return descriptor

    def reading(descriptor: int, *arguments: Any) -> bytes:
        if descriptor in descriptors:
            descriptors[descriptor] += 1
            if (moment, descriptors[descriptor]) in (("read", 1), ("read again", 2)):
                strike()
        return pread(descriptor, *arguments)

    def listing(folder: Any) -> Any:
        if moment != "listed" or folder != str(path.parent):
            return scandir(folder)
        with scandir(folder) as scan:
            entries = list(scan)
        strike()
        return nullcontext(entries)

    def connecting(database: Any, *arguments: Any, **keys: Any) -> Any:
        if moment == "connected" and path.name in str(database):
            strike()
        return connect(database, *arguments, **keys)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", opening)
        patch.setattr(os, "pread", reading)
        patch.setattr(os, "scandir", listing)
        patch.setattr(sqlite3, "connect", connecting)
        yield came


def listed(home: Path, *agents: str) -> Page:
    """Return the page of a home, in which no other session than the one that changes may be missing."""
    page = take(Query(agents=agents, limit=0), environment_of(home))
    check_shown(page, str(home))
    assert [one for one in page.warnings if one.problem.startswith("unexpected")] == []
    found = {(one.agent, one.uuid) for one in page.sessions}
    others = {(agent, mixed.session_id(agent, plan)) for agent in agents or mixed.WRITERS for plan in mixed.PLANS}
    assert others <= found
    return page


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed.write(tmp_path_factory.mktemp("live") / "home")


@pytest.mark.parametrize(("file", "moment", "change"), CASES)
def test_a_file_that_changes_at_any_moment_costs_at_most_itself(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, moment: str, change: str
) -> None:
    if moment == "connected" and "pipe" in change:
        pytest.skip("SQLite itself would wait for it: docs/security.md")
    if file == "opencode" and "its folder" in change:
        pytest.skip("all of OpenCode's databases lie in that folder")
    home = Path(shutil.copytree(template, tmp_path / "home"))
    path = FILES[file](home)

    with changing(path, moment, CHANGES[change], monkeypatch) as came:
        page = listed(home, file.partition("'")[0])

    assert came == [moment]
    assert len({one.path for one in page.warnings}) <= 1


ROWS = {
    "opencode": f"INSERT INTO message VALUES ('m', '{opencode.ses(NUMBER)}', 1773133999000, 0, '{{}}')",
    "antigravity": "INSERT INTO steps (step_type) VALUES (15)",
}


@pytest.mark.parametrize("agent", ROWS)
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_rows_that_are_written_during_a_question_cost_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, agent: str, journal: str
) -> None:
    mixed.write(home)
    path = FILES[agent](home)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute(f"PRAGMA journal_mode={journal}")
    ask = sqlite._ask
    written: list[str] = []

    def asking(asked: str, mode: str, query: Callable[[sqlite3.Connection], object]) -> object:
        def interrupted(connection: sqlite3.Connection) -> object:
            if asked == str(path) and len(written) < 50:
                written.append(asked)
                writer.execute(ROWS[agent].replace("'m'", f"'m{len(written)}'"))
            return query(connection)

        return ask(asked, mode, interrupted)

    monkeypatch.setattr(sqlite, "_ask", asking)

    page = listed(home)

    writer.close()
    assert written
    assert page.warnings == ()
    assert page.total == len(mixed.WRITERS) * len(mixed.PLANS) + 1


WRITING = """
import json, os, sqlite3, sys, time

lines, replaced, moved, database, conversation, ready = sys.argv[1:]
rows = sqlite3.connect(database, isolation_level=None, timeout=10)
steps = sqlite3.connect(conversation, isolation_level=None, timeout=10)
content = open(replaced, "rb").read()
number = 0
while True:
    number += 1
    with open(lines, "ab", buffering=0) as file:
        record = json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 3000}}).encode()
        file.write(record[:1000])
        file.write(record[1000:] + b"\\n")
    with open(replaced + ".new", "wb") as file:
        file.write(content * (number % 5))
    os.replace(replaced + ".new", replaced)
    other = moved + ".away"
    os.rename(moved, other)
    os.rename(other, moved)
    rows.execute("UPDATE session SET time_updated = time_updated + 1")
    steps.execute("INSERT INTO steps (step_type, status) VALUES (15, 3)")
    if number % 7 == 0:
        rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        steps.execute("DELETE FROM steps WHERE idx > 5")
    if number == 3:
        open(ready, "w").close()
"""


def test_a_home_that_another_process_writes_all_the_time_is_listed(home: Path, tmp_path: Path) -> None:
    mixed.write(home)
    written = [FILES[file](home) for file in ("claude", "codex", "pi", "opencode", "antigravity")]
    ready = tmp_path / "ready"
    errors = tmp_path / "errors"
    with errors.open("wb") as said:
        command = [sys.executable, "-c", WRITING, *map(str, written), str(ready)]
        process = subprocess.Popen(command, stderr=said)
        try:
            while not ready.exists() and process.poll() is None:
                pass
            pages = [listed(home) for _ in range(15)]
            is_still_at_work = process.poll() is None
        finally:
            process.kill()
            process.wait()

    assert is_still_at_work, errors.read_text()
    live = {("claude", uuid(NUMBER)), ("opencode", opencode.ses(NUMBER)), ("antigravity", uuid(NUMBER))}
    for page in pages:
        assert live <= {(one.agent, one.uuid) for one in page.sessions}
        assert page.total - len(mixed.WRITERS) * len(mixed.PLANS) in (3, 4, 5)
        assert {one.path for one in page.warnings} <= set(map(str, written))
        json.dumps(page.to_dict())
