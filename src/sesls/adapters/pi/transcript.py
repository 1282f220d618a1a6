"""One session file: first its two ends, later all of it.

Seen in Pi 0.7.6 to 1.6.0. Headers of version 1 have no `version`; entries have ids from version 2 on.
"""

from __future__ import annotations

import math
import re
from itertools import islice
from typing import Literal

import msgspec

from sesls.adapters.pi import places
from sesls.formats import jsonl
from sesls.instants import Instant, instant

_WINDOW = 16 << 10
_HEAD_LINES = 32
"""How many lines from the start are looked at for the header and for the marks that extensions leave."""


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Message(msgspec.Struct):
    """What a `message` entry carries. Its `timestamp` is epoch milliseconds."""

    role: str | None = None
    content: str | list[Part] | None = None
    timestamp: float | str | None = None
    model: str | None = None


class Entry(msgspec.Struct, rename="camel"):
    """One line of a session file; the header is one of them."""

    type: str | None = None
    id: str | None = None
    timestamp: float | str | None = None
    cwd: str | None = None
    version: float | None = None
    parent_session: str | None = None
    """The file this one was forked or handed off from: no spawning."""
    branched_from: str | None = None
    """The same, under its name before 0.31."""
    name: str | None = None
    message: Message | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether a person or the model speaks."""
        return self.type == "message" and self.message is not None and self.message.role in ("user", "assistant")

    @property
    def moment(self) -> Instant | None:
        """When it was said: the message's own time, else the entry's."""
        own = instant(self.message.timestamp) if self.message is not None else None
        return own or instant(self.timestamp)


ENTRY = msgspec.json.Decoder(Entry)


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a session file tell."""

    id: str
    cwd: str | None
    created: Instant | None
    version: int
    forked_from: str | None
    """The path of the session it continues."""
    last_activity: Instant | None
    is_spawned: bool
    """Whether an extension marked it as spawned (`session_init`, or its own kind of name)."""


def read_ends(path: str) -> Ends | None:
    """Return what both ends of a session file tell, or None for another kind of file.

    Raises OSError, and ValueError for a session that lost its header.
    """
    with jsonl.opened(path) as file:
        head: list[Entry] = []
        for entry in jsonl.records(islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES), ENTRY):
            head.append(entry)
            if entry.is_turn or not _is_session(head):
                break
        if not _is_session(head):
            # A relative of Pi (oh-my-pi 18), which may share its directory, begins with a title.
            if file.size and places.id_in_name(path) is not None and not (head and head[0].type == "title"):
                raise ValueError("has lost its header" if head else "holds no readable record")
            return None
        tail = jsonl.tail(file, ENTRY, _WINDOW, _is_timed_turn)
    header = head[0]
    assert header.id is not None
    turns = [entry.moment for entry in (*head, *tail) if entry.is_turn and entry.moment is not None]
    names = [entry.name or "" for entry in (*head, *tail) if entry.type == "session_info"]
    return Ends(
        id=header.id,
        cwd=header.cwd,
        created=instant(header.timestamp),
        version=int(header.version) if header.version and math.isfinite(header.version) else 1,
        forked_from=header.parent_session or header.branched_from,
        last_activity=max(turns, default=None) or instant(header.timestamp),
        is_spawned=any(entry.type == "session_init" for entry in (*head, *tail))
        or any(name.strip().startswith("subagent-") for name in names[-1:]),
    )


def _is_session(head: list[Entry]) -> bool:
    return bool(head) and head[0].type == "session" and bool(head[0].id)


def _is_timed_turn(entry: Entry) -> bool:
    return entry.is_turn and entry.moment is not None


Title = Literal["name", "first prompt"]


class Contents(msgspec.Struct):
    """What all entries of a session file tell."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    """The last name given (an empty one takes it away), and the first prompt."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    """Of answers: a `model_change` may never have been used."""
    messages: int = 0


_MATTERS = re.compile(rb'"(?:session_info|user|assistant)"')


def add_entries(contents: Contents, path: str, offset: int) -> None:
    """Add what the entries of a session file tell from an offset on. Raises OSError.

    Branches of a session's tree stay in its file and count too.
    """
    with jsonl.opened(path) as file:
        for entry in jsonl.records(jsonl.lines_with(jsonl.blocks(file, start=offset), _MATTERS), ENTRY):
            if entry.type == "session_info":
                contents.titles.pop("name", None)
                if name := (entry.name or "").strip():
                    contents.titles["name"] = name
            elif entry.is_turn and entry.message is not None:
                contents.messages += 1
                if entry.message.role == "user":
                    if "first prompt" not in contents.titles and (prompt := _text(entry.message)) is not None:
                        contents.titles["first prompt"] = prompt
                elif entry.message.model:
                    contents.models[entry.message.model] = None


def _text(message: Message) -> str | None:
    if isinstance(message.content, str):
        return message.content.strip() or None
    texts = (part.text or "" for part in message.content or () if part.type == "text")
    return " ".join(texts).strip() or None
