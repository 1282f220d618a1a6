"""Gemini CLI (0.11 to 0.61).

Format notes: docs/formats/gemini.md.
"""

from sesls.adapters.gemini.chats import Ends
from sesls.adapters.gemini.places import find, stores
from sesls.adapters.gemini.sessions import details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Gemini CLI"
VERSIONS = "0.11 to 0.61"
IS_DESCRIBED = False
FACTS = Ends
