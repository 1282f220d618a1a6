"""Cline: the command line (2.18 to 3.0.65) and the editor extension.

Format notes: docs/formats/cline.md.
"""

from sesls.adapters.cline.places import find, stores
from sesls.adapters.cline.sessions import Facts, details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Cline"
VERSIONS = "command line 2.18 to 3.0.65; editor extension by public description"
IS_DESCRIBED = False
FACTS = Facts
