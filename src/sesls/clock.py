"""The moment of a listing: ages, freshness and words like `yesterday` all count from one."""

from __future__ import annotations

import math
import time

import msgspec

from sesls.environment import Environment
from sesls.instants import Instant
from sesls.terms import Activity

_FRESH_SECONDS = 600.0


class Clock(msgspec.Struct, frozen=True):
    """What time it is, and for how long a session is fresh."""

    now: Instant
    fresh_seconds: float = _FRESH_SECONDS

    @classmethod
    def of(cls, environment: Environment) -> Clock:
        """Return the time of this moment, with what the environment's variables call fresh."""
        return cls(time.time_ns() // 1_000_000, _fresh_seconds(environment))

    def age(self, moment: Instant) -> int:
        """Return the whole seconds since an instant; 0 for one that is still to come."""
        return max(0, self.now - moment) // 1000

    def activity(self, last_activity: Instant) -> Activity:
        """Tell whether a session is fresh."""
        return "fresh" if self.age(last_activity) <= self.fresh_seconds else "stale"


def _fresh_seconds(environment: Environment) -> float:
    value = environment.value("SESLS_STALL_SEC") or environment.value("AI_R_STALL_SEC") or ""
    try:
        seconds = float(value)
    except ValueError:
        return _FRESH_SECONDS
    return seconds if 0 < seconds < math.inf else _FRESH_SECONDS
