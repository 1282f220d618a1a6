"""An agent's log, `wire.jsonl`: first its two ends, later all of it.

Seen in Kimi Code 2.1.0 (protocol 1.5). The prompt of the system (80 KB) stands before the first one of a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from sesls import text
from sesls.formats import jsonl
from sesls.instants import Instant, instant

_WINDOW = 16 << 10
_STEP = 32 << 10
"""How much is read at once from the start, where the prompt of the system stands in the way."""
_FIRST_PROMPT_WITHIN = 4 << 20
"""How much from the start is looked through for the first prompt, in bytes."""
_FIRST = re.compile(rb'"(?:metadata|turn\.prompt)"')
_MATTERS = re.compile(rb'"(?:turn\.prompt|turn\.steer|llm\.request|agent\.message\.appended|context\.append_message)"')
_GIT_CONTEXT = re.compile(r"\s*<git-context(?:[^<>]*/>|[^<>]*>.*?</git-context>)\s*", re.DOTALL)
_REMINDER = "<system-reminder>"


class _Part(msgspec.Struct):
    type: str | None = None
    text: str | None = None


class _Origin(msgspec.Struct):
    kind: str | None = None
    name: str | None = None

    @property
    def is_request(self) -> bool:
        """Tell whether a person asks, or the agent that spawned this one, and not Kimi itself."""
        return self.kind == "user" or (self.kind == "system_trigger" and self.name == "subagent")


class _Message(msgspec.Struct):
    role: str | None = None


class _Envelope(msgspec.Struct):
    role: str | None = None
    message: _Message | None = None


class Record(msgspec.Struct):
    """A line of a log."""

    type: str | None = None
    time: float | str | None = None
    created_at: float | str | None = None
    """Of the `metadata` in the first line."""
    input: str | list[_Part] | None = None
    """Of a `turn.prompt`."""
    origin: _Origin | None = None
    model: str | None = None
    """Of an `llm.request`: the model's own name."""
    message: _Envelope | str | None = None

    @property
    def is_prompt(self) -> bool:
        """Tell whether a turn is begun or added to by whoever asks for something."""
        return self.type in ("turn.prompt", "turn.steer") and self.origin is not None and self.origin.is_request

    @property
    def is_answer(self) -> bool:
        """Tell whether this is an answer that is complete."""
        if self.type not in ("agent.message.appended", "context.append_message"):
            return False
        if not isinstance(self.message, _Envelope):
            return False
        inner = self.message.message or self.message
        return inner.role == "assistant"

    @property
    def moment(self) -> Instant | None:
        """When it was written."""
        return instant(self.time) or instant(self.created_at)


RECORD = msgspec.json.Decoder(Record)


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a log tell."""

    created: Instant | None
    last_activity: Instant | None
    is_prompted: bool
    """Whether anybody asked for anything."""


def read_ends(path: str) -> tuple[Ends, str | None]:
    """Return what both ends of a log tell, and its first prompt. Raises OSError."""
    with jsonl.opened(path) as file:
        created: Instant | None = None
        is_prompted = False
        prompt: str | None = None
        for record in jsonl.records(jsonl.lines_with(_start(file), _FIRST), RECORD):
            created = created or record.moment
            if record.type == "turn.prompt" and record.is_prompt:
                is_prompted = True
                prompt = _text(record.input)
                if prompt is not None:
                    break
        tail = jsonl.tail(file, RECORD, _WINDOW, lambda record: record.moment is not None)
    moments = [moment for record in tail if (moment := record.moment) is not None]
    return Ends(created, max(moments, default=None), is_prompted), prompt


def _start(file: jsonl.File) -> Iterator[bytes]:
    for offset in range(0, min(file.size, _FIRST_PROMPT_WITHIN), _STEP):
        yield from jsonl.blocks(file, _STEP, offset, offset + _STEP)


def _text(parts: str | list[_Part] | None) -> str | None:
    """Return what a prompt says, without what Kimi puts before it or adds to it."""
    texts = [parts] if isinstance(parts, str) else [part.text or "" for part in parts or () if part.type == "text"]
    said = "\n".join(one for one in texts if not one.lstrip().startswith(_REMINDER))
    if (context := _GIT_CONTEXT.match(said)) is not None:
        said = said[context.end() :]
    return said if text.is_visible(said) else None


class Contents(msgspec.Struct):
    """What all of a log tells."""

    models: dict[str, None] = msgspec.field(default_factory=dict)
    messages: int = 0


def add_records(contents: Contents, path: str, offset: int) -> None:
    """Add what the lines of a log tell from an offset on. Raises OSError."""
    with jsonl.opened(path) as file:
        for record in jsonl.records(jsonl.lines_with(jsonl.blocks(file, start=offset), _MATTERS), RECORD):
            if record.type == "llm.request" and record.model:
                contents.models[record.model] = None
            contents.messages += record.is_prompt or record.is_answer
