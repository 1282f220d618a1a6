"""One module (or folder) for each agent, and the registry that names them.

To add an agent: write the module, add one line here, and see docs/adding-an-agent.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sesls.adapters.interface import Adapter

REGISTRY: Mapping[str, str] = {
    "claude": "sesls.adapters.claude",
    "codex": "sesls.adapters.codex",
    "opencode": "sesls.adapters.opencode",
    "antigravity": "sesls.adapters.antigravity",
    "pi": "sesls.adapters.pi",
    "hermes": "sesls.adapters.hermes",
    "kimi": "sesls.adapters.kimi",
    "omp": "sesls.adapters.omp",
    "vibe": "sesls.adapters.vibe",
}
"""The word that `--agent` takes, and the module that knows that agent."""


def adapter(agent: str) -> Adapter:
    """Return an agent's adapter, imported when it is first asked for. Raises KeyError for an unknown agent."""
    return cast("Adapter", import_module(REGISTRY[agent]))


def chosen(agents: Collection[str]) -> tuple[str, ...]:
    """Return some agents, or all where none is named, in the registry's order. Raises ValueError for unknown ones."""
    for agent in agents:
        if agent not in REGISTRY:
            raise ValueError(f"agent is one of {', '.join(REGISTRY)}, not {agent!r}")
    return tuple(agent for agent in REGISTRY if not agents or agent in agents)
