"""Kimi Code 2.1.

Format notes: docs/formats/kimi.md.
"""

from sesls.adapters.kimi.places import find, stores
from sesls.adapters.kimi.sessions import Facts, details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Kimi Code"
VERSIONS = "2.1"
IS_DESCRIBED = False
FACTS = Facts
