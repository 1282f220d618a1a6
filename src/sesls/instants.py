"""Instants as the agents write them, all brought to whole milliseconds since the epoch (UTC).

Agents write RFC 3339 text (`2026-11-30T08:30:23.245Z`), the same without a zone or with a comma, epoch
milliseconds, and epoch seconds in older databases; other tools rewrite them with more or fewer digits. Broken clocks
and torn records write absurd numbers; those count as absent.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice

Instant = int
"""Milliseconds since the epoch, UTC."""

# No coding agent is older than 2000, and a clock that says 2200 says nothing.
EARLIEST: Instant = 946_684_800_000
LATEST: Instant = 7_258_118_400_000
# A number below this is a count of seconds (it would be 1973 in milliseconds).
_SECONDS_BELOW = 100_000_000_000
_NANOSECONDS_BELOW = 10**19
_USUAL = ("-", "T", ".", "Z")
_EPOCH = datetime(1970, 1, 1)


def instant(value: object) -> Instant | None:
    """Return the instant that a record's field holds, or None when it holds none.

    Takes RFC 3339 text (without a zone: UTC) and numbers, also as text, whose size tells their unit.
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def local_instant(value: object) -> Instant | None:
    """Return the same for agents that write text without a zone and mean the clock on the wall of this machine."""
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
        if moment is not None and moment.tzinfo is None:
            return _sane(moment.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):  # no text of a time, or one that this system's clock never shows
        pass
    return instant(value)


def latest(values: Iterable[object]) -> Instant | None:
    """Return the latest instant among fields of records, or None when none of them holds one.

    The usual shape (`…T….mmmZ`, 24 characters) sorts as text, so that few of those are parsed.
    """
    usual, moments = list[str](), list[Instant]()
    for value in values:
        if isinstance(value, str) and len(value) == 24 and (value[7], value[10], value[19], value[23]) == _USUAL:
            usual.append(value)
        elif (moment := instant(value)) is not None:
            moments.append(moment)
    usual.sort(reverse=True)
    moments += islice(filter(None, map(_from_text, usual)), 1)
    return max(moments, default=None)


def rfc3339(moment: Instant) -> str:
    """Return an instant as RFC 3339 text in UTC with milliseconds: `2026-11-30T08:30:23.245Z`."""
    days, rest = divmod(moment, 86_400_000)
    seconds, milliseconds = divmod(rest, 1000)
    parts = (_day(days), seconds // 3600, seconds // 60 % 60, seconds % 60, milliseconds)
    return "%sT%02d:%02d:%02d.%03dZ" % parts  # noqa: UP031  # an f-string takes half as long again


@lru_cache(maxsize=4096)
def _day(days: int) -> str:
    """Return a count of days since the epoch as text; most sessions share theirs with others."""
    return (_EPOCH + timedelta(days=days)).date().isoformat()


def from_file_time(mtime_ns: int) -> Instant:
    """Return a file's modification time as an instant; times outside any sane range are cut to it."""
    return min(max(mtime_ns // 1_000_000, 0), LATEST)


def _from_text(text: str) -> Instant | None:
    text = text.strip()
    if text.isdecimal() and text.isascii():
        return _from_number(int(text)) if len(text) < 20 else None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _sane(moment.timestamp() * 1000)


def _from_number(number: float) -> Instant | None:
    """Take seconds, milliseconds, microseconds or nanoseconds for what they are by their size."""
    if number < _SECONDS_BELOW:
        return _sane(number * 1000)
    while number > LATEST and number < _NANOSECONDS_BELOW:
        number /= 1000
    return _sane(number)


def _sane(milliseconds: float) -> Instant | None:
    if not EARLIEST <= milliseconds <= LATEST:
        return None
    return round(milliseconds)
