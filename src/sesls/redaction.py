"""Secrets in titles, replaced by `[REDACTED_<TYPE>]`.

A table of shapes, the most specific first; a new vendor is one line. People paste keys into prompts, and prompts
become titles.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

# Edges are ASCII: a key glued to a Chinese word is a key, one inside a longer ASCII word is not.
_SHAPES: tuple[tuple[str, str], ...] = (
    ("PRIVATE_KEY", r"-----BEGIN[A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[A-Z ]*-----|\Z)"),
    ("ANTHROPIC_KEY", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    (
        "OPENAI_KEY",
        r"(?<![A-Za-z0-9])sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]*[A-Za-z0-9]{20}[A-Za-z0-9_-]*",
    ),
    ("GITHUB_TOKEN", r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9_.-]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    ("GITLAB_TOKEN", r"(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_.-]{16,}"),
    ("AWS_KEY", r"(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("SLACK_TOKEN", r"(?<![A-Za-z0-9])xox[abcdeprs]-[A-Za-z0-9.-]{10,}|xapp-[A-Za-z0-9-]{10,}"),
    ("STRIPE_KEY", r"(?<![A-Za-z0-9])(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("GOOGLE_API_KEY", r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
    ("HUGGINGFACE_TOKEN", r"(?<![A-Za-z0-9])hf_[A-Za-z]{30,}"),
    ("NPM_TOKEN", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}"),
    ("JWT", r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("URL_CREDENTIALS", r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"),
    ("BEARER_TOKEN", r"(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*"),
)
_SECRET = re.compile("|".join(f"(?P<{name}>{shape})" for name, shape in _SHAPES))


def redact(text: str, counts: Counter[str] | None = None) -> str:
    """Return text with every secret replaced by its mark; `counts` gets one more for each, by type."""

    def mark(match: re.Match[str]) -> str:
        name = str(match.lastgroup)
        if counts is not None:
            counts[name] += 1
        return f"[REDACTED_{name}]"

    return _SECRET.sub(mark, text)


def redact_values(value: Any, counts: Counter[str] | None = None) -> Any:
    """Return plain data with every text in it redacted; the keys of objects stay as they are."""
    if isinstance(value, str):
        return redact(value, counts)
    if isinstance(value, dict):
        return {key: redact_values(item, counts) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_values(item, counts) for item in value]
    return value
