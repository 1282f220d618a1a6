"""Kimi Code 2.1.

Format notes: docs/formats/kimi.md.
"""

from sesls.adapters.kimi.places import find, stores
from sesls.adapters.kimi.sessions import Facts, details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Kimi Code"
FACTS = Facts
IS_DESCRIBED = False
