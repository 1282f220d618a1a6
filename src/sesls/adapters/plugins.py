"""Adapters that other packages bring: found by their entry points, imported when they are needed.

A package names them in its `pyproject.toml`, by the word that `--agent` takes:

    [project.entry-points."sesls.adapters"]
    acme = "sesls_acme.adapter"
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout, suppress
from typing import Any

import msgspec

from sesls import looks
from sesls.cache import disk
from sesls.formats import files
from sesls.looks import Looks

GROUP = "sesls.adapters"
NAME = re.compile(r"[a-z][a-z0-9-]*")
"""The words that `--agent` takes."""
_LONGEST_ENTRY_POINTS = 1 << 20
_NEEDED = ("LABEL", "VERSIONS", "IS_DESCRIBED", "FACTS", "stores", "find", "summarise", "unite", "hints", "details")


class Plugin(msgspec.Struct, frozen=True, array_like=True):
    """An adapter of another package."""

    target: str
    """`package.module`, or `package.module:object`."""
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


class _Remembered(msgspec.Struct, array_like=True):
    """What installed packages bring, and the folders that they lie in."""

    folders: Looks
    plugins: dict[str, Plugin]


def found(cache_home: str | None, cwd: str) -> Mapping[str, Plugin]:
    """Return the adapters that installed packages bring, by agent.

    What lies in the working directory, or beside the program that runs, is not installed. To look through all packages
    takes tens of milliseconds, so what was found is remembered for as long as no package is installed or removed.
    """
    program = os.path.abspath(sys.argv[0])
    others = ("", cwd, os.path.dirname(program), os.path.dirname(os.path.realpath(program)))
    folders = [path for path in dict.fromkeys(sys.path) if path not in others]
    remembered = None if cache_home is None else _remembered(cache_home)
    if remembered is not None and list(remembered.folders.paths) == folders and remembered.folders.hold({}, "", {}):
        return remembered.plugins
    with looks.noted() as seen:
        for folder in folders:
            files.status(folder)
    plugins = dict(_installed(folders))
    if cache_home is not None and looks.CAN_TRUST_FOLDERS and seen.are_settled(time.time_ns()):
        with suppress(TypeError, ValueError):
            disk.write(disk.plugins(cache_home), [msgspec.msgpack.encode(_Remembered(seen, plugins))])
    return plugins


def _remembered(cache_home: str) -> _Remembered | None:
    with suppress(ValueError):
        for piece in disk.read(disk.plugins(cache_home)):
            return msgspec.msgpack.decode(piece, type=_Remembered)
    return None


def _installed(folders: list[str]) -> Iterator[tuple[str, Plugin]]:
    """Yield the adapters of all packages in some folders, by name; the last one of a name counts."""
    folders = [folder for folder in folders if _may_bring(folder)]
    if not folders:
        return
    from importlib.metadata import distributions  # here: it takes as long to import as all else

    for package in sorted(distributions(path=folders), key=lambda package: package.name, reverse=True):
        for entry in package.entry_points:
            if entry.group == GROUP and NAME.fullmatch(entry.name):
                yield entry.name, Plugin(entry.value, package.name, package.version)


def _may_bring(folder: str) -> bool:
    """Tell whether any package in a folder, or in an archive, may name adapters."""
    if os.path.isfile(folder) or folder.lower().endswith(".egg"):
        return True
    for entry in files.entries(folder, files.ignore):
        if entry.name.lower().endswith((".dist-info", ".egg-info")):
            with suppress(OSError):
                if GROUP.encode() in files.content(os.path.join(entry.path, "entry_points.txt"), _LONGEST_ENTRY_POINTS):
                    return True
    return False


def load(plugin: Plugin) -> Any:
    """Import an adapter. Raises ValueError, in one sentence, for what is none."""
    from pkgutil import resolve_name  # here: few have a plug-in

    try:
        with redirect_stdout(sys.stderr):
            adapter = resolve_name(plugin.target)
    except (Exception, SystemExit) as error:  # whatever a package does must never cost the others
        raise ValueError(f"cannot be loaded: {type(error).__name__}: {error}") from error
    if missing := [name for name in _NEEDED if not hasattr(adapter, name)]:
        raise ValueError(f"is no adapter: it has no {', '.join(missing)}")
    return adapter
