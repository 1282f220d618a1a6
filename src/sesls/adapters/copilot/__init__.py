"""GitHub Copilot CLI (0.0.340 to 1.0.102).

Format notes: docs/formats/copilot.md.
"""

from sesls.adapters.copilot.places import find, stores
from sesls.adapters.copilot.records import Ends
from sesls.adapters.copilot.sessions import details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Copilot CLI"
VERSIONS = "0.0.340 to 1.0.102"
IS_DESCRIBED = False
FACTS = Ends
