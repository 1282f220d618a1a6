"""Continue: the command line `cn` (1.5) and the editor extensions, which share a store.

Format notes: docs/formats/continue.md.
"""

from sesls.adapters.continue_cli.places import find, stores
from sesls.adapters.continue_cli.records import Facts
from sesls.adapters.continue_cli.sessions import details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Continue"
VERSIONS = "cn 1.5; editor extensions by public description"
IS_DESCRIBED = False
FACTS = Facts
