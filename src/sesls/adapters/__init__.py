"""One module (or folder) for each agent, and the registry that names them.

To add an agent: write the module, add one line here, and see docs/adding-an-agent.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sesls.adapters.interface import Adapter
    from sesls.adapters.plugins import Plugin

REGISTRY: Mapping[str, str] = {
    "claude": "sesls.adapters.claude",
    "codex": "sesls.adapters.codex",
    "opencode": "sesls.adapters.opencode",
    "antigravity": "sesls.adapters.antigravity",
    "pi": "sesls.adapters.pi",
    "cline": "sesls.adapters.cline",
    "continue": "sesls.adapters.continue_cli",
    "copilot": "sesls.adapters.copilot",
    "crush": "sesls.adapters.crush",
    "cursor": "sesls.adapters.cursor",
    "droid": "sesls.adapters.droid",
    "gemini": "sesls.adapters.gemini",
    "goose": "sesls.adapters.goose",
    "grok": "sesls.adapters.grok",
    "hermes": "sesls.adapters.hermes",
    "kimi": "sesls.adapters.kimi",
    "kiro": "sesls.adapters.kiro",
    "omp": "sesls.adapters.omp",
    "qwen": "sesls.adapters.qwen",
    "vibe": "sesls.adapters.vibe",
}
"""The word that `--agent` takes, and the module that knows that agent."""


_NONE: Mapping[str, Plugin] = {}


def known(plugins: Mapping[str, Plugin] = _NONE) -> tuple[str, ...]:
    """Return every agent that sesls knows: its own first, then those of plug-ins by name."""
    return (*REGISTRY, *sorted(plugins.keys() - REGISTRY.keys()))


def adapter(agent: str, plugins: Mapping[str, Plugin] = _NONE) -> Adapter:
    """Return an agent's adapter, imported when it is first asked for.

    Raises KeyError for an unknown agent, and ValueError, in one sentence, for a plug-in that is none.
    """
    if agent in REGISTRY:
        return cast("Adapter", import_module(REGISTRY[agent]))
    from sesls.adapters.plugins import load

    return cast("Adapter", load(plugins[agent]))


def chosen(agents: Collection[str], plugins: Mapping[str, Plugin] = _NONE) -> tuple[str, ...]:
    """Return some agents, or all where none is named, in their order. Raises ValueError for unknown ones."""
    everyone = known(plugins)
    for agent in agents:
        if agent not in everyone:
            raise ValueError(f"agent is one of {', '.join(everyone)}, not {agent!r}")
    return tuple(agent for agent in everyone if not agents or agent in agents)
