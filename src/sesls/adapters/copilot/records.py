"""Copilot CLI's sessions, first their ends, later all of them: event logs, and the saves of the first builds.

Seen in Copilot CLI 1.0.45 and 1.0.102; older builds (0.0.340 to 0.0.370) by the programs themselves.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

import msgspec

from sesls.formats import documents, jsonl
from sesls.instants import Instant, instant, latest
from sesls.text import is_visible

_WINDOW = 16 << 10
_HEAD_LINES = 32
"""How many lines from the start are looked at for the first turn."""

# What builds of 0.0.3xx put after a prompt.
_REMINDER = "<reminder>"


class Part(msgspec.Struct):
    """A part of a message in a save."""

    type: str | None = None
    text: str | None = None


class ChatMessage(msgspec.Struct):
    """A message in a save."""

    role: str | None = None
    content: str | list[Part] | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether a person or the model speaks."""
        return self.role in ("user", "assistant")

    @property
    def prompt(self) -> str | None:
        """What a person asked for, if this is a person's message."""
        if self.role != "user":
            return None
        if isinstance(self.content, str):
            return _prompt(self.content)
        return _prompt(" ".join(part.text or "" for part in self.content or () if part.type == "text"))


class TimelineEntry(msgspec.Struct):
    """What a save shows on the screen."""

    timestamp: str | float | None = None


class Save(msgspec.Struct, rename="camel"):
    """A session of the builds to 0.0.340."""

    start_time: str | float | None = None
    chat_messages: list[ChatMessage] | None = None
    timeline: list[TimelineEntry] | None = None

    @property
    def turns(self) -> list[ChatMessage]:
        """What people and the model said."""
        return [message for message in self.chat_messages or () if message.is_turn]


class Context(msgspec.Struct):
    """Where a session was started."""

    cwd: str | None = None
    branch: str | None = None


class Data(msgspec.Struct, rename="camel"):
    """What an event carries."""

    copilot_version: str | None = None
    start_time: str | None = None
    context: Context | None = None
    detached_from_spawning_parent_session_id: str | None = None
    """The session at whose end a helper without a screen was started (from 1.0.45)."""
    content: str | None = None
    """A prompt as it was typed; `transformedContent` has the time and more around it."""
    source: str | None = None
    """Who sent a prompt, where it was no person: `system`, `agent-<id>`, `skill-<name>`."""
    model: str | None = None
    parent_tool_call_id: str | None = None
    legacy_session: Save | None = None


class Event(msgspec.Struct, rename="camel"):
    """One line of a log."""

    type: str | None = None
    timestamp: str | None = None
    agent_id: str | None = None
    """Of a subagent, whose events stand in the log of its session."""
    data: Data | None = None

    @property
    def is_own(self) -> bool:
        """Tell whether the session itself wrote it, and no subagent (to 1.0.45: no tool call)."""
        return not self.agent_id and (self.data is None or not self.data.parent_tool_call_id)

    @property
    def is_turn(self) -> bool:
        """Tell whether a person or the model speaks, or an older save is taken over in which they do."""
        if self.type == "session.import_legacy":
            return bool(self.imported)
        return self.type in ("user.message", "assistant.message") and self.is_own

    @property
    def imported(self) -> list[ChatMessage]:
        """What was said in a save that this log goes on from."""
        save = self.data.legacy_session if self.data is not None else None
        return save.turns if save is not None else []

    @property
    def prompt(self) -> str | None:
        """What a person asked for, if this is a person's message."""
        if self.type != "user.message" or self.data is None or self.data.source not in (None, "", "user"):
            return None
        return _prompt(self.data.content or "")


EVENT = msgspec.json.Decoder(Event)
SAVE = msgspec.json.Decoder(Save)


