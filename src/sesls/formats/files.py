"""Folders and files of a store, looked at without ever blocking, looping or writing.

Every function takes a `report`, which is told the path and the problem when something exists and cannot be
read. What does not exist (any more) is no problem: agents delete sessions while sesls lists them.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from sesls import looks
from sesls.session import Candidate, Store

Report = Callable[[str, str], None]
"""Takes a path and what is wrong with it, in a few lower-case words."""


def ignore(path: str, problem: str) -> None:
    """Report nothing: for what only adds details to a session."""


def heard(report: Report) -> tuple[Report, list[str]]:
    """Return a report that hands on what it is told, and a list of the problems that it will have been told."""
    problems: list[str] = []

    def hear(path: str, problem: str) -> None:
        problems.append(problem)
        report(path, problem)

    return hear, problems


# A link in a loop leads nowhere, like a link to a deleted file.
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
_SYSTEM_TREES = ("/proc/", "/sys/", "/dev/")
_SHARED = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
# A file replaced by a named pipe between the look and the opening must not block.
_READ = os.O_RDONLY | _SHARED | getattr(os, "O_NONBLOCK", 0)
_WITHOUT_ACCESS_TIME = getattr(os, "O_NOATIME", 0)
_JUNCTION = 0xA0000003  # stat.IO_REPARSE_TAG_MOUNT_POINT, which only Windows has
_SHARE_ALL = 1 | 2 | 4  # FILE_SHARE_READ, _WRITE, _DELETE
_LONGEST_OF_WINDOWS = 259


def is_absence(error: OSError) -> bool:
    """Tell whether an error says that a file is not there, as opposed to unreadable."""
    return error.errno in _ABSENT


def failed(path: str, error: OSError, report: Report) -> None:
    """Report why a file could not be read, unless it is gone."""
    if not is_absence(error):
        report(path, reason(error))


def reason(error: OSError) -> str:
    """Return an error in a few lower-case words: `permission denied`."""
    return (error.strerror or str(error)).lower()


def entries(folder: str, report: Report) -> list[os.DirEntry[str]]:
    """Return the entries of a folder by name, links after what they may link to; none if it is not there."""
    if status(folder, report) is None:  # before the entries: what is added meanwhile changes it
        return []
    try:
        with os.scandir(folder) as scan:
            found = list(scan)
    except OSError as error:  # where it is no folder, something is there all the same
        _report(folder, error, report)
        return []
    found.sort(key=lambda entry: (is_link(entry), entry.name))
    return found


def folders(folder: str, report: Report) -> list[os.DirEntry[str]]:
    """Return the sub-folders of a folder, links to folders included."""
    return [entry for entry in entries(folder, report) if is_folder(entry, report)]


def is_folder(entry: os.DirEntry[str], report: Report = ignore) -> bool:
    """Tell whether an entry is a folder or a link to one."""
    if is_link(entry):
        target = status(entry.path, report)
        return target is not None and stat.S_ISDIR(target.st_mode)
    try:
        return entry.is_dir()
    except OSError as error:
        _fail(entry.path, error, report)
        return False


def is_link(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a link, or on Windows a junction, which leads to another folder as a link does."""
    if entry.is_symlink():
        return True
    if sys.platform != "win32":
        return False
    try:
        return getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0) == _JUNCTION
    except OSError:
        return False


def tree(folder: str, report: Report, visited: set[tuple[int, int]] | None = None) -> Iterator[os.DirEntry[str]]:
    """Yield all entries below a folder that are no folders.

    A folder reached twice, by links, counts once, and as itself rather than as linked. Links that lead out to
    what holds the folder itself, or to the system's own trees, are not followed.
    """
    visited = set() if visited is None else visited
    waiting, linked = [folder], deque[str]()
    while waiting or linked:
        current = waiting.pop() if waiting else linked.popleft()
        if not first_visit(current, visited, report):
            continue
        for entry in entries(current, report):
            if not is_folder(entry, report):
                yield entry
            elif not is_link(entry):
                waiting.append(entry.path)
            elif not _leads_out(entry.path, folder):
                linked.append(entry.path)


