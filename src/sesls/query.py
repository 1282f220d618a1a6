"""What is asked for: filters, order and page over summaries. Nothing here knows an agent or a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

import msgspec

from sesls.paths import is_within
from sesls.session import Summary
from sesls.terms import Kind, Noise


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A question to the inventory. Raises ValueError, in one sentence, for what cannot be asked.

    `agents` empty means all; `project_dir` is absolute (see `paths.absolute_dir`); `limit` 0 means no limit.
    """

    agents: tuple[str, ...] = ()
    kind: Kind | None = None
    noise: Noise = "include"
    project_dir: str | None = None
    limit: int = 100
    offset: int = 0
    redact: bool = True

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in get_args(Kind):
            raise ValueError(f"kind is one of {_words(get_args(Kind))}, not {self.kind!r}")
        if self.noise not in get_args(Noise):
            raise ValueError(f"noise is one of {_words(get_args(Noise))}, not {self.noise!r}")
        for name, number in (("limit", self.limit), ("offset", self.offset)):
            if isinstance(number, bool) or not isinstance(number, int):
                raise ValueError(f"{name} is a whole number, not {number!r}")
            if number < 0:
                raise ValueError(f"{name} is zero or more, not {number}")

    def active_filters(self) -> dict[str, Any]:
        """Return the filters that can remove sessions, by name."""
        filters: dict[str, Any] = {}
        if self.agents:
            filters["agent"] = list(self.agents)
        if self.kind is not None:
            filters["kind"] = self.kind
        if self.noise != "include":
            filters["noise"] = self.noise
        if self.project_dir is not None:
            filters["project_dir"] = self.project_dir
        return filters


def select(summaries: Iterable[Summary], query: Query) -> list[Summary]:
    """Return the summaries that match all filters, newest first; ties by agent, then uuid, then path."""
    found = [summary for summary in summaries if matches(summary, query)]
    found.sort(key=lambda summary: (-summary.last_activity, summary.agent, summary.uuid, summary.path))
    return found


def page(summaries: Sequence[Summary], query: Query) -> Sequence[Summary]:
    """Return the part of selected summaries that offset and limit leave."""
    end = query.offset + query.limit if query.limit else None
    return summaries[query.offset : end]


def matches(summary: Summary, query: Query) -> bool:
    """Tell whether a session passes all filters."""
    return (
        (not query.agents or summary.agent in query.agents)
        and (query.kind is None or summary.kind == query.kind)
        and (query.noise == "include" or summary.is_noise == (query.noise == "only"))
        and (query.project_dir is None or is_within(summary.project_dir, query.project_dir))
    )


def _words(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]
