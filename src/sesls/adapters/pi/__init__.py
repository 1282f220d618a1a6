"""Pi, the coding agent (0.7 to 1.6).

Format notes: docs/formats/pi.md.
"""

from sesls.adapters.pi.places import find, stores
from sesls.adapters.pi.sessions import details, hints, summarise, unite
from sesls.adapters.pi_family.transcript import Ends

__all__ = [
    "FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite",
]  # fmt: skip

LABEL = "Pi"
VERSIONS = "0.7 to 1.6"
IS_DESCRIBED = False
FACTS = Ends
