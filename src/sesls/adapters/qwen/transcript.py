"""One session's file: first its two ends, later all of it.

From 0.5 on it is JSON lines, to 0.1 one object as Gemini CLI wrote it. Records without `provenance` are those of older
versions (0.10) and of subagents. Seen in 0.1.4, 0.10.1 and 0.24.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from sesls.adapters.gemini_family import conversation
from sesls.adapters.gemini_family.conversation import Conversation, Part
from sesls.formats import jsonl
from sesls.instants import Instant, instant, latest
from sesls.text import is_visible

_WINDOW = 16 << 10
_TURN = re.compile(rb'"(?:user|assistant)"')


class Goal(msgspec.Struct):
    """What a session is to reach."""

    objective: str | None = None


class Snapshot(msgspec.Struct):
    """The state of a goal, or of none any more."""

    goal: Goal | None = None


class Payload(msgspec.Struct, rename="camel"):
    """What a `system` record carries, or what goes with a prompt."""

    custom_title: str | None = None
    title_source: str | None = None
    """`manual` or `auto`."""
    parent_session_id: str | None = None
    source_type: str | None = None
    display_text: str | None = None
    """What a person typed, where more was sent."""
    snapshot: Snapshot | None = None


class Fork(msgspec.Struct, rename="camel"):
    """Where a copied record comes from."""

    session_id: str | None = None


class Message(msgspec.Struct):
    """What was said."""

    parts: list[Part] | None = None


class Record(msgspec.Struct, rename="camel"):
    """One line."""

    timestamp: str | float | None = None
    type: str | None = None
    subtype: str | None = None
    provenance: str | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None
    model: str | None = None
    agent_id: str | None = None
    message: Message | None = None
    system_payload: Payload | None = None
    forked_from: Fork | None = None

    @property
    def is_said(self) -> bool:
        """Whether a person said it; what the agent says in a person's place has another subtype or provenance."""
        return (
            self.type == "user"
            and self.subtype in (None, "mid_turn_user_message")
            and self.provenance in (None, "real_user")
        )

    @property
    def is_turn(self) -> bool:
        """Whether a person or the model speaks. A file without is no session: it only holds commands."""
        return self.type == "assistant" or self.is_said


RECORD = msgspec.json.Decoder(Record)


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a session's file tell."""

    id: str | None
    """Where the file's name does not tell it: of a subagent, and of a session of an old build."""
    cwd: str | None
    last_activity: Instant | None
    spawner: str | None
    """The session that created this one (`parent_session`)."""


def read_ends(path: str) -> Ends | None:
    """Return what both ends of a session's file tell, or None for one without turns.

    Raises OSError, and ValueError for a file that holds no record.
    """
    with jsonl.opened(path) as file:
        head = list(_head(file))
        tail = jsonl.tail(file, RECORD, _WINDOW, lambda record: instant(record.timestamp) is not None)
        if not (head or tail):
            if file.size:
                raise ValueError("holds no readable record")
            return None
        if not any(record.is_turn for record in (*head, *tail)) and not _has_turn(file):
            return None
    payloads = [record.system_payload for record in head if record.subtype == "parent_session"]
    return Ends(
        id=next((record.agent_id for record in (*head, *tail) if record.agent_id), None),
        cwd=next((record.cwd for record in (*head, *tail) if record.cwd), None),
        last_activity=latest(record.timestamp for record in (*head, *tail)),
        spawner=next((one.parent_session_id for one in payloads if one is not None and one.parent_session_id), None),
    )


def _head(file: jsonl.File) -> Iterator[Record]:
    """Yield the first records up to a turn, but no more than a window holds, and the one that goes on after it."""

    def pieces() -> Iterator[bytes]:
        for piece in jsonl.blocks(file, _WINDOW):
            yield piece
            if is_any_read:
                return

    is_any_read = False
    for record in jsonl.records(jsonl.lines(pieces()), RECORD):
        is_any_read = True
        yield record
        if record.is_turn:
            return


