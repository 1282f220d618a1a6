"""Hermes Agent: the databases of 0.19, and the files of older builds by its published sources.

Format notes: docs/formats/hermes.md.
"""

from sesls.adapters.hermes.database import Row
from sesls.adapters.hermes.places import find, stores
from sesls.adapters.hermes.sessions import details, hints, summarise, unite

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "Hermes"
VERSIONS = "0.19; older builds by its published sources"
IS_DESCRIBED = False
FACTS = Row
"""Of the files of older builds. A database holds all sessions, and is asked again whenever it changed."""
