"""Mistral Vibe's JSON of all generations, as far as sesls reads it.

Seen in 1.3.5, 2.26.1 and 3.0.2; 2.9 by its published sources.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from sesls import text


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Message(msgspec.Struct, rename="camel"):
    """A message: of 1.x and 2.x, or an entry of a unified session's history."""

    role: str | None = None
    content: str | list[Part] | None = None
    injected: bool = False
    """Whether Vibe itself wrote it in a person's name (2.9)."""
    type: str | None = None
    """`message` in a unified history; absent elsewhere."""
    id: str | None = None
    created_at: float | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether a person or the model speaks."""
        return self.role in ("user", "assistant") and not self.injected and self.type in (None, "message")


class Place(msgspec.Struct):
    """Where a session runs."""

    working_directory: str | None = None


class Model(msgspec.Struct):
    """A model of the settings."""

    name: str | None = None
    alias: str | None = None


class Configuration(msgspec.Struct):
    """The settings a session runs with."""

    model_name: str | None = None
    active_model: str | None = None
    """The alias of one of the models."""
    models: list[Model] | None = None


class Profile(msgspec.Struct):
    """The agent a session runs as."""

    name: str | None = None


class Meta(msgspec.Struct):
    """What Vibe notes of a session: `meta.json`, or the `metadata` of a save of 1.x, whose times have no zone."""

    session_id: str | None = None
    parent_session_id: str | None = None
    """The session it was forked from, or went on from once it was compacted: no spawning."""
    start_time: str | None = None
    end_time: str | None = None
    bumped_at: str | None = None
    archived_at: str | None = None
    pinned_at: str | None = None
    git_branch: str | None = None
    environment: Place | None = None
    title: str | None = None
    config: Configuration | None = None
    """Absent in 2.26."""
    agent_config: Configuration | None = None
    """The same in 1.x."""
    agent_profile: Profile | None = None
    total_messages: float | None = None

    @property
    def model(self) -> str | None:
        """The model of the session."""
        settings = self.config or self.agent_config
        if settings is None:
            return None
        named = (model.name for model in settings.models or () if settings.active_model in (model.alias, model.name))
        return settings.model_name or (next(named, None) if settings.active_model else None)


class Save(msgspec.Struct):
    """A session of 1.x."""

    metadata: Meta | None = None
    messages: list[Message] = msgspec.field(default_factory=list)


class Current(msgspec.Struct):
    """Which of its states a unified session is in."""

    generation: str | None = None
    snapshot_sequence: int | None = None


class PublicSession(msgspec.Struct, rename="camel"):
    """What a unified session shows of itself. Times are epoch milliseconds."""

    id: str | None = None
    parent_session_id: str | None = None
    title: str | None = None
    preview: str | None = None
    """The first prompt, cut after 200 characters."""
    created_at: float | None = None
    updated_at: float | None = None


class Snapshot(msgspec.Struct):
    """A unified session at one moment."""

    session: PublicSession | None = None


class Projection(msgspec.Struct):
    """A `projection-state.json`."""

    snapshot: Snapshot | None = None


class Chunks(msgspec.Struct):
    """The files that hold a part of a state."""

    chunks: list[str] | None = None


class Manifest(msgspec.Struct):
    """A `manifest.json`."""

    projection_state: Chunks | None = None


class Parameters(msgspec.Struct):
    """What a command was given."""

    message: list[Part] | None = None


class Change(msgspec.Struct):
    """A change of a unified session's history."""

    entry: Message | None = None


class Payload(msgspec.Struct):
    """What a record of a journal carries."""

    method: str | None = None
    params: Parameters | None = None
    delta: list[Change] | None = None


class Record(msgspec.Struct):
    """A record of a unified session's journal."""

    sequence: int | None = None
    payload: Payload | None = None


MESSAGE = msgspec.json.Decoder(Message)
META = msgspec.json.Decoder(Meta)
SAVE = msgspec.json.Decoder(Save)
CURRENT = msgspec.json.Decoder(Current)
PROJECTION = msgspec.json.Decoder(Projection)
MANIFEST = msgspec.json.Decoder(Manifest)
RECORD = msgspec.json.Decoder(Record)
_CHUNK = msgspec.json.Decoder(list[Message])


def chunk_messages(content: bytes) -> Iterator[Message]:
    """Yield the messages of a history that a chunk holds; most chunks hold something else."""
    try:
        found = _CHUNK.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return
    yield from (message for message in found if message.type == "message" and message.is_turn)


def text_of(content: str | list[Part] | None) -> str | None:
    """Return what somebody wrote, if anything of it can be seen."""
    if isinstance(content, list):
        content = " ".join(part.text for part in content if part.type == "text" and part.text)
    return content if content and text.is_visible(content) else None
