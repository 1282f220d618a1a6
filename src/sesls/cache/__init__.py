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
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice

import msgspec
from msgspec.structs import force_setattr, replace

from sesls import looks, parallel, text
from sesls.cache import disk, sections
from sesls.cache.sections import CANNOT_BE_KEPT, Item, Record, Section, batches, decoded, encoded
from sesls.environment import Environment
from sesls.formats import files
from sesls.looks import Identity, Looks
from sesls.session import Row, Summary, Survey

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
_CHECKED = 1024
"""How much before the place where a reading stopped must be the same for it to go on there, in bytes."""


class _KeptSurvey(msgspec.Struct, array_like=True):
    """A survey of all of an agent's stores without its summaries, and what it was made from without the paths."""

    survey: Survey
    seen: Looks


class _KeptPart(msgspec.Struct, array_like=True):
    """A part of both."""

    paths: dict[str, Identity | None]
    summaries: list[Summary]
    """Without what details are read from."""


class _KeptSummaries(msgspec.Struct, array_like=True):
    """The same, the paths left as they are."""

    paths: msgspec.Raw
    summaries: list[Summary]


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

    version: str
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
        self.found: Survey | None = None
        """What this listing found by looking through the stores; its summaries have their sources."""
        self._sections: dict[str, Section] = {}
        self._changed: set[str] = set()
        self._learnt: dict[str, dict[str, msgspec.Raw]] | None = None
        """What is new, in a process that works for another one."""
        self._is_survey_new = False
        self._has_successor = False
        """Whether this process may list once more."""
        self._last: list[tuple[Survey, Looks]] = []
        """The last survey of this process, if it may list once more."""

    def again(self) -> Memory:
        """Return the memory of one more listing by the same process; it knows what this one learnt, on disk or not."""
        memory = Memory(self._agent, self._folder, version=self._version, redact=self.redact, processes=self._processes)
        memory._is_awake = memory._has_successor = True
        memory._sections, memory._changed, memory._last = self._sections, self._changed, self._last
        return memory

    def survey(self, environment: Environment) -> Survey | None:
        """Return the last survey if it still holds; where it comes from disk, its summaries have no source."""
        for last, seen in self._last:
            if seen.hold(environment.variables, environment.cwd, self._known):
                return last
            self._known = {}
        survey = None
        if self._folder is not None:
            with suppress(ValueError):
                survey = self._kept_survey(environment)
        if survey is None:
            self._known = {}
        return survey

    def _kept_survey(self, environment: Environment) -> Survey | None:
        """Return the last survey from disk if it still holds. Raises ValueError where it is damaged."""
        pieces = disk.read(self._path("survey"), self._version)
        first = next(pieces, None)
        if first is None:
            return None
        kept = msgspec.msgpack.decode(first, type=_KeptSurvey)
        if kept.seen.is_unsure or not kept.seen.hold(environment.variables, environment.cwd, self._known):
            return None
        summaries: list[Summary] = []
        for piece in pieces:
            part = msgspec.msgpack.decode(piece, type=_KeptPart)
            known = self._known if len(self._known) < _MANY else {}
            if not looks.are_as_they_were(part.paths, known):
                return None
            if len(summaries) >= _MANY:
                for summary in part.summaries:
                    _share(summary, _COMMON)
            summaries += part.summaries
        return replace(kept.survey, summaries=tuple(summaries))

    def last_summaries(self) -> Iterator[Summary]:
        """Yield the sessions of the last survey, whatever has changed since."""
        if self._folder is not None:
            with suppress(ValueError):
                for piece in islice(disk.read(self._path("survey"), self._version), 1, None):
                    yield from msgspec.msgpack.decode(piece, type=_KeptSummaries).summaries

    def last_title(self, summary: Summary) -> str | None:
        """Return the title that was last shown of a session, secrets masked, if it was shown since it was found so."""
        kept = self._get("rows", summary.digest, _KeptRow)
        return None if kept is None else kept.row.title

    def keep_survey(self, survey: Survey, seen: Looks) -> None:
        """Keep a survey for the next listing, where a folder's time tells of every change in it.

        Where it does not, the survey is kept all the same now and then, for those who ask for the last one.
        """
        self.found = survey
        self._known = seen.paths
        self._is_survey_new = True
        is_sure = looks.CAN_TRUST_FOLDERS and seen.are_settled(self._now_ns)
        if is_sure and self._has_successor:
            self._last[:] = [(survey, replace(seen, paths=dict(seen.paths)))]  # more is looked at for the details
        if self._folder is None:
            return
        if is_sure or disk.age_ns(self._path("survey"), self._now_ns) > _OLD_NS:
            with suppress(*CANNOT_BE_KEPT):
                disk.write(self._path("survey"), _survey_pieces(survey, seen, is_sure=is_sure), self._version)

    def facts(self, path: str, kind: type[Record], seen: Looks) -> Record | None:
        """Return what the first reading of a file told, if that still holds, and note it as seen."""
        kept = self._get("facts", path, _KeptFacts)
        if kept is None or (kept.is_masked and not self.redact):
            return None
        paths = {path: kept.identity} if kept.seen is None else kept.seen.paths
        if not looks.are_as_they_were(paths, seen.paths):
            return None
        facts = decoded(kept.facts, kind)
        if facts is None:
            return None
        if len(self._section("facts").all()) >= _MANY:
            _share(facts, facts.__struct_fields__)
        return _shown(facts)

    def has_facts(self, path: str) -> bool:
        """Tell whether anything is remembered of the first reading of a file."""
        return self._is_awake and path in self._section("facts").all()

    def keep_facts(self, path: str, facts: msgspec.Struct, seen: Looks) -> None:
        """Keep what the first reading of a file told."""
        others = None if seen == Looks({path: seen.paths.get(path)}) else seen
        identity = seen.paths.get(path)
        self._put("facts", path, seen, lambda: _KeptFacts(identity, others, *_as_kept(facts)))

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
                contents = decoded(kept.contents, type(start))
                if contents is not None and is_same:
                    return _shown(contents)
                if contents is not None:
                    start, offset = _shown(contents), looks.size_of(kept.identity)
        with looks.noted() as seen:
            add(start, path, offset)
        identity = seen.paths.get(path)
        if self._is_awake and identity is not None:
            check = _check(path, looks.size_of(identity))
            self._keep("contents", path, lambda: _KeptContents(own_version, identity, check, *_as_kept(start)))
        return start

    def spread(
        self,
        work: Callable[[Iterator[Item]], object],
        items: Sequence[Item],
        least: int,
        tell: Callable[[int, int], None],
    ) -> None:
        """Do work on items in several processes, if that are at least so many for each, or do none of it.

        What the work remembers is remembered here. Whatever goes wrong, something is not, and is read again.
        """

        def taken(turns: Iterator[int]) -> Iterator[Item]:
            for turn in turns:
                tell(turn * len(items) // of, len(items))
                yield from items[turn::of]

        of = min(len(items), parallel.MOST_TURNS)
        processes = min(self._processes, len(items) // least)
        if processes > 1:
            self._is_awake = True
            for section in self._sections.values():
                section.all()  # processes share the place up to which an open file was read
            there = partial(self._learn, work, taken)
            for learnt in parallel.run(lambda turns: work(taken(turns)), there, of, processes):
                self._absorb(learnt)

    def _learn(
        self,
        work: Callable[[Iterator[Item]], object],
        taken: Callable[[Iterator[int]], Iterator[Item]],
        turns: Iterator[int],
    ) -> bytes:
        """Return what work adds to what is remembered, in a process of its own."""
        self._learnt = {}
        work(taken(turns))
        return msgspec.msgpack.encode(self._learnt)

    def _absorb(self, learnt: bytes) -> None:
        with suppress(msgspec.DecodeError):
            for name, entries in msgspec.msgpack.decode(learnt, type=dict[str, dict[str, msgspec.Raw]]).items():
                self._section(name).all().update(entries)
                self._changed.add(name)

    def save_facts(self, seen: Looks) -> None:
        """Write what the first reading of files told, and forget it here: a hundred thousand files told a lot."""
        if not self._has_successor:
            self._save("facts", seen.paths)

    def save(self, summaries: Collection[Summary]) -> None:
        """Write what is new, and drop what is about sessions and files that are gone."""
        paths = self._known if self._is_survey_new else None
        if self._has_successor:
            self._save("facts", paths)
        self._save("contents", paths)
        newest_first = None
        if self._is_survey_new or "rows" in self._changed:
            by_time = sorted(summaries, key=lambda summary: summary.last_activity, reverse=True)
            newest_first = [summary.digest for summary in by_time]
        self._save("rows", newest_first)

    def _save(self, name: str, keys: Iterable[str] | None) -> None:
        """Write a section where it changed, with the entries of some keys alone, in their order, and forget it here."""
        if keys is not None and self._section(name).keep(keys):
            self._changed.add(name)
        if name in self._changed and self._folder is not None:
            size = _ROWS_PIECE if name == "rows" else _PIECE
            disk.write(self._path(name), sections.pieces(self._section(name).all(), size), self._version)
        self._changed.discard(name)
        if self._folder is not None or not self._has_successor:
            self._sections.pop(name, None)

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
        self._section(name).all()[key] = kept
        self._changed.add(name)
        if self._learnt is not None:
            self._learnt.setdefault(name, {})[key] = kept

    def _section(self, name: str) -> Section:
        if name not in self._sections:
            self._sections[name] = Section(
                iter(()) if self._folder is None else disk.read(self._path(name), self._version)
            )
        return self._sections[name]

    def _path(self, section: str) -> str:
        assert self._folder is not None
        return os.path.join(self._folder, f"{self._agent}.{section}")


def memory_of(agent: str, environment: Environment, *, redact: bool = True, processes: int = 1) -> Memory:
    """Return what is remembered of an agent in an environment's home."""
    version = str(environment.plugins.get(agent, ""))
    return Memory(agent, disk.folder(environment), version=version, redact=redact, processes=processes)


def digest(value: object) -> str:
    """Return a short text that is another one for any other value; an empty one where there can be none."""
    # Here: a listing from the cache alone needs none. And not from hashlib: that loads OpenSSL, for 4 ms and 4 MB.
    from _blake2 import blake2b

    try:
        return blake2b(encoded(value), digest_size=8).hexdigest()
    except CANNOT_BE_KEPT:
        return ""


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
        and looks.are_one_file(now, kept.identity)
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


def _survey_pieces(survey: Survey, seen: Looks, *, is_sure: bool) -> Iterator[bytes]:
    yield encoded(_KeptSurvey(replace(survey, summaries=()), replace(seen.without_paths(), is_unsure=not is_sure)))
    for paths in batches(seen.paths.items(), _PIECE):
        yield encoded(_KeptPart(dict(paths), []))
    for summaries in batches(survey.summaries, _PIECE):
        yield encoded(_KeptPart({}, [replace(summary, source=None) for summary in summaries]))
