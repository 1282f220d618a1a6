"""The files of a session of Cline 3: its manifest, and the messages of it and of its children.

Seen in Cline 3.0.65. Both hold the vendor's prompt too, which is neither kept nor shown.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from sesls.adapters.cline.prompts import request
from sesls.formats import documents
from sesls.instants import Instant, instant, latest
from sesls.text import is_visible

_WINDOW = 16 << 10


class HistoryOrigin(msgspec.Struct):
    """Which build began a session."""

    version: str | None = None


class Metadata(msgspec.Struct, rename={"origin": "sessionHistoryOrigin"}):
    """What a manifest holds besides."""

    title: str | None = None
    origin: HistoryOrigin | None = None


class _Manifest(msgspec.Struct):
    """`ended_at` is left alone: whichever Cline starts next writes it into sessions that died."""

    session_id: str | None = None
    source: str | None = None
    started_at: str | float | None = None
    status: str | None = None
    interactive: bool | None = None
    exit_code: int | None = None
    cwd: str | None = None
    team_name: str | None = None
    prompt: str | None = None
    metadata: Metadata | None = None


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Model(msgspec.Struct):
    """The model that answered."""

    id: str | None = None


class Message(msgspec.Struct, rename="camel"):
    """What somebody said. Its time is epoch milliseconds."""

    role: str | None = None
    content: str | list[Part] | None = None
    ts: float | str | None = None
    model_info: Model | None = None

    @property
    def is_result(self) -> bool:
        """Tell whether this is what tools gave back, and no person's message."""
        return isinstance(self.content, list) and {part.type for part in self.content} == {"tool_result"}

    @property
    def text(self) -> str | None:
        """The first text of it."""
        if not isinstance(self.content, list):
            return self.content
        texts = (part.text for part in self.content if part.type == "text")
        return next((text for text in texts if text and is_visible(text)), None)


class Origin(msgspec.Struct, rename="camel"):
    """Where a thread of messages comes from."""

    parent_thread_id: str | None = None
    source: str | None = None
    version: str | None = None


class _Thread(msgspec.Struct, rename={"session_id": "sessionId"}):
    updated_at: str | float | None = None
    session_id: str | None = None
    agent: str | None = None
    origin: Origin | None = None
    messages: list[Message] | None = None


_MANIFEST = msgspec.json.Decoder(_Manifest)
_THREAD = msgspec.json.Decoder(_Thread)


class Manifest(msgspec.Struct, frozen=True):
    """What the start of a manifest tells."""

    session_id: str | None
    cwd: str | None
    created: Instant | None
    has_prompt: bool
    source: str | None
    status: str | None
    interactive: bool | None
    exit_code: int | None
    team_name: str | None


class Thread(msgspec.Struct, frozen=True):
    """What the start of a file of messages tells."""

    session_id: str | None
    parent: str | None
    agent: str | None
    """`lead`, `subagent` or `teammate`."""
    source: str | None
    version: str | None
    is_empty: bool
    last_activity: Instant | None


def read_manifest(path: str) -> Manifest:
    """Return what a manifest tells. Raises OSError, and ValueError for a file that is none."""
    record, is_whole = documents.start(path, _MANIFEST, _WINDOW)
    if not is_whole and (record is None or not record.prompt):
        record = documents.read(path, _MANIFEST)
    if record is None:
        raise ValueError("holds no readable record")
    return Manifest(
        session_id=record.session_id or None,
        cwd=record.cwd,
        created=instant(record.started_at),
        has_prompt=request(record.prompt) is not None,
        source=record.source,
        status=record.status,
        interactive=record.interactive,
        exit_code=record.exit_code,
        team_name=record.team_name,
    )


def read_thread(path: str) -> Thread:
    """Return what the start of a file of messages tells. Raises OSError, and ValueError for a file that is none."""
    record, is_whole = documents.start(path, _THREAD, _WINDOW)
    if not is_whole and (record is None or not record.messages or instant(record.updated_at) is None):
        record = documents.read(path, _THREAD)
    if record is None:
        raise ValueError("holds no readable record")
    origin = record.origin or Origin()
    return Thread(
        session_id=record.session_id or None,
        parent=origin.parent_thread_id or None,
        agent=record.agent,
        source=origin.source,
        version=origin.version,
        is_empty=not record.messages,
        # It is written together with the last message, and not before it.
        last_activity=latest([record.updated_at, *(message.ts for message in record.messages or ())]),
    )


Title = Literal["title", "prompt", "first prompt"]


class Contents(msgspec.Struct):
    """What all of a manifest, or all messages, tell."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    models: dict[str, None] = msgspec.field(default_factory=dict)
    """Of answers: the manifest's is only what was chosen last."""
    messages: int = 0
    first_moment: Instant | None = None
    version: str | None = None


def add_manifest(contents: Contents, path: str, offset: int) -> None:
    """Add what all of a manifest tells. Raises OSError."""
    del offset  # such a file never grows: it is written anew
    record = documents.read(path, _MANIFEST) or _Manifest()
    metadata = record.metadata or Metadata()
    contents.version = metadata.origin.version if metadata.origin is not None else None
    if (title := request(metadata.title)) is not None:
        contents.titles["title"] = title
    if (prompt := request(record.prompt)) is not None:
        contents.titles["prompt"] = prompt


def add_messages(contents: Contents, path: str, offset: int) -> None:
    """Add what all messages tell. Raises OSError."""
    del offset  # such a file never grows: it is written anew
    record = documents.read(path, _THREAD) or _Thread()
    for message in record.messages or ():
        contents.first_moment = contents.first_moment or instant(message.ts)
        if message.role == "user" and not message.is_result:
            contents.messages += 1
            if "first prompt" not in contents.titles and (prompt := request(message.text)) is not None:
                contents.titles["first prompt"] = prompt
        elif message.role == "assistant":
            contents.messages += 1
            if message.model_info is not None and message.model_info.id:
                contents.models[message.model_info.id] = None
