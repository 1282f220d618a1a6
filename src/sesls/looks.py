"""What an answer was made from, noted while it is made: the answer holds for as long as all of that is as it was.

The functions of `formats` note every file and folder that they look at, there or not, and `Environment` notes the
variables that it is asked for. Adapters need not know: what they look at through those is noted.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec
from msgspec.structs import replace

Identity = bytes
"""What changes when a file or a folder does: size, times of modification and of status change, inode."""

_PACKED = struct.Struct("<qqqQ")
_LARGEST = (1 << 63) - 1

CAN_TRUST_FOLDERS = os.name != "nt"
"""Whether a folder's times tell of every change of its entries; some of Windows' file systems keep none."""

_SETTLED_NS = 2_000_000_000
"""What changed later than this before it was looked at may change again within one tick of a coarse clock."""


class Looks(msgspec.Struct, array_like=True):
    """What was looked at, and how it was."""

    paths: dict[str, Identity | None] = msgspec.field(default_factory=dict)
    """None: not there."""
    variables: dict[str, str | None] = msgspec.field(default_factory=dict)
    cwd: str | None = None
    """The directory sesls was started in, where it mattered."""
    below_cwd: list[str] = msgspec.field(default_factory=list)
    """The paths below it that were looked at."""
    is_unsure: bool = False
    """Whether something failed in a way that may pass without a trace, like a lock."""

    def hold(self, variables: Mapping[str, str], cwd: str, known: dict[str, Identity | None]) -> bool:
        """Tell whether everything is as it was; `known` holds what was looked at already, and gets the rest."""
        for name, value in self.variables.items():
            if variables.get(name) != value:
                return False
        if self.cwd is not None and self.cwd != cwd and not self._mattered_nothing(cwd):
            return False
        return are_as_they_were(self.paths, known)

    def _mattered_nothing(self, cwd: str) -> bool:
        """Tell whether there was nothing below the old working directory, and there is nothing below the new one."""
        assert self.cwd is not None
        return not any(
            self.paths.get(os.path.join(self.cwd, path)) is not None or os.path.lexists(os.path.join(cwd, path))
            for path in self.below_cwd
        )

    def without_paths(self) -> Looks:
        """Return the same without paths but those below the working directory."""
        below = {os.path.join(self.cwd or "", path) for path in self.below_cwd}
        return replace(self, paths={path: self.paths[path] for path in below if path in self.paths})

    def are_settled(self, now_ns: int) -> bool:
        """Tell whether none of what was looked at had changed only just before."""
        before = now_ns - _SETTLED_NS
        return not self.is_unsure and all(
            identity is None or _changed(identity) < before for identity in self.paths.values()
        )

    def include(self, other: Looks) -> None:
        """Add what was looked at for a part of this answer."""
        for path, identity in other.paths.items():
            if identity is None or self.paths.get(path) != identity:  # else one copy of it is enough
                self.paths[path] = identity
        self.variables |= other.variables
        self.cwd = other.cwd or self.cwd
        self.below_cwd += other.below_cwd
        self.is_unsure = self.is_unsure or other.is_unsure


def are_as_they_were(paths: Mapping[str, Identity | None], known: dict[str, Identity | None]) -> bool:
    """Tell whether paths lead to what they led to; `known` holds what was looked at already, and gets the rest."""
    stat, access = os.stat, os.access
    for path, identity in paths.items():
        if path not in known:
            try:
                now = identity_of(stat(path)) if identity is not None or access(path, os.F_OK) else None
            except (OSError, ValueError):
                now = None
            known[path] = identity if now == identity else now
        if known[path] != identity:
            return False
    return True


_current: ContextVar[Looks | None] = ContextVar("looks", default=None)


@contextmanager
def noted() -> Iterator[Looks]:
    """Note what is looked at within; an outer noting gets it too."""
    outer, inner = _current.get(), Looks()
    token = _current.set(inner)
    try:
        yield inner
    finally:
        _current.reset(token)
        if outer is not None:
            outer.include(inner)


def identity_of(status: os.stat_result) -> Identity:
    """Return what changes when the file or folder of a status does."""
    # On Windows it is the time of creation that has this name.
    changed = status.st_ctime_ns if os.name != "nt" else 0
    try:
        return _PACKED.pack(status.st_size, status.st_mtime_ns, changed, status.st_ino)
    except struct.error:  # the year 2262 and later; numbers of 128 bits on some of Windows' file systems
        numbers = (status.st_size, status.st_mtime_ns, changed, status.st_ino)
        return _PACKED.pack(*(min(abs(number), _LARGEST) for number in numbers))


def size_of(identity: Identity) -> int:
    """Return the size of a file, in bytes."""
    return int(_PACKED.unpack(identity)[0])


def mtime_ns_of(identity: Identity) -> int:
    """Return when a file was last changed, in nanoseconds since the epoch."""
    return int(_PACKED.unpack(identity)[1])


def inode_of(identity: Identity) -> int:
    """Return the number that a file has on its device; zero where the system gives none."""
    return int(_PACKED.unpack(identity)[3])


def _changed(identity: Identity) -> int:
    _, modified, changed, _ = _PACKED.unpack(identity)
    return int(changed or modified)


def at(path: str, identity: Identity | None) -> None:
    """Note a look at a path, where there may be nothing."""
    looks = _current.get()
    if looks is not None:
        looks.paths[path] = identity


def at_variable(name: str, value: str | None) -> None:
    """Note that a variable was asked for."""
    looks = _current.get()
    if looks is not None:
        looks.variables[name] = value


def below_cwd(cwd: str, path: str) -> None:
    """Note a look at a path below the directory sesls was started in."""
    looks = _current.get()
    if looks is not None:
        looks.cwd = cwd
        looks.below_cwd.append(path)


def unsure() -> None:
    """Note that something failed that may not fail the next time."""
    looks = _current.get()
    if looks is not None:
        looks.is_unsure = True
