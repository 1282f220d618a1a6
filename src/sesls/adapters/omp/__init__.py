"""oh-my-pi, `omp`: 18.2, and 13 to 14 by their published sources.

Format notes: docs/formats/omp.md.
"""

from sesls.adapters.omp.places import find, stores
from sesls.adapters.omp.sessions import details, hints, summarise, unite
from sesls.adapters.pi_family.transcript import Ends

__all__ = ["FACTS", "IS_DESCRIBED", "LABEL", "VERSIONS", "details", "find", "hints", "stores", "summarise", "unite"]

LABEL = "oh-my-pi"
VERSIONS = "18.2; 13 and 14 by their published sources"
IS_DESCRIBED = False
FACTS = Ends
