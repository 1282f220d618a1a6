"""One file of a thread: first its two ends, later all of it."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal, NamedTuple

import msgspec

from sesls.adapters.codex import places, prompts
from sesls.adapters.codex.records import LATE_RECORD, RECORD, SAVE, SAVE_HEAD, LateRecord, Part, Payload, Record
from sesls.adapters.interface import Reader
from sesls.formats import jsonl, zstd
from sesls.instants import Instant, instant, latest

_HEAD_WINDOW = 32 << 10
"""How much of the start the first reading takes, in bytes; most headers since 0.88 are of 20 KB."""

_TAIL_WINDOW = 16 << 10
"""How much of the end it takes, where that is enough."""

_HEAD_RECORDS = 200
_SAVE_KEPT = 32 << 20

_ENVIRONMENT_LOOKED_AT = 16 << 10
# The first Rust builds wrote the environment in words.
_CWD_MARKS = (("<cwd>", "</cwd>"), ("Current working directory: ", "\n"))
_LAST_LINES = 64
# Transcripts shrink to a tenth; what unpacks to more than this is no transcript.
_LARGEST_RATIO = 1000
_UNPACKED_ALWAYS = 64 << 20


Title = Literal["name", "goal", "first message", "first response item"]
"""Where a title stands. A goal counts that was set before any message; a message as an event is never synthetic."""


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a rollout tell."""

    thread_id: str
    segment_id: str | None
    header: Payload
    """The first `session_meta`: a fork inlines its ancestor's after its own. Empty where there is none."""
    created: Instant | None
    settings_cwd: str | None
    """The directory of the last settings seen; later than the header's."""
    other_cwd: str | None
    """Where the header has none: the directory of the first turn, or of the environment told to the model."""
    last_activity: Instant | None
    is_wrapped: bool
    """Whether the running builds can read it: neither bare nor a TypeScript save."""


def read_ends(path: str) -> Ends | None:
    """Return what both ends of a rollout tell, or None for a file of no bytes or without a thread's id.

    Raises OSError, and ValueError when there are bytes but no records.
    """
    if path.endswith(".json"):
        return _ends_of_save(path)
    if path.endswith(places.COMPRESSED):
        lines = jsonl.lines(_unpacked(path))
        head = _head(lines)
        # All of it has to be unpacked to know how it ends.
        tail = list(jsonl.records(deque(lines, maxlen=_LAST_LINES), LATE_RECORD))
        size = os.path.getsize(path)
    else:
        with jsonl.opened(path) as file:
            size = file.size
            head = _head(jsonl.lines(jsonl.blocks(file, _HEAD_WINDOW)))
            tail = jsonl.tail(file, LATE_RECORD, _TAIL_WINDOW, _has_time) if head.records else []
    if not head.records:
        if size:
            raise ValueError("holds no readable record")
        return None
    return _ends(path, head, tail)


class _Head(NamedTuple):
    """The first records of a rollout."""

    records: list[Record]
    is_damaged: bool
    """Whether the first line held none."""


def _ends(path: str, head: _Head, tail: list[LateRecord]) -> Ends | None:
    name = places.name(path)
    header, is_wrapped = _header(head, name.thread_id)
    thread_id = header.id or name.thread_id
    if thread_id is None or (header.id is None and not _is_thread(head.records)):
        return None
    everything: list[Record | LateRecord] = [*head.records, *tail]
    settings = (record.payload.thread_settings for record in everything if record.payload is not None)
    directories = [one.cwd for one in settings if one is not None and one.cwd]
    timed = (record.timestamp for record in everything if record.timestamp is not None)
    return Ends(
        thread_id=thread_id,
        segment_id=name.segment_id,
        header=header,
        created=instant(header.timestamp) or instant(head.records[0].timestamp),
        settings_cwd=directories[-1] if directories else None,
        other_cwd=next(filter(None, map(_told_cwd, head.records)), None),
        last_activity=latest(timed) if is_wrapped else None,
        is_wrapped=is_wrapped,
    )


def _header(head: _Head, named_thread: str | None) -> tuple[Payload, bool]:
    """Return a rollout's header, empty where it has none, and whether it is wrapped.

    A fork repeats its ancestor's header after its own; where its own is damaged, the repeated one tells of another
    thread than the file's name.
    """
    for record in head.records:
        if record.payload is not None and _is_header(record):
            is_first = not head.is_damaged and record is head.records[0]
            return (record.payload if is_first or named_thread in (None, record.payload.id) else Payload()), True
        if record.payload is None and record.type is None and record.id:
            return Payload(id=record.id, timestamp=record.timestamp, git=record.git), False
    return Payload(), True


def _is_header(record: Record) -> bool:
    return record.type == "session_meta" and record.payload is not None and record.payload.id is not None


def _is_thread(records: Iterable[Record]) -> bool:
    """Tell whether records without a header are those of a thread all the same."""
    return any(record.payload is not None and record.type is not None for record in records)


def _head(lines: Iterator[bytes]) -> _Head:
    """Return the first records, up to one that says which thread this is and where it ran."""
    found: list[Record] = []
    is_damaged = False
    for line in lines:
        own = list(jsonl.records([line], RECORD))
        is_damaged = is_damaged or not (own or found or not line.strip())
        found += own
        if len(found) >= _HEAD_RECORDS or any(_says_where(record) for record in own):
            break
    return _Head(found, is_damaged)


def _says_where(record: Record) -> bool:
    has_cwd = record.payload is not None and bool(record.payload.cwd)
    return (_is_header(record) and has_cwd) or _told_cwd(record) is not None


def _has_time(record: LateRecord) -> bool:
    return instant(record.timestamp) is not None


