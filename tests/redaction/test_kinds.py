"""The list of kinds is closed, and the documentation repeats it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sesls.redaction.kinds import KINDS
from sesls.redaction.looks import is_plain, unwordly, varied
from sesls.redaction.names import VENDORS
from sesls.redaction.shapes import GLUED, LANDMARKS, PREFIXED
from sesls.redaction.spans import Span, merged

DOCUMENT = Path(__file__).parents[2] / "docs" / "redaction.md"


def test_tables_use_kinds_of_the_list() -> None:
    used = (
        {shape.kind for shape in PREFIXED if shape.kind}
        | {row.kind for row in LANDMARKS}
        | {kind for kind, _ in VENDORS}
    )

    assert used <= set(KINDS)


def test_kinds_can_be_marks() -> None:
    assert [kind for kind in KINDS if not re.fullmatch("[A-Z0-9_]+", kind)] == []


def test_the_documentation_lists_every_kind_and_no_other() -> None:
    listed = re.findall(r"^\| `([A-Z0-9_]+)` \| (.+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)

    assert dict(listed) == KINDS


def test_what_may_be_stuck_to_a_word_is_in_the_table() -> None:
    assert set(GLUED) <= {prefix for shape in PREFIXED for prefix in shape.prefixes.split()}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("", 0), ("word", 0), ("camelCaseWords", 0), ("HTTPServer2", 0), ("OAuth2Client", 0), ("2026-11-30", 0)),
        *(("k8s-v2-2fa", 0), ("utf8mb4", 7), ("a1b2c3d4", 8), ("getHttpSrc", 0), ("ab-a1b2c3-cd", 6), ("xKqZpWvT", 8)),
    ],
)
def test_words_and_numbers_do_not_look_random(text: str, number: int) -> None:
    assert unwordly(text) == number


def test_plain_words_have_no_humps() -> None:
    assert is_plain("words-and_numbers.2 Capital UPPER word12")
    assert not is_plain("camelCase")
    assert not is_plain("word123")


def test_five_characters_are_varied() -> None:
    assert varied("abcde")
    assert not varied("abcd" * 9)


@pytest.mark.parametrize(
    ("spans", "left"),
    [
        ([(0, 5, "GENERIC_SECRET"), (5, 9, "JWT")], [(0, 5, "GENERIC_SECRET"), (5, 9, "JWT")]),
        ([(0, 9, "GENERIC_SECRET"), (2, 5, "JWT")], [(0, 9, "JWT")]),
        ([(4, 9, "JWT"), (0, 5, "BEARER_TOKEN")], [(0, 9, "JWT")]),
        ([(0, 9, "JWT"), (2, 5, "PRIVATE_KEY")], [(0, 9, "PRIVATE_KEY")]),
        ([(0, 9, "GENERIC_SECRET"), (1, 9, "URL_CREDENTIALS")], [(0, 9, "URL_CREDENTIALS")]),
    ],
)
def test_secrets_that_overlap_become_one(spans: list[Span], left: list[Span]) -> None:
    assert list(merged(spans)) == left
