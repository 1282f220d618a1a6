"""Kiro's files: the record of a session, and its messages."""

from __future__ import annotations

import os
from typing import Literal

import msgspec

from sesls.adapters.kiro import places
from sesls.formats import jsonl
from sesls.instants import Instant, instant
from sesls.session import Candidate

_WINDOW = 16 << 10
# The choice to let Kiro choose, which is no model.
_NO_MODELS = frozenset({"", "auto"})


class Row(msgspec.Struct, frozen=True):
    """A session, as a record or a row tells of it."""

    id: str
    parent_id: str | None = None
    cwd: str | None = None
    created: Instant | None = None
    last_activity: Instant | None = None
    model: str | None = None
    """The one chosen."""


class Facts(msgspec.Struct, frozen=True):
    """What one file tells: one session, or all those of a database."""

    rows: tuple[Row, ...]
    titles: dict[Literal["title"], str] = msgspec.field(default_factory=dict)


class _ModelInfo(msgspec.Struct):
    model_id: str | None = None


class _ModelState(msgspec.Struct):
    model_info: _ModelInfo | None = None


class _State(msgspec.Struct):
    rts_model_state: _ModelState | None = None


class _Record(msgspec.Struct):
    """The record of 2.x. Its `session_created_reason` is `subagent` in every session, and is not read."""

    session_id: str | None = None
    parent_session_id: str | None = None
    cwd: str | None = None
    title: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    session_state: _State | None = None


class _Session(msgspec.Struct, rename="camel"):
    """The record of 3.0."""

    id: str | None = None
    parent_session_id: str | None = None
    workspace_paths: list[str] | None = None
    title: str | None = None
    created_at: float | str | None = None
    last_modified_at: float | str | None = None
    model_id: str | None = None


_RECORDS = msgspec.json.Decoder(_Record)
_SESSIONS = msgspec.json.Decoder(_Session)


def model_or_none(model: str | None) -> str | None:
    """Return a model's id, or None where it is the choice to let Kiro choose."""
    return None if (model or "") in _NO_MODELS else model


def read_record(candidate: Candidate) -> Facts:
    """Return what the record of 2.x tells. Raises OSError, and ValueError where it is none."""
    record = jsonl.whole_file(candidate.path, _RECORDS)
    if record is None or not (record.session_id or record.cwd):
        raise ValueError("is no readable record of a session")
    state = record.session_state.rts_model_state if record.session_state is not None else None
    info = state.model_info if state is not None else None
    row = Row(
        id=record.session_id or os.path.basename(places.stem(candidate.path)),
        parent_id=record.parent_session_id or None,
        cwd=record.cwd,
        created=instant(record.created_at),
        last_activity=instant(record.updated_at) or instant(record.created_at),
        model=model_or_none(info.model_id) if info is not None else None,
    )
    return Facts((row,), {"title": record.title} if record.title else {})


def read_session(candidate: Candidate) -> Facts:
    """Return what the record of 3.0 tells. Raises OSError, and ValueError where it is none."""
    session = jsonl.whole_file(candidate.path, _SESSIONS)
    if session is None or not session.id:
        raise ValueError("is no readable record of a session")
    row = Row(
        id=session.id,
        parent_id=session.parent_session_id or None,
        cwd=next(iter(session.workspace_paths or ()), None),
        created=instant(session.created_at),
        last_activity=instant(session.last_modified_at) or instant(session.created_at),
        model=model_or_none(session.model_id),
    )
    return Facts((row,), {"title": session.title} if session.title else {})


class _PartData(msgspec.Struct, rename="camel"):
    model_id: str | None = None


class _Part(msgspec.Struct):
    kind: str | None = None
    data: str | _PartData | None = None
    """Text, or of a thought the model too."""


class _Meta(msgspec.Struct):
    timestamp: float | None = None
    """Epoch seconds."""


class _Data(msgspec.Struct):
    content: list[_Part] | None = None
    meta: _Meta | None = None


class _Payload(msgspec.Struct):
    type: str | None = None
    content: str | None = None


class Line(msgspec.Struct):
    """A line of a journal (2.x: `kind` and `data`), or of the messages of 3.0 (`payload`)."""

    kind: str | None = None
    data: _Data | None = None
    payload: _Payload | None = None

    @property
    def moment(self) -> Instant | None:
        """When it was said, which 2.x notes of prompts alone."""
        meta = self.data.meta if self.data is not None else None
        return instant(meta.timestamp) if meta is not None else None

    @property
    def role(self) -> Literal["user", "assistant"] | None:
        """Who speaks, if somebody does. 3.0 keeps the first prompt in `session_start`."""
        kind = self.kind or (self.payload.type if self.payload is not None else None)
        if kind in ("Prompt", "user", "session_start"):
            return "user"
        return "assistant" if kind in ("AssistantMessage", "assistant") else None

    @property
    def text(self) -> str | None:
        """The text of a message."""
        if self.payload is not None:
            return self.payload.content
        parts = (self.data.content or ()) if self.data is not None else ()
        texts = (part.data for part in parts if part.kind == "text" and isinstance(part.data, str))
        return next((text for text in texts if text.strip()), None)

    @property
    def models(self) -> list[str]:
        """The models that thought."""
        parts = (self.data.content or ()) if self.data is not None else ()
        thoughts = (part.data for part in parts if isinstance(part.data, _PartData))
        return [thought.model_id for thought in thoughts if thought.model_id]


LINE = msgspec.json.Decoder(Line)


def read_journal(candidate: Candidate) -> Facts | None:
    """Return the last moment of a journal; None when it is empty. Raises OSError, and ValueError for no journal."""
    with jsonl.opened(candidate.path) as file:
        tail = jsonl.tail(file, LINE, _WINDOW, lambda line: line.moment is not None)
        if not any(line.kind for line in tail):
            if file.size:
                raise ValueError("holds no readable record")
            return None
    moments = [moment for line in tail if (moment := line.moment) is not None]
    row = Row(id=os.path.basename(places.stem(candidate.path)), last_activity=max(moments, default=None))
    return Facts((row,))


class Contents(msgspec.Struct):
    """What all messages of a session tell."""

    titles: dict[Literal["first prompt"], str] = msgspec.field(default_factory=dict)
    models: dict[str, None] = msgspec.field(default_factory=dict)
    messages: int = 0


def add_lines(contents: Contents, path: str, offset: int) -> None:
    """Add what the messages in a file tell from an offset on. Raises OSError."""
    with jsonl.opened(path) as file:
        for line in jsonl.all_records(file, LINE, offset):
            if line.role is None:
                continue
            contents.messages += 1
            contents.models.update(dict.fromkeys(line.models))
            if line.role == "user" and "first prompt" not in contents.titles and (text := line.text):
                contents.titles["first prompt"] = text
