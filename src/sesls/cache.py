"""What earlier listings learnt, kept so that the next one need not read it again.

A cache is a few small files for each agent, replaced as a whole. Everything in it says what it was made from (see
`looks`) and counts only for as long as all of that is as it was. What is missing, damaged, of another version or
somebody else's counts as nothing: losing a cache costs time, never an answer.

It holds no secret. Texts are kept as they are shown, secrets masked; to show one unmasked, its file is read again.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from sesls import __version__, looks, parallel, text
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant, from_file_time, rfc3339
from sesls.looks import Identity, Looks
from sesls.session import Row, Summary, Survey

Record = TypeVar("Record", bound=msgspec.Struct)
Item = TypeVar("Item")

_HEADER = f"sesls {__version__} cache 1\n".encode()
_FOLDER = re.compile(r"[0-9a-f]{8}")
_FILE = re.compile(r"[a-z0-9_-]+\.(?:survey|facts|rows|contents)(?:\.\d+)?")
_CHECKED = 1024
"""How much before the place where a reading stopped must be the same for it to go on there, in bytes."""


class _KeptSurvey(msgspec.Struct, array_like=True):
    """A survey of all of an agent's stores, its summaries without what details are read from."""

    looks: Looks
    survey: Survey


class _KeptFacts(msgspec.Struct, array_like=True):
    """What the first reading of one file told."""

    looks: Looks
    facts: msgspec.Raw
    is_masked: bool


class _KeptRow(msgspec.Struct, array_like=True):
    """What the details of one session came to."""

    looks: Looks
    row: Row


class _KeptContents(msgspec.Struct, array_like=True):
    """What the second reading of one file told."""

    version: str
    identity: Identity
    check: int
    contents: msgspec.Raw
    is_masked: bool


