"""OpenCode: the JSON stores of 0.x to 1.1, the databases of 1.2 to 1.18, and those of 2.x by public description.

Format notes: docs/formats/opencode.md.
"""

from sesls.adapters.opencode.places import find, stores
from sesls.adapters.opencode.sessions import details, hints, summarise, unite

__all__ = [
    "FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite",
]  # fmt: skip

LABEL = "OpenCode"
VERSIONS = "0.1 to 1.18; 2.x by public description"
IS_DESCRIBED = False
FACTS = None
"""One file holds all sessions, with their titles."""
