"""OpenCode: the JSON stores of 0.x to 1.1, the databases of 1.2 to 1.18, and those of 2.x by public description.

Format notes: docs/formats/opencode.md.
"""

from sesls.adapters.opencode.places import find, stores
from sesls.adapters.opencode.sessions import details, summarise, unite

__all__ = ["LABEL", "details", "find", "stores", "summarise", "unite"]

LABEL = "OpenCode"
