"""What an adapter is: a module of plain functions that knows one agent's files and nothing else.

An adapter never filters, prints or knows JSON. It reads a store in two steps, the first of them bounded: see
docs/how-it-works.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from sesls.environment import Environment
from sesls.formats.files import Report
from sesls.session import Candidate, Details, Store, Summary


class Finding(NamedTuple):
    """A candidate and what the adapter's first reading of it gave."""

    candidate: Candidate
    facts: object


Contents = TypeVar("Contents", bound=msgspec.Struct)


class Reader(Protocol):
    """Reads all of a file, or only what was added since it was last read."""

    def __call__(
        self,
        path: str,
        start: Contents,
        add: Callable[[Contents, str, int], None],
        *,
        version: object = None,
        can_grow: bool = True,
    ) -> Contents:
        """Return what all of a file tells.

        `add` adds to contents what a file tells from an offset on; `start` are the contents before anything was
        added. Contents are plain fields; what people wrote is in one that is called `titles`, and ids are in fields
        that end in `_ids`: nothing else that holds a secret is kept. Contents of an earlier reading count for the
        same `version`, and for a file that was only added to unless it cannot grow. Raises what `add` raises.
        """


class Adapter(Protocol):
    """The functions that an adapter module has."""

    LABEL: str
    """The agent's name as people write it: `Claude Code`."""

    VERSIONS: str
    """The versions of the agent whose files are known, in words: `0.7 to 1.6`."""

    IS_DESCRIBED: bool
    """Whether the adapter was written from public descriptions alone and never met a real store."""

    FACTS: type[msgspec.Struct] | None
    """The facts that may be kept from one listing to the next: plain fields, what people wrote in one called `titles`.

    None: a file is read again whenever any of the agent's changes.
    """

    def stores(self, environment: Environment) -> Sequence[Store]:
        """Return the places where this agent may keep sessions, there or not, the most likely first."""

    def find(self, store: Store, report: Report) -> Iterable[Candidate]:
        """Yield the files of a store that may hold sessions. Opens none of them."""

    def summarise(self, candidate: Candidate) -> object | None:
        """Return what a bounded reading of one file tells, or None when it holds nothing of interest.

        The answer depends on that file alone, or on what lies in the folder that it stands for. Raises OSError
        when the file cannot be read, and ValueError, with a few lower-case words, when it holds nothing that can
        be understood.
        """

    def unite(self, findings: Sequence[Finding], environment: Environment, report: Report) -> Iterable[Summary]:
        """Return the sessions that all files together tell of, each once.

        They are asked for one after the other: what yields them holds only what the next ones need.
        """

    def hints(self, summaries: Sequence[Summary], environment: Environment, report: Report) -> object:
        """Return what other files than their own tell of some sessions, each of those files read once for all."""

    def details(self, summary: Summary, hints: Any, environment: Environment, report: Report, read: Reader) -> Details:
        """Return the details of one of those sessions."""
