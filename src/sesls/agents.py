"""What there is to know of each agent: where it may keep sessions, and why there; what was found; which versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from sesls import looks
from sesls.adapters import adapter
from sesls.adapters.interface import Adapter
from sesls.diagnostics import Place, places
from sesls.environment import Environment
from sesls.instants import Instant, rfc3339
from sesls.session import Found


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent that sesls knows."""

    agent: str
    label: str
    plugin: str | None
    """The package and its version that brings the adapter, where sesls itself does not."""
    versions: str | None
    """Those whose files are known, in words; None where the adapter cannot be loaded."""
    is_described: bool | None
    """Whether the adapter was written from descriptions alone; None where it cannot be loaded."""
    sessions: int
    newest: Instant | None
    """The last activity of all its sessions."""
    places: tuple[Place, ...]
    moved: Mapping[str, tuple[str, ...]]
    """By the path of a place, the variables without which it would not be looked at."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, in the documented shape (docs/json.md)."""
        return {
            "agent": self.agent,
            "label": self.label,
            **({"plugin": self.plugin} if self.plugin else {}),
            "versions": self.versions,
            "described": self.is_described,
            "sessions": self.sessions,
            "date_max": None if self.newest is None else rfc3339(self.newest),
            "roots": [
                {
                    "path": place.path,
                    "state": place.state,
                    "sessions": place.sessions,
                    **({"variables": list(self.moved[place.path])} if place.path in self.moved else {}),
                }
                for place in self.places
            ],
        }


def about(found: Found, environment: Environment) -> Agent:
    """Return what there is to know of an agent whose stores were looked through."""
    agent = found.survey.agent
    source: Adapter | None = None
    with suppress(ValueError):  # a plug-in that cannot be loaded; the survey has said so
        source = adapter(agent, environment.plugins)
    plugin = environment.plugins.get(agent)
    return Agent(
        agent=agent,
        label=found.survey.label,
        plugin=None if plugin is None else str(plugin),
        versions=None if source is None else source.VERSIONS,
        is_described=None if source is None else source.IS_DESCRIBED,
        sessions=len(found.summaries),
        newest=max((summary.last_activity for summary in found.summaries), default=None),
        places=places(found),
        moved={} if source is None else _moved(source, environment),
    )


def _moved(source: Adapter, environment: Environment) -> dict[str, tuple[str, ...]]:
    """Return the variables behind each place, found by leaving out one after the other of those asked for."""
    moved: dict[str, list[str]] = defaultdict(list)
    with suppress(Exception):  # a plug-in's; the survey has said so
        with looks.noted() as seen:
            paths = {store.path for store in source.stores(environment)}
        for name in sorted(name for name, value in seen.variables.items() if value):
            for path in paths.difference(store.path for store in source.stores(environment.without(name))):
                moved[path].append(name)
    return {path: tuple(names) for path, names in moved.items()}
