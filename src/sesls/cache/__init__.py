"""What earlier listings learnt, kept so that the next one need not read it again.

A cache is a few small files for each agent, replaced as a whole. Everything in it says what it was made from (see
`looks`) and counts only for as long as all of that is as it was. What is missing, damaged, of another version or
somebody else's counts as nothing: losing a cache costs time, never an answer.

It holds no secret. Texts are kept as they are shown, secrets masked; to show one unmasked, its file is read again.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from sesls import looks, parallel, text
from sesls.cache import disk, sections
from sesls.cache.facts import Facts
from sesls.cache.sections import CANNOT_BE_KEPT, Item, Record, Section, decoded, encoded
from sesls.cache.surveys import Surveys, is_sure
from sesls.environment import Environment
from sesls.formats import files
from sesls.looks import Identity, Looks
from sesls.session import Candidate, Row, Summary, Survey

Result = TypeVar("Result")

Learnt = dict[str, sections.Entries]
"""What a process learnt, by section and key."""

_ROWS_PIECE = 128
"""How many rows are written and read back at a time: a page, which is mostly of the newest, needs only the first."""
_END_OF_TIME = 1 << 62
_LEAST_CONTENTS = 64 << 10
"""A smaller file is read as a whole again when it has grown, which takes less time than to keep what it told."""
_CHECKED = 1024
"""How much before the place where a reading stopped must be the same for it to go on there, in bytes."""


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
        self.processes = processes
        """How many may read at once."""
        self._is_awake = folder is not None
        """Whether anything is remembered at all."""
        self._now_ns = time.time_ns()
        self._known: dict[str, Identity | None] = {}
        """What this listing looked at."""
        self._sections: dict[str, Section] = {}
        self._facts = Facts(None if folder is None else self._path("facts"), version)
        self._learnt: Learnt | None = None
        """What is new, in a process that works for another one."""
        self._is_many = False
        """Whether so much is remembered that it is held with more thrift."""
        self._gone: dict[str, set[str]] = {}
        """The keys of what is about sessions and files that are gone, by section."""
        self._has_successor = False
        """Whether this process may list once more."""
        self.sources: dict[tuple[str, str], Summary] | None = None
        """Sessions with their sources, by id and path: all of the last survey, or those that were looked for."""
        self._surveys: Surveys | None = None
        if folder is not None:
            self._surveys = Surveys(self._path("survey"), self._path("summaries"), version, self._now_ns)
        self._last: list[tuple[Survey, list[Summary], Looks]] = []
        """The last survey of this process, if it may list once more, its sessions, and what it was made from."""
        self._found: list[Summary] = []
        """The sessions of the next one."""

    def again(self) -> Memory:
        """Return the memory of one more listing by the same process; it knows what this one learnt, on disk or not."""
        memory = Memory(self._agent, self._folder, version=self._version, redact=self.redact, processes=self.processes)
        memory._is_awake = memory._has_successor = True
        memory._sections, memory._facts, memory._last = self._sections, self._facts, self._last
        memory._facts.is_needed_again = True
        return memory

    def wake(self) -> None:
        """Remember what this listing learns, even if no later one will know."""
        self._is_awake = True

    def survey(
        self, environment: Environment, make: Callable[[Iterable[Summary]], Result], *, for_all_rows: bool = False
    ) -> tuple[Survey, Result] | None:
        """Return the last survey, and what is made of its summaries, if it still holds.

        Where it comes from disk, the summaries have no source, and only as many of them are in memory as `make` holds.
        If `for_all_rows` are going to be asked for, and many of them are not remembered, it is better made anew: else
        many sessions would be in memory with their sources and without.
        """
        for last, summaries, seen in self._last:
            if seen.hold(environment.variables, environment.cwd, self._known):
                return last, make(summaries)
            self._known = {}
        if self._surveys is not None:
            with suppress(ValueError):
                kept = self._surveys.last(environment.variables, environment.cwd, self._noted_looks)
                if kept is not None and not (for_all_rows and self._lacks_rows(kept.sessions)):
                    return kept.survey, make(self._surveys.summaries(kept.token))
        self._known = {}
        return None

    def _lacks_rows(self, sessions: int) -> bool:
        return sessions >= sections.MANY and sum(1 for _ in self._section("rows").all_keys()) < sessions

    def last_summaries(self) -> Iterator[Summary]:
        """Yield the sessions that a listing found last, whatever has changed since."""
        if self._surveys is not None:
            with suppress(ValueError):
                yield from self._surveys.summaries()

    def last_title(self, summary: Summary) -> str | None:
        """Return the title that was last shown of a session, secrets masked, if it was shown since it was found so."""
        kept = self._get("rows", _row_key(summary), _KeptRow)
        return None if kept is None else kept.row.title

    def keeping(self, summaries: Iterable[Summary], seen: Looks) -> Iterator[Summary]:
        """Yield summaries as they are found, and keep them; `seen` is what was looked at so far. See `keep_survey`."""
        noted = self._noted(summaries)
        return noted if self._surveys is None else self._surveys.keeping(noted, seen)

    def _noted(self, summaries: Iterable[Summary]) -> Iterator[Summary]:
        """Yield summaries, and note of which rows none of them is."""
        self._found, gone = [], set(self._section("rows").all_keys())
        self._gone["rows"] = gone
        for summary in summaries:
            if gone:
                gone.discard(_row_key(summary))
            if self._has_successor:
                self._found.append(summary)
            yield summary
        if self._has_successor:
            self.sources = {(one.uuid, one.path): one for one in self._found}

    def keep_survey(self, survey: Survey, seen: Looks) -> None:
        """Keep a survey whose summaries have passed, if it can be sure of what it saw."""
        self._known = seen.paths
        self._gone["contents"] = {path for path in self._section("contents").all_keys() if path not in seen.paths}
        if not is_sure(seen, self._now_ns):
            return
        if self._has_successor:
            self._last[:] = [(survey, self._found, replace(seen, paths=dict(seen.paths)))]  # details look at more
        if self._surveys is not None:
            self._surveys.keep(survey, seen)

    def first_readings(self) -> AbstractContextManager[None]:
        """Have what is passed on within remembered of the first readings of files, in place of all that was."""
        return self._facts.renewed()

    def unread(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return those files of which no first reading is remembered."""
        return self._facts.unread(candidates)

    def pass_on(self, path: str) -> None:
        """Have what the first reading of a file told remembered, and let it go here."""
        self._facts.pass_on(path)

    def facts(self, path: str, kind: type[Record], seen: Looks) -> Record | None:
        """Return what the first reading of a file told, if that still holds, and note it as seen."""
        entry = self._facts.get(path) if self._is_awake else None
        kept = None if entry is None else decoded(entry, _KeptFacts)
        if kept is None or (kept.is_masked and not self.redact):
            return None
        paths = {path: kept.identity} if kept.seen is None else kept.seen.paths
        facts = decoded(kept.facts, kind) if looks.are_as_they_were(paths, seen.paths) else None
        if facts is not None and len(seen.paths) >= sections.MANY:
            sections.share(facts, facts.__struct_fields__)
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

    def begin_to_learn(self) -> None:
        """From now on in this process, which works for another one, note what is new."""
        if self._learnt is None:
            for section in self._sections.values():
                section.part_ways()
        self._learnt = {}

    def learnt(self) -> Learnt:
        """Return what is new since then, by section and key."""
        return self._learnt or {}

    def absorb(self, learnt: Learnt) -> None:
        """Remember what another process learnt."""
        for name, entries in learnt.items():
            for key, entry in entries.items():
                self._remember(name, key, entry)

    def save(self) -> None:
        """Write what is new, and drop what is about sessions and files that are gone."""
        for name in ("contents", "rows"):
            self._save(name, self._gone.get(name, set()))

    def _save(self, name: str, gone: Container[str]) -> None:
        """Write a section where it changed, without what is gone, and forget it here."""
        section = self._section(name)
        if self._folder is None:
            section.drop(gone)
        elif section.is_changed or gone:
            section.close()
            size = _ROWS_PIECE if name == "rows" else sections.PIECE
            disk.write(self._path(name), sections.pieces(section.all(gone), size), self._version)
        if self._folder is not None:
            del self._sections[name]

    def _noted_looks(self) -> dict[str, Identity | None]:
        """Return what this listing looked at, to be added to; where it is very much, none of it is noted."""
        if len(self._known) >= sections.MANY:
            self._known, self._is_many = {}, True
        return {} if self._is_many else self._known

    def _get(self, name: str, key: str, kind: type[Record]) -> Record | None:
        is_known_to_be_none = name == "rows" and self._learnt is not None  # else this process would not be asked
        entry = self._section(name).get(key) if self._is_awake and not is_known_to_be_none else None
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
        if self._learnt is not None:
            self._learnt.setdefault(name, {})[key] = kept
        if self._learnt is None or name == "contents":  # which two sessions may share
            self._remember(name, key, kept)

    def _remember(self, name: str, key: str, entry: msgspec.Raw) -> None:
        if name == "facts":
            self._facts.put(key, entry)
        else:
            self._section(name).put(key, entry)

    def _section(self, name: str) -> Section:
        if name not in self._sections:
            aside = None if self._folder is None else disk.Aside(self._folder).put
            holds = self._has_successor
            self._sections[name] = Section(partial(self._from_disk, name), aside, holds=holds)
        return self._sections[name]

    def _from_disk(self, name: str) -> Iterator[bytes]:
        return iter(()) if self._folder is None else disk.read(self._path(name), self._version)

    def _path(self, section: str) -> str:
        assert self._folder is not None
        return os.path.join(self._folder, f"{self._agent}.{section}")


