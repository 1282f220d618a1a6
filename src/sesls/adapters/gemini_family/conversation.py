"""The conversation that Gemini CLI and its fork Qwen Code keep: one JSON object, or its parts on JSON lines.

The one object is printed over many lines and rewritten after every message (Gemini CLI to 0.38, Qwen Code 0.1). Its
layout lets both ends of a large one be read alone: what belongs to the conversation is indented by two blanks, and each
of its messages by four.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from sesls.formats import jsonl

_WINDOW = 32 << 10
"""How much of each end of a large conversation tells what is needed first, in bytes."""

_LIMIT = 64 << 20
_MENDED = 1 << 20
_ANSWERS = frozenset({"gemini", "qwen"})
# A person's text that begins so is a command, or was put there by the agent (Gemini CLI 0.61).
_NOT_SAID = ("/", "?", "<session_context>", "<hook_context>")

_PRINTED = re.compile(rb"[\s\x00\xef\xbb\xbf]*\{\s*\n")
_MESSAGES = b'\n  "messages": ['
_MESSAGES_END = b"\n  ]"
_MESSAGE = re.compile(rb"\n    (\{\n.*?\n    \})", re.DOTALL)


class Part(msgspec.Struct):
    """A part of a message."""

    text: str | None = None


class Thing(msgspec.Struct):
    """A tool call or a thought, of which it only matters that it is there."""


class Message(msgspec.Struct, rename="camel"):
    """What a person, the model (`gemini`, `qwen`) or the agent itself (`info`, `error`, `warning`) said."""

    id: str | None = None
    timestamp: str | float | None = None
    type: str | None = None
    content: str | Part | list[Part | str] | None = None
    model: str | None = None
    tool_calls: list[Thing] | None = None
    thoughts: list[Thing] | None = None

    @property
    def text(self) -> str:
        """The text of all parts together."""
        parts = self.content if isinstance(self.content, list) else [self.content]
        return "".join(part if isinstance(part, str) else part.text or "" for part in parts if part is not None)

    @property
    def is_answer(self) -> bool:
        """Whether the model said, thought or did something."""
        return self.type in _ANSWERS and bool(self.text.strip() or self.tool_calls or self.thoughts)

    @property
    def is_said(self) -> bool:
        """Whether a person said something to the model."""
        text = self.text.strip() if self.type == "user" else ""
        return bool(text) and not text.startswith(_NOT_SAID)

    @property
    def is_turn(self) -> bool:
        """Whether it is one of those messages that make a conversation a session: only they can be resumed."""
        return self.is_said or self.is_answer


class Conversation(msgspec.Struct, rename="camel"):
    """A conversation with its messages."""

    session_id: str | None = None
    project_hash: str | None = None
    """SHA-256 of the directory it was started in."""
    start_time: str | float | None = None
    last_updated: str | float | None = None
    kind: str | None = None
    """`main` or `subagent`, from 0.38 on."""
    directories: list[str] | None = None
    """The directories of the workspace, where that is a subagent's or has more than one."""
    summary: str | None = None
    messages: list[Message] | None = None

    def times(self) -> Iterator[str | float | None]:
        """Yield all times that it tells."""
        yield from (self.start_time, self.last_updated)
        yield from (message.timestamp for message in self.messages or ())


CONVERSATION = msgspec.json.Decoder(Conversation)
MESSAGE = msgspec.json.Decoder(Message)


def is_printed(file: jsonl.File) -> bool:
    """Tell whether a file is one object over many lines."""
    return _PRINTED.match(jsonl.read_at(file.descriptor, 64, 0)) is not None


def read_ends(path: str) -> Conversation | None:
    """Return a conversation with the messages of both ends at least, or None for a file of no bytes.

    Raises OSError, and ValueError where nothing can be read.
    """
    with jsonl.opened(path) as file:
        if file.size > 2 * _WINDOW:
            head = jsonl.read_at(file.descriptor, _WINDOW, 0)
            tail = jsonl.read_at(file.descriptor, _WINDOW, file.size - _WINDOW)
            found = _of_ends(head, tail) if _MESSAGES_END in tail else None
            if found is not None and any(message.is_turn for message in found.messages or ()):
                return found
    return read(path)


def read(path: str) -> Conversation | None:
    """Return a conversation with all messages, or None for a file of no bytes.

    Of one that was cut, those before the cut are all. Raises OSError, and ValueError where nothing can be read.
    """
    with jsonl.opened(path) as file:
        if not file.size:
            return None
        start = jsonl.read_at(file.descriptor, _MENDED, 0)
    found = jsonl.whole_file(path, CONVERSATION, _LIMIT) or _of_ends(start, b"")
    if found is None:
        raise ValueError("holds no readable record")
    return found


def _of_ends(head: bytes, tail: bytes) -> Conversation | None:
    """Return the conversation that begins and ends so, with those messages that are whole."""
    before, is_there, first = head.partition(_MESSAGES)
    if not is_there:
        return None
    last, _, after = tail.partition(_MESSAGES_END)
    found = jsonl.whole(before.strip().removesuffix(b",") + b"}", CONVERSATION)
    if found is None:
        return None
    rest = jsonl.whole(b"{" + after.strip().removeprefix(b","), CONVERSATION) or Conversation()
    for name in ("session_id", "last_updated", "kind", "directories", "summary"):
        if (value := getattr(rest, name)) is not None:
            setattr(found, name, value)
    found.messages = list(jsonl.records(_messages((first, last)), MESSAGE))
    return found


def _messages(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from _MESSAGE.findall(piece)
