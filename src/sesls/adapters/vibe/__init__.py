"""Mistral Vibe 1.3 to 3.0.

Format notes: docs/formats/vibe.md.
"""

from sesls.adapters.vibe.places import find, stores
from sesls.adapters.vibe.sessions import Facts, details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Mistral Vibe"
VERSIONS = "1.3 to 3.0"
IS_DESCRIBED = False
FACTS = Facts
