"""Where Codex keeps its sessions, which it calls threads, and which files there hold some.

sessions/YYYY/MM/DD/rollout-<local time>-<thread>.jsonl      a thread (flat in `sessions/` before 0.8)
…/rollout-<local time>-<thread>_<segment>.jsonl              a later segment of one (from about 0.162)
…/rollout-….jsonl.zst                                        the same, compressed when cold
sessions/rollout-YYYY-MM-DD-<thread>.json                    a save of the TypeScript builds
archived_sessions/rollout-…                                  archived threads (from 0.32)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores and of the files in them.
ACTIVE = "sessions"
ARCHIVED = "archived sessions"
TYPESCRIPT = "saves of the TypeScript builds"

COMPRESSED = ".zst"

_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_ROLLOUT = re.compile(r"rollout-.*\.(?:jsonl|jsonl\.zst|json)", re.DOTALL)
_NAME = re.compile(rf"rollout-(?:\d{{4}}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-)?({_UUID})(?:_({_UUID}))?\.")


class Name(NamedTuple):
    """What a file's name tells; a record in the file says it with more authority."""

    thread_id: str | None
    segment_id: str | None


def home(environment: Environment) -> str:
    """Return Codex's home directory."""
    return environment.directory("CODEX_HOME") or environment.in_home(".codex")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folders of active and archived threads."""
    own, default = home(environment), environment.in_home(".codex")
    places = [
        Store(os.path.join(own, "sessions"), ACTIVE),
        Store(os.path.join(own, "archived_sessions"), ARCHIVED),
    ]
    if own != default:
        # The TypeScript builds know no CODEX_HOME.
        places.append(Store(os.path.join(default, "sessions"), TYPESCRIPT))
    return tuple(places)


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the rollouts of a store; a compressed one only where the plain one is not beside it."""
    entries = [entry for entry in files.tree(store.path, report) if _ROLLOUT.fullmatch(entry.name)]
    if store.role == TYPESCRIPT:
        entries = [entry for entry in entries if entry.name.endswith(".json")]
    rollouts = list(files.candidates(entries, store.role, store, report))
    plain = {rollout.path for rollout in rollouts if rollout.size}
    for rollout in rollouts:
        if not rollout.path.endswith(COMPRESSED) or rollout.path.removesuffix(COMPRESSED) not in plain:
            yield rollout


def name(path: str) -> Name:
    """Return what a rollout's file name tells."""
    match = _NAME.match(os.path.basename(path))
    return Name(match[1], match[2]) if match is not None else Name(None, None)
