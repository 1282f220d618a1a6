"""OpenCode's JSON, as far as sesls reads it: session records, messages and their parts.

In databases a message's `data` holds the same without its ids. Seen in OpenCode 0.1.174 to 1.18.33; the fields of
2.x (`model.id`, `content`) are known from public sources.
"""

from __future__ import annotations

import re

import msgspec

from sesls import text
from sesls.instants import Instant, instant

# A title that nobody gave. 0.1 wrote `New Session`.
_DEFAULT_TITLE = re.compile(r"(?:New [Ss]ession|Child session) - \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Times(msgspec.Struct):
    """Epoch milliseconds."""

    created: float | None = None
    updated: float | None = None
    completed: float | None = None
    archived: float | None = None


class Record(msgspec.Struct, rename={"parent_id": "parentID"}):
    """A session record of the JSON stores."""

    id: str | None = None
    title: str | None = None
    directory: str | None = None
    """Absent in 0.x, and in what 1.x copied from there."""
    parent_id: str | None = None
    version: str | None = None
    """Of the build that created the session; never rewritten."""
    time: Times | None = None


class Place(msgspec.Struct):
    """Where a turn ran."""

    cwd: str | None = None


class Model(msgspec.Struct):
    """The model of a turn (2.x)."""

    id: str | None = None


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None


class AssistantMetadata(msgspec.Struct, rename={"model_id": "modelID"}):
    """What 0.1 kept of an answer."""

    model_id: str | None = None
    path: Place | None = None


class Metadata(msgspec.Struct):
    """What 0.1 kept of a message."""

    assistant: AssistantMetadata | None = None
    time: Times | None = None


class Message(msgspec.Struct, rename={"model_id": "modelID"}):
    """A message of any generation."""

    id: str | None = None
    role: str | None = None
    model_id: str | None = None
    model: Model | None = None
    path: Place | None = None
    time: Times | None = None
    metadata: Metadata | None = None
    parts: list[Part] | None = None
    """With the message itself in 0.1 only."""
    text: str | None = None
    content: str | list[Part] | None = None

    @property
    def answering_model(self) -> str | None:
        """The model that answered, for an assistant's message."""
        assistant = self.metadata.assistant if self.metadata is not None else None
        old = assistant.model_id if assistant is not None else None
        return self.model_id or (self.model.id if self.model is not None else None) or old

    @property
    def cwd(self) -> str | None:
        """The directory that an assistant's message was made in."""
        assistant = self.metadata.assistant if self.metadata is not None else None
        path = self.path or (assistant.path if assistant is not None else None)
        return path.cwd if path is not None else None

    @property
    def begun(self) -> Instant | None:
        """When the message was begun."""
        times = self.time or (self.metadata.time if self.metadata is not None else None)
        return instant(times.created) if times is not None else None

    @property
    def moment(self) -> Instant | None:
        """When the message was complete, or else begun."""
        times = self.time or (self.metadata.time if self.metadata is not None else None)
        return (instant(times.completed) or instant(times.created)) if times is not None else None

    @property
    def own_text(self) -> str | None:
        """The text that the message itself carries (0.1 and 2.x)."""
        parts = [*(self.parts or ()), *(self.content if isinstance(self.content, list) else ())]
        texts = (self.text, self.content if isinstance(self.content, str) else None, text_of(parts))
        return next((text for text in texts if text and text.strip()), None)


RECORD = msgspec.json.Decoder(Record)
MESSAGE = msgspec.json.Decoder(Message)
PART = msgspec.json.Decoder(Part)
MODEL = msgspec.json.Decoder(Model)


def text_of(parts: list[Part]) -> str | None:
    """Return the first text among a message's parts that a person wrote."""
    texts = (part.text for part in parts if part.type == "text" and not part.synthetic)
    return next((text for text in texts if text and text.strip()), None)


def is_default_title(title: str | None) -> bool:
    """Tell whether a title is none that anybody gave: absent, blank, or made of the session's time."""
    return title is None or not text.is_visible(title) or _DEFAULT_TITLE.fullmatch(title) is not None
