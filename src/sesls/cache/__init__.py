"""What earlier listings learnt, kept so that the next one need not read it again.

A cache is a few small files for each agent, replaced as a whole. Everything in it says what it was made from (see
`looks`) and counts only for as long as all of that is as it was. What is missing, damaged, of another version or
somebody else's counts as nothing: losing a cache costs time, never an answer.

It holds no secret. Texts are kept as they are shown, secrets masked; to show one unmasked, its file is read again.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import TypeVar

import msgspec
from msgspec.structs import force_setattr, replace

from sesls import looks, parallel, text
from sesls.cache import disk, sections
from sesls.cache.facts import Facts
from sesls.cache.sections import CANNOT_BE_KEPT, Item, Record, Section, batches, decoded, encoded
from sesls.environment import Environment
from sesls.formats import files
from sesls.looks import Identity, Looks
from sesls.session import Candidate, Row, Summary, Survey

Result = TypeVar("Result")

_PIECE = 512
"""How many entries are written and read back at a time: all at once would be in memory twice."""
_ROWS_PIECE = 128
"""The same for rows: a page, which is mostly of the newest, needs only the first."""
_OLD_NS = 600 * 10**9
"""How old the last survey may get where listings cannot be sure of theirs, in nanoseconds."""
_MANY = 20_000
"""From so many on, what is remembered is held with more thrift: it takes more time, and less memory."""
_COMMON = ("agent", "parent_uuid", "project_dir", "launch_surface")
"""What many summaries have in common."""
_LEAST_CONTENTS = 64 << 10
"""A smaller file is read as a whole again when it has grown, which takes less time than to keep what it told."""
_CHECKED = 1024
"""How much before the place where a reading stopped must be the same for it to go on there, in bytes."""


class _KeptSurvey(msgspec.Struct, array_like=True):
    """A survey of all of an agent's stores, and what it was made from but for the paths, which follow."""

    survey: Survey
    seen: Looks
    token: bytes
    """What the file of its summaries begins with; empty where there are none."""


class _KeptFacts(msgspec.Struct, array_like=True):
    """What the first reading of one file told."""

    identity: Identity | None
    seen: Looks | None
    """None where nothing but the file itself was looked at."""
    facts: msgspec.Raw
    is_masked: bool


class _KeptRow(msgspec.Struct, array_like=True):
    """What the details of one session came to."""

    looks: Looks
    row: Row


class _KeptContents(msgspec.Struct, array_like=True):
    """What the second reading of one file told."""

    version: bytes
    identity: Identity
    check: int
    contents: msgspec.Raw
    is_masked: bool


