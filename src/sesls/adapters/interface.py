"""What an adapter is: a module of plain functions that knows one agent's files and nothing else.

An adapter never filters, prints or knows JSON. It reads a store in two steps, the first of them bounded: see
docs/how-it-works.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from sesls.environment import Environment
from sesls.formats.files import Report
from sesls.session import Candidate, Details, Store, Summary


class Finding(NamedTuple):
    """A candidate and what the adapter's first reading of it gave."""

    candidate: Candidate
    facts: object


class Adapter(Protocol):
    """The functions that an adapter module has."""

    LABEL: str
    """The agent's name as people write it: `Claude Code`."""

    def stores(self, environment: Environment) -> Sequence[Store]:
        """Return the places where this agent may keep sessions, there or not, the most likely first."""

    def find(self, store: Store, report: Report) -> Iterable[Candidate]:
        """Yield the files of a store that may hold sessions. Opens none of them."""

    def summarise(self, candidate: Candidate) -> object | None:
        """Return what a bounded reading of one file tells, or None when it holds nothing of interest.

        The answer depends on that file alone. Raises OSError when the file cannot be read, and
        ValueError, with a few lower-case words, when it holds nothing that can be understood.
        """

    def unite(self, findings: Sequence[Finding], environment: Environment, report: Report) -> Iterable[Summary]:
        """Return the sessions that all files together tell of, each once."""

    def details(self, summaries: Sequence[Summary], environment: Environment, report: Report) -> Sequence[Details]:
        """Return the details of some sessions, in their order."""
