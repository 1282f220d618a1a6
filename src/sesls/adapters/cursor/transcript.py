"""A transcript: JSON lines with a role and a message each, in older versions plain text. Neither has times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Literal

import msgspec

from sesls.formats import jsonl

_WINDOW = 16 << 10
_HEAD_LINES = 16
_ROLES = {b"user:": "user", b"assistant:": "assistant"}
_LONGEST_PROMPT = 200
"""How many lines of a prompt in plain text are kept."""
# What a person wrote, among what Cursor adds.
_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|$)", re.DOTALL)


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Message(msgspec.Struct):
    """What a line carries."""

    content: str | list[Part] | None = None


class Line(msgspec.Struct):
    """A line of a transcript."""

    role: str | None = None
    message: Message | None = None

    @property
    def text(self) -> str | None:
        """The text of a message; tools' answers are none."""
        content = self.message.content if self.message is not None else None
        if not isinstance(content, list):
            return content
        return "\n".join(part.text for part in content if part.type == "text" and part.text) or None


LINE = msgspec.json.Decoder(Line)


class Contents(msgspec.Struct):
    """What all of a transcript tells."""

    titles: dict[Literal["first prompt"], str] = msgspec.field(default_factory=dict)
    messages: int = 0


def is_transcript(path: str) -> bool:
    """Tell whether a file begins as a transcript does. Raises OSError."""
    with jsonl.opened(path) as file:
        lines = islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES)
        if path.endswith(".txt"):
            return any(line.strip() in _ROLES for line in lines)
        return any(line.role for line in jsonl.records(lines, LINE))


def add_lines(contents: Contents, path: str, offset: int) -> None:
    """Add what a transcript tells from an offset on. Raises OSError."""
    with jsonl.opened(path) as file:
        lines = jsonl.lines(jsonl.blocks(file, start=offset))
        if path.endswith(".txt"):
            _add_plain(contents, lines)
            return
        for line in jsonl.records(lines, LINE):
            if line.role == "assistant":
                contents.messages += 1
            elif line.role == "user" and (text := line.text):
                contents.messages += 1
                _add_prompt(contents, text)


def _add_plain(contents: Contents, lines: Iterable[bytes]) -> None:
    prompt: list[bytes] | None = None
    for line in lines:
        role = _ROLES.get(line.strip())
        if role is None:
            if prompt is not None and len(prompt) < _LONGEST_PROMPT:
                prompt.append(line)
            continue
        _add_prompt(contents, b"\n".join(prompt or ()).decode("utf-8", "replace"))
        contents.messages += 1
        prompt = [] if role == "user" else None
    _add_prompt(contents, b"\n".join(prompt or ()).decode("utf-8", "replace"))


def _add_prompt(contents: Contents, text: str) -> None:
    query = _QUERY.search(text)
    written = query[1] if query is not None else text
    if written.strip() and "first prompt" not in contents.titles:
        contents.titles["first prompt"] = written.strip()
