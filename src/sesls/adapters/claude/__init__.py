"""Claude Code (0.2 to 2.1) and Claude Desktop (its Code and Cowork tabs).

Format notes: docs/formats/claude.md.
"""

from sesls.adapters.claude.places import find, stores
from sesls.adapters.claude.sessions import details, hints, summarise, unite
from sesls.adapters.claude.transcript import Ends

__all__ = [
    "FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite",
]  # fmt: skip

LABEL = "Claude Code"
VERSIONS = "0.2 to 2.1.332; Desktop's records of 2026 by public description"
IS_DESCRIBED = False
FACTS = Ends
