"""What tests of any adapter may use: files that cannot be read, and notes of what is read."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.page import Page
from tests.watching import Reading, reading_of

Forbid = Callable[[Path], None]

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def uuids(page: Page) -> list[str]:
    """Return the ids of a page's sessions, sorted."""
    return sorted(session.uuid for session in page.sessions)


@pytest.fixture
def forbid(monkeypatch: pytest.MonkeyPatch) -> Forbid:
    """A function that makes a file, or a folder with all that is below it, unreadable, even for root."""
    forbidden: set[str] = set()

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **keys: Any) -> Any:
            if isinstance(path, str) and not forbidden.isdisjoint(map(str, (path, *Path(path).parents))):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return real(path, *args, **keys)

        return call

    monkeypatch.setattr(os, "open", guarded(os.open))
    monkeypatch.setattr(os, "scandir", guarded(os.scandir))
    return lambda path: forbidden.add(str(path))


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    """Notes what is opened and read from here on."""
    return reading_of(monkeypatch)


class Stand:
    """A home as it was, to be compared with what it is."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._before = self._now()

    def _now(self) -> dict[str, tuple[object, ...]]:
        status = {path: path.lstat() for path in sorted([self._home, *self._home.rglob("*")])}
        return {
            str(path): (
                one.st_mode,
                one.st_size,
                one.st_mtime_ns,
                one.st_ctime_ns,
                path.read_bytes() if path.is_file() else b"",
            )
            for path, one in status.items()
        }

    def assert_unchanged(self) -> None:
        """Fail when a byte, a time or a name changed."""
        assert self._now() == self._before
