"""A stored text is shown on one line, without anything that a terminal obeys or an eye cannot see."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sesls.redaction import redact
from sesls.text import TITLE_LIMIT, cut, one_line, strip, title
from tests.conftest import examples

BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = "gh" + "p_" + BODY
MARK = "[REDACTED_GITHUB_TOKEN]"

# Signs of the categories Cf that are drawn.
DRAWN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
CONTROLS = "\x00\x07\x08\t\n\r\x1b\x1f\x7f\x80\x85\x90\x9b\x9c\x9d\x9f"
HIDDEN = "\u00ad\u061c\u200b\u200d\u200e\u202a\u202e\u2028\u2029\u2060\u2066\u3164\ufeff\ud83d\udcff\U000e0041"
PIECES = [
    *CONTROLS,
    *HIDDEN,
    *("\x1b[31m", "\x1b[2J", "\x1b]0;PWNED\x07", "\x1b]52;c;AAAA\x1b\\", "\x1bP1$q\x1b\\", "\x9b31m", "\x1b(B"),
    *("word", "果樹園", "\U0001f680", "e\u0301", " ", "   ", "[/]", ";", "]", "…", "[REDACTED_", TOKEN, "a" * 90),
]

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join)
quick = examples(100)


def is_hidden(character: str) -> bool:
    """Tell whether a character is a control, invisible, or half of one."""
    return character not in DRAWN and unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def pieces_of_the_token(text: str) -> list[str]:
    return [BODY[start : start + 6] for start in range(len(BODY) - 5) if BODY[start : start + 6] in text]


@quick
@given(texts)
def test_a_title_is_one_line_that_can_be_shown(text: str) -> None:
    shown = title(text, redact)

    assert shown is None or shown == " ".join(shown.split()) != ""
    assert not any(map(is_hidden, shown or ""))
    assert len(shown or "") <= TITLE_LIMIT + 1


@quick
@given(texts)
def test_stripping_leaves_nothing_but_white_space_of_what_is_hidden(text: str) -> None:
    stripped = strip(text)

    assert not any(is_hidden(character) and not character.isspace() for character in stripped)
    assert strip(stripped) == stripped


@quick
@given(texts)
def test_one_line_is_a_line_and_stays_as_it_is(text: str) -> None:
    line = one_line(text)

    assert len(line.splitlines()) == bool(line)
    assert one_line(line) == line


@quick
@given(st.text(st.characters(exclude_categories=["C", "Z"], max_codepoint=0x34E), max_size=60))
@example("verg\u00e9 果樹園 \U0001f680 \u2764\ufe0f")
def test_text_that_hides_nothing_is_shown_as_it_is(text: str) -> None:
    assert one_line(text) == text.strip()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hi \x1b[31mred\x1b[0m end", "Hi red end"),
        ("\x1b[38;2;255;0;0mtrue\x1b[38:5:9mcolour", "truecolour"),
        ("a \x1b]0;PWNED\x07 b", "a b"),
        ("a \x1b]52;c;AAAA\x1b\\ b", "a b"),
        ("\x1b]8;;http://x.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a \x1b]0;cut off", "a"),
        ("\x1b[2J\x1b[Hclear", "clear"),
        ("a\x1b(Bb", "ab"),
        ("a\x1bPdevice\x1b\\b", "ab"),
        ("a\x9b31mb", "ab"),
        ("back\x08\x08space", "backspace"),
        ("visible\rHIDDEN", "visible HIDDEN"),
        ("First\n\n\tSecond\x0b\x0cThird\u2028Fourth\x85Fifth", "First Second Third Fourth Fifth"),
        ("\u202eevil\u202c \u2066a\u2069", "evil a"),
        ("z\u200be\u200dr\ufeffo", "zero"),
        ("half \ud83d a pair", "half a pair"),
        ("tag\U000e0041\U000e007f", "tag"),
        (
            "[/] [bold]x[/bold] :rocket: [link=http://x.example]l[/link]",
            "[/] [bold]x[/bold] :rocket: [link=http://x.example]l[/link]",
        ),
        ("  around  \n", "around"),
    ],
)
def test_what_a_terminal_obeys_is_taken_out_whole(text: str, shown: str) -> None:
    assert one_line(text) == shown


@pytest.mark.parametrize("opener", ["\x90", "\x98", "\x9d", "\x9e", "\x9f"])
def test_text_behind_a_lone_control_character_is_kept(opener: str) -> None:
    assert one_line(f"Fix the â€{opener}quotes") == "Fix the â€quotes"


@pytest.mark.parametrize("text", ["", "   ", "\ufe0f", "\u2800", "\n", "\x1b[31m\x1b[0m", "\u200b\u202e", "\x00"])
def test_of_nothing_that_can_be_seen_there_is_no_title(text: str) -> None:
    assert title(text, redact) is None


def test_a_title_of_the_limit_is_whole_and_a_longer_one_is_marked() -> None:
    assert title("a" * 200, redact) == "a" * 200
    assert title("a" * 201, redact) == "a" * 200 + "…"
    assert title("a" * 199 + " b", redact) == "a" * 199 + "…"
    assert title("果" * 10_000_000, redact) == "果" * 200 + "…"


def test_white_space_around_a_title_does_not_count() -> None:
    assert title("\n " * 1000 + "a" * 200 + " " * 1000, redact) == "a" * 200


@quick
@given(st.integers(0, 230), st.sampled_from(["", " tail", "\ntail " * 50]))
def test_a_secret_at_the_cut_never_shows_a_part_of_itself(place: int, tail: str) -> None:
    shown = title("word " * (place // 5) + " " * (place % 5) + TOKEN + tail, redact)

    assert shown is not None
    assert pieces_of_the_token(shown) == []


@pytest.mark.parametrize(
    "before", ["a" + " " * 4280, "é" + "\n" * 4280, "a " + "\u200b" * 17_160, "a" + "\x1b[0m" * 4292 + " "]
)
def test_a_secret_at_the_end_of_what_is_looked_at_never_shows_a_part_of_itself(before: str) -> None:
    assert pieces_of_the_token(title(before + TOKEN, redact) or "") == []


@pytest.mark.parametrize(
    "hidden",
    [
        *("\u200b", "\u00ad", "\ufeff", "\u2060", "\x00", "\x1b[0m", "\u202e", "\U000e0041"),
        "\ufe0f",
    ],
)
def test_an_invisible_character_hides_no_secret(hidden: str) -> None:
    assert title(f"use {TOKEN[:20]}{hidden}{TOKEN[20:]} now", redact) == f"use {MARK} now"


def test_a_secret_is_masked_before_lines_are_joined() -> None:
    key = "-----BEGIN " + "PRIVATE KEY-----\n" + "AAAA\n" * 100 + "-----END " + "PRIVATE KEY-----"

    assert title(f"use\n{key}\nnow", redact) == "use [REDACTED_PRIVATE_KEY] now"


@pytest.mark.parametrize("length", [177, 178, 185, 190, 191, 199])
def test_a_mark_is_whole_or_not_there(length: int) -> None:
    shown = title("a" * (length - 1) + " " + TOKEN + " b", redact)

    assert shown is not None
    assert re.sub(re.escape(MARK), "", shown).rstrip("…").strip() == "a" * (length - 1)


@quick
@given(texts.map(one_line), st.integers(1, 300))
def test_a_cut_is_a_beginning_and_its_mark(text: str, limit: int) -> None:
    shown = cut(text, limit)

    assert len(shown) <= limit + 1
    assert shown == text if len(text) <= limit else text.startswith(shown.removesuffix("…"))


def test_brackets_of_a_person_are_no_marks() -> None:
    assert cut("a [REDACTED_ in a sentence that has no end", 20) == "a [REDACTED_ in a se…"
