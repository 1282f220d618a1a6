"""Gemini CLI (0.11 to 0.61).

Format notes: docs/formats/gemini.md.
"""

from sesls.adapters.gemini.chats import Ends
from sesls.adapters.gemini.places import find, stores
from sesls.adapters.gemini.sessions import details, hints, summarise, unite

__all__ = ["FACTS", "LABEL", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Gemini CLI"
FACTS = Ends
