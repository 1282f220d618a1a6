"""The rows of a transcript, as far as sesls reads them. Unknown types and keys are skipped.

Seen in Claude Code 0.2.126 to 2.1.332. The order of keys differs between builds and rows.
"""

from __future__ import annotations

import msgspec


class Fork(msgspec.Struct, rename="camel"):
    """Where a copied row comes from (`/fork`, `/branch`, forks by the SDK; from 2.1.20)."""

    session_id: str | None = None


class Origin(msgspec.Struct):
    """Who spoke (from 2.1.240): `human`, `task-notification`, …"""

    kind: str | None = None


class Block(msgspec.Struct):
    """A part of a message: `text`, `tool_use`, `tool_result`, `image`, `thinking`."""

    type: str | None = None
    text: str | None = None


class Message(msgspec.Struct):
    """What a `user` or `assistant` row carries."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block | str] | None = None


TURNS = frozenset({"user", "assistant"})
"""The types of rows that are part of the conversation. Tool results are `user` rows too."""


class Envelope(msgspec.Struct, rename="camel"):
    """The keys around a row that the first reading takes."""

    type: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    session_id: str | None = None
    entrypoint: str | None = None
    leaf_uuid: str | None = None
    summary: str | None = None
    relocated_cwd: str | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether this is part of the conversation."""
        return self.type in TURNS


class Row(msgspec.Struct, rename="camel"):
    """What the second reading takes of a row."""

    type: str | None = None
    timestamp: str | float | None = None
    entrypoint: str | None = None
    uuid: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    version: str | None = None
    git_branch: str | None = None
    session_kind: str | None = None
    team_name: str | None = None
    origin: Origin | None = None
    forked_from: Fork | None = None
    message: Message | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    last_prompt: str | None = None
    tag: str | None = None
    continued_in_session_id: str | None = None


ENVELOPE = msgspec.json.Decoder(Envelope)
ROW = msgspec.json.Decoder(Row)
