"""Small values read well."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.output.words import age, count, directory, joined, short_ids
from tests.builders.common import uuid
from tests.conftest import examples

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "now"),
        (1, "1s"),
        (59, "59s"),
        (60, "1m"),
        (3_599, "59m"),
        (3_600, "1h"),
        (DAY - 1, "23h"),
        (DAY, "1d"),
        (7 * DAY - 1, "6d"),
        (7 * DAY, "1w"),
        (30 * DAY - 1, "4w"),
        (30 * DAY, "1mo"),
        (365 * DAY - 1, "12mo"),
        (365 * DAY, "1y"),
        (26 * 365 * DAY, "26y"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(seconds: int, words: str) -> None:
    assert age(seconds) == words


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/home/ada", "~"),
        ("/home/ada/", "~/"),
        ("/home/ada/orchard", "~/orchard"),
        ("/home/adam/orchard", "/home/adam/orchard"),
        ("/srv/home/ada", "/srv/home/ada"),
        ("/", "/"),
        ("/home/ada/a\x1b[31m\nb", "~/a b"),
        ("C:\\orchard", "C:\\orchard"),
    ],
)
def test_home_is_a_tilde(path: str, words: str) -> None:
    assert directory(path, home="/home/ada") == words


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("C:\\Users\\ada", "~"),
        ("c:\\users\\Ada\\src", "~\\src"),
        ("C:/Users/ada/src/shop", "~/src/shop"),
        ("C:\\Users\\adam", "C:\\Users\\adam"),
        ("D:\\Users\\ada\\src", "D:\\Users\\ada\\src"),
        ("/home/ada", "/home/ada"),
    ],
)
def test_home_is_a_tilde_on_windows_in_any_spelling(path: str, words: str) -> None:
    assert directory(path, home="C:\\Users\\ada") == words
    assert directory(path, home="C:\\Users\\ada\\") == words


def test_a_backslash_ends_no_name_elsewhere() -> None:
    assert directory("/home/ada\\orchard", home="/home/ada") == "/home/ada\\orchard"


def test_a_home_may_end_in_a_separator_or_be_the_root() -> None:
    assert directory("/home/ada/orchard", home="/home/ada/") == "~/orchard"
    assert directory("/srv/orchard", home="/") == "/srv/orchard"


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 sessions"), (1, "1 session"), (2, "2 sessions"), (2_724, "2,724 sessions")]
)
def test_a_number_stands_with_its_noun(number: int, words: str) -> None:
    assert count(number, "session") == words


@pytest.mark.parametrize(
    ("words", "sentence"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (list("abc"), "a, b and c")]
)
def test_words_are_joined_as_in_a_sentence(words: list[str], sentence: str) -> None:
    assert joined(words) == sentence


def test_short_ids_have_eight_characters_where_that_is_enough() -> None:
    assert short_ids([uuid(1), uuid(2), "abc"]) == {uuid(1): "00000001", uuid(2): "00000002", "abc": "abc"}


def test_short_ids_are_as_long_as_it_takes() -> None:
    assert short_ids(["12345678-1111", "12345678-1122", "12345679-1111"]) == {
        "12345678-1111": "12345678-111",
        "12345678-1122": "12345678-112",
        "12345679-1111": "12345679",
    }


def test_an_id_that_another_begins_with_is_whole() -> None:
    assert short_ids(["abcdefgh", "abcdefghij", "abcdefghik"])["abcdefgh"] == "abcdefgh"


def test_an_id_of_two_agents_is_as_short_as_any() -> None:
    assert short_ids([uuid(1), uuid(1)]) == {uuid(1): "00000001"}


@examples(200)
@given(st.lists(st.text("ab1", min_size=1, max_size=14), max_size=20))
def test_a_short_id_means_one_id_and_no_shorter_one_would(ids: list[str]) -> None:
    for whole, short in short_ids(ids).items():
        others = [other for other in set(ids) if other != whole]

        assert whole.startswith(short)
        assert short == whole or not any(other.startswith(short) for other in others)
        assert len(short) <= 8 or any(other.startswith(short[:-1]) for other in others)
