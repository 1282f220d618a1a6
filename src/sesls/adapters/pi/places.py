"""Where Pi keeps its sessions.

    <agent directory>/sessions/--<directory>--/<time>_<id>.jsonl       a session
    …/<time>_<id>/<run>/run-N/session.jsonl                            one that an extension spawned from it
    <session directory>/<time>_<id>.jsonl                              where a variable or setting moved them

An encoded directory name is not reversible, so it is never decoded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.session import Candidate, Store

# Roles of stores.
SESSIONS = "sessions"
STRAY = "agent directory"

# Role of candidates.
SESSION = "session"


class _Settings(msgspec.Struct, rename="camel"):
    session_dir: str | None = None


_SETTINGS = msgspec.json.Decoder(_Settings)


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the session directories: the agent directory's, and those that a variable or a setting adds."""
    # CODING_AGENT_DIR was the variable of 0.7.
    moved = environment.value("PI_CODING_AGENT_DIR") or environment.value("CODING_AGENT_DIR")
    agent_dir = _directory(moved, environment) if moved is not None else environment.in_home(".pi", "agent")
    places = [os.path.join(agent_dir, "sessions")]
    named = (
        environment.value("PI_CODING_AGENT_SESSION_DIR"),
        _configured(os.path.join(agent_dir, "settings.json")),
        _configured(environment.in_cwd(os.path.join(".pi", "settings.json"))),
    )
    places += [_directory(directory, environment) for directory in named if directory]
    # 0.30.0 wrote its sessions into the agent directory itself.
    return (*(Store(path, SESSIONS) for path in dict.fromkeys(places)), Store(agent_dir, STRAY))


def _directory(value: str, environment: Environment) -> str:
    if value == "~" or value.startswith("~/"):
        value = environment.home + value[1:]
    return environment.in_cwd(value)


def _configured(settings: str) -> str | None:
    """Return the `sessionDir` of a settings file (from 0.63)."""
    found = jsonl.small(settings, _SETTINGS)
    return found.session_dir if found is not None else None


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that may be sessions; most extensions' files are none."""
    entries = files.entries(store.path, report) if store.role == STRAY else files.tree(store.path, report)
    yield from files.candidates((entry for entry in entries if entry.name.endswith(".jsonl")), SESSION, store, report)
