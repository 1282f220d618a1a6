"""The files of the cache: where they lie, how they are written and read back, and how they are cleared away."""

from __future__ import annotations

import math
import os
import re
import struct
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import BinaryIO, cast

import msgspec

from sesls import __version__, interruption
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant, from_file_time, rfc3339

_FRAME = struct.Struct(">II")
"""What stands before a piece: its length, and the sum of all pieces so far. The last one has no length."""
_FOLDER = re.compile(r"[0-9a-f]{8}|packages")
_HALF_WRITTEN = re.compile(r"[a-z0-9_-]+\.[a-z]+\.\d+")
_ABANDONED_NS = 3600 * 10**9
"""No file is written for so long, in nanoseconds."""
_FILE = re.compile(r"[a-z0-9_-]+\.(?:survey|summaries|facts|rows|contents|plugins)(?:\.\d+)?")


def read(path: str, version: str = "") -> Iterator[bytes]:
    """Yield the pieces of a file as they were written by a version; none where there is no file of our own.

    Raises ValueError as soon as a piece is not as it was written, or missing.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 - a file that fails later is no missing one
    except OSError:
        return
    with file:
        try:
            yield from _pieces(file, path, version)
        except OSError as error:
            raise ValueError("unreadable") from error


def _pieces(file: BinaryIO, path: str, version: str) -> Iterator[bytes]:
    status, header = os.fstat(file.fileno()), _header(version)
    if not _is_own(status) or file.read(len(header)) != header:
        return
    check = _first_check(path)
    while len(frame := file.read(_FRAME.size)) == _FRAME.size:
        length, expected = _FRAME.unpack(frame)
        piece = file.read(min(length, status.st_size))
        check = zlib.crc32(piece, check)
        if len(piece) < length or check != expected:
            raise ValueError("damaged")
        if not length:
            break
        yield piece
    if len(frame) < _FRAME.size or file.read(1):
        raise ValueError("cut off, or longer")


def _first_check(path: str) -> int:
    """Return the sum before the first piece, to which each piece adds: those of another file do not fit."""
    return zlib.crc32(os.fsencode(os.path.basename(path)))


def write(path: str, pieces: Iterable[bytes], version: str = "") -> None:
    """Replace a file as a whole; where that fails, the old one stays.

    Raises what making the pieces raises.
    """
    with replaced(path, version) as add:
        for piece in pieces:
            add(piece)


@contextmanager
def replaced(path: str, version: str = "") -> Iterator[Callable[[bytes], None]]:
    """Replace a file as a whole by the pieces that are added within, or remove it where there are none.

    Where that fails, or anything is raised within, the old one stays.
    """
    temporary = f"{path}.{os.getpid()}"
    with interruption.cleared_by(lambda: remove(temporary)):
        writer = _Writer(path, temporary, version)
        try:
            yield writer.add
        except BaseException:
            writer.abandon()
            raise
        writer.finish()


class _Writer:
    """What writes pieces to a file; from the first failure on, nothing any more."""

    def __init__(self, path: str, temporary: str, version: str) -> None:
        self._path = path
        self._temporary = temporary
        self._version = version
        self._check = _first_check(path)
        self._file: BinaryIO | None = None
        self._is_abandoned = False

    def add(self, piece: bytes) -> None:
        if self._is_abandoned:
            return
        self._check = zlib.crc32(piece, self._check)
        with self._abandoned_if_it_fails():
            if self._file is None:
                self._file = _created(self._temporary)
                self._file.write(_header(self._version))
            self._file.write(_FRAME.pack(len(piece), self._check))
            self._file.write(piece)

    def finish(self) -> None:
        if self._file is None:
            if not self._is_abandoned:
                remove(self._path)
            return
        with self._abandoned_if_it_fails():
            self._file.write(_FRAME.pack(0, self._check))
            self._file.close()
            os.replace(self._temporary, self._path)

    def abandon(self) -> None:
        self._is_abandoned = True
        if self._file is not None:
            with suppress(OSError):  # a full disk refuses what is still to be written, too
                self._file.close()
            self._file = None
        remove(self._temporary)

    @contextmanager
    def _abandoned_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self.abandon()


def _created(path: str) -> BinaryIO:
    folder = os.path.dirname(path)
    for parent in (os.path.dirname(folder), folder):
        os.makedirs(parent, mode=0o700, exist_ok=True)
    _remove_abandoned(folder)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    return open(descriptor, "wb")


def _remove_abandoned(folder: str) -> None:
    """Remove what processes that were killed left half written."""
    for name in os.listdir(folder):  # not by `files`: a listing does not depend on this folder
        path = os.path.join(folder, name)
        if _HALF_WRITTEN.fullmatch(name) and _ABANDONED_NS < age_ns(path, time.time_ns()) < math.inf:
            remove(path)


class Aside:
    """A file without a name into which pieces are put aside, there for as long as this or what reads any of them."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None

    def put(self, pieces: Iterable[bytes]) -> Callable[[], Iterator[bytes]]:
        """Put pieces aside and return what reads them back, which raises ValueError. Raises OSError."""
        if self._file is None:
            from tempfile import TemporaryFile  # here: few listings have so much to write

            file = TemporaryFile(dir=self._folder)  # noqa: SIM115 - open for as long as it may be read
            self._file = cast("BinaryIO", file)
        start = self._file.seek(0, os.SEEK_END)
        for piece in pieces:
            self._file.write(len(piece).to_bytes(8) + piece)
        self._file.flush()
        return partial(self._read, self._file, start, self._file.tell())

    def _read(self, file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
        try:
            while start < end:
                file.seek(start)  # others may be read in between
                piece = file.read(int.from_bytes(file.read(8)))
                start = file.tell()
                yield piece
        except OSError as error:
            raise ValueError("unreadable") from error

    def __del__(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


def age_ns(path: str, now_ns: int) -> float:
    """Return how long ago a file was written, in nanoseconds; infinite where there is none."""
    try:
        return now_ns - os.stat(path).st_mtime_ns
    except OSError:
        return math.inf


def _header(version: str) -> bytes:
    return f"sesls {__version__} cache 4 {version}\n".encode("utf-8", "replace")


def remove(path: str) -> None:
    """Remove a file, if it is there and can be removed."""
    with suppress(OSError):
        os.unlink(path)


def _is_own(status: os.stat_result) -> bool:
    """Tell whether nobody else can have written a file."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def folder(environment: Environment) -> str | None:
    """Return where what is known of an environment's home is kept; None where nothing is to be kept."""
    home = environment.cache()
    if home is None:
        return None
    # One home may be looked at with several configurations, as on a mounted disk.
    name = zlib.crc32(f"{environment.home}\0{environment.config_home}".encode("utf-8", "surrogateescape"))
    return os.path.join(home, f"{name:08x}")


def plugins(cache_home: str) -> str:
    """Return where it is kept which adapters other packages bring."""
    return os.path.join(cache_home, "packages", "adapters.plugins")


class Kept(msgspec.Struct, frozen=True):
    """How much is remembered of one agent."""

    agent: str
    size: int
    """In bytes."""
    changed: Instant

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"agent": self.agent, "size_bytes": self.size, "changed": rfc3339(self.changed)}


def kept(environment: Environment) -> list[Kept]:
    """Return how much is remembered of each agent, in all homes."""
    sizes: Counter[str] = Counter()
    changes: dict[str, int] = {}
    for path, status in _files(environment):
        agent, _, section = os.path.basename(path).partition(".")
        if section.startswith("plugins"):
            continue
        sizes[agent] += status.st_size
        changes[agent] = max(changes.get(agent, 0), status.st_mtime_ns)
    return [Kept(agent, size, from_file_time(changes[agent])) for agent, size in sorted(sizes.items())]


def clear(environment: Environment) -> None:
    """Remove all that is remembered. Raises OSError where it cannot be removed."""
    paths = [path for path, _ in _files(environment)]
    for path in paths:
        os.unlink(path)
    for parent in {os.path.dirname(path) for path in paths}:
        with suppress(OSError):  # something else lies there
            os.rmdir(parent)


def _files(environment: Environment) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files of all caches, those of a writing that was interrupted too."""
    home = environment.cache_home
    for parent in files.folders(home, files.ignore) if home is not None else ():
        if _FOLDER.fullmatch(parent.name):
            for entry in files.entries(parent.path, files.ignore):
                if _FILE.fullmatch(entry.name):
                    yield entry.path, entry.stat(follow_symlinks=False)