def spread(
    memories: Sequence[Memory], work: Callable[[Item], object], items: Sequence[Item], least: int
) -> Iterator[Item]:
    """Yield items in their order, each after work was done on it in one of several processes.

    Where they are not at least so many for each process, none was done. What the work remembers in any of the memories
    is remembered here. Whatever goes wrong, something is not, and is read again.
    """
    processes = min(*(memory.processes for memory in memories), len(items) // least) if items else 1
    if processes < 2:
        yield from items
        return
    of = min(len(items), parallel.MOST_TURNS)
    for memory in memories:
        memory.wake()

    def part(turn: int) -> Sequence[Item]:
        return items[turn * len(items) // of : (turn + 1) * len(items) // of]

    def here(turn: int) -> None:
        for item in part(turn):
            work(item)

    def there(turn: int) -> bytes:
        for memory in memories:
            memory.begin_to_learn()
        here(turn)
        return msgspec.msgpack.encode([memory.learnt() for memory in memories])

    for turn, result in enumerate(parallel.in_order(here, there, of, processes)):
        if result:
            with suppress(msgspec.DecodeError):
                for memory, learnt in zip(memories, msgspec.msgpack.decode(result, type=list[Learnt]), strict=True):
                    memory.absorb(learnt)
        yield from part(turn)


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
    """Return the key of a session's row; they sort as sessions do."""
    return f"{_END_OF_TIME - summary.last_activity:016x}{summary.uuid}\0{summary.digest.hex()}"


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
