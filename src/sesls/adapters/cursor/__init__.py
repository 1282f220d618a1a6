"""Cursor's command line, and the IDE's transcripts, from public descriptions; never met with a real store.

Format notes: docs/formats/cursor.md.
"""

from sesls.adapters.cursor.places import find, stores
from sesls.adapters.cursor.sessions import Facts, details, hints, summarise, unite

__all__ = [
    "FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite",
]  # fmt: skip

LABEL = "Cursor"
VERSIONS = "command line of 2025 to September 2026"
IS_DESCRIBED = True
FACTS = Facts