def _leads_out(link: str, folder: str) -> bool:
    target = os.path.join(os.path.realpath(link), "")
    return target.startswith(_SYSTEM_TREES) or os.path.join(os.path.realpath(folder), "").startswith(target)


def first_visit(folder: str, visited: set[tuple[int, int]], report: Report = ignore) -> bool:
    """Note a folder as visited and tell whether it was not before; False when it cannot be visited."""
    found = status(folder, report)
    if found is None:
        return False
    identity = (found.st_dev, found.st_ino)
    if identity in visited:
        return False
    visited.add(identity)
    return True


def status(path: str, report: Report = ignore) -> os.stat_result | None:
    """Return the status of what a path leads to, or None where there is nothing or it cannot be told."""
    try:
        found = os.stat(path)
    except OSError as error:
        _fail(path, error, report)
        return None
    except ValueError:  # a NUL, or half of a surrogate pair: there can be no such place
        return None
    looks.at(path, looks.identity_of(found))
    return found


def _fail(path: str, error: OSError, report: Report) -> None:
    looks.at(path, None)
    _report(path, error, report)


def _report(path: str, error: OSError, report: Report) -> None:
    if not is_absence(error):
        looks.unsure()
        report(path, reason(error))


def candidate(entry: os.DirEntry[str], role: str, store: Store, report: Report) -> Candidate | None:
    """Return a folder entry as a candidate, or None when it is no regular file, nor a link to one."""
    try:
        # On Windows an entry has no inode, and of a file that is being written an old size and time.
        found = os.stat(entry.path) if sys.platform == "win32" else entry.stat()
    except OSError as error:
        _fail(entry.path, error, report)
        if sys.platform == "win32" and is_absence(error) and len(entry.path) > _LONGEST_OF_WINDOWS:
            report(entry.path, "longer than paths may be, unless Windows is told to take long ones")
        return None
    identity = looks.identity_of(found)
    looks.at(entry.path, identity)
    if not stat.S_ISREG(found.st_mode):
        return None
    return Candidate(entry.path, role, store, identity)


def candidates(entries: Iterable[os.DirEntry[str]], role: str, store: Store, report: Report) -> Iterator[Candidate]:
    """Yield those folder entries that are regular files, or links to one, as candidates."""
    for entry in entries:
        if (found := candidate(entry, role, store, report)) is not None:
            yield found


def opened(path: str) -> int:
    """Open a regular file for reading and return its descriptor, never blocking, its access time kept.

    Raises OSError; for anything but a regular file with the words `not a regular file`.
    """
    try:
        descriptor = _descriptor(path)
    except OSError as error:
        _fail(path, error, ignore)
        raise
    found = os.fstat(descriptor)
    looks.at(path, looks.identity_of(found))
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor


def _descriptor(path: str) -> int:
    if sys.platform == "win32":
        return _shared_descriptor(path)
    try:
        return os.open(path, _READ | _WITHOUT_ACCESS_TIME)
    except PermissionError:
        if not _WITHOUT_ACCESS_TIME:
            raise
        return os.open(path, _READ)  # only a file's owner may keep its access time


def _shared_descriptor(path: str) -> int:
    """Open a file on Windows so that its agent may rename, replace or delete it meanwhile, which `os.open` forbids."""
    if sys.platform != "win32":
        raise NotImplementedError
    import _winapi  # what `multiprocessing` opens pipes with
    import msvcrt

    handle = _winapi.CreateFile(
        path, _winapi.GENERIC_READ, _SHARE_ALL, _winapi.NULL, _winapi.OPEN_EXISTING, 0, _winapi.NULL
    )
    return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_NOINHERIT)


def is_name(text: str) -> bool:
    """Tell whether a text can be the name of one file or folder, as opposed to a path that leads elsewhere."""
    return text not in ("", ".", "..") and os.path.basename(text) == text


def content(path: str, limit: int) -> bytes:
    """Return the first bytes of a regular file, at most `limit` of them. Raises OSError."""
    descriptor = opened(path)
    try:
        pieces = []
        while limit > 0 and (piece := os.read(descriptor, min(limit, 1 << 20))):
            pieces.append(piece)
            limit -= len(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)