def _told_cwd(record: Record) -> str | None:
    """Return the directory that a turn ran in, or that the model was told (the only trace from 0.2x to 0.31)."""
    if record.type == "turn_context" and record.payload is not None:
        return record.payload.cwd
    for part in _user_parts(record) or ():
        text = (part.text or "")[:_ENVIRONMENT_LOOKED_AT]
        if "<environment_context>" not in text:
            continue
        for start, end in _CWD_MARKS:
            inside, found, _ = text.partition(start)[2].partition(end)
            if found and inside.strip():
                return inside.strip()
    return None


def _user_parts(record: Record) -> list[Part] | None:
    """Return the parts of a raw message of role `user`, wrapped or bare."""
    message = record.payload if record.type == "response_item" else record
    if message is None or message.type != ("message") or message.role != "user":
        return None
    return message.content


def _unpacked(path: str) -> Iterator[bytes]:
    """Yield the content of a compressed rollout up to the first damage; of a bomb, the start."""
    limit = max(os.path.getsize(path) * _LARGEST_RATIO, _UNPACKED_ALWAYS)
    try:
        yield from zstd.blocks(path, limit)
    except zstd.UnreadableError:
        return


def _ends_of_save(path: str) -> Ends | None:
    save = jsonl.whole_file(path, SAVE_HEAD)
    if save is None:
        if os.path.getsize(path):
            raise ValueError("holds no readable record")
        return None
    if save.session is None or not save.session.id:
        return None
    return Ends(
        thread_id=save.session.id,
        segment_id=None,
        header=Payload(id=save.session.id),
        created=None,
        settings_cwd=None,
        other_cwd=None,
        last_activity=instant(save.session.timestamp),
        is_wrapped=False,
    )


class Contents(msgspec.Struct):
    """What all records of a rollout tell."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    models: dict[str, None] = msgspec.field(default_factory=dict)
    said: int = 0
    answered: int = 0
    raw_said: int = 0
    raw_answered: int = 0

    @property
    def message_count(self) -> int:
        """How many messages there are; where there are no events or items of them, the raw ones count."""
        return (self.said or self.raw_said) + (self.answered or self.raw_answered)

    @property
    def request(self) -> str | None:
        """What was asked for first."""
        kinds: tuple[Title, ...] = ("goal", "first message", "first response item")
        return next((self.titles[kind] for kind in kinds if kind in self.titles), None)


# The types of all records that can matter to `Contents`.
_MATTERS = re.compile(
    rb'"type"[ \t]*:[ \t]*"(?:user_message|agent_message|UserMessage|AgentMessage|turn_context|thread_goal_updated'
    rb'|thread_name_updated|message)"'
)


def read_contents(path: str, start_ordinal: int, read: Reader) -> Contents:
    """Return what the records of a rollout tell, those below an ordinal (a parent's, copied) left out.

    Raises OSError.
    """
    can_grow = path.endswith(".jsonl")
    return read(path, Contents(), partial(_add_records, start_ordinal), version=start_ordinal, can_grow=can_grow)


def _add_records(start_ordinal: int, contents: Contents, path: str, offset: int) -> None:
    if path.endswith(".json"):
        _add_save(contents, path)
        return
    with _blocks(path, offset) as blocks:
        for record in jsonl.records(jsonl.lines_with(blocks, _MATTERS), RECORD):
            if record.ordinal is None or record.ordinal >= start_ordinal:
                _add(contents, record)


@contextmanager
def _blocks(path: str, offset: int) -> Iterator[Iterator[bytes]]:
    if path.endswith(places.COMPRESSED):
        yield _unpacked(path)
    else:
        with jsonl.opened(path) as file:
            yield jsonl.blocks(file, start=offset)


def _add(contents: Contents, record: Record) -> None:
    payload = record.payload
    if record.type == "turn_context" and payload is not None:
        if payload.model:
            contents.models[payload.model] = None
    elif record.type == "event_msg" and payload is not None:
        _add_event(contents, payload)
    elif (parts := _user_parts(record)) is not None:
        said = prompts.of_response_item(parts)
        _set_first(contents, "first response item", said)
        contents.raw_said += said is not None
    else:
        message = payload if record.type == "response_item" else record
        contents.raw_answered += message is not None and message.type == "message" and message.role == "assistant"


def _add_event(contents: Contents, payload: Payload) -> None:
    said = None
    if payload.type == "user_message":
        contents.said += 1
        said = prompts.of_event(payload)
    elif payload.type == "agent_message":
        contents.answered += 1
    elif payload.type == "item_completed" and payload.item is not None:
        if payload.item.type == "UserMessage":
            contents.said += 1
            said = prompts.of_item(payload.item.content or ())
        elif payload.item.type == "AgentMessage":
            contents.answered += 1
    elif payload.type == "thread_goal_updated":
        objective = payload.objective or (payload.goal.objective if payload.goal is not None else None)
        if "first message" not in contents.titles:
            _set_first(contents, "goal", objective)
    elif payload.type == "thread_name_updated" and payload.thread_name:
        contents.titles["name"] = payload.thread_name
    _set_first(contents, "first message", said)


def _set_first(contents: Contents, kind: Title, title: str | None) -> None:
    if title:
        contents.titles.setdefault(kind, title)


def _add_save(contents: Contents, path: str) -> None:
    save = jsonl.whole_file(path, SAVE, _SAVE_KEPT)
    for item in (save.items or ()) if save is not None else ():
        if item.role == "user":
            parts = [Part(text=item.content)] if isinstance(item.content, str) else item.content or []
            said = prompts.of_response_item(parts)
            _set_first(contents, "first response item", said)
            contents.raw_said += said is not None
        elif item.role == "assistant":
            contents.raw_answered += 1
