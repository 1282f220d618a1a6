"""Points in time as people type them: days, instants, and ages like those that the table shows.

A day is a day of the local time zone, and an instant without a zone is local time too.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from sesls.instants import LATEST, Instant

_AGE = re.compile(r"([0-9]{1,9})(s|m|h|d|w|mo|y)")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "mo": 2_592_000, "y": 31_536_000}
"""As in the table's ages: a month is 30 days, a year 365."""
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def start(typed: str | date, now: Instant, name: str = "since") -> Instant:
    """Return the first instant of what was typed: of a day its start, else the instant itself.

    Raises ValueError, in one sentence that begins with `name`, for what is no point in time.
    """
    return _ends(typed, now, name)[0]


def end(typed: str | date, now: Instant, name: str = "until") -> Instant:
    """Return the last instant of what was typed: of a day its last millisecond, else the instant itself.

    Raises ValueError, in one sentence that begins with `name`, for what is no point in time.
    """
    return _ends(typed, now, name)[1]


def _ends(typed: str | date, now: Instant, name: str) -> tuple[Instant, Instant]:
    if not isinstance(typed, str | date):
        raise ValueError(f"{name} is a point in time, not {typed!r}")
    try:
        found = _found(typed.strip().lower(), now) if isinstance(typed, str) else typed
        if isinstance(found, int):
            return found, found
        if isinstance(found, datetime):
            moment = _instant(found)
            return moment, moment
        if isinstance(found, date):
            return _instant(_midnight(found)), _instant(_midnight(found + timedelta(days=1))) - 1
    except (ValueError, OverflowError, OSError):  # a time that no calendar or clock of the system has
        pass
    raise ValueError(
        f"{name} is a day (2026-03-10, today, yesterday, monday), an instant (2026-03-10T09:00) or an age (12h, 7d), "
        f"not {str(typed)!r}"
    )


def _found(text: str, now: Instant) -> Instant | date | None:
    if (age := _AGE.fullmatch(text)) is not None:
        return max(now - int(age[1]) * _SECONDS[age[2]] * 1000, 0)
    today = datetime.fromtimestamp(now / 1000).date()
    if text in ("today", "yesterday"):
        return today - timedelta(days=text == "yesterday")
    if text in _WEEKDAYS:  # the last one there was; today, where it is one
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(text)) % 7)
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text.upper())


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min)


def _instant(moment: datetime) -> Instant:
    milliseconds = int(moment.timestamp() * 1000 // 1)
    if not 0 <= milliseconds <= LATEST:
        raise ValueError("outside of any session's time")
    return milliseconds