class Memory:
    """What is remembered of one agent, on disk where there is a folder for it."""

    def __init__(
        self, agent: str, folder: str | None = None, *, version: str = "", redact: bool = True, processes: int = 1
    ) -> None:
        self._agent = agent
        self._version = version
        """Of the adapter, where sesls does not bring it: another version of it may read files in another way."""
        self._folder = folder
        self.redact = redact
        self._processes = processes
        self._is_awake = folder is not None
        """Whether anything is remembered at all."""
        self._now_ns = time.time_ns()
        self._known: dict[str, Identity | None] = {}
        """What this listing looked at."""
        self._sections: dict[str, Section] = {}
        self._facts = Facts(None if folder is None else self._path("facts"), version)
        self._learnt: dict[str, dict[str, msgspec.Raw]] | None = None
        """What is new, in a process that works for another one."""
        self._is_many = False
        """Whether so much is remembered that it is held with more thrift."""
        self._token: bytes | None = None
        """What the file of the summaries begins with that this listing found; None where they cannot be kept."""
        self._present: dict[str, set[str]] = {}
        """The keys of all that there may be in a section, where this listing looked through the stores."""
        self._has_successor = False
        """Whether this process may list once more."""
        self.found: list[Summary] = []
        """Sessions that this listing found, with their sources: all, if this process may list once more."""
        self._last: list[tuple[Survey, list[Summary], Looks]] = []
        """The same of the last listing of this process, and what it was made from."""

    def again(self) -> Memory:
        """Return the memory of one more listing by the same process; it knows what this one learnt, on disk or not."""
        memory = Memory(self._agent, self._folder, version=self._version, redact=self.redact, processes=self._processes)
        memory._is_awake = memory._has_successor = True
        memory._sections, memory._facts, memory._last = self._sections, self._facts, self._last
        memory._facts.holds = True
        return memory

    def survey(
        self, environment: Environment, make: Callable[[Iterable[Summary]], Result]
    ) -> tuple[Survey, Result] | None:
        """Return the last survey, and what is made of its summaries, if it still holds.

        Where it comes from disk, the summaries have no source, and only as many of them are in memory as `make` holds.
        """
        for last, summaries, seen in self._last:
            if seen.hold(environment.variables, environment.cwd, self._known):
                return last, make(summaries)
            self._known = {}
        if self._folder is not None:
            with suppress(ValueError):
                kept = self._kept_survey(environment)
                if kept is not None:
                    return kept.survey, make(self._kept_summaries(kept.token) if kept.token else ())
        self._known = {}
        return None

    def _kept_survey(self, environment: Environment) -> _KeptSurvey | None:
        """Return the last survey from disk if it still holds. Raises ValueError where it is damaged."""
        pieces = disk.read(self._path("survey"), self._version)
        first = next(pieces, None)
        if first is None:
            return None
        kept = msgspec.msgpack.decode(first, type=_KeptSurvey)
        if not kept.seen.hold(environment.variables, environment.cwd, self._known):
            return None
        for piece in pieces:
            paths = msgspec.msgpack.decode(piece, type=dict[str, Identity | None])
            if not looks.are_as_they_were(paths, self._noted_looks()):
                return None
        return kept

    def _kept_summaries(self, token: bytes | None = None) -> Iterator[Summary]:
        """Yield summaries from disk, without their sources. Raises ValueError where they are damaged, or others."""
        pieces = disk.read(self._path("summaries"), self._version)
        first = next(pieces, None)
        if token not in (None, first):
            raise ValueError("of another survey")
        for number, piece in enumerate(pieces):
            summaries = msgspec.msgpack.decode(piece, type=list[Summary])
            if number * _PIECE >= _MANY:
                for summary in summaries:
                    _share(summary, _COMMON)
            yield from summaries

    def last_summaries(self) -> Iterator[Summary]:
        """Yield the sessions that a listing found last, whatever has changed since."""
        if self._folder is not None:
            with suppress(ValueError):
                yield from self._kept_summaries()

    def last_title(self, summary: Summary) -> str | None:
        """Return the title that was last shown of a session, secrets masked, if it was shown since it was found so."""
        kept = self._get("rows", _row_key(summary), _KeptRow)
        return None if kept is None else kept.row.title

    def passing(self, summaries: Iterable[Summary], seen: Looks) -> Iterator[Summary]:
        """Yield summaries as they are found, and keep them for the next listing, or at least for who asks for the last.

        `seen` is what was looked at so far; see `keep_survey`.
        """
        if self._folder is None:
            yield from self._noted(summaries)
            return
        path = self._path("summaries")
        if disk.age_ns(path, self._now_ns) < _OLD_NS and not seen.are_settled(self._now_ns):
            self._token = None
            yield from self._noted(summaries)
            return
        self._token = b""
        with disk.replaced(path, self._version) as add:
            for some in batches(self._noted(summaries), _PIECE):
                if self._token == b"":
                    self._token = os.urandom(8)
                    add(self._token)
                try:
                    add(encoded([replace(one, source=None) for one in some]))
                except CANNOT_BE_KEPT:
                    self._token = None
                yield from some

    def _noted(self, summaries: Iterable[Summary]) -> Iterator[Summary]:
        """Yield summaries, and note which rows there may be."""
        has_rows = self._has_successor if self._folder is None else os.path.exists(self._path("rows"))
        self.found, rows = [], set[str]()
        if has_rows:
            self._present["rows"] = rows
        for summary in summaries:
            if has_rows:
                rows.add(_row_key(summary))
            if self._has_successor:
                self.found.append(summary)
            yield summary

    def keep_survey(self, survey: Survey, seen: Looks) -> None:
        """Keep a survey whose summaries have passed, where a folder's time tells of every change in it."""
        self._known = seen.paths
        self._present["contents"] = {path for path in self._section("contents").all_keys() if path in seen.paths}
        if not (looks.CAN_TRUST_FOLDERS and seen.are_settled(self._now_ns)):
            return
        if self._has_successor:
            self._last[:] = [(survey, self.found, replace(seen, paths=dict(seen.paths)))]  # details look at more
        if self._folder is not None and self._token is not None:
            with suppress(*CANNOT_BE_KEPT):
                disk.write(self._path("survey"), _survey_pieces(survey, seen, self._token), self._version)

    def first_readings(self) -> AbstractContextManager[None]:
        """Have what is settled within remembered of the first readings of files, in place of all that was."""
        return self._facts.renewed()

    def unread(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return those files of which no first reading is remembered."""
        self._is_many = len(candidates) >= _MANY
        return self._facts.unread(candidates)

    def settle(self, path: str) -> None:
        """Remember what was told, or kept, of the first reading of a file."""
        self._facts.settle(path)

    def facts(self, path: str, kind: type[Record], seen: Looks) -> Record | None:
        """Return what the first reading of a file told, if that still holds, and note it as seen."""
        entry = self._facts.get(path) if self._is_awake else None
        kept = None if entry is None else decoded(entry, _KeptFacts)
        if kept is None or (kept.is_masked and not self.redact):
            return None
        paths = {path: kept.identity} if kept.seen is None else kept.seen.paths
        facts = decoded(kept.facts, kind) if looks.are_as_they_were(paths, seen.paths) else None
        if facts is not None and self._is_many:
            _share(facts, facts.__struct_fields__)
        return None if facts is None else _shown(facts)

    def keep_facts(self, path: str, facts: msgspec.Struct, seen: Looks) -> None:
        """Keep what the first reading of a file told."""
        others = None if seen == Looks({path: seen.paths.get(path)}) else seen
        identity = seen.paths.get(path)
        self._put("facts", path, seen, lambda: _KeptFacts(identity, others, *_as_kept(facts)))

    def row(self, summary: Summary, environment: Environment) -> Row | None:
        """Return what the details of a session came to, if that still holds."""
        kept = self._get("rows", _row_key(summary), _KeptRow)
        if kept is None or (kept.row.is_masked and not self.redact):
            return None
        return kept.row if kept.looks.hold(environment.variables, environment.cwd, self._noted_looks()) else None

    def keep_row(self, summary: Summary, row: Row, seen: Looks) -> None:
        """Keep what the details of a session came to, if secrets are masked in them."""
        if self.redact and summary.digest:
            self._put("rows", _row_key(summary), seen, lambda: _KeptRow(seen, row))

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
                contents = decoded(kept.contents, type(start))
                if contents is not None and is_same:
                    return _shown(contents)
                if contents is not None:
                    start, offset = _shown(contents), looks.size_of(kept.identity)
        with looks.noted() as seen:
            add(start, path, offset)
        identity = seen.paths.get(path)
        if self._is_awake and identity is not None and looks.size_of(identity) >= _LEAST_CONTENTS:
            check = _check(path, looks.size_of(identity))
            self._keep("contents", path, lambda: _KeptContents(own_version, identity, check, *_as_kept(start)))
        return start

    def spread(self, work: Callable[[Item], object], items: Sequence[Item], least: int) -> Iterator[Item]:
        """Yield items in their order, each after work was done on it in one of several processes.

        Where they are not at least so many for each process, none was done. What the work remembers is remembered
        here. Whatever goes wrong, something is not, and is read again.
        """
        processes = min(self._processes, len(items) // least)
        if processes < 2:
            yield from items
            return
        of = min(len(items), parallel.MOST_TURNS)
        self._is_awake = True
        for section in self._sections.values():
            section.read_up()  # processes share the place up to which an open file was read

        def part(turn: int) -> Sequence[Item]:
            return items[turn * len(items) // of : (turn + 1) * len(items) // of]

        def here(turn: int) -> None:
            for item in part(turn):
                work(item)

        def there(turn: int) -> bytes:
            self._learnt = {}
            here(turn)
            return msgspec.msgpack.encode(self._learnt)

        for turn, learnt in enumerate(parallel.in_order(here, there, of, processes)):
            if learnt:
                self._absorb(learnt)
            yield from part(turn)

    def _absorb(self, learnt: bytes) -> None:
        with suppress(msgspec.DecodeError):
            for name, entries in msgspec.msgpack.decode(learnt, type=dict[str, dict[str, msgspec.Raw]]).items():
                for key, entry in entries.items():
                    self._remember(name, key, entry)

    def save(self) -> None:
        """Write what is new, and drop what is about sessions and files that are gone."""
        for name in ("contents", "rows"):
            self._save(name, self._present.get(name))

    def _save(self, name: str, keys: Container[str] | None) -> None:
        """Write a section where it changed, with the entries of some keys alone, and forget it here."""
        section = self._section(name)
        if self._folder is None:
            if keys is not None:
                section.keep(keys)
            return
        if section.is_changed or (keys is not None and not all(key in keys for key in section.all_keys())):
            left = (one for one in section.all() if keys is None or one[0] in keys)
            pieces = sections.pieces(left, _ROWS_PIECE if name == "rows" else _PIECE)
            disk.write(self._path(name), pieces, self._version)
        del self._sections[name]

    def _noted_looks(self) -> dict[str, Identity | None]:
        """Return what this listing looked at, to be added to; where it is very much, none of it is noted."""
        if len(self._known) >= _MANY:
            self._known, self._is_many = {}, True
        return {} if self._is_many else self._known

    def _get(self, name: str, key: str, kind: type[Record]) -> Record | None:
        entry = self._section(name).get(key) if self._is_awake else None
        return None if entry is None else decoded(entry, kind)

    def _put(self, name: str, key: str, seen: Looks, entry: Callable[[], msgspec.Struct]) -> None:
        if self._is_awake and seen.are_settled(self._now_ns):
            self._keep(name, key, entry)

    def _keep(self, name: str, key: str, entry: Callable[[], msgspec.Struct]) -> None:
        try:
            key.encode()
            kept = msgspec.Raw(encoded(entry()))
        except CANNOT_BE_KEPT:
            return
        self._remember(name, key, kept)
        if self._learnt is not None:
            self._learnt.setdefault(name, {})[key] = kept

    def _remember(self, name: str, key: str, entry: msgspec.Raw) -> None:
        if name == "facts":
            self._facts.put(key, entry)
            return
        self._section(name).put(key, entry)
        if name in self._present:
            self._present[name].add(key)

    def _section(self, name: str) -> Section:
        if name not in self._sections:
            aside = None if self._folder is None else partial(disk.aside, self._folder)
            holds = self._has_successor
            self._sections[name] = Section(partial(self._from_disk, name), aside, holds=holds)
        return self._sections[name]

    def _from_disk(self, name: str) -> Iterator[bytes]:
        return iter(()) if self._folder is None else disk.read(self._path(name), self._version)

    def _path(self, section: str) -> str:
        assert self._folder is not None
        return os.path.join(self._folder, f"{self._agent}.{section}")


def memory_of(agent: str, environment: Environment, *, redact: bool = True, processes: int = 1) -> Memory:
    """Return what is remembered of an agent in an environment's home."""
    version = str(environment.plugins.get(agent, ""))
    return Memory(agent, disk.folder(environment), version=version, redact=redact, processes=processes)


def digest(value: object) -> bytes:
    """Return eight bytes that are others for any other value; none where there can be none."""
    # Here: a listing from the cache alone needs none. And not from hashlib: that loads OpenSSL, for 4 ms and 4 MB.
    from _blake2 import blake2b

    try:
        return blake2b(encoded(value), digest_size=8).digest()
    except CANNOT_BE_KEPT:
        return b""


def _row_key(summary: Summary) -> str:
    """Return the key of a session's row; the newer the session, the later it sorts."""
    return f"{summary.last_activity + (1 << 62):016x}{summary.digest.hex()}"


def _share(record: msgspec.Struct, names: Iterable[str]) -> None:
    """Make a record use the one copy of each of some texts that other records have too."""
    for name in names:
        if type(value := getattr(record, name)) is str:
            force_setattr(record, name, sys.intern(value))


def _as_kept(record: Record) -> tuple[msgspec.Raw, bool]:
    """Return a record without its secrets, and whether that masks one. Raises ValueError where that cannot be done."""
    from sesls.cache.masking import masked  # here: a listing from the cache alone needs none

    kept, is_masked = masked(record)
    return msgspec.Raw(encoded(kept)), is_masked


def _shown(record: Record) -> Record:
    """Return a kept record with its titles known for what they are."""
    titles: dict[str, str] = getattr(record, "titles", None) or {}
    return replace(record, titles={name: text.Shown(title) for name, title in titles.items()}) if titles else record


def _has_grown(path: str, kept: _KeptContents, now: Identity | None) -> bool:
    """Tell whether a file is the one that was read, with more at its end."""
    size = looks.size_of(kept.identity)
    return (
        now is not None
        and looks.inode_of(now) == looks.inode_of(kept.identity)
        and looks.size_of(now) >= size
        and _check(path, size) == kept.check >= 0
    )


def _check(path: str, end: int) -> int:
    """Return a checksum of what stands before a place in a file; below zero where no line ends there."""
    try:
        from sesls.formats import jsonl  # here: a listing from the cache alone needs none

        with jsonl.opened(path) as file:
            before = jsonl.read_at(file.descriptor, min(end, _CHECKED), max(0, end - _CHECKED))
    except OSError:
        return -1
    return zlib.crc32(before) if before.endswith(b"\n") else -1


def _survey_pieces(survey: Survey, seen: Looks, token: bytes) -> Iterator[bytes]:
    yield encoded(_KeptSurvey(survey, seen.without_paths(), token))
    for paths in batches(seen.paths.items(), _PIECE):
        yield encoded(dict(paths))
