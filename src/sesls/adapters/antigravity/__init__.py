"""Google Antigravity: its IDE, its desktop program, the `agy` command line, the ACP server and the SDK.

Format notes: docs/formats/antigravity.md.
"""

from sesls.adapters.antigravity.places import find, stores
from sesls.adapters.antigravity.sessions import Facts, details, hints, summarise, unite

__all__ = ["FACTS", "LABEL", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Antigravity"
FACTS = Facts
