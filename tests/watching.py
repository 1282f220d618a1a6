"""What is read of a home, and a home of which not everything can be read."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.formats import files, jsonl


class Reading:
    """What was opened, and how many bytes were read of each file in pieces."""

    def __init__(self) -> None:
        self.openings: Counter[str] = Counter()
        self.read: Counter[str] = Counter()


def reading_of(monkeypatch: pytest.MonkeyPatch) -> Reading:
    """Return notes of what is opened and read from here on."""
    notes = Reading()
    paths: dict[int, str] = {}
    opened, read_at = files.opened, jsonl.read_at

    def noting_opened(path: str) -> int:
        notes.openings[path] += 1
        descriptor = opened(path)
        paths[descriptor] = path
        return descriptor

    def noting_read_at(descriptor: int, size: int, offset: int) -> bytes:
        data = read_at(descriptor, size, offset)
        notes.read[paths[descriptor]] += len(data)
        return data

    monkeypatch.setattr(files, "opened", noting_opened)
    monkeypatch.setattr(jsonl, "read_at", noting_read_at)
    return notes


def forbid(monkeypatch: pytest.MonkeyPatch, forbidden: Path) -> None:
    """Make a file or a folder unreadable, even for root."""

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: str, *arguments: Any, **keys: Any) -> Any:
            if path == str(forbidden):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return real(path, *arguments, **keys)

        return call

    monkeypatch.setattr(os, "open", guarded(os.open))
    monkeypatch.setattr(os, "scandir", guarded(os.scandir))


def fingerprint(home: Path) -> dict[str, tuple[object, ...]]:
    """Return of everything in a home what a reader could change."""
    status = {path: path.lstat() for path in sorted([home, *home.rglob("*")])}
    return {
        str(path): (one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns, path.is_file() and path.read_bytes())
        for path, one in status.items()
    }
