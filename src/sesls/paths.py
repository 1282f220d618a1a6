"""Directories as text: compared in a normal form, shown and stored as they are, never resolved."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import unicodedata
from functools import lru_cache
from urllib.parse import unquote

_LONGEST_PATH = 4096
"""What is longer, in characters, is no directory on any system, or none that anyone wants to read."""

_WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def is_within(path: str | None, directory: str) -> bool:
    """Tell whether a path is a directory or lies below it, at a path boundary; an unknown path never does."""
    if path is None:
        return False
    inner, outer = normal(path), normal(directory)
    return inner == outer or inner.startswith(outer if outer.endswith("/") else outer + "/")


@lru_cache(maxsize=4096)
def normal(path: str) -> str:
    """Return the form in which two spellings of one path are compared: never shown, never opened.

    Links are not followed: a session's directory may be gone, or lie on another machine. For the same reason a path is
    compared as its own system compares it, whatever system sesls runs on: on Windows case does not count.
    """
    path = unicodedata.normalize("NFC", path)
    if not is_windows_path(path):
        normalized = posixpath.normpath(path)
        return normalized[1:] if normalized.startswith("//") else normalized
    path = path.replace("/", "\\")
    if path.startswith("\\\\?\\UNC\\"):
        path = "\\" + path[7:]
    path = ntpath.normpath(path.removeprefix("\\\\?\\"))
    # A name of its own, so that no path of another system is ever a parent of it.
    return "windows:" + path.lower().replace("\\", "/").rstrip("/")


def is_windows_path(path: str) -> bool:
    """Tell whether a path is an absolute one of Windows, whatever the system sesls runs on."""
    return _WINDOWS_PATH.match(path) is not None


def absolute_or_none(path: str | None) -> str | None:
    """Return a path if it is absolute, on any system: a relative one says nothing about where a session ran."""
    if not path or len(path) > _LONGEST_PATH:
        return None
    return path if path.startswith("/") or is_windows_path(path) else None


def of_uri(uri: str) -> str | None:
    """Return the local path that a `file://` URI names, on any system; URIs of other machines name none."""
    if not uri.startswith("file://"):
        return None

    path = unquote(uri.removeprefix("file://"), errors="surrogateescape")
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path


def absolute_dir(path: str | os.PathLike[str], cwd: str, home: str, name: str = "project_dir") -> str:
    """Return a directory as a user types it (relative, `~`, `.`) as an absolute one.

    Raises ValueError, in a sentence that begins with `name`, for a blank one and for what can be no path.
    """
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"{name} is a directory, not {path!r}")
    path = os.fspath(path)
    if not path.strip():
        raise ValueError(f"{name} is a directory, not an empty text")
    if "\0" in path:
        raise ValueError(f"{name} is a directory, not {path!r}")
    if is_windows_path(path):
        return path
    # What is left of it is somebody else's home: `~ada`.
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(expanded(path, home))))


def expanded(path: str, home: str) -> str:
    """Return a path with a home directory in the place of the `~` that it begins with, if it does."""
    return home + path[1:] if path == "~" or path.startswith(("~/", "~" + os.sep)) else path
