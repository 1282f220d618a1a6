"""What holds of every text: twice is once, marks are counted, marks of others stay, nothing else is touched."""

from __future__ import annotations

import re
import sys
from collections import Counter
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.redaction import redact
from sesls.redaction.kinds import KINDS
from sesls.redaction.looks import unwordly
from sesls.redaction.shapes import LANDMARKS, PREFIXED
from tests.conftest import examples
from tests.redaction.samples import MARK, TOKENS, made, masked

_PIECES = [
    *(made(template) for _, template in TOKENS),
    *(prefix for shape in PREFIXED for prefix in shape.prefixes.split()),
    *(row.literal for row in LANDMARKS),
    *(
        "password=",
        "token: ",
        "api_key",
        "secret",
        "key",
        "密码\uff1a",
        "Bearer ",
        "Basic ",
        "Cookie: a=",
        "--token ",
        "curl -u a:",
    ),
    *(
        "://",
        "@",
        ":",
        "=",
        "/",
        ".",
        "-",
        "_",
        "~",
        '"',
        "\\",
        "'",
        "`",
        "<",
        ">",
        "&",
        ";",
        " ",
        "\n",
        "\\n",
        "%3D",
        "…",
        "是",
    ),
    *(
        "[REDACTED_",
        "[REDACTED_X]",
        "]",
        "-----BEGIN PRIVATE " + "KEY-----",
        "-----END PRIVATE " + "KEY-----",
        "login a password ",
    ),
    *(made("<b62*24>"), made("<hex*40>"), made("<letter*14>"), "hunter22", "words and words", "OAuth2Client"),
]
texts = st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=9).map("".join)
quick = examples(400)


@quick
@given(texts)
def test_twice_is_once(text: str) -> None:
    once = redact(text)

    assert masked(once) == (once, {})


@quick
@given(texts)
def test_counts_are_the_marks_that_were_written(text: str) -> None:
    marked, counts = masked(text)

    written = Counter(MARK.findall(marked))
    written.subtract(MARK.findall(text))
    assert {kind: number for kind, number in written.items() if number} == counts


@quick
@given(texts)
def test_what_is_not_masked_is_what_was_there(text: str) -> None:
    pieces = MARK.split(redact(text))[::2]

    assert re.fullmatch("(?s:.*?)".join(map(re.escape, pieces)), text)


@quick
@given(texts)
def test_only_kinds_of_the_closed_list_are_written(text: str) -> None:
    assert set(masked(text)[1]) <= set(KINDS)


def test_what_is_left_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(text: str, _ends: bool) -> list[tuple[int, int, str]]:
        place = text.find("drawn by lot")
        return [(place, place + 12, "JWT")] if place >= 0 else []

    monkeypatch.setattr("sesls.redaction._found", first)

    assert masked("a drawn by lot, drawn by lot, drawn by lot") == (
        "a " + ", ".join(["[REDACTED_JWT]"] * 3),
        {"JWT": 3},
    )


def steps(text: str) -> int:
    """Return how many functions redacting a text calls, those of the interpreter included."""
    number = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        redact(text)
    finally:
        sys.setprofile(None)
    return number


@pytest.mark.parametrize(
    "bait",
    [
        *(
            "sk-",
            "sk-ant-",
            "xsk-ant-",
            "xAIza",
            "ghp_",
            "eyJ",
            "eyJ-",
            "eyJ.",
            "hvs.",
            "A",
            "a",
            "1",
            "-",
            "_",
            "Aa0-",
        ),
        *(
            "password=",
            "password: ",
            "token=a,",
            "api_key='a",
            'token="',
            "::::",
            "====",
            "://",
            "://a:b@",
            "@",
            "x://a@b@",
        ),
        *(
            "-----BEGIN",
            "-----BEGIN PRIVATE " + "KEY-----",
            "-----BEGIN PRIVATE " + "KEY-----\nA: b\n",
            '"\\"',
            "\\",
            "'",
            "\n",
        ),
        *(
            "Cookie:a=b;",
            "authorization:",
            "bearer ",
            "--token a ",
            "curl -u a:b ",
            "set A_KEY a ",
            "<a>aaaaaa</",
            "[REDACTED_X]",
        ),
        *("ghp_" + "a1B2c3D4" * 4 + " ", "密码\uff1a", "the token is ", "JQQJ99a", "2/123456789012/", "123456789:AA"),
    ],
)
def test_twice_the_text_is_twice_the_work(bait: str) -> None:
    small, large = (steps((bait * (length // len(bait) + 1))[:length]) for length in (3000, 6000))

    assert large <= 2.2 * small + 200


@pytest.mark.parametrize(
    "bait", ["sk-v1-", "sk-ant-v1-", "xsk-ant-v1-", "hvs.v1-", "password=", "Cookie:a=b;", "x://a@b@", "AIza-"]
)
def test_twice_the_text_is_twice_as_much_to_judge(bait: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = 0

    def count(text: str) -> int:
        nonlocal judged
        judged += len(text)
        return unwordly(text)

    for module in ("headers", "pem", "tokens", "urls", "values"):
        monkeypatch.setattr(f"sesls.redaction.{module}.unwordly", count)
    amounts = []
    for length in (3000, 6000):
        judged = 0
        redact((bait * (length // len(bait) + 1))[:length] + " end")
        amounts.append(judged)

    assert amounts[1] <= 2.2 * amounts[0] + 200
