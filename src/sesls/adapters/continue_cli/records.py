"""Continue's JSON, as far as sesls reads it: session files and their index.

Seen in the command line 1.5.47. Nothing in a session file has a time; all of it is written anew after every turn.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from sesls.formats import documents
from sesls.instants import Instant, instant
from sesls.text import is_visible

_WINDOW = 16 << 10
# What sessions are called that nobody gave a title: the command line, the extensions.
_DEFAULT_TITLES = frozenset({"Untitled Session", "New Session"})


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Usage(msgspec.Struct):
    """What an answer cost; absent where the provider did not say."""

    model: str | None = None


class Message(msgspec.Struct):
    """What somebody said, thought or got back from a tool."""

    role: str | None = None
    content: str | list[Part] | None = None
    usage: Usage | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether a person or the model speaks."""
        return self.role in ("user", "assistant")

    @property
    def text(self) -> str:
        """Everything that was said in words."""
        if isinstance(self.content, str):
            return self.content
        return " ".join(part.text or "" for part in self.content or () if part.type == "text")


class Item(msgspec.Struct):
    """A message with what belongs to it."""

    message: Message | None = None


class _Session(msgspec.Struct, rename="camel"):
    title: str | None = None
    workspace_directory: str | UnsetType | None = UNSET
    """A directory, or the URI of one (extensions), or empty."""
    mode: str | None = None
    history: list[Item] | None = None

    @property
    def turns(self) -> list[Message]:
        return [item.message for item in self.history or () if item.message is not None and item.message.is_turn]


class _Entry(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    date_created: str | float | None = None
    """Epoch milliseconds as text; extensions wrote a number or RFC 3339 too."""


class _Index(msgspec.Struct):
    entries: list[_Entry] | None = None


_SESSION = msgspec.json.Decoder(_Session)
_INDEX = msgspec.json.Decoder(_Index)


class Facts(msgspec.Struct, frozen=True):
    """What the first reading of one file tells."""

    directory: str | None = None
    """As it is stored."""
    created: dict[str, Instant] = msgspec.field(default_factory=dict)
    """When sessions were first saved, by their ids: what an index tells."""


def read_session(path: str) -> Facts | None:
    """Return what the start of a session file tells, or None where nobody has said anything yet.

    Raises OSError, and ValueError for a file that is no session.
    """
    record, is_whole = documents.start(path, _SESSION, _WINDOW)
    if not is_whole and (record is None or not record.turns or record.workspace_directory is UNSET):
        record = documents.read(path, _SESSION)
    if record is None:
        raise ValueError("holds no readable record")
    return Facts(record.workspace_directory or None) if record.turns else None


def read_index(path: str) -> Facts:
    """Return what the index tells. Raises OSError."""
    index = documents.read(path, _INDEX, items="entries")
    entries = (index.entries if index is not None else None) or ()
    moments = {entry.session_id: instant(entry.date_created) for entry in entries if entry.session_id}
    return Facts(created={session: moment for session, moment in moments.items() if moment is not None})


Title = Literal["title", "first prompt"]


class Contents(msgspec.Struct):
    """What all of a session file tells."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    """The title that somebody gave, and the first prompt."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    """Of answers: `chatModelTitle` is only what was chosen last."""
    messages: int = 0
    mode: str | None = None


def add_all(contents: Contents, path: str, offset: int) -> None:
    """Add what all of a session file tells. Raises OSError."""
    del offset  # such a file never grows: it is written anew
    session = documents.read(path, _SESSION) or _Session()
    contents.mode = session.mode
    if session.title and session.title.strip() not in _DEFAULT_TITLES:
        contents.titles["title"] = session.title
    for message in session.turns:
        contents.messages += 1
        if message.role == "user":
            if "first prompt" not in contents.titles and is_visible(message.text):
                contents.titles["first prompt"] = message.text
        elif message.usage is not None and message.usage.model:
            contents.models[message.usage.model] = None
