"""Qwen Code (0.1 to 0.24).

Format notes: docs/formats/qwen.md.
"""

from sesls.adapters.qwen.places import find, stores
from sesls.adapters.qwen.sessions import details, hints, summarise, unite
from sesls.adapters.qwen.transcript import Ends

__all__ = ["FACTS", "LABEL", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Qwen Code"
FACTS = Ends
