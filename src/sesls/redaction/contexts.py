"""Secrets known by the name in front of them: every `:` and `=` is asked what stands to its left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from sesls.redaction.headers import cookies, credentials
from sesls.redaction.names import LAST_TWO, kind_of, weight_of
from sesls.redaction.spans import Span
from sesls.redaction.values import Value, is_said, is_secret, value_after, whole_end

_SIGNS = ":="
_WIDE_SIGNS = ":=\uff1a\uff1d"  # with those of Chinese and Japanese
_BETWEEN = " \t\"'`\\]*=:"  # between a name and its sign: closing quotes, a subscript, bold, more of the sign
_CLOSING = frozenset(_BETWEEN)
_BESIDE = " \t\n\"'`是は"
_COPULAS = (" is", " was", " as", " to", " of", " ->", " =>")
_NAME_REACH = 64


def find(text: str) -> list[Span]:
    """Return the values in text whose name says that they are secret and that look like it."""
    spans: list[Span] = []
    for at in _signs(text):
        if text[at - 2 : at] not in LAST_TWO and text[at - 1 : at] not in _CLOSING:
            continue
        before = text[max(0, at - _NAME_REACH) : at].rstrip(_BETWEEN)
        if before[-2:] not in LAST_TWO:
            continue
        if text[at + 1 : at + 2] == ":" or text[at - 1] == ":":  # a scope: `Auth::user`
            continue
        spans += _values(text, at, before)
    return spans


def _signs(text: str) -> list[int]:
    """Return where the signs in text are that may follow a name."""
    signs: list[int] = []
    for sign in _SIGNS if text.isascii() else _WIDE_SIGNS:
        at = text.find(sign)  # much faster than a regular expression where there are few
        while at >= 0:
            signs.append(at)
            at = text.find(sign, at + 1)
    return signs


def _values(text: str, sign: int, before: str) -> list[Span]:
    """Return what is secret behind a sign, several values in a cookie."""
    weight = weight_of(before)
    if weight is None:
        return []
    if weight == "cookie":
        return cookies(text, sign + 1)
    if weight == "header":
        return credentials(text, sign + 1)
    value = value_after(text, sign)
    if value is None or not is_secret(value, weight) or (text[sign] == ":" and _field_of_id().search(before[-40:])):
        return []
    if value.text.startswith("/") and before[-3:].lower() == "pwd":  # the directory
        return []
    return [(value.start, whole_end(text, value), kind_of(before, weight))]


@cache
def _field_of_id() -> re.Pattern[str]:
    # A name inside an id, as `secret` in `arn:aws:secretsmanager:…:secret:…`.
    return re.compile(r"[A-Za-z0-9*]:[\w-]+\Z")


def beside(text: str, runs: Sequence[tuple[int, int]]) -> list[Span]:
    """Return the telling runs of text that stand beside a name ("the token is …") and can be nothing but a secret."""
    spans: list[Span] = []
    for start, end in runs:
        if not start or text[start - 1] not in _BESIDE:
            continue
        before = text[max(0, start - _NAME_REACH) : start].rstrip(_BESIDE)
        if before.endswith(_COPULAS):
            before = before[: -len(before.rsplit(None, 1)[-1])].rstrip(_BETWEEN)
        if before[-2:] in LAST_TWO and (weight := weight_of(before)) and is_said(text[start:end], weight):
            spans.append((start, end, kind_of(before, weight)))
    return spans


def kind_of_field(name: str, value: str) -> str | None:
    """Return which kind of secret the value of a field of plain data is, by the field's name; None if it is none."""
    weight = weight_of(name)
    if weight is None or weight in ("cookie", "header"):
        return None
    return kind_of(name, weight) if is_secret(Value(0, len(value), value, True), weight) else None
