"""Where Qwen Code keeps its sessions, below a directory that variables and a setting may move.

    projects/<slug>/chats/<uuid>.jsonl                          a session; the name is its id
    projects/<slug>/chats/archive/<uuid>.jsonl                  one that was archived
    projects/<slug>/subagents/<uuid>/agent-<id>.jsonl           a subagent, and `agent-<id>.meta.json` about it
    tmp/<hash>/chats/session-<minute>-<start of id>.json        a session of 0.1

A slug is not reversible: `/a/b-c` and `/a/b/c` share a folder. It is never decoded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

import msgspec

from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.session import Candidate, Store

# Roles of stores.
PROJECTS = "projects"
OLD = "sessions of old builds"

# Roles of candidates.
SESSION = "session"
ARCHIVED = "archived session"
SUBAGENT = "subagent"
CONVERSATION = "session of an old build"

_SESSION_NAME = re.compile(r"[0-9A-Fa-f-]{32,36}\.jsonl")
_SUBAGENT_NAME = re.compile(r"agent-(.+)\.jsonl", re.DOTALL)
_CONVERSATION_NAME = re.compile(r"session-.+\.json", re.DOTALL)


class _Advanced(msgspec.Struct, rename="camel"):
    runtime_output_dir: str | None = None


class _Settings(msgspec.Struct):
    advanced: _Advanced | None = None


_SETTINGS = msgspec.json.Decoder(_Settings)


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folders of all sessions, those of the directory in force first."""
    return tuple(
        Store(os.path.join(base, name), role)
        for base in _bases(environment)
        for name, role in (("projects", PROJECTS), ("tmp", OLD))
    )


def _bases(environment: Environment) -> tuple[str, ...]:
    """Return the directories that hold sessions: the one that a variable names, or those of settings and the home.

    What was written before somebody changed the setting is still in the home.
    """
    moved = environment.value("QWEN_RUNTIME_DIR")
    if moved is not None:
        return (_directory(moved, environment),)
    home = _home(environment)
    named = [_configured(os.path.join(environment.in_cwd(".qwen"), "settings.json"))]
    named.append(_configured(os.path.join(home, "settings.json")))
    return tuple(dict.fromkeys([*(_directory(one, environment) for one in named if one), home]))


def _home(environment: Environment) -> str:
    moved = environment.value("QWEN_HOME")
    return _directory(moved, environment) if moved is not None else environment.in_home(".qwen")


def _directory(value: str, environment: Environment) -> str:
    return os.path.normpath(environment.expanded(value))


def _configured(settings: str) -> str | None:
    found = jsonl.small(settings, _SETTINGS)
    return found.advanced.runtime_output_dir if found is not None and found.advanced is not None else None


def is_in_force(store: Store, environment: Environment) -> bool:
    """Tell whether `qwen` looks in a store when it is started from any directory."""
    moved = environment.value("QWEN_RUNTIME_DIR")
    if moved is None:
        moved = _configured(os.path.join(_home(environment), "settings.json")) or environment.value("QWEN_HOME")
    in_force = environment.in_home(".qwen") if moved is None else _directory(moved, environment)
    is_anywhere = moved is None or os.path.isabs(moved) or moved == "~" or moved.startswith("~/")
    return is_anywhere and in_force == base_of(store)


def base_of(store: Store) -> str:
    """Return the directory that a store lies in."""
    return os.path.dirname(store.path)


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that may be sessions."""
    visited: set[tuple[int, int]] = set()
    for project in files.folders(store.path, report):
        if not files.first_visit(project.path, visited, report):
            continue
        chats = os.path.join(project.path, "chats")
        for entry in files.entries(chats, report):
            if _SESSION_NAME.fullmatch(entry.name):
                yield from files.candidates([entry], SESSION, store, report)
            elif store.role == OLD and _CONVERSATION_NAME.fullmatch(entry.name):
                yield from files.candidates([entry], CONVERSATION, store, report)
        archive = files.entries(os.path.join(chats, "archive"), report)
        yield from files.candidates(_named(archive, _SESSION_NAME), ARCHIVED, store, report)
        for spawner in files.folders(os.path.join(project.path, "subagents"), report):
            spawned = files.entries(spawner.path, report)
            yield from files.candidates(_named(spawned, _SUBAGENT_NAME), SUBAGENT, store, report)


def _named(entries: Iterable[os.DirEntry[str]], pattern: re.Pattern[str]) -> Iterator[os.DirEntry[str]]:
    return (entry for entry in entries if pattern.fullmatch(entry.name))


def id_in_name(path: str) -> str:
    """Return the id in the name of a session's or a subagent's file."""
    name = os.path.basename(path)
    match = _SUBAGENT_NAME.fullmatch(name)
    return match[1] if match is not None else name.removesuffix(".jsonl")


def parent_id(path: str) -> str:
    """Return the id of the session that a subagent's file belongs to: its folder's name."""
    return os.path.basename(os.path.dirname(path))
