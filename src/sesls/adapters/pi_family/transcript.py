"""One session file: first its two ends, later all of it.

Seen in Pi 0.7.6 to 1.6.0 and oh-my-pi 18.2.3; oh-my-pi 13 by its published sources. Headers of version 1 have no
`version`; entries have ids from version 2 on. oh-my-pi 18 puts a title of fixed width before the header and rewrites
it in place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import islice
from typing import Literal

import msgspec

from sesls.adapters.interface import Reader
from sesls.adapters.pi_family.names import id_in_name
from sesls.formats import files, jsonl
from sesls.instants import Instant, instant

_WINDOW = 16 << 10
_HEAD_LINES = 32
"""How many lines from the start are looked at for the header and for the marks that programs leave."""


class Part(msgspec.Struct):
    """A part of a message."""

    type: str | None = None
    text: str | None = None


class Message(msgspec.Struct):
    """What a `message` entry carries. Its `timestamp` is epoch milliseconds."""

    role: str | None = None
    content: str | list[Part] | None = None
    timestamp: float | str | None = None
    model: str | None = None


class Entry(msgspec.Struct, rename="camel"):
    """One line of a session file; the header is one of them."""

    type: str | None = None
    id: str | None = None
    timestamp: float | str | None = None
    cwd: str | None = None
    version: float | None = None
    parent_session: str | None = None
    """The file this one was forked or handed off from: no spawning. oh-my-pi 13 wrote the session's id."""
    branched_from: str | None = None
    """The same, under its name before 0.31."""
    name: str | None = None
    title: str | None = None
    """Of oh-my-pi: what stands before the header, or in it (13 and 14)."""
    title_source: str | None = None
    short_summary: str | None = None
    """Of a compaction by oh-my-pi."""
    model: str | None = None
    """Of a change of models: provider and model in one, by Pi 0.7 and oh-my-pi."""
    message: Message | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether a person or the model speaks."""
        return self.type == "message" and self.message is not None and self.message.role in ("user", "assistant")

    @property
    def moment(self) -> Instant | None:
        """When it was said: the message's own time, else the entry's."""
        own = instant(self.message.timestamp) if self.message is not None else None
        return own or instant(self.timestamp)


ENTRY = msgspec.json.Decoder(Entry)

Writer = Literal["pi", "oh-my-pi"]


class Ends(msgspec.Struct, frozen=True):
    """What both ends of a session file tell."""

    id: str
    cwd: str | None
    created: Instant | None
    version: int
    forked_from: str | None
    """The path of the session it continues, or its id."""
    last_activity: Instant | None
    is_spawned: bool
    """Whether the program or an extension marked it as spawned (`session_init`, or its own kind of name)."""
    has_turns: bool
    titles: dict[Literal["title"], str] = msgspec.field(default_factory=dict)
    """The one that oh-my-pi keeps at the start of the file."""


def read_ends(path: str, writer: Writer | None = None) -> Ends | None:
    """Return what both ends of a session file tell, or None for another kind of file.

    With a writer: None for what the other program wrote. What bears no mark of oh-my-pi is taken for Pi's.
    Raises OSError, and ValueError for a session that lost its header.
    """
    with jsonl.opened(path) as file:
        head: list[Entry] = []
        for entry in jsonl.records(islice(jsonl.lines(jsonl.blocks(file, _WINDOW)), _HEAD_LINES), ENTRY):
            head.append(entry)
            if entry.is_turn or not (_is_title(entry) or _header(head)):
                break
        if writer is not None and writer != _writer(head):
            return None
        header = _header(head)
        if header is None:
            if file.size and id_in_name(path) is not None:
                raise ValueError("has lost its header" if head else "holds no readable record")
            return None
        tail = jsonl.tail(file, ENTRY, _WINDOW, _is_timed_turn)
    assert header.id is not None
    turns = [entry for entry in (*head, *tail) if entry.is_turn]
    names = [entry.name or "" for entry in (*head, *tail) if entry.type == "session_info"]
    # An empty title before the header takes that of the header away.
    title = (head[0].title or "").strip()
    return Ends(
        id=header.id,
        cwd=header.cwd,
        created=instant(header.timestamp),
        version=int(header.version) if header.version and math.isfinite(header.version) else 1,
        forked_from=header.parent_session or header.branched_from,
        last_activity=max((turn.moment for turn in turns if turn.moment is not None), default=None)
        or instant(header.timestamp),
        is_spawned=any(entry.type == "session_init" for entry in (*head, *tail))
        or any(name.strip().startswith("subagent-") for name in names[-1:]),
        has_turns=bool(turns),
        titles={"title": title} if title else {},
    )


def _is_title(entry: Entry) -> bool:
    return entry.type == "title"


def _header(head: Sequence[Entry]) -> Entry | None:
    """Return the header: the first entry, or the one after the title; None where it is no header."""
    header = next(iter(head[1:] if head and _is_title(head[0]) else head), None)
    return header if header is not None and header.type == "session" and header.id else None


def _writer(head: Sequence[Entry]) -> Writer:
    """Tell the two programs apart, which may share a directory.

    oh-my-pi writes a title before the header or in it, and names a model as `provider/model` where Pi, since its
    version 2 of the format, has a field for each.
    """
    if any(map(_is_title, head[:1])):
        return "oh-my-pi"
    header = _header(head)
    if header is None:
        return "pi"
    has_title = header.title is not None or header.title_source is not None
    has_whole_model = any(entry.type == "model_change" and entry.model for entry in head)
    return "oh-my-pi" if has_title or (has_whole_model and (header.version or 1) >= 2) else "pi"


def _is_timed_turn(entry: Entry) -> bool:
    return entry.is_turn and entry.moment is not None


Title = Literal["name", "summary", "first prompt"]


class Contents(msgspec.Struct):
    """What all entries of a session file tell."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    """The last name given (an empty one takes it away), the last summary of a compaction, and the first prompt."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    """Of answers: a `model_change` may never have been used."""
    messages: int = 0


def contents(path: str, report: files.Report, read: Reader) -> Contents | None:
    """Return what all entries of a session file tell, or None when it cannot be read."""
    try:
        return read(path, Contents(), add_entries)
    except OSError as error:
        files.failed(path, error, report)
        return None


_MATTERS = re.compile(rb'"(?:session_info|compaction|user|assistant)"')


def add_entries(contents: Contents, path: str, offset: int) -> None:
    """Add what the entries of a session file tell from an offset on. Raises OSError.

    Branches of a session's tree stay in its file and count too.
    """
    with jsonl.opened(path) as file:
        for entry in jsonl.records(jsonl.lines_with(jsonl.blocks(file, start=offset), _MATTERS), ENTRY):
            if entry.type == "session_info":
                contents.titles.pop("name", None)
                if name := (entry.name or "").strip():
                    contents.titles["name"] = name
            elif entry.type == "compaction":
                if summary := (entry.short_summary or "").strip():
                    contents.titles["summary"] = summary
            elif entry.is_turn and entry.message is not None:
                contents.messages += 1
                if entry.message.role == "user":
                    if "first prompt" not in contents.titles and (prompt := _text(entry.message)) is not None:
                        contents.titles["first prompt"] = prompt
                elif entry.message.model:
                    contents.models[entry.message.model] = None


def _text(message: Message) -> str | None:
    if isinstance(message.content, str):
        return message.content.strip() or None
    texts = (part.text or "" for part in message.content or () if part.type == "text")
    return " ".join(texts).strip() or None
