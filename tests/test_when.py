"""What people type for a point in time, in their own time zone, at a given moment."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesls import when

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="needs a time zone of its own")

Zone = Callable[[str], None]
HOUR = 3_600_000
DAY = 24 * HOUR


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Zone]:
    """A function that puts this process into a time zone."""

    def move(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    move("UTC")
    yield move
    monkeypatch.undo()
    time.tzset()


def utc(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


NOW = utc("2026-03-11T15:30:00")  # a Wednesday


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("today", "2026-03-11"),
        ("yesterday", "2026-03-10"),
        ("Yesterday ", "2026-03-10"),
        ("wednesday", "2026-03-11"),
        ("tuesday", "2026-03-10"),
        ("thursday", "2026-03-05"),
        ("2026-03-01", "2026-03-01"),
        ("20260301", "2026-03-01"),
        ("2024-02-29", "2024-02-29"),
        (date(2026, 3, 1), "2026-03-01"),
    ],
)
def test_a_day_is_all_of_it(zone: Zone, typed: str | date, first: str) -> None:
    assert when.start(typed, NOW) == utc(first)
    assert when.end(typed, NOW) == utc(first) + DAY - 1


@pytest.mark.parametrize(
    ("typed", "hours"),
    [("12h", 12), ("7d", 168), ("2w", 336), ("90m", 1.5), ("30s", 1 / 120), ("1mo", 720), ("1y", 8760), ("0d", 0)],
)
def test_an_age_counts_back_from_now(zone: Zone, typed: str, hours: float) -> None:
    assert when.start(typed, NOW) == when.end(typed, NOW) == NOW - hours * HOUR


@pytest.mark.parametrize(
    "typed",
    [
        "2026-03-10T09:00",
        "2026-03-10 09:00",
        "2026-03-10t09:00:00z",
        "2026-03-10T09:00:00.000Z",
        "2026-03-10T11:00+02:00",
        datetime(2026, 3, 10, 9),
        datetime(2026, 3, 10, 11, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_an_instant_is_itself(zone: Zone, typed: str | datetime) -> None:
    assert when.start(typed, NOW) == when.end(typed, NOW) == utc("2026-03-10T09:00")


def test_milliseconds_count(zone: Zone) -> None:
    assert when.start("2026-03-10T09:00:00.245Z", NOW) == utc("2026-03-10T09:00") + 245


def test_days_and_instants_without_a_zone_are_local(zone: Zone) -> None:
    zone("Asia/Tokyo")  # nine hours ahead: there it is 00:30 of the 12th

    assert when.start("today", NOW) == utc("2026-03-11T15:00")
    assert when.start("2026-03-10", NOW) == utc("2026-03-09T15:00")
    assert when.start("2026-03-10T09:00", NOW) == utc("2026-03-10T00:00")
    assert when.start("2026-03-10T09:00Z", NOW) == utc("2026-03-10T09:00")


def test_a_day_is_as_long_as_it_is_there(zone: Zone) -> None:
    zone("Europe/Berlin")

    for day, hours in (("2026-03-29", 23), ("2026-03-30", 24), ("2026-10-25", 25)):
        assert when.end(day, NOW) - when.start(day, NOW) == hours * HOUR - 1


@pytest.mark.parametrize(
    "typed",
    [
        *("", " ", "soon", "7", "7x", "-7d", "7 d", "d", "1.5h", "2026-13-01", "2026-02-30", "10.03.2026", "now7d"),
        *(
            "0001-01-01",
            "9999-12-31",
            "1969-12-31",
            "9999-12-31T23:59:59-23:59",
            "\uff11\uff12h",
            "\x00",
            "9" * 5000 + "d",
        ),
        *(7, 1.5, True, b"7d", timedelta(days=7), datetime.max, datetime.min, date.max, date.min),
    ],
)
def test_anything_else_is_refused_in_one_sentence(zone: Zone, typed: Any) -> None:
    for function, name in ((when.start, "since"), (when.end, "until")):
        with pytest.raises(ValueError, match=f"^{name} is a [^\n]*$"):
            function(typed, NOW)


def test_an_age_beyond_all_times_is_the_start_of_time(zone: Zone) -> None:
    assert when.start("999999999y", NOW) == 0


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=30) | st.from_regex(r"[0-9]{1,6}-[0-9]{2}-[0-9]{2}(T[0-9:.+Z-]*)?", fullmatch=True))
def test_any_text_is_a_time_or_refused(typed: str) -> None:
    with contextlib.suppress(ValueError):
        assert 0 <= when.start(typed, NOW) <= when.end(typed, NOW)