def _prompt(text: str) -> str | None:
    text = text.rpartition(_REMINDER)[0] or text
    return text if is_visible(text) else None


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a session's file tell."""

    cwd: str | None = None
    branch: str | None = None
    created: Instant | None = None
    version: str | None = None
    spawned_by: str | None = None
    last_activity: Instant | None = None


def read_ends(path: str) -> Ends | None:
    """Return what both ends of an event log tell, or None where nobody has said anything yet.

    Raises OSError, and ValueError for a file without any record.
    """
    with jsonl.opened(path) as file:
        head: list[Event] = []
        for event in jsonl.records(islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES), EVENT):
            head.append(event)
            if event.is_turn:
                break
        tail = jsonl.tail(file, EVENT, _WINDOW, _has_time)
        has_turn = any(event.is_turn for event in (*head, *tail)) or _has_turn(file)
        is_empty = file.size == 0
    if not has_turn:
        if not is_empty and not any(event.type for event in (*head, *tail)):
            raise ValueError("holds no readable record")
        return None
    data = next((event.data for event in head if event.type == "session.start" and event.data is not None), Data())
    context = data.context or Context()
    return Ends(
        cwd=context.cwd,
        branch=context.branch,
        created=instant(data.start_time),
        version=data.copilot_version,
        spawned_by=data.detached_from_spawning_parent_session_id or None,
        last_activity=latest(event.timestamp for event in (*head, *tail)),
    )


def _has_time(event: Event) -> bool:
    return instant(event.timestamp) is not None


_TURN = re.compile(rb'"(?:user\.message|assistant\.message|session\.import_legacy)"')


def _has_turn(file: jsonl.File) -> bool:
    """Tell whether there is a turn anywhere in a log."""
    return any(event.is_turn for event in jsonl.records(jsonl.lines_with(jsonl.blocks(file), _TURN), EVENT))


def read_save(path: str) -> Ends | None:
    """Return what a save tells, or None where nobody has said anything.

    Raises OSError, and ValueError for a file that is none.
    """
    save = documents.read(path, SAVE)
    if save is None:
        raise ValueError("holds no readable record")
    if not save.turns:
        return None
    created = instant(save.start_time)
    moments = [entry.timestamp for entry in save.timeline or ()]
    return Ends(created=created, last_activity=latest([save.start_time, *moments]))


Title = Literal["first prompt"]


class Contents(msgspec.Struct):
    """What all of a session's file tells."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    models: dict[str, None] = msgspec.field(default_factory=dict)
    """Of answers: what `session.start` and `session.model_change` name may never have been used."""
    messages: int = 0
    subagents: int = 0


_MATTERS = re.compile(
    rb'"(?:user\.message|assistant\.message|session\.import_legacy|subagent\.started|custom_agent\.started)"'
)


def add_events(contents: Contents, path: str, offset: int) -> None:
    """Add what the events of a log tell from an offset on. Raises OSError."""
    with jsonl.opened(path) as file:
        for event in jsonl.records(jsonl.lines_with(jsonl.blocks(file, start=offset), _MATTERS), EVENT):
            if event.type in ("subagent.started", "custom_agent.started"):
                contents.subagents += 1
            elif event.type == "session.import_legacy":
                _add_messages(contents, event.imported)
            elif event.type == "user.message" and event.is_turn:
                if event.prompt is not None:
                    contents.messages += 1
                    contents.titles.setdefault("first prompt", event.prompt)
            elif event.is_turn:
                contents.messages += 1
                if event.data is not None and event.data.model:
                    contents.models[event.data.model] = None


def add_save(contents: Contents, path: str, offset: int) -> None:
    """Add what a save tells. Raises OSError."""
    del offset  # such a file never grows: it is written anew
    save = documents.read(path, SAVE)
    _add_messages(contents, save.turns if save is not None else [])


def _add_messages(contents: Contents, messages: list[ChatMessage]) -> None:
    for message in messages:
        contents.messages += 1
        if message.prompt is not None:
            contents.titles.setdefault("first prompt", message.prompt)
