"""The records of a rollout, as far as sesls reads them. Unknown types and keys are skipped.

Three generations: a TypeScript save is one JSON object; a bare rollout (before 0.32) has a header line and raw
response items; a wrapped one has `{timestamp, type, payload}` lines, with an `ordinal` where the thread is
paginated (from 0.147). Seen in Codex 0.1.2504 to 0.171.
"""

from __future__ import annotations

import msgspec


class Git(msgspec.Struct):
    """Where a repository stood when the thread began (from 0.20)."""

    branch: str | None = None


class HistoryBase(msgspec.Struct):
    """What a paginated fork or a later segment continues: a thread's or a segment's id."""

    thread_id: str | None = None


class Part(msgspec.Struct):
    """A part of a message: text (`input_text`, `text`, `Text`, …), an image or a sound."""

    type: str | None = None
    text: str | None = None


class Item(msgspec.Struct):
    """A completed item of a paginated thread: `UserMessage`, `AgentMessage`, …"""

    type: str | None = None
    content: list[Part] | None = None


class Settings(msgspec.Struct):
    """What `thread_settings_applied` says (from 0.146)."""

    cwd: str | None = None


class Goal(msgspec.Struct):
    """What `thread_goal_updated` says."""

    objective: str | None = None


class Payload(msgspec.Struct):
    """The payloads of all record types at once; a record has the fields of its type."""

    type: str | None = None
    # session_meta
    id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: object = None
    thread_source: str | None = None
    model_provider: str | None = None
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    history_mode: str | None = None
    history_base: HistoryBase | None = None
    subagent_history_start_ordinal: int | None = None
    git: Git | None = None
    agent_path: str | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None
    attached_thread: bool | None = None
    # turn_context
    model: str | None = None
    # event_msg
    message: str | None = None
    images: list[object] | None = None
    local_images: list[object] | None = None
    audio: list[object] | None = None
    item: Item | None = None
    goal: Goal | None = None
    objective: str | None = None
    thread_name: str | None = None
    thread_settings: Settings | None = None
    # response_item
    role: str | None = None
    content: list[Part] | None = None


class Record(msgspec.Struct):
    """One line of a rollout, wrapped or bare."""

    timestamp: str | float | None = None
    type: str | None = None
    ordinal: int | None = None
    payload: Payload | None = None
    # bare: the header line, and response items
    id: str | None = None
    git: Git | None = None
    role: str | None = None
    content: list[Part] | None = None


class LatePayload(msgspec.Struct):
    """What matters of a payload near the end of a rollout."""

    thread_settings: Settings | None = None


class LateRecord(msgspec.Struct):
    """What matters of a line near the end of a rollout."""

    timestamp: str | float | None = None
    payload: LatePayload | None = None


class Session(msgspec.Struct):
    """The head of a TypeScript save."""

    id: str | None = None
    timestamp: str | float | None = None
    """When it was last saved."""


class SavedItem(msgspec.Struct):
    """An item of a TypeScript save."""

    type: str | None = None
    role: str | None = None
    content: list[Part] | str | None = None


class SaveHead(msgspec.Struct):
    """A TypeScript save without its items."""

    session: Session | None = None


class Save(msgspec.Struct):
    """A TypeScript save."""

    items: list[SavedItem] | None = None


RECORD = msgspec.json.Decoder(Record)
LATE_RECORD = msgspec.json.Decoder(LateRecord)
SAVE = msgspec.json.Decoder(Save)
SAVE_HEAD = msgspec.json.Decoder(SaveHead)
