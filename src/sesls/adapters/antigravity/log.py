"""A conversation's log: JSON lines, out of order at times; the `overview.txt` of early 2026 was prose before."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import msgspec

from sesls.adapters.antigravity.places import ID
from sesls.formats import jsonl
from sesls.instants import Instant, instant
from sesls.text import is_visible

_WINDOW = 16 << 10

# "… changed setting `Model Selection` from None to Gemini 3.5 Flash (High). …"; names hold dots, so the closing
# one is the last before white space.
_MODEL_CHANGE = re.compile(r"changed setting `Model Selection` from [^`\n]{1,100}? to ([^`\n]{1,100}?)\.(?=\s|</|\Z)")
_SENDER = re.compile(rf"\bsender=({ID})(?![\w-])", re.IGNORECASE)
_TASK = re.compile(r"\bcontent=")


class Line(msgspec.Struct):
    """One line of a log."""

    step_index: float | None = None
    source: str | None = None
    type: str | None = None
    created_at: str | float | None = None
    content: str | None = None

    @property
    def moment(self) -> Instant | None:
        """When the step was made."""
        return instant(self.created_at)


LINE = msgspec.json.Decoder(Line)


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a log tell."""

    created: Instant | None
    last_activity: Instant | None
    sender: str | None
    """The conversation that sent the first message, where that is no person's."""


def read_ends(path: str) -> Ends:
    """Return what both ends of a log tell; nothing where it is prose. Raises OSError."""
    with jsonl.opened(path) as file:
        if file.size <= 2 * _WINDOW:
            lines = list(jsonl.all_records(file, LINE))
        else:
            head = jsonl.records(jsonl.lines(jsonl.blocks(file, _WINDOW)), LINE)
            lines = [line for line in (next(head, None),) if line is not None]
            lines += jsonl.tail(file, LINE, _WINDOW, lambda line: line.moment is not None)
    lines.sort(key=lambda line: math.inf if line.step_index is None else line.step_index)
    moments = [line.moment for line in lines if line.moment is not None]
    return Ends(
        created=next((line.moment for line in lines if line.moment is not None), None),
        last_activity=max(moments, default=None),
        sender=next((sender for line in lines[:1] if (sender := _sender(line)) is not None), None),
    )


def _sender(line: Line) -> str | None:
    match = _SENDER.search(line.content or "") if line.source == "SYSTEM" else None
    return match[1] if match is not None else None


class Contents(msgspec.Struct):
    """What all lines of a log tell."""

    first_request: str | None = None
    task: str | None = None
    """What another conversation asked for in its first message."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    """Names as shown to people, from changes of a setting."""
    messages: int = 0
    lines: int = 0


def read_contents(path: str) -> Contents:
    """Return what all lines of a log tell. Raises OSError."""
    with jsonl.opened(path) as file:
        return contents_of(jsonl.all_records(file, LINE))


def contents_of(lines: Iterable[Line]) -> Contents:
    """Return what lines tell."""
    contents = Contents()
    for line in lines:
        contents.lines += 1
        content = line.content or ""
        if line.type == "USER_INPUT":
            contents.messages += 1
            contents.first_request = contents.first_request or request(content)
            for change in _MODEL_CHANGE.finditer(content):
                contents.models[change[1].strip()] = None
        elif line.type == "PLANNER_RESPONSE":
            contents.messages += bool(content)
        elif line.source == "SYSTEM" and (contents.lines == 1 or line.step_index == 0):
            contents.task = contents.task or task(content)
    return contents


def request(content: str) -> str | None:
    """Return what a person asked for, without what the program put around it."""
    _, mark, rest = content.partition("<USER_REQUEST>")
    asked = rest.partition("</USER_REQUEST>")[0] if mark else content
    return asked.strip() if is_visible(asked) else None


def task(content: str) -> str | None:
    """Return what another conversation asked for in a system message."""
    match = _TASK.search(content)
    if match is None:
        return None
    asked = content[match.end() :].partition("</SYSTEM_MESSAGE>")[0].strip().removeprefix("**Goal**:").strip()
    return asked if is_visible(asked) else None


def sender(content: str) -> str | None:
    """Return the conversation that sent a system message."""
    match = _SENDER.search(content)
    return match[1] if match is not None else None