class Memory:
    """What is remembered of one agent, on disk where there is a folder for it."""

    def __init__(self, agent: str, folder: str | None = None, *, redact: bool = True, processes: int = 1) -> None:
        self._agent = agent
        self._folder = folder
        self.redact = redact
        self._processes = processes
        self._is_awake = folder is not None
        """Whether anything is remembered at all."""
        self._now_ns = time.time_ns()
        self._known: dict[str, Identity | None] = {}
        """What this listing looked at."""
        self.found: Survey | None = None
        """What this listing found by looking through the stores; its summaries have their sources."""
        self._sections: dict[str, dict[str, msgspec.Raw]] = {}
        self._changed: set[str] = set()
        self._is_survey_new = False

    def again(self) -> Memory:
        """Return the memory of one more listing by the same process; it knows what this one learnt, on disk or not."""
        memory = Memory(self._agent, self._folder, redact=self.redact, processes=self._processes)
        memory._is_awake = True
        memory._sections, memory._changed = self._sections, self._changed
        return memory

    def survey(self, environment: Environment) -> Survey | None:
        """Return the last survey if it still holds; its summaries have no source."""
        kept = self._get("survey", "", _KeptSurvey)
        if kept is None or not kept.looks.hold(environment.variables, environment.cwd, {}):
            return None
        self._known = kept.looks.paths
        return kept.survey

    def keep_survey(self, survey: Survey, seen: Looks) -> None:
        """Keep a survey, where a folder's time tells of every change in it."""
        self.found = survey
        self._known = seen.paths
        self._is_survey_new = True
        if looks.CAN_TRUST_FOLDERS:
            bare = tuple(replace(summary, source=None) for summary in survey.summaries)
            self._put("survey", "", seen, lambda: _KeptSurvey(seen, replace(survey, summaries=bare)))

    def facts(self, path: str, kind: type[Record], seen: Looks) -> Record | None:
        """Return what the first reading of a file told, if that still holds, and note it as seen."""
        kept = self._get("facts", path, _KeptFacts)
        if kept is None or (kept.is_masked and not self.redact) or not kept.looks.hold({}, "", seen.paths):
            return None
        facts = _decoded(kept.facts, kind)
        return None if facts is None else _shown(facts)

    def has_facts(self, path: str) -> bool:
        """Tell whether anything is remembered of the first reading of a file."""
        return self._is_awake and path in self._entries("facts")

    def keep_facts(self, path: str, facts: msgspec.Struct, seen: Looks) -> None:
        """Keep what the first reading of a file told."""
        masked, is_masked = _masked(facts)
        self._put("facts", path, seen, lambda: _KeptFacts(seen, _encoded(masked), is_masked))

    def row(self, summary: Summary, environment: Environment) -> Row | None:
        """Return what the details of a session came to, if that still holds."""
        kept = self._get("rows", summary.digest, _KeptRow)
        if kept is None or (kept.row.is_masked and not self.redact):
            return None
        return kept.row if kept.looks.hold(environment.variables, environment.cwd, self._known) else None

    def keep_row(self, summary: Summary, row: Row, seen: Looks) -> None:
        """Keep what the details of a session came to, if secrets are masked in them."""
        if self.redact and summary.digest:
            self._put("rows", summary.digest, seen, lambda: _KeptRow(seen, row))

    def read(
        self,
        path: str,
        start: Record,
        add: Callable[[Record, str, int], None],
        *,
        version: object = None,
        can_grow: bool = True,
    ) -> Record:
        """Return what all of a file tells; see `Reader`."""
        own_version = digest(version)
        offset = 0
        kept = self._get("contents", path, _KeptContents)
        if kept is not None and kept.version == own_version and (self.redact or not kept.is_masked):
            status = files.status(path)
            identity = None if status is None else looks.identity_of(status)
            is_same = identity == kept.identity
            if is_same or (can_grow and _has_grown(path, kept, identity)):
                contents = _decoded(kept.contents, type(start))
                if contents is not None and is_same:
                    return _shown(contents)
                if contents is not None:
                    start, offset = _shown(contents), kept.identity[0]
        with looks.noted() as seen:
            add(start, path, offset)
        identity = seen.paths.get(path)
        if self._is_awake and identity is not None:
            masked, is_masked = _masked(start)
            check = _check(path, identity[0])
            self._keep(
                "contents", path, lambda: _KeptContents(own_version, identity, check, _encoded(masked), is_masked)
            )
        return start

    def spread(self, work: Callable[[Sequence[Item]], object], items: Sequence[Item], least: int) -> None:
        """Do work on items in several processes, at least so many items in each, or do none of it.

        What the work remembers is remembered here. Whatever goes wrong, something is not, and is read again.
        """
        processes = min(self._processes, len(items) // least)
        if processes > 1:
            self._is_awake = True
            for learnt in parallel.run(lambda place: self._learn(work, items[place::processes]), processes):
                self._absorb(learnt)

    def _learn(self, work: Callable[[Sequence[Item]], object], items: Sequence[Item]) -> bytes:
        """Return what work adds to what is remembered."""
        before = {section: dict(entries) for section, entries in self._sections.items()}
        work(items)
        learnt = {
            section: {key: entry for key, entry in entries.items() if before.get(section, {}).get(key) is not entry}
            for section, entries in self._sections.items()
            if section in self._changed
        }
        return msgspec.msgpack.encode(learnt)

    def _absorb(self, learnt: bytes) -> None:
        with suppress(msgspec.DecodeError):
            for section, entries in msgspec.msgpack.decode(learnt, type=dict[str, dict[str, msgspec.Raw]]).items():
                self._entries(section).update(entries)
                self._changed.add(section)

    def save(self, summaries: Collection[Summary]) -> None:
        """Write what is new where there is a folder, and drop what is about sessions and files that are gone."""
        if self._is_survey_new:
            current: dict[str, Collection[str]] = {
                "facts": self._known,
                "rows": {summary.digest for summary in summaries},
                "contents": self._known,
            }
            for section, keys in current.items():
                entries = self._entries(section)
                if gone := entries.keys() - keys:
                    self._sections[section] = {key: entry for key, entry in entries.items() if key not in gone}
                    self._changed.add(section)
        for section in self._changed if self._folder is not None else ():
            _write(self._path(section), self._sections[section])
        self._changed.clear()

    def _get(self, section: str, key: str, kind: type[Record]) -> Record | None:
        entry = self._entries(section).get(key) if self._is_awake else None
        return None if entry is None else _decoded(entry, kind)

    def _put(self, section: str, key: str, seen: Looks, entry: Callable[[], msgspec.Struct]) -> None:
        if self._is_awake and seen.are_settled(self._now_ns):
            self._keep(section, key, entry)

    def _keep(self, section: str, key: str, entry: Callable[[], msgspec.Struct]) -> None:
        try:
            key.encode()
            encoded = _encoded(entry())
        except (TypeError, ValueError, OverflowError):
            return  # what cannot be kept, like a lone surrogate: a name that is no UTF-8, or half an emoji
        self._entries(section)[key] = encoded
        self._changed.add(section)

    def _entries(self, section: str) -> dict[str, msgspec.Raw]:
        if section not in self._sections:
            self._sections[section] = {} if self._folder is None else _read(self._path(section))
        return self._sections[section]

    def _path(self, section: str) -> str:
        assert self._folder is not None
        return os.path.join(self._folder, f"{self._agent}.{section}")


def folder(environment: Environment) -> str | None:
    """Return where what is known of an environment's home is kept; None where nothing is to be kept."""
    if environment.cache_home is None or environment.value("SESLS_NO_CACHE"):
        return None
    # One home may be looked at with several configurations, as on a mounted disk.
    name = zlib.crc32(f"{environment.home}\0{environment.config_home}".encode("utf-8", "surrogateescape"))
    return os.path.join(environment.cache_home, f"{name:08x}")


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
        agent = os.path.basename(path).partition(".")[0]
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


def digest(value: object) -> str:
    """Return a short text that is another one for any other value; an empty one where there can be none."""
    from hashlib import blake2b  # here: a listing from the cache alone needs none

    try:
        return blake2b(_encoded(value), digest_size=12).hexdigest()
    except (TypeError, ValueError, OverflowError):
        return ""


def _decoded(entry: msgspec.Raw, kind: type[Record]) -> Record | None:
    try:
        return msgspec.msgpack.decode(entry, type=kind)
    except msgspec.DecodeError:
        return None


def _encoded(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=_plain))


