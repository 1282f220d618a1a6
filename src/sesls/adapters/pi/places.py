"""Where Pi keeps its sessions.

    <agent directory>/sessions/--<directory>--/<time>_<id>.jsonl       a session
    …/<time>_<id>/<run>/run-N/session.jsonl                            one that an extension spawned from it
    <agent directory>/subagent-sessions/…                              those that other extensions spawned
    <session directory>/<time>_<id>.jsonl                              where a variable or setting moved them

An encoded directory name is not reversible, so it is never decoded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import msgspec

from sesls.adapters.pi_family import names
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.session import Candidate, Store

# Roles of stores.
SESSIONS = "sessions"
MOVED = "moved sessions"
STRAY = "agent directory"
"""0.30.0 wrote its sessions into the agent directory itself."""

# Role of candidates.
SESSION = "session"

_OWN_FOLDER = re.compile(rf"--.*--|{names.TIME}_.+", re.DOTALL)


class _Settings(msgspec.Struct, rename="camel"):
    session_dir: str | None = None


_SETTINGS = msgspec.json.Decoder(_Settings)


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the session directories: the agent directory's, and those that a variable or a setting adds."""
    # CODING_AGENT_DIR was the variable of 0.7.
    moved = environment.value("PI_CODING_AGENT_DIR") or environment.value("CODING_AGENT_DIR")
    agent_dir = environment.expanded(moved) if moved is not None else environment.in_home(".pi", "agent")
    own = [os.path.join(agent_dir, "sessions"), os.path.join(agent_dir, "subagent-sessions")]
    named = (
        environment.value("PI_CODING_AGENT_SESSION_DIR"),
        _configured(os.path.join(agent_dir, "settings.json")),
        _configured(environment.in_cwd(os.path.join(".pi", "settings.json"))),
    )
    moved_to = dict.fromkeys(environment.expanded(directory) for directory in named if directory)
    return (
        *(Store(path, SESSIONS) for path in own),
        *(Store(path, MOVED) for path in moved_to if path not in own),
        Store(agent_dir, STRAY),
    )


def _configured(settings: str) -> str | None:
    """Return the `sessionDir` of a settings file (from 0.63)."""
    found = jsonl.small(settings, _SETTINGS)
    return found.session_dir if found is not None else None


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that may be sessions; most extensions' files are none."""
    entries = files.tree(store.path, report) if store.role == SESSIONS else _near(store, report)
    yield from files.candidates((entry for entry in entries if entry.name.endswith(".jsonl")), SESSION, store, report)


def _near(store: Store, report: files.Report) -> Iterator[os.DirEntry[str]]:
    """Yield the files of a folder that holds other things too, and of the folders that Pi makes there."""
    for entry in files.entries(store.path, report):
        if not files.is_folder(entry, report):
            yield entry
        elif store.role == MOVED and _OWN_FOLDER.fullmatch(entry.name):
            yield from files.tree(entry.path, report)
