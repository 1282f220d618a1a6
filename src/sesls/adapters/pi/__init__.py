"""Pi, the coding agent (0.7 to 1.6).

Format notes: docs/formats/pi.md.
"""

from sesls.adapters.pi.places import find, stores
from sesls.adapters.pi.sessions import details, summarise, unite

__all__ = ["LABEL", "details", "find", "stores", "summarise", "unite"]

LABEL = "Pi"
