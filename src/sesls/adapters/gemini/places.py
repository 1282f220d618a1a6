"""Where Gemini CLI keeps its sessions: in one folder for each project, below a folder for what is temporary.

    tmp/<project>/chats/session-<minute>-<start of id>.jsonl      a session (`.json` to 0.38)
    tmp/<project>/chats/<id>/<id of the subagent>.jsonl           one that it spawned (from 0.38)
    tmp/<project>/.project_root                                   the project's directory

A project's folder is named by a slug of its directory's last part, to 0.22 by the SHA-256 of all of it. Antigravity
keeps its own folders beside `tmp`; they are never looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Role of stores.
PROJECTS = "projects"

# Roles of candidates.
SESSION = "session"
SUBAGENT = "subagent"

_VARIABLE = "GEMINI_CLI_HOME"
_SESSION_NAME = re.compile(r"session-.+\.jsonl?", re.DOTALL)
_SUBAGENT_NAME = re.compile(r".+\.jsonl?", re.DOTALL)
_HASH = re.compile(r"[0-9a-f]{64}")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folder of all projects; the variable names the directory that `.gemini` lies in."""
    home = environment.directory(_VARIABLE) or environment.home
    return (Store(os.path.join(os.path.normpath(home), ".gemini", "tmp"), PROJECTS),)


def is_in_force(environment: Environment) -> bool:
    """Tell whether `gemini` looks in the same place when it is started from any directory."""
    value = environment.value(_VARIABLE)
    return value is None or os.path.isabs(value)


def home_of(store: Store) -> str:
    """Return the directory that the `.gemini` of a store lies in."""
    return os.path.dirname(os.path.dirname(store.path))


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that may be sessions."""
    visited: set[tuple[int, int]] = set()
    for project in files.folders(store.path, report):
        chats = os.path.join(project.path, "chats")
        if not files.first_visit(chats, visited, report):
            continue
        for entry in files.entries(chats, report):
            if _SESSION_NAME.fullmatch(entry.name):
                yield from files.candidates([entry], SESSION, store, report)
            elif files.is_folder(entry, report) and files.first_visit(entry.path, visited, report):
                spawned = (one for one in files.entries(entry.path, report) if _SUBAGENT_NAME.fullmatch(one.name))
                yield from files.candidates(spawned, SUBAGENT, store, report)


def project_folder(candidate: Candidate) -> str:
    """Return the folder of the project that a file belongs to."""
    return os.path.join(candidate.store.path, os.path.relpath(candidate.path, candidate.store.path).split(os.sep)[0])


def parent_id(candidate: Candidate) -> str | None:
    """Return the id of the session that spawned the one in a file: its folder's name."""
    return os.path.basename(os.path.dirname(candidate.path)) if candidate.role == SUBAGENT else None


def is_hash(name: str) -> bool:
    """Tell whether a project's folder is one of the old builds', named by a hash."""
    return _HASH.fullmatch(name) is not None
