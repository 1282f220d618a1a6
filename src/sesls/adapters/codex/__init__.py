"""Codex: the TypeScript builds of 2025 and the Rust ones to 0.171.

Format notes: docs/formats/codex.md.
"""

from sesls.adapters.codex.places import find, stores
from sesls.adapters.codex.rollout import Ends
from sesls.adapters.codex.sessions import details, hints, summarise, unite

__all__ = [
    "FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite",
]  # fmt: skip

LABEL = "Codex"
VERSIONS = "0.1.2504 (TypeScript) to 0.171"
IS_DESCRIBED = False
FACTS = Ends
