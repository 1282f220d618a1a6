"""Qwen Code (0.1 to 0.24).

Format notes: docs/formats/qwen.md.
"""

from sesls.adapters.qwen.places import find, stores
from sesls.adapters.qwen.sessions import details, hints, summarise, unite
from sesls.adapters.qwen.transcript import Ends

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Qwen Code"
VERSIONS = "0.1 to 0.24"
IS_DESCRIBED = False
FACTS = Ends
