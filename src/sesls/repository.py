"""The project that a directory belongs to, and the other worktrees of its repository, read from git's own files.

A worktree's root holds `.git`: the repository itself, or a file with `gitdir: <path>` (worktrees from git 2.5 on,
submodules). A linked worktree's folder lies in the repository's `worktrees/` and holds `commondir`, the way to the
repository, and `gitdir`, the way to the worktree's `.git`. Relative ways count from the file's own folder; git 2.48
writes them for worktrees too.
"""

from __future__ import annotations

import os

from sesls.formats import files

_LIMIT = 64 * 1024


def worktrees(directory: str) -> tuple[str, ...]:
    """Return the root of a directory's project and those of its repository's other worktrees.

    A directory outside of any repository is a project of its own. Never raises: what cannot be read is left out.
    """
    root = _root(directory)
    if root is None:
        return (os.path.normpath(directory),)
    repository = _repository(os.path.join(root, ".git"))
    found = [root]
    if os.path.basename(repository) == ".git":  # else a bare one, or a submodule's
        found.append(os.path.dirname(repository))
    linked = os.path.join(repository, "worktrees")
    for entry in files.folders(linked, files.ignore):
        place = _way(entry.path, _line(os.path.join(entry.path, "gitdir")))
        if place is not None and os.path.basename(place) == ".git":
            found.append(os.path.dirname(place))
    return tuple(dict.fromkeys(found))


def _root(directory: str) -> str | None:
    """Return the nearest directory upwards that holds a `.git`."""
    directory = os.path.normpath(directory)
    while True:
        if files.status(os.path.join(directory, ".git")) is not None:
            return directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def _repository(git: str) -> str:
    """Return the folder that all worktrees share; of a file that leads nowhere the file itself."""
    line = _line(git)
    if line is None or not line.startswith("gitdir:"):
        return git
    own = _way(os.path.dirname(git), line.removeprefix("gitdir:").strip())
    if own is None:
        return git
    return _way(own, _line(os.path.join(own, "commondir"))) or own


def _way(folder: str, way: str | None) -> str | None:
    return os.path.normpath(os.path.join(folder, way)) if way else None


def _line(path: str) -> str | None:
    """Return what a file of one line says."""
    try:
        content = files.content(path, _LIMIT)
    except (OSError, ValueError):
        return None
    line = os.fsdecode(content).strip("\r\n")
    return line if line and not set(line) & set("\0\r\n") else None
