"""The records that flow through sesls: what a store yields, what a session is, what went wrong.

A session takes shape in two steps. An adapter first gives a `Summary`, which is all that filtering and sorting
need and costs a bounded read; then, for the sessions of the page alone, `Details`. Both together are a `Session`,
the public record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from sesls import looks
from sesls.instants import Instant, from_file_time
from sesls.looks import Identity
from sesls.terms import Activity, Kind


class Store(msgspec.Struct, frozen=True, array_like=True):
    """A place where an agent may keep sessions: a folder or a database, there or not."""

    path: str
    role: str = ""
    """What the adapter looks for there; its own word."""


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A regular file of a store that may hold sessions, as its folder entry shows it; nothing of it was read."""

    path: str
    role: str
    store: Store
    identity: Identity

    @property
    def size(self) -> int:
        """Return its size, in bytes."""
        return looks.size_of(self.identity)

    @property
    def modified(self) -> Instant:
        """Return when it was last changed."""
        return from_file_time(looks.mtime_ns_of(self.identity))

    @property
    def inode(self) -> int:
        """Return its number on its device; zero where the system gives none."""
        return looks.inode_of(self.identity)

    def last_activity(self, recorded: Instant | None) -> Instant:
        """Return when its session was last active: as recorded, or else when the file was last changed."""
        return self.modified if recorded is None else recorded


class Summary(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is known of a session after the first, bounded reading."""

    agent: str
    uuid: str
    kind: Kind
    parent_uuid: str | None
    project_dir: str | None
    launch_surface: str | None
    last_activity: Instant
    path: str
    source: object
    """The adapter's own notes, from which it finds the details; None in a summary out of the cache."""
    digest: bytes = b""
    """Another one for any other summary."""
    home: str = ""
    """The home it was found in, where homes were asked for; no adapter sets it."""

    @property
    def is_noise(self) -> bool:
        """Tell whether another session spawned this one."""
        return self.kind == "subagent" or self.parent_uuid is not None


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a session after the second reading. Texts are as stored: neither cleaned nor redacted."""

    titles: Sequence[str | None] = ()
    """By precedence: the first one of which anything can be seen is the title."""
    parent_uuid: str | None = None
    models: tuple[str, ...] = ()
    created: Instant | None = None
    size_bytes: int | None = None
    message_count: int | None = None
    resume_command: str | None = None
    extra: Mapping[str, object] = msgspec.field(default_factory=dict)
    """What only this agent has; a value of None is absent."""


class Row(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The same with its texts as they are shown."""

    title: str | None
    """Longer than it is shown, so that it can be searched."""
    parent_uuid: str | None
    models: tuple[str, ...]
    created: str | None
    """As RFC 3339 text, which sorts like the instant."""
    size_bytes: int | None
    message_count: int | None
    resume_command: str | None
    extra: dict[str, Any]
    redactions: dict[str, int]
    """How many secrets of which type are masked in what is shown."""
    is_masked: bool
    """Whether it looks otherwise with its secrets shown."""

    @property
    def branch(self) -> str | None:
        """Return the git branch it ran on, where the agent records one."""
        branch = self.extra.get("git_branch")
        return branch if isinstance(branch, str) else None


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session of a coding agent, as `sesls list --json` shows it (docs/json.md describes every field).

    Instants are RFC 3339 text in UTC with milliseconds. A field for which the agent's format has no signal is
    None or empty, never a guess.
    """

    uuid: str
    agent: str
    title: str | None
    kind: Kind
    parent_uuid: str | None
    project_dir: str | None
    launch_surface: str | None
    models: tuple[str, ...]
    last_activity: str
    date: str
    """`last_activity` under its older name."""
    age_sec: int
    activity: Activity
    created: str | None
    size_bytes: int | None
    message_count: int | None
    path: str
    home: str | None = None
    """The home it lies in, where homes were asked for; else left out."""
    resume_command: str | None
    extra: Mapping[str, object] = msgspec.field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the session as plain data in the documented order; an empty `extra` and no `home` are left out."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        values["models"] = list(self.models)
        return values


class Problem(msgspec.Struct, frozen=True, array_like=True):
    """Something that exists and could not be read."""

    agent: str
    path: str
    problem: str

    def to_dict(self) -> dict[str, str]:
        """Return the problem as plain data."""
        return {"agent": self.agent, "path": self.path, "problem": self.problem}


State = Literal["found", "missing", "unreadable"]


class Survey(msgspec.Struct, frozen=True, array_like=True):
    """What looking through all stores of one agent gave, but for the sessions."""

    agent: str
    label: str
    stores: tuple[tuple[Store, State], ...]
    files: int
    """How many files might have held a session."""
    problems: tuple[Problem, ...]
    home: str = ""
    """The home they lie in, where homes were asked for."""


class Found(msgspec.Struct, frozen=True):
    """The same with the sessions."""

    survey: Survey
    summaries: Sequence[Summary]


Progress = Callable[[str, int, int], None]
"""Takes an agent, how many of its files or sessions are read, and of how many; 0 while that is not known."""


def unwatched(agent: str, done: int, of: int) -> None:
    """Show nobody how far the reading is."""
