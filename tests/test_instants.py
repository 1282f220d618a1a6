"""Instants in every shape that agents write come out as whole milliseconds; nonsense comes out as nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.instants import EARLIEST, LATEST, from_file_time, instant, latest, local_instant, rfc3339
from tests.conftest import examples

NINE = 1_773_133_200_000
"""2026-03-10, nine o'clock."""

patient = examples(100)
MOMENTS = st.integers(EARLIEST, LATEST)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-10T09:00:00.000Z", NINE),
        ("2026-03-10T09:00:00Z", NINE),
        ("2026-03-10T09:00:00.245Z", NINE + 245),
        ("2026-03-10T09:00:00.245123Z", NINE + 245),
        ("2026-03-10T09:00:00.245123456Z", NINE + 245),
        ("2026-03-10T09:00:00,245Z", NINE + 245),
        ("2026-03-10T09:00:00.2Z", NINE + 200),
        ("2026-03-10T09:00:00", NINE),
        ("2026-03-10 09:00:00", NINE),
        ("2026-03-10T09:00", NINE),
        ("2026-03-10T11:00:00+02:00", NINE),
        ("2026-03-10T03:30:00.245-05:30", NINE + 245),
        ("2026-03-10T09:00:00+00:00", NINE),
        ("  2026-03-10T09:00:00Z\n", NINE),
        ("2026-03-10", NINE - 9 * 3_600_000),
        (NINE, NINE),
        (NINE + 0.4, NINE),
        (NINE // 1000, NINE),
        (NINE / 1000 + 0.245, NINE + 245),
        (NINE * 1000 + 245, NINE),
        (NINE * 1_000_000 + 245_000_000, NINE + 245),
        (str(NINE), NINE),
        (str(NINE // 1000), NINE),
    ],
)
def test_what_agents_write_is_an_instant(value: object, expected: int) -> None:
    assert instant(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        " ",
        "soon",
        "2026-13-10T09:00:00Z",
        "2026-02-30T09:00:00Z",
        "2026-03-10T25:00:00Z",
        "2026-03-10T09:00:00+99:00",
        "17731332000001773133200000",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "1999-12-31T23:59:59Z",
        "2200-01-02T00:00:00Z",
        "2026-03-10T09:00:00\ud800Z",
        "\x00" * 99,
        True,
        False,
        0,
        -1,
        -NINE,
        1,
        10**400,
        float("nan"),
        float("inf"),
        float("-inf"),
        [NINE],
        {"$date": NINE},
        b"2026-03-10T09:00:00Z",
    ],
)
def test_what_is_no_sane_instant_is_none(value: object) -> None:
    assert instant(value) is None


@pytest.mark.parametrize("moment", [EARLIEST, LATEST])
def test_the_bounds_of_what_is_sane_are_sane(moment: int) -> None:
    assert instant(moment) == moment
    assert instant(rfc3339(moment)) == moment


@patient
@given(MOMENTS)
def test_an_instant_survives_being_written(moment: int) -> None:
    assert instant(rfc3339(moment)) == moment


@patient
@given(MOMENTS, st.integers(-14 * 60, 14 * 60))
def test_a_zone_changes_nothing(moment: int, minutes: int) -> None:
    local = datetime.fromtimestamp(moment / 1000, UTC).astimezone(timezone(timedelta(minutes=minutes)))

    assert instant(local.isoformat(timespec="milliseconds")) == pytest.approx(moment, abs=1)


@patient
@given(MOMENTS)
def test_what_is_written_sorts_like_what_it_means(moment: int) -> None:
    text = rfc3339(moment)

    assert len(text) == 24
    assert (text < rfc3339(NINE)) == (moment < NINE)


@patient
@given(st.text(max_size=30) | st.integers() | st.floats() | st.binary(max_size=9) | st.none())
def test_nothing_raises(value: object) -> None:
    moment = instant(value)

    assert moment is None or EARLIEST <= moment <= LATEST


def test_an_instant_is_written_in_utc_with_milliseconds() -> None:
    assert rfc3339(NINE + 7) == "2026-03-10T09:00:00.007Z"


USUAL = MOMENTS.map(rfc3339)
UNUSUAL = st.sampled_from(
    [
        "",
        "soon",
        "9999-99-99T99:99:99.999Z",
        "2026-03-10T09:00:00Z",
        "2026-03-10T09:00:00.000",
        "2150-03-10T23:00:00+14:00",
        "2026-03-10T09:00:00,999Z",
        "9999-12-31T23:59:59.999Z",
        "zzzzzzzzzzTzzzzzzzzzzzzZ",
        "2026-03-10 09:00:00.000Z",
        "2026-W11-2T09:00:00.000Z",
    ]
)


@patient
@given(st.lists(USUAL | UNUSUAL))
def test_the_latest_of_some_texts_is_the_latest_of_their_instants(texts: list[str]) -> None:
    moments = [moment for text in texts if (moment := instant(text)) is not None]

    assert latest(texts) == max(moments, default=None)


def test_the_latest_of_nothing_is_none() -> None:
    assert latest([]) is None


@pytest.mark.parametrize(
    ("mtime_ns", "expected"),
    [
        (NINE * 1_000_000, NINE),
        (NINE * 1_000_000 + 999_999, NINE),
        (0, 0),
        (-(10**18), 0),
        (2**63 - 1, LATEST),
    ],
)
def test_a_file_time_is_cut_to_what_is_sane(mtime_ns: int, expected: int) -> None:
    assert from_file_time(mtime_ns) == expected
    assert rfc3339(from_file_time(mtime_ns))


# Without a zone


@pytest.fixture
def far_west(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the clock on the wall five hours back."""
    monkeypatch.setenv("TZ", "EST+5")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_west")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-10T04:00:00.245132", NINE + 245),
        (" 2026-03-10T04:00:00\n", NINE),
        ("2026-03-10T09:00:00Z", NINE),
        ("2026-03-10T09:00:00+00:00", NINE),
        (NINE, NINE),
        (str(NINE), NINE),
        ("0001-01-01T00:00:00", None),
        ("9999-12-31T23:59:59", None),
        ("soon", None),
        ("", None),
        (None, None),
        (True, None),
        ([], None),
    ],
)
def test_text_without_a_zone_may_be_of_the_clock_on_the_wall(value: object, expected: int | None) -> None:
    assert local_instant(value) == expected


@patient
@given(st.text() | st.integers() | st.floats() | st.none())
def test_a_local_instant_is_sane_or_none(value: object) -> None:
    found = local_instant(value)

    assert found is None or EARLIEST <= found <= LATEST
