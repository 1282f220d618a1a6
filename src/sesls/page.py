"""The answer: one page of sessions and what there is to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from sesls.session import Problem, Session

if TYPE_CHECKING:
    from sesls.diagnostics import Diagnostics

SCHEMA_VERSION = 1


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the sessions that match a query, newest first."""

    sessions: tuple[Session, ...]
    """Empty where they were handed on one by one."""
    shown: int
    """How many sessions the page has. Not part of the JSON."""
    total: int
    """How many sessions match, on all pages."""
    subagents: int
    """How many of those another session spawned. Not part of the JSON."""
    filtered: int
    """How many sessions of the agents asked for the filters left out. Not part of the JSON."""
    offset: int
    limit: int
    """Zero: no limit."""
    redactions: Mapping[str, int]
    """How many secrets of which type were masked in the sessions of this page."""
    warnings: tuple[Problem, ...]
    diagnostics: Diagnostics | None
    """Why there is nothing; only where `total` is 0."""

    @property
    def truncated(self) -> bool:
        """Tell whether more sessions follow after this page."""
        return self.offset + self.shown < self.total

    def to_dict(self) -> dict[str, Any]:
        """Return the page as plain data, in the documented shape (docs/json.md)."""
        return self.answer() | {"sessions": [session.to_dict() for session in self.sessions]}

    def answer(self) -> dict[str, Any]:
        """Return the same with the sessions as they are."""
        return {"schema_version": SCHEMA_VERSION, "sessions": self.sessions, **self.about()}

    def about(self) -> dict[str, Any]:
        """Return what the same says after the sessions."""
        about: dict[str, Any] = {
            "total": self.total,
            "offset": self.offset,
            "limit": self.limit,
            "truncated": self.truncated,
        }
        if self.redactions:
            about["redactions"] = dict(self.redactions)
        if self.warnings:
            about["warnings"] = [problem.to_dict() for problem in self.warnings]
        if self.diagnostics is not None:
            about["diagnostics"] = self.diagnostics.to_dict()
        return about
