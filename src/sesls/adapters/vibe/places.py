"""Where Mistral Vibe keeps its sessions. All generations can lie in one directory.

session_<time>_<id>.json                            a session (1.x)
session_<time>_<id>/meta.json, messages.jsonl       a session (2.0 to 2.9)
session_…/agents/<agent>_<time>_<id>/…              one that it spawned
unified/<id>/meta.json, CURRENT, …                  a session (2.26 to 3.0)
unified/child-<24 hex>/CURRENT, …                   one that another spawned: without a meta.json (3.0)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
SESSIONS = "sessions"

# Roles of candidates.
SAVE = "save of 1.x"
FOLDER = "folder of 2.x"
UNIFIED = "unified folder"

META = "meta.json"
MESSAGES = "messages.jsonl"
CURRENT = "CURRENT"
_AGENTS = "agents"
_LONGEST_SETTINGS = 1 << 20
# A setting may name another prefix than `session`; those of spawned ones are the names of agents.
_NAME = re.compile(r".+_\d{8}_\d{6}_[^.]+", re.DOTALL)
_CHILD_NAME = re.compile(r"child-[0-9a-f]+")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the session directory of Vibe's home, and those that settings name instead."""
    home = environment.expanded(environment.value("VIBE_HOME") or environment.in_home(".vibe"))
    settings = (os.path.join(home, "config.toml"), environment.in_cwd(os.path.join(".vibe", "config.toml")))
    moved = [environment.expanded(path) for path in map(_configured, settings) if path is not None]
    return tuple(Store(path, SESSIONS) for path in dict.fromkeys([os.path.join(home, "logs", "session"), *moved]))


def _configured(settings: str) -> str | None:
    """Return the `session_logging.save_dir` of a settings file."""
    try:
        content = files.content(settings, _LONGEST_SETTINGS) if files.status(settings) is not None else b""
    except OSError:
        return None
    if b"save_dir" not in content:
        return None
    import tomllib  # few settings name a directory

    try:
        found = tomllib.loads(content.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    logging = found.get("session_logging")
    path = logging.get("save_dir") if isinstance(logging, dict) else None
    return path if isinstance(path, str) and path.strip() else None


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files that stand for the sessions of a store."""
    for entry in files.entries(store.path, report):
        stem, extension = os.path.splitext(entry.name)
        if extension == ".json" and _NAME.fullmatch(stem):
            yield from files.candidates([entry], SAVE, store, report)
    yield from _folders(store.path, store, report, set())
    for folder in files.folders(os.path.join(store.path, "unified"), report):
        inner = {entry.name: entry for entry in files.entries(folder.path, report)}
        standing = [inner[name] for name in (META, CURRENT) if name in inner]
        yield from files.candidates(standing[:1], UNIFIED, store, report)


def _folders(root: str, store: Store, report: files.Report, visited: set[tuple[int, int]]) -> Iterator[Candidate]:
    """Yield the sessions of 2.x in a folder, and those that they spawned."""
    for folder in files.folders(root, report):
        if _NAME.fullmatch(folder.name) and files.first_visit(folder.path, visited, report):
            inner = {entry.name: entry for entry in files.entries(folder.path, report)}
            if META in inner:
                yield from files.candidates([inner[META]], FOLDER, store, report)
            if _AGENTS in inner:
                yield from _folders(inner[_AGENTS].path, store, report, visited)


def is_spawned(candidate: Candidate) -> bool:
    """Tell whether a session lies where those lie that another session spawned."""
    folder = os.path.dirname(candidate.path)
    if candidate.role == FOLDER:
        return os.path.basename(os.path.dirname(folder)) == _AGENTS
    return candidate.role == UNIFIED and _CHILD_NAME.fullmatch(os.path.basename(folder)) is not None


def spawning_folder(candidate: Candidate) -> str:
    """Return the folder of the session that spawned one of 2.x."""
    return os.path.dirname(os.path.dirname(os.path.dirname(candidate.path)))