def _plain(value: object) -> str:
    if isinstance(value, text.Shown):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be kept")


def _masked(record: Record) -> tuple[Record, bool]:
    """Return a record as it may be kept, its `titles` as they are shown, and whether that masks a secret."""
    titles: dict[str, str] = getattr(record, "titles", {})
    counts: Counter[str] = Counter()
    if titles:
        from sesls import redaction  # here: a listing from the cache alone needs none

        shown = {name: text.title(title, partial(redaction.redact, counts=counts)) for name, title in titles.items()}
        record = replace(record, titles={name: title for name, title in shown.items() if title is not None})
    return record, bool(counts)


def _shown(record: Record) -> Record:
    """Return a kept record with its titles known for what they are."""
    titles: dict[str, str] = getattr(record, "titles", {})
    return replace(record, titles={name: text.Shown(title) for name, title in titles.items()}) if titles else record


def _has_grown(path: str, kept: _KeptContents, now: Identity | None) -> bool:
    """Tell whether a file is the one that was read, with more at its end."""
    size, _, _, inode = kept.identity
    return now is not None and now[3] == inode and now[0] >= size and _check(path, size) == kept.check >= 0


def _check(path: str, end: int) -> int:
    """Return a checksum of what stands before a place in a file; below zero where no line ends there."""
    try:
        from sesls.formats import jsonl  # here: a listing from the cache alone needs none

        with jsonl.opened(path) as file:
            before = jsonl.read_at(file.descriptor, min(end, _CHECKED), max(0, end - _CHECKED))
    except OSError:
        return -1
    return zlib.crc32(before) if before.endswith(b"\n") else -1


def _read(path: str) -> dict[str, msgspec.Raw]:
    """Return the entries of a section; none where there is no sound one of our own."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not _is_own(status):
                return {}
            content = file.read()
    except OSError:
        return {}
    header, check, body = content[: len(_HEADER)], content[len(_HEADER) :][:4], content[len(_HEADER) + 4 :]
    if header != _HEADER or check != zlib.crc32(body).to_bytes(4):
        return {}
    try:
        return msgspec.msgpack.decode(body, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return {}


def _is_own(status: os.stat_result) -> bool:
    """Tell whether nobody else can have written a file."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _write(path: str, entries: Mapping[str, msgspec.Raw]) -> None:
    """Replace a section as a whole; where that fails, there is none the next time."""
    body = msgspec.msgpack.encode(entries)
    temporary = f"{path}.{os.getpid()}"
    try:
        for parent in (os.path.dirname(os.path.dirname(path)), os.path.dirname(path)):
            os.makedirs(parent, mode=0o700, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(descriptor, "wb") as file:
            file.write(_HEADER + zlib.crc32(body).to_bytes(4) + body)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
