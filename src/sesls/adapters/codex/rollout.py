"""One file of a thread: first its two ends, later all of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sesls.adapters.codex import places, prompts
from sesls.adapters.codex.records import LATE_RECORD, RECORD, SAVE, LateRecord, Part, Payload, Record
from sesls.formats import files, jsonl, zstd
from sesls.instants import Instant, instant, latest

_WINDOW = 16 << 10
"""How much of each end of a rollout the first reading takes, where that is enough, in bytes."""

_HEAD_LIMIT = 64 << 20
_HEAD_RECORDS = 200
_TAIL_LIMIT = 8 << 20
_SAVE_LIMIT = 256 << 20
_DECOMPRESSED_LIMIT = 4 << 30

_CWD = re.compile(r"<cwd>(.*?)</cwd>", re.DOTALL)
# The first Rust builds wrote the environment in words.
_CWD_IN_WORDS = re.compile(r"^Current working directory: (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ends:
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
        head, tail, size = _ends_of_compressed(path)
    else:
        with jsonl.opened(path) as file:
            size = file.size
            head = list(_head(jsonl.records(jsonl.lines(jsonl.blocks(file, _WINDOW)), RECORD)))
            tail = _tail(file)
    if not head:
        if size:
            raise ValueError("holds no readable record")
        return None
    return _ends(path, head, tail)


def _ends(path: str, head: list[Record], tail: list[LateRecord]) -> Ends | None:
    meta = next((record for record in head if _is_header(record)), None)
    bare = next((record for record in head if record.payload is None and record.id and record.type is None), None)
    name = places.name(path)
    header = meta.payload if meta is not None and meta.payload is not None else Payload()
    if meta is None and bare is not None:
        header = Payload(id=bare.id, timestamp=bare.timestamp, git=bare.git)
    thread_id = header.id or name.thread_id
    if thread_id is None or (meta is None and bare is None and not _is_thread(head)):
        return None
    is_wrapped = meta is not None or bare is None
    everything: list[Record | LateRecord] = [*head, *tail]
    settings = (record.payload.thread_settings for record in everything if record.payload is not None)
    directories = [one.cwd for one in settings if one is not None and one.cwd]
    return Ends(
        thread_id=thread_id,
        segment_id=name.segment_id,
        header=header,
        created=instant(header.timestamp) or instant(head[0].timestamp),
        settings_cwd=directories[-1] if directories else None,
        other_cwd=None if header.cwd else next(filter(None, map(_told_cwd, head)), None),
        last_activity=latest(record.timestamp for record in everything if record.timestamp) if is_wrapped else None,
        is_wrapped=is_wrapped,
    )


def _is_header(record: Record) -> bool:
    return record.type == "session_meta" and record.payload is not None and record.payload.id is not None


def _is_thread(records: Iterable[Record]) -> bool:
    """Tell whether records without a header are those of a thread all the same."""
    return any(record.payload is not None and record.type is not None for record in records)


def _head(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the first records, up to one that says which thread this is and where it ran."""
    for count, record in enumerate(records, 1):
        yield record
        if (
            (_is_header(record) and record.payload is not None and record.payload.cwd)
            or _told_cwd(record) is not None
            or count == _HEAD_RECORDS
        ):
            return


def _tail(file: jsonl.File) -> list[LateRecord]:
    """Return the last records, in their order: a window of them, and back to one with a time at least."""
    records: list[LateRecord] = []
    size = 0
    has_time = False
    for line in jsonl.tail_lines(file, _WINDOW, _TAIL_LIMIT):
        size += len(line) + 1
        for record in jsonl.records([line], LATE_RECORD):
            records.append(record)
            has_time = has_time or instant(record.timestamp) is not None
        if has_time and size >= _WINDOW:
            break
    records.reverse()
    return records


def _told_cwd(record: Record) -> str | None:
    """Return the directory that a turn ran in, or that the model was told (the only trace from 0.2x to 0.31)."""
    if record.type == "turn_context" and record.payload is not None:
        return record.payload.cwd
    for part in _user_parts(record) or ():
        text = part.text or ""
        if "<environment_context>" in text and (match := _CWD.search(text) or _CWD_IN_WORDS.search(text)):
            return match[1].strip() or None
    return None


def _user_parts(record: Record) -> list[Part] | None:
    """Return the parts of a raw message of role `user`, wrapped or bare."""
    message = record.payload if record.type == "response_item" else record
    if message is None or message.type != ("message") or message.role != "user":
        return None
    return message.content


