"""Kiro's database: `conversations_v2` with a row for each conversation and directory, before that `conversations`.

The older table has one row for each directory and no times: all is in the conversation's JSON, as its public
predecessor (Amazon Q Developer CLI) wrote it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from sesls.adapters import databases
from sesls.adapters.kiro.records import Contents, Row, model_or_none
from sesls.formats import jsonl, sqlite
from sesls.instants import Instant, instant

if TYPE_CHECKING:
    import sqlite3

_TABLE = "conversations_v2"
_OLD_TABLE = "conversations"


class _Prompt(msgspec.Struct):
    prompt: str | None = None


class _Content(msgspec.Struct, rename={"prompt": "Prompt"}):
    prompt: _Prompt | None = None
    """Absent where tools answered."""


class _User(msgspec.Struct):
    content: _Content | None = None
    timestamp: str | None = None


class _Request(msgspec.Struct):
    model_id: str | None = None
    stream_end_timestamp_ms: float | None = None


class _Assistant(msgspec.Struct):
    """An answer, of which nothing but its being there is read."""


class _Turn(msgspec.Struct):
    user: _User | None = None
    assistant: _Assistant | None = None
    request_metadata: _Request | None = None

    @property
    def prompt(self) -> str | None:
        content = self.user.content if self.user is not None else None
        return content.prompt.prompt if content is not None and content.prompt is not None else None

    @property
    def moment(self) -> Instant | None:
        ended = instant(self.request_metadata.stream_end_timestamp_ms) if self.request_metadata is not None else None
        return ended or (instant(self.user.timestamp) if self.user is not None else None)


class _ModelInfo(msgspec.Struct):
    model_id: str | None = None


class Conversation(msgspec.Struct):
    """The JSON of a conversation."""

    conversation_id: str | None = None
    history: list[_Turn] | None = None
    model_info: _ModelInfo | None = None


_CONVERSATIONS = msgspec.json.Decoder(Conversation)


def read_rows(path: str) -> tuple[Row, ...]:
    """Return all conversations of a database, each once.

    Raises OSError, and ValueError when it is no database.
    """
    return databases.read(path, _rows)


def _rows(connection: sqlite3.Connection) -> tuple[Row, ...]:
    found: dict[str, Row] = {}
    columns = sqlite.columns(connection, _TABLE)
    if "conversation_id" in columns:
        selected = sqlite.selection(("conversation_id", "key", "created_at", "updated_at"), columns)
        for session, directory, created, updated in connection.execute(f"SELECT {selected} FROM {_TABLE}"):
            if isinstance(session, str) and session:
                moments = [moment for value in (created, updated) if (moment := instant(value)) is not None]
                last = max(moments, default=None)
                row = Row(session, cwd=sqlite.text(directory), created=instant(created), last_activity=last)
                if session not in found or (last or 0) > (found[session].last_activity or 0):
                    found[session] = row
    for directory, conversation in _old_conversations(connection):
        if conversation.conversation_id:
            found.setdefault(conversation.conversation_id, _old_row(directory, conversation))
    return tuple(found.values())


def _old_conversations(connection: sqlite3.Connection) -> Iterator[tuple[str | None, Conversation]]:
    if not {"key", "value"} <= sqlite.columns(connection, _OLD_TABLE):
        return
    for directory, value in connection.execute(f"SELECT key, CAST(value AS BLOB) FROM {_OLD_TABLE}"):
        conversation = jsonl.whole(value or b"", _CONVERSATIONS)
        if conversation is not None:
            yield sqlite.text(directory), conversation


def _old_row(directory: str | None, conversation: Conversation) -> Row:
    moments = [moment for turn in conversation.history or () if (moment := turn.moment) is not None]
    return Row(
        id=conversation.conversation_id or "",
        cwd=directory,
        created=min(moments, default=None),
        last_activity=max(moments, default=None),
    )


def read_contents(ids: Sequence[str], connection: sqlite3.Connection) -> dict[str, Contents]:
    """Return what the messages of some conversations tell, by their ids."""
    found: dict[str, Contents] = {}
    columns = sqlite.columns(connection, _TABLE)
    if {"conversation_id", "value"} <= columns:
        order = "updated_at" if "updated_at" in columns else "rowid"
        query = (
            f"SELECT conversation_id, CAST(value AS BLOB) FROM {_TABLE} WHERE conversation_id IN ({{}}) "
            f"ORDER BY {order}"
        )
        for session, value in sqlite.rows_of(connection, query, ids):
            conversation = jsonl.whole(value or b"", _CONVERSATIONS)
            if conversation is not None:
                found[session] = _contents(conversation)
    wanted = set(ids) - found.keys()
    for _, conversation in _old_conversations(connection) if wanted else ():
        if conversation.conversation_id in wanted:
            found[conversation.conversation_id or ""] = _contents(conversation)
    return found


def _contents(conversation: Conversation) -> Contents:
    contents = Contents()
    for turn in conversation.history or ():
        if turn.prompt:
            contents.messages += 1
            contents.titles.setdefault("first prompt", turn.prompt)
        contents.messages += turn.assistant is not None
        model = model_or_none(turn.request_metadata.model_id) if turn.request_metadata is not None else None
        if model is not None:
            contents.models[model] = None
    chosen = model_or_none(conversation.model_info.model_id) if conversation.model_info is not None else None
    if not contents.models and chosen is not None:
        contents.models[chosen] = None
    return contents