def _has_turn(file: jsonl.File) -> bool:
    lines = jsonl.lines_with(jsonl.blocks(file), _TURN)
    return any(record.is_turn for record in jsonl.records(lines, RECORD))


def read_old_ends(path: str) -> Ends | None:
    """Return what both ends of a conversation of 0.1 tell, or None for one without turns.

    No directory stands in it. Raises OSError, and ValueError where nothing can be read.
    """
    found = conversation.read_ends(path)
    if found is None or not any(message.is_turn for message in found.messages or ()):
        return None
    if not found.session_id:
        raise ValueError("has lost its header")
    return Ends(id=found.session_id, cwd=None, last_activity=latest(found.times()), spawner=None)


Title = Literal["custom", "first prompt", "goal", "git branch"]


class Contents(msgspec.Struct):
    """What all of a session's file tells."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    """The last title given by a person or the model, the first prompt, and the goal at the end; and the last branch,
    which somebody named too."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    created: Instant | None = None
    messages: int = 0
    """On all branches: what was rewound stays in the file."""
    facts: dict[str, str | None] = msgspec.field(default_factory=dict)
    """What only Qwen Code has, under the name it gets in `extra`."""


def add_records(contents: Contents, path: str, offset: int) -> None:
    """Add what a session's file tells from an offset on. Raises OSError."""
    with jsonl.opened(path) as file:
        for record in jsonl.all_records(file, RECORD, offset):
            if contents.created is None:
                contents.created = instant(record.timestamp)
            _add_facts(contents.facts, record)
            if record.git_branch:
                contents.titles["git branch"] = record.git_branch
            if record.is_turn:
                _add_turn(contents, record)
            elif record.type == "system" and record.system_payload is not None:
                _add_note(contents, record.subtype, record.system_payload)


def _add_facts(facts: dict[str, str | None], record: Record) -> None:
    """Note the first fork, and the last version."""
    if record.forked_from is not None and record.forked_from.session_id:
        facts.setdefault("forked_from", record.forked_from.session_id)
    if record.version:
        facts["agent_version"] = record.version


def _add_turn(contents: Contents, record: Record) -> None:
    contents.messages += 1
    if record.type == "assistant":
        if record.model:
            contents.models[record.model] = None
    elif record.subtype is None and "first prompt" not in contents.titles and (said := _said(record)) is not None:
        contents.titles["first prompt"] = said


def _said(record: Record) -> str | None:
    """Return what a person typed: the first text; those after it are files and context that the agent added."""
    shown = record.system_payload.display_text if record.system_payload is not None else None
    parts = (record.message.parts if record.message is not None else None) or []
    texts = [part.text for part in parts] if shown is None else [shown]
    return next((text for text in texts if text is not None and is_visible(text)), None)


def _add_note(contents: Contents, subtype: str | None, payload: Payload) -> None:
    if subtype == "custom_title" and payload.custom_title and is_visible(payload.custom_title):
        contents.titles["custom"] = payload.custom_title
        contents.facts["title_source"] = payload.title_source
    elif subtype == "session_source" and payload.source_type:
        contents.facts.setdefault("session_source", payload.source_type)
    elif subtype == "goal_state":
        contents.titles.pop("goal", None)  # a goal that was reached or cleared is none any more
        goal = payload.snapshot.goal if payload.snapshot is not None else None
        if goal is not None and goal.objective:
            contents.titles["goal"] = goal.objective


def add_conversation(contents: Contents, path: str, offset: int) -> None:
    """Add what a conversation of 0.1 tells. Raises OSError, and ValueError where nothing can be read."""
    del offset
    found = conversation.read(path) or Conversation()
    moments = [moment for time in found.times() if (moment := instant(time)) is not None]
    contents.created = min(moments, default=None)
    for message in found.messages or ():
        contents.messages += message.is_turn
        if message.is_answer and message.model:
            contents.models[message.model] = None
        elif message.is_said:
            contents.titles.setdefault("first prompt", message.text)
