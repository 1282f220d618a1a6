"""One session's file: first its two ends, later all of it.

To 0.38 it is one object, then JSON lines that are only ever added to: a header, messages, changes of the header's
fields (`$set`), which may replace all messages, and steps back (`$rewindTo`). A message that is written again replaces
itself. Which of both a file is, its content tells: resuming an old one goes on in another file. Seen in 0.11.3 to
0.61.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal

import msgspec

from sesls.adapters.gemini_family import conversation
from sesls.adapters.gemini_family.conversation import Conversation, Message
from sesls.formats import jsonl
from sesls.instants import Instant, instant, latest

_WINDOW = 16 << 10
_HEAD_LINES = 32
"""How many lines from the start are looked at for the header."""


class Record(Message, rename="camel"):
    """One line: a message, a header, or a change."""

    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | float | None = None
    last_updated: str | float | None = None
    kind: str | None = None
    directories: list[str] | None = None
    summary: str | None = None
    messages: list[Message] | None = None
    """Of a header: more messages. Of a change: all messages from now on."""
    changes: Conversation | None = msgspec.field(default=None, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")

    @property
    def replaces_messages(self) -> bool:
        """Whether nothing before counts any more."""
        return self.changes is not None and self.changes.messages is not None

    def spoken(self) -> Iterator[Message]:
        """Yield all messages that stand in it."""
        if self.type is not None:
            yield self
        yield from self.messages or ()
        yield from (self.changes.messages if self.changes is not None else None) or ()

    def times(self) -> Iterator[str | float | None]:
        """Yield all times that stand in it."""
        yield from (self.start_time, self.last_updated)
        yield from self.changes.times() if self.changes is not None else ()
        yield from (message.timestamp for message in self.spoken())


RECORD = msgspec.json.Decoder(Record)


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a session's file tell."""

    id: str
    project_hash: str | None
    is_subagent: bool
    directory: str | None
    """The first directory of its workspace, where that is noted: a subagent's."""
    last_activity: Instant | None
    has_turns: bool
    """Without any, Gemini CLI takes it for no session; resuming one leaves such a file."""


def read_ends(path: str) -> Ends | None:
    """Return what both ends of a session's file tell, or None for another kind of file.

    Raises OSError, and ValueError where nothing can be read, or a session has lost its header.
    """
    with jsonl.opened(path) as file:
        if not conversation.is_printed(file):
            return _ends_of_lines(file)
    found = conversation.read_ends(path)
    if found is None:
        return None
    has_turns = any(message.is_turn for message in found.messages or ())
    return _ends([found], latest(found.times()), has_turns)


def _ends_of_lines(file: jsonl.File) -> Ends | None:
    head = list(_head(file))
    tail = jsonl.tail(file, RECORD, _WINDOW, _tells_of_turns)
    if not (head or tail):
        if file.size:
            raise ValueError("holds no readable record")
        return None
    has_turns = _has_turns(tail)
    if has_turns is None:
        has_turns = any(_all_messages(file).values())
    times = latest(time for record in (*head, *tail) for time in record.times())
    headers = [one for record in (*head, *tail) for one in (record, record.changes) if one is not None]
    return _ends(headers, times, has_turns)


def _head(file: jsonl.File) -> Iterator[Record]:
    for record in jsonl.records(islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES), RECORD):
        yield record
        if record.session_id:
            return


def _tells_of_turns(record: Record) -> bool:
    return record.is_turn or record.replaces_messages


def _has_turns(tail: Iterable[Record]) -> bool | None:
    """Tell whether any turn is left at the end, or return None where what stands before has to tell."""
    messages: dict[str, bool] = {}
    is_all_known = False
    for record in tail:
        is_all_known = is_all_known or record.replaces_messages
        follow(messages, record)
    return True if any(messages.values()) else False if is_all_known else None


def _all_messages(file: jsonl.File) -> dict[str, bool]:
    messages: dict[str, bool] = {}
    for record in jsonl.all_records(file, RECORD):
        follow(messages, record)
    return messages


def follow(messages: dict[str, bool], record: Record) -> None:
    """Do to the messages of a session, by id whether they are turns, what a line does to them."""
    if record.rewind_to is not None:
        ids = list(messages)
        # An id that is not there takes everything back.
        for gone in ids[ids.index(record.rewind_to) if record.rewind_to in messages else 0 :]:
            del messages[gone]
        return
    if record.replaces_messages:
        messages.clear()
    messages.update((one.id, one.is_turn) for one in record.spoken() if one.id is not None)


def _ends(headers: list[Record | Conversation], last_activity: Instant | None, has_turns: bool) -> Ends | None:
    """Return what headers tell together; of several ids the last one counts, of everything else the first."""
    ids = [one.session_id for one in headers if one.session_id]
    if not ids:
        if has_turns:
            raise ValueError("has lost its header")
        return None
    directories = next((one.directories for one in headers if one.directories), None)
    return Ends(
        id=ids[-1],
        project_hash=next((one.project_hash for one in headers if one.project_hash), None),
        is_subagent=any(one.kind == "subagent" for one in headers),
        directory=directories[0] if directories else None,
        last_activity=last_activity,
        has_turns=has_turns,
    )


Title = Literal["summary", "first prompt"]


class Contents(msgspec.Struct):
    """What all of a session's file tells."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    """The last summary, and the first prompt, taken back or not: the agent's own list shows these."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    """Of all answers, those that were taken back too."""
    created: Instant | None = None
    directories: tuple[str, ...] = ()
    messages: dict[str, bool] = msgspec.field(default_factory=dict)
    """By id, whether it is a turn; only those that were not taken back."""


def add_records(contents: Contents, path: str, offset: int) -> None:
    """Add what a session's file tells from an offset on. Raises OSError, and ValueError where nothing can be read."""
    with jsonl.opened(path) as file:
        if not conversation.is_printed(file):
            for record in jsonl.all_records(file, RECORD, offset):
                _add(contents, [record] if record.changes is None else [record, record.changes], record.spoken())
                _add_times(contents, record.times())
                follow(contents.messages, record)
            return
    found = conversation.read(path)
    if found is not None:
        messages = found.messages or []
        _add(contents, [found], messages)
        _add_times(contents, found.times())
        contents.messages = {str(place): message.is_turn for place, message in enumerate(messages)}


def _add(contents: Contents, headers: Iterable[Record | Conversation], messages: Iterable[Message]) -> None:
    for header in headers:
        if header.summary:
            contents.titles["summary"] = header.summary
        if header.directories:
            contents.directories = tuple(header.directories)
    for message in messages:
        if message.is_answer and message.model:
            contents.models[message.model] = None
        elif message.is_said:
            contents.titles.setdefault("first prompt", message.text)


def _add_times(contents: Contents, times: Iterable[object]) -> None:
    moments = [moment for time in times if (moment := instant(time)) is not None]
    contents.created = min(moments if contents.created is None else [contents.created, *moments], default=None)
