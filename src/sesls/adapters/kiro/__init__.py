"""Kiro's command line, by AWS, from public descriptions; never met with a real store.

Format notes: docs/formats/kiro.md.
"""

from sesls.adapters.kiro.places import find, stores
from sesls.adapters.kiro.records import Facts
from sesls.adapters.kiro.sessions import details, hints, summarise, unite

__all__ = [
    "FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite",
]  # fmt: skip

LABEL = "Kiro"
VERSIONS = "1.x to 3.0"
IS_DESCRIBED = True
FACTS = Facts
