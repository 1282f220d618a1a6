"""Google Antigravity: its IDE, its desktop program, the `agy` command line, the ACP server and the SDK.

Format notes: docs/formats/antigravity.md.
"""

from sesls.adapters.antigravity.places import find, stores
from sesls.adapters.antigravity.sessions import Facts, details, hints, summarise, unite

__all__ = [
    "FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite",
]  # fmt: skip

LABEL = "Antigravity"
VERSIONS = "IDE, desktop, agy, ACP and SDK of 2025 and 2026"
IS_DESCRIBED = False
FACTS = Facts
