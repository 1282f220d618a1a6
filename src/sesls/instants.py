"""Instants as the agents write them, all brought to whole milliseconds since the epoch (UTC).

Agents write RFC 3339 text (`2026-11-30T08:30:23.245Z`), the same without a zone or with a comma, epoch
milliseconds, and epoch seconds in older databases. Broken clocks and torn records write absurd numbers;
those count as absent.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

Instant = int
"""Milliseconds since the epoch, UTC."""

# No coding agent is older than 2000, and a clock that says 2200 says nothing.
EARLIEST: Instant = 946_684_800_000
LATEST: Instant = 7_258_118_400_000
# A number below this is a count of seconds (it would be 1973 in milliseconds).
_SECONDS_BELOW = 100_000_000_000


def instant(value: object) -> Instant | None:
    """Return the instant that a record's field holds, or None when it holds none.

    Takes RFC 3339 text (without a zone: UTC) and numbers, which are milliseconds or, when small, seconds.
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def latest(texts: Iterable[str]) -> Instant | None:
    """Return the latest instant among texts, or None when none of them is an instant.

    The usual shape (`…T….mmmZ`, 24 characters) sorts as text, so that few of those are parsed.
    """
    usual, unusual = "", []
    for text in texts:
        if len(text) != 24 or text[-1] != "Z" or text[10] != "T" or (text > usual and _from_text(text) is None):
            unusual.append(text)
        elif text > usual:
            usual = text
    moments = [moment for text in (usual, *unusual) if (moment := _from_text(text)) is not None]
    return max(moments, default=None)


def rfc3339(moment: Instant) -> str:
    """Return an instant as RFC 3339 text in UTC with milliseconds: `2026-11-30T08:30:23.245Z`."""
    seconds, milliseconds = divmod(moment, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds:03d}Z"


def from_file_time(mtime_ns: int) -> Instant:
    """Return a file's modification time as an instant; times outside any sane range are cut to it."""
    return min(max(mtime_ns // 1_000_000, 0), LATEST)


def _from_text(text: str) -> Instant | None:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return _sane(moment.timestamp() * 1000)
    except (OverflowError, ValueError):
        return None


def _from_number(number: float) -> Instant | None:
    return _sane(number * 1000 if number < _SECONDS_BELOW else number)


def _sane(milliseconds: float) -> Instant | None:
    if not EARLIEST <= milliseconds <= LATEST:
        return None
    return round(milliseconds)
