"""Tasks: what sessions were to the command line 2.x, and are to the extension.

Seen in Cline 2.18.0, whose core is that of the extension 3.82.
"""

from __future__ import annotations

import os
import re

import msgspec

from sesls.adapters.cline.prompts import request
from sesls.formats import documents, jsonl
from sesls.instants import Instant, instant, latest

_WINDOW = 16 << 10
# Within a text the quotes are escaped.
_TIME = re.compile(rb'"ts"\s*:\s*(\d{10,16})')


class _UiMessage(msgspec.Struct):
    ts: float | str | None = None
    say: str | None = None
    text: str | None = None


class _UiMessages(msgspec.Struct):
    messages: list[_UiMessage] | None = None


class Entry(msgspec.Struct, rename="camel"):
    """What the index says of a task."""

    id: str | None = None
    task: str | None = None
    cwd_on_task_initialization: str | None = None
    shadow_git_config_work_tree: str | None = None
    """The same, for the sake of checkpoints; older builds wrote only this."""
    model_id: str | None = None

    @property
    def directory(self) -> str | None:
        """Where the task was begun."""
        return self.cwd_on_task_initialization or self.shadow_git_config_work_tree


class _Index(msgspec.Struct):
    entries: list[Entry] | None = None


class _ModelUsage(msgspec.Struct):
    model_id: str | None = None


class _Metadata(msgspec.Struct):
    model_usage: list[_ModelUsage] | None = None


_UI_MESSAGES = msgspec.json.Decoder(_UiMessages)
_INDEX = msgspec.json.Decoder(_Index)
_METADATA = msgspec.json.Decoder(_Metadata)


class Task(msgspec.Struct, frozen=True):
    """What the end of a task's messages tells."""

    last_activity: Instant | None


def read_task(path: str, size: int) -> Task | None:
    """Return what the end of a task's messages tells, `size` bytes of them, or None where there are none.

    Raises OSError, and ValueError for a file that holds no list.
    """
    if size > _WINDOW and (moment := _last_moment(path)) is not None:
        return Task(moment)
    record = documents.read(path, _UI_MESSAGES, items="messages")
    if record is None or record.messages is None:
        raise ValueError("holds no readable record")
    return Task(latest(message.ts for message in record.messages)) if record.messages else None


def _last_moment(path: str) -> Instant | None:
    """Return the latest time in the last window of a long task's messages."""
    with jsonl.opened(path) as file:
        end = jsonl.read_at(file.descriptor, _WINDOW, max(file.size - _WINDOW, 0))
    return latest(int(time) for time in _TIME.findall(end))


def read_index(path: str) -> dict[str, Entry]:
    """Return what the index says of tasks, by their ids. Raises OSError."""
    index = documents.read(path, _INDEX, items="entries")
    return {entry.id: entry for entry in (index.entries if index is not None else None) or () if entry.id}


class Contents(msgspec.Struct):
    """What all of a task's messages tell."""

    titles: dict[str, str] = msgspec.field(default_factory=dict)
    """The `first prompt`."""
    first_moment: Instant | None = None


def add_messages(contents: Contents, path: str, offset: int) -> None:
    """Add what all messages of a task tell. Raises OSError."""
    del offset  # such a file never grows: it is written anew
    record = documents.read(path, _UI_MESSAGES, items="messages")
    messages = (record.messages if record is not None else None) or []
    contents.first_moment = next(filter(None, (instant(message.ts) for message in messages)), None)
    texts = (request(message.text) for message in messages if message.say in ("task", "text"))
    if (prompt := next(filter(None, texts), None)) is not None:
        contents.titles["first prompt"] = prompt


def read_models(path: str) -> tuple[str, ...]:
    """Return the models that were asked in a task, out of the file beside its messages."""
    metadata = jsonl.small(os.path.join(os.path.dirname(path), "task_metadata.json"), _METADATA)
    usages = (metadata.model_usage if metadata is not None else None) or ()
    return tuple(dict.fromkeys(usage.model_id for usage in usages if usage.model_id))
