"""Messages of Hermes Agent as text, and the files of older builds, as far as sesls reads them.

The files are known from the sources of 0.19.0, which still writes snapshots where it is told to. Their times are
those of the clock on the wall.
"""

from __future__ import annotations

from itertools import islice

import msgspec

from sesls import text
from sesls.formats import jsonl
from sesls.instants import local_instant

_WINDOW = 16 << 10
_HEAD_LINES = 32

# How a summary of what was said before begins, which stands in for a prompt.
_SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")


class Part(msgspec.Struct):
    """A part of a message that is more than text."""

    type: str | None = None
    text: str | None = None


class Message(msgspec.Struct):
    """A message in a snapshot or a log."""

    role: str | None = None
    content: str | list[Part] | None = None
    timestamp: str | float | None = None
    model: str | None = None
    """Of the first line of a log, which is no message."""


class Snapshot(msgspec.Struct):
    """A snapshot of a session."""

    session_id: str | None = None
    model: str | None = None
    platform: str | None = None
    session_start: str | float | None = None
    last_updated: str | float | None = None
    messages: list[Message] = msgspec.field(default_factory=list)


MESSAGE = msgspec.json.Decoder(Message)
SNAPSHOT = msgspec.json.Decoder(Snapshot)
_PARTS = msgspec.json.Decoder(list[Part])


def text_of(content: str | bytes | list[Part] | None) -> str | None:
    """Return what a person wrote in a message, given its text, its parts or their JSON; None where nobody did."""
    if isinstance(content, bytes):
        try:
            content = _PARTS.decode(content)
        except (msgspec.DecodeError, RecursionError):
            return None
    if isinstance(content, list):
        content = " ".join(part.text for part in content if part.type == "text" and part.text)
    if not content or content.lstrip().startswith(_SUMMARIES) or not text.is_visible(content):
        return None
    return content


def is_turn(message: Message) -> bool:
    """Tell whether a person or the model speaks."""
    return message.role in ("user", "assistant")


def read_snapshot(path: str) -> Snapshot:
    """Return a snapshot. Raises OSError, and ValueError when it is none."""
    found = jsonl.whole_file(path, SNAPSHOT)
    if found is None or not found.session_id:
        raise ValueError("is no readable snapshot of a session")
    return found


def read_ends(path: str) -> list[Message]:
    """Return the first lines of a log up to a prompt, and the last ones. Raises OSError."""
    with jsonl.opened(path) as file:
        head: list[Message] = []
        for message in jsonl.records(islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES), MESSAGE):
            head.append(message)
            if message.role == "user":
                break
        return head + jsonl.tail(file, MESSAGE, _WINDOW, lambda message: local_instant(message.timestamp) is not None)


def read_log(path: str) -> list[Message]:
    """Return all lines of a log. Raises OSError."""
    with jsonl.opened(path) as file:
        return list(jsonl.all_records(file, MESSAGE))
