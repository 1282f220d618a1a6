"""Stores of oh-my-pi. Its entries are those of Pi."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, at, put, uuid
from tests.builders.pi import Entry, answered, child, entry, file_name, header, said

AGENT_DIR = ".omp/agent"
MODEL = "gemini-3-pro"


def slot(title: str = "", seconds: float = 0, **keys: object) -> Entry:
    """Return the title that 18 puts before the header, always 256 bytes long."""
    one: Entry = {"type": "title", "v": 1, "title": title, "updatedAt": at(seconds), **keys}
    return one | {"pad": " " * (196 - len(title.encode()))}


def model_change(model: str = f"google/{MODEL}", seconds: float = 0) -> Entry:
    """Return the entry that chooses a model, which oh-my-pi names in one."""
    return entry("model_change", seconds, model=model)


def spawned(number: int = 7, **keys: Any) -> list[Entry]:
    """Return the first entries of a session that another one spawned."""
    task = "Complete assignment thoroughly:\n\nCount the pears"
    return [slot(), header(number, **keys), model_change(), entry("session_init", agent="task", task=task)]


def turns(number: int = 1, text: str | None = None, title: str = "", **keys: Any) -> list[Entry]:
    """Return the entries of a session of one prompt and its answer, as 18 writes them."""
    asked = [said(text or f"Prompt {number}"), answered(model=MODEL)]
    return [slot(title), header(number, **keys), model_change(), *asked]


def old_turns(number: int = 1, text: str | None = None, **keys: Any) -> list[Entry]:
    """Return the same as 13 and 14 wrote it: the title in the header."""
    return [header(number, **keys), model_change(), said(text or f"Prompt {number}"), answered(model=MODEL)]


def folder(home: Path, directory: str = CWD, root: str = AGENT_DIR) -> Path:
    """Return the folder of the sessions of a directory outside the home."""
    return home / root / "sessions" / f"--{directory.removeprefix('/').replace('/', '-')}--"


def session(
    home: Path,
    entries: Iterable[Entry] | bytes | None = None,
    *,
    number: int = 1,
    directory: str = CWD,
    root: str = AGENT_DIR,
    modified: float | None = None,
) -> Path:
    """Write a session; by default of one prompt and its answer."""
    if entries is None:
        entries = turns(number, cwd=directory)
    return put(folder(home, directory, root) / file_name(number), entries, modified)


__all__ = [
    "AGENT_DIR", "MODEL", "answered", "child", "entry", "file_name", "folder", "header", "model_change", "old_turns",
    "said", "session", "slot", "spawned", "turns", "uuid",
]  # fmt: skip
