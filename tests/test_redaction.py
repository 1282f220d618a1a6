"""Secrets become marks: every common shape, each counted, nothing else touched."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.redaction import redact
from tests.conftest import examples

LETTERS = "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqRsTuVwXyZ"
MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6"

# Put together here, so that no tool that looks for secrets finds one in this file.
SECRETS = {
    "ANTHROPIC_KEY": "sk-" + "ant-api03-" + MIXED + "AA",
    "OPENAI_KEY": "sk-" + "proj-" + MIXED,
    "GITHUB_TOKEN": "gh" + "p_" + MIXED[:36],
    "GITLAB_TOKEN": "gl" + "pat-" + MIXED[:20],
    "AWS_KEY": "AK" + "IA" + MIXED[:16].upper(),
    "SLACK_TOKEN": "xox" + "b-123456789012-123456789012-" + MIXED[:24],
    "STRIPE_KEY": "sk_" + "live_" + MIXED[:24],
    "GOOGLE_API_KEY": "AI" + "za" + MIXED[:35],
    "HUGGINGFACE_TOKEN": "hf" + "_" + LETTERS[:34],
    "NPM_TOKEN": "np" + "m_" + MIXED[:36],
    "JWT": "ey" + "J" + MIXED[:20] + ".ey" + "J" + MIXED[:30] + "." + MIXED[:40],
    "PRIVATE_KEY": "-----BEGIN " + "RSA PRIVATE KEY-----\n" + MIXED + "\n-----END " + "RSA PRIVATE KEY-----",
}
MARK = re.compile(r"\[REDACTED_([A-Z0-9_]+)\]")

words = st.sampled_from([*SECRETS.values(), "deploy", "", "[REDACTED_", "]", "key=", "://"])
texts = st.lists(st.tuples(words, st.sampled_from([" ", "\n", "果", "=", '"', "/", ", "]))).map(
    lambda pairs: "".join(word + edge for word, edge in pairs)
)
quick = examples(100)


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("sentence", ["{}", "deploy with {} please", "使用{}调用", 'key="{}"', "({}),", "a\n{}\nb"])
def test_a_secret_is_masked_wherever_it_stands(kind: str, sentence: str) -> None:
    counts: Counter[str] = Counter()

    assert redact(sentence.format(SECRETS[kind]), counts) == sentence.format(f"[REDACTED_{kind}]")
    assert counts == {kind: 1}


def test_the_secret_part_of_an_address_is_masked() -> None:
    masked = redact("psql postgres://ada:" + "hunter2" + "@db.example/orchard")

    assert "hunter2" not in masked
    assert masked.startswith("psql postgres://")
    assert masked.endswith("@db.example/orchard")


def test_the_value_of_a_header_is_masked() -> None:
    masked = redact("Authorization: Bearer " + MIXED)

    assert MIXED not in masked
    assert masked.startswith("Authorization: Bearer [REDACTED_")


def test_a_private_key_without_its_end_is_masked_to_the_end() -> None:
    assert MIXED not in redact("use -----BEGIN " + "PRIVATE KEY-----\n" + MIXED + "\n" + MIXED)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Prune the apple trees",
        "fix sk-learn pipeline",
        "ghp_ is the prefix of a token",
        "task-force-one-two-three-four-five",
        "0a1b2c3d-0000-4000-8000-00000000000a",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "https://example.com/a/b?c=d#e",
        "git@example.com:ada/orchard.git",
        "C:\\Users\\ada\\orchard",
        "[REDACTED_GITHUB_TOKEN]",
        "果樹園の木を剪定する",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    counts: Counter[str] = Counter()

    assert redact(text, counts) == text
    assert counts == {}


@quick
@given(texts)
def test_masking_twice_is_masking_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@quick
@given(texts)
def test_every_mark_is_counted(text: str) -> None:
    counts: Counter[str] = Counter()

    assert Counter(MARK.findall(redact(text, counts))) == counts


def test_counts_add_up_over_several_texts() -> None:
    counts: Counter[str] = Counter()
    for kind in ("GITHUB_TOKEN", "AWS_KEY", "GITHUB_TOKEN"):
        redact(SECRETS[kind], counts)

    assert counts == {"GITHUB_TOKEN": 2, "AWS_KEY": 1}
