"""The words that fields, filters and commands take."""

from __future__ import annotations

from typing import Literal

Kind = Literal["agent", "subagent"]
"""Whether a person started a session, or another session did."""

Activity = Literal["fresh", "stale"]

Noise = Literal["include", "exclude", "only"]
"""What to do with sessions that other sessions spawned."""

Shape = Literal["list", "diagnostics", "cache"]
"""The shapes of JSON that sesls prints, by the commands that print them."""
