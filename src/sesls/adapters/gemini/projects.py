"""Which directory a project's folder belongs to.

The folder says so itself (`.project_root`, from 0.30), or else the registry of all projects. A hash is not reversible,
but a directory that is known from elsewhere can be recognised by it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import msgspec

from sesls.adapters.gemini import places
from sesls.formats import files, jsonl
from sesls.paths import absolute_or_none
from sesls.session import Store

_MARK_LIMIT = 64 << 10


class _Registry(msgspec.Struct):
    """`projects.json`: the name of its folder by the directory of every project."""

    projects: dict[str, object] | None = None


_REGISTRY = msgspec.json.Decoder(_Registry)
_TRUSTED = msgspec.json.Decoder(dict[str, object])


class Projects(msgspec.Struct, frozen=True):
    """The directories that the files of one home name."""

    by_name: Mapping[str, str]
    """By the name of the project's folder."""
    by_hash: Mapping[str, str]
    """By their SHA-256; empty where every folder is named."""

    def directory(self, name: str, project_hash: str | None) -> str | None:
        """Return the directory of a project's folder, or None where nothing tells it.

        The hash is the one that a session of the project was written with.
        """
        return self.by_name.get(name) or self.by_hash.get(name) or self.by_hash.get(project_hash or "")


def read(store: Store) -> Projects:
    """Return what a home tells of its projects' directories."""
    root = os.path.dirname(store.path)
    registered = _registered(os.path.join(root, "projects.json"))
    names = [folder.name for folder in files.folders(store.path, files.ignore)]
    by_name: dict[str, str] = {}
    for name in names:
        marked = _marked(os.path.join(store.path, name)) or _marked(os.path.join(root, "history", name))
        owners = [directory for directory, owned in registered.items() if owned == name]
        if marked is not None:
            by_name[name] = marked
        elif len(owners) == 1:
            by_name[name] = owners[0]
    if len(by_name) == len(names):
        return Projects(by_name, {})
    trusted = _trusted(os.path.join(root, "trustedFolders.json"))
    return Projects(by_name, _hashed([places.home_of(store), *trusted, *registered, *by_name.values()]))


def _marked(folder: str) -> str | None:
    try:
        return absolute_or_none(files.content(os.path.join(folder, ".project_root"), _MARK_LIMIT).decode().strip())
    except (OSError, ValueError):
        return None


def _registered(path: str) -> dict[str, object]:
    found = jsonl.small(path, _REGISTRY)
    projects = (found.projects if found is not None else None) or {}
    return {directory: name for directory, name in projects.items() if absolute_or_none(directory) is not None}


def _trusted(path: str) -> list[str]:
    """Return the directories that a person was asked to trust (from 0.11)."""
    try:
        known = _TRUSTED.decode(files.content(path, jsonl.SMALL))
    except (OSError, ValueError, RecursionError):  # not there, or no JSON
        return []
    return [directory for directory in known if absolute_or_none(directory) is not None]


def _hashed(directories: Iterable[str]) -> dict[str, str]:
    from hashlib import sha256  # here: only the folders of old builds need it

    return {sha256(one.encode("utf-8", "surrogatepass")).hexdigest(): one for one in directories}