def _ends_of_compressed(path: str) -> tuple[list[Record], list[LateRecord], int]:
    """Return the first and the last records of a compressed rollout and its size; all of it has to be unpacked."""
    blocks = zstd.blocks(path, _DECOMPRESSED_LIMIT)
    start, last, before_last, size = b"", b"", b"", 0
    for block in _undamaged(blocks):
        size += len(block)
        start = start if len(start) >= jsonl.BLOCK else start + block
        before_last, last = last, block
    head = list(_head(jsonl.records(jsonl.lines([start]), RECORD)))
    tail_bytes = (before_last + last)[-2 * jsonl.BLOCK :]
    cut = 0 if size <= len(tail_bytes) else tail_bytes.find(b"\n") + 1
    return head, list(jsonl.records(jsonl.lines([tail_bytes[cut:]]), LATE_RECORD)), size


def _undamaged(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces before the first damaged one."""
    try:
        yield from blocks
    except zstd.UnreadableError:
        return


def _ends_of_save(path: str) -> Ends | None:
    save = jsonl.whole(files.content(path, _SAVE_LIMIT), SAVE)
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


@dataclass(slots=True)
class Contents:
    """What all records of a rollout tell."""

    first_message: str | None = None
    """As an event or a completed item: never synthetic."""
    first_response_item: str | None = None
    goal: str | None = None
    """What the thread is to reach, where it was set before any message."""
    name: str | None = None
    models: dict[str, None] = field(default_factory=dict)
    messages: int = 0
    raw_messages: int = 0

    @property
    def message_count(self) -> int:
        """How many messages there are; older builds left only the raw ones."""
        return self.messages or self.raw_messages

    @property
    def request(self) -> str | None:
        """What was asked for first."""
        return self.goal or self.first_message or self.first_response_item


# The types of all records that can matter to `Contents`.
_MATTERS = re.compile(
    rb'"(?:user_message|agent_message|UserMessage|AgentMessage|turn_context|thread_goal_updated'
    rb'|thread_name_updated|message)"'
)


def read_contents(path: str, start_ordinal: int) -> Contents:
    """Return what the records of a rollout tell, those below an ordinal (a parent's, copied) left out.

    Raises OSError.
    """
    contents = Contents()
    if path.endswith(".json"):
        _add_save(contents, path)
        return contents
    with _blocks(path) as blocks:
        for record in jsonl.records(jsonl.lines_with(blocks, _MATTERS), RECORD):
            if record.ordinal is None or record.ordinal >= start_ordinal:
                _add(contents, record)
    return contents


@contextmanager
def _blocks(path: str) -> Iterator[Iterator[bytes]]:
    if path.endswith(places.COMPRESSED):
        yield _undamaged(zstd.blocks(path, _DECOMPRESSED_LIMIT))
    else:
        with jsonl.opened(path) as file:
            yield jsonl.blocks(file)


def _add(contents: Contents, record: Record) -> None:
    payload = record.payload
    if record.type == "turn_context" and payload is not None:
        if payload.model:
            contents.models[payload.model] = None
    elif record.type == "event_msg" and payload is not None:
        _add_event(contents, payload)
    elif (parts := _user_parts(record)) is not None:
        said = prompts.of_response_item(parts)
        contents.first_response_item = contents.first_response_item or said
        contents.raw_messages += said is not None
    else:
        message = payload if record.type == "response_item" else record
        contents.raw_messages += message is not None and message.type == "message" and message.role == "assistant"


def _add_event(contents: Contents, payload: Payload) -> None:
    said = None
    if payload.type == "user_message":
        contents.messages += 1
        said = prompts.of_event(payload)
    elif payload.type == "agent_message":
        contents.messages += 1
    elif payload.type == "item_completed" and payload.item is not None:
        if payload.item.type == "UserMessage":
            contents.messages += 1
            said = prompts.of_item(payload.item.content or ())
        elif payload.item.type == "AgentMessage":
            contents.messages += 1
    elif payload.type == "thread_goal_updated":
        objective = payload.objective or (payload.goal.objective if payload.goal is not None else None)
        if contents.goal is None and contents.first_message is None:
            contents.goal = objective
    elif payload.type == "thread_name_updated":
        contents.name = payload.thread_name or contents.name
    contents.first_message = contents.first_message or said


def _add_save(contents: Contents, path: str) -> None:
    save = jsonl.whole(files.content(path, _SAVE_LIMIT), SAVE)
    for item in (save.items or ()) if save is not None else ():
        parts = [Part(text=item.content)] if isinstance(item.content, str) else item.content or []
        if item.role == "user":
            said = prompts.of_response_item(parts)
            contents.first_response_item = contents.first_response_item or said
            contents.raw_messages += said is not None
        elif item.role == "assistant":
            contents.raw_messages += 1
