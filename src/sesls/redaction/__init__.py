"""Secrets in texts, replaced by `[REDACTED_<KIND>]`: people paste keys into prompts, and prompts become titles."""

from __future__ import annotations

from collections import Counter

from sesls import marks
from sesls.redaction import commands, contexts, headers, pem, tokens, urls
from sesls.redaction.spans import Span, merged

_SHORTEST = 8


def redact(text: str, counts: Counter[str] | None = None) -> str:
    """Return text with every secret replaced by its mark; `counts` gets one more for each, by kind.

    Marks that are there already stay and are not counted, so redacting twice changes nothing more.
    """
    if not marks.may_be_in(text):
        return _masked(text, True, counts)
    parts: list[str] = []
    at = 0
    for mark in marks.pattern().finditer(text):
        parts += (_masked(text[at : mark.start()], False, counts), mark.group())
        at = mark.end()
    parts.append(_masked(text[at:], True, counts))
    return "".join(parts)


def redact_field(name: str, text: str, counts: Counter[str] | None = None) -> str:
    """Return the text of a field redacted: the whole of it where the field's name says that it is a secret."""
    redacted = redact(text, counts)
    if name and redacted == text and (kind := contexts.kind_of_field(name, text)):
        return _mark(kind, counts)
    return redacted


def _masked(text: str, ends: bool, counts: Counter[str] | None) -> str:
    """Return a text without marks redacted.

    What is left between the new marks is searched again until nothing is found: a second run can find nothing more.
    """
    spans = _found(text, ends) if len(text) >= _SHORTEST else ()
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for start, end, kind in merged(spans):
        parts += (_masked(text[at:start], False, counts), _mark(kind, counts))
        at = end
    parts.append(_masked(text[at:], ends, counts))
    return "".join(parts)


def _mark(kind: str, counts: Counter[str] | None) -> str:
    if counts is not None:
        counts[kind] += 1
    return marks.of(kind)


def _found(text: str, ends: bool) -> list[Span]:
    """Return the secrets of a text; it `ends` when nothing follows it."""
    lower = text.lower()
    runs = tokens.telling_runs(text)
    return [
        *pem.find(text),
        *tokens.find(text, runs, ends),
        *contexts.find(text),
        *contexts.beside(text, runs),
        *headers.find(text, lower),
        *commands.find(text, lower),
        *urls.find(text, ends),
    ]
