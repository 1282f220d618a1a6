"""Reading never changes a store: no byte, no time, no new file."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.builders.common import put, uuid
from tests.command.run import mixed_home, run

Fingerprint = dict[str, tuple[int, int, int, int, str]]


@pytest.fixture
def store(home: Path) -> Path:
    """A mixed home with links, a loop, settings, and a database whose newest rows are in its WAL."""
    mixed_home(home)
    put(home / ".codex" / "config.toml", 'model = "gpt-5.2-codex"\n')
    put(home / ".claude" / "settings.json", "{}")
    project = next((home / ".claude" / "projects").iterdir())
    (project / f"{uuid(7)}.jsonl").symlink_to(project / f"{uuid(1)}.jsonl")
    (home / ".codex" / "sessions" / "loop").symlink_to(home / ".codex" / "sessions")
    _leave_wal(home / ".codex" / "state_6.sqlite")
    return home


def _leave_wal(path: Path) -> None:
    live = path.with_name("live.sqlite")
    connection = sqlite3.connect(live)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE threads (id, cwd, name)")
    connection.execute("INSERT INTO threads VALUES (?, '/srv/barn', 'In the WAL')", [uuid(2)])
    connection.commit()
    shutil.copyfile(live, path)
    shutil.copyfile(f"{live}-wal", f"{path}-wal")
    connection.close()
    live.unlink()


def fingerprint(home: Path) -> Fingerprint:
    """Return of everything in a home what a reader could change, looked at before any content is read."""
    status = {path: path.lstat() for path in sorted([home, *home.rglob("*")])}
    return {
        str(path.relative_to(home)): (one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns, _content(path))
        for path, one in status.items()
    }


def _content(path: Path) -> str:
    if path.is_symlink():
        return str(path.readlink())
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("list", "--json", "--limit", "0"),
        ("list", "--no-redact", "--project-dir", "/srv/nowhere"),
        ("diagnostics", "--json", "--agent", "codex"),
        ("show", uuid(2), "--no-redact"),
        ("path", uuid(1)),
        ("agents",),
        ("demo",),
        ("--help",),
    ],
)
def test_no_command_changes_anything(store: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "temporary").mkdir()
    before = fingerprint(store)

    done = run(store, *arguments, variables={"TMPDIR": str(tmp_path / "temporary")})

    assert done.status == 0
    assert fingerprint(store) == before
    assert os.listdir(tmp_path / "temporary") == []


def test_the_home_is_one_in_which_everything_is_read(store: Path) -> None:
    titles = {session["title"] for session in run(store, "list", "--json").json()["sessions"]}

    assert {"In the WAL", "Paint the gate", "Count the pears"} <= titles
