"""Secrets of HTTP headers: bearer tokens, basic credentials, other schemes, cookies."""

from __future__ import annotations

import binascii
import re
from functools import cache

from sesls.redaction.looks import unwordly, varied
from sesls.redaction.spans import Span
from sesls.redaction.values import Value, is_reference, whole_end

_NEEDED = 10  # unwordly characters
_SHORTEST_BEARER = 16
_MOST_COOKIES = 30


@cache
def _scheme() -> re.Pattern[str]:
    # RFC 6750 and 7617, after the scheme's name and white space, a sign or quotes.
    return re.compile(
        r"(?<![A-Za-z0-9])(?:(?P<bearer>bearer)|(?P<basic>basic)|ssws)(?:[ \t]{1,4}|%20|[\"':=]{1,2} ?)\\?[\"']?"
        r"(?P<secret>[A-Za-z0-9._~+/-]{8,}=*)",
        re.IGNORECASE,
    )


@cache
def _credentials() -> re.Pattern[str]:
    scheme = r"(?:(?!bearer|basic|ssws)[A-Za-z][A-Za-z-]{1,20}[ \t]+)?"
    return re.compile(rf"[ \t]{{0,4}}\\?[\"'`]?{scheme}([^\s\"'`,;\\<>]{{8,200}})", re.IGNORECASE)


@cache
def _cookie() -> re.Pattern[str]:
    return re.compile(r"[ \t]{0,4}([^\s=;,\"'`]{1,80})=([^\s;,\"'`]+);?")


def find(text: str, lower: str) -> list[Span]:
    """Return the secrets of text, `lower` in small letters, that follow the name of an authentication scheme."""
    if "bearer" not in lower and "basic" not in lower and "ssws" not in lower:
        return []
    spans: list[Span] = []
    for match in _scheme().finditer(text):
        secret = match["secret"]
        start, end = match.span("secret")
        if match["basic"]:
            if _is_basic(secret):
                spans.append((start, end, "BASIC_AUTH"))
        elif _is_token(secret) and (len(secret) >= _SHORTEST_BEARER or end == len(text)):
            spans.append((start, end, "BEARER_TOKEN" if match["bearer"] else "OKTA_TOKEN"))
    return spans


def _is_token(secret: str) -> bool:
    return unwordly(secret) >= _NEEDED and varied(secret) and not is_reference(secret)


def _is_basic(secret: str) -> bool:
    """Return whether base64 holds a name, a colon and a password, as far as it goes."""
    whole = secret.rstrip("=")[: len(secret.rstrip("=")) // 4 * 4]
    try:
        decoded = binascii.a2b_base64(whole, strict_mode=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in decoded and decoded.isprintable()


def credentials(text: str, at: int) -> list[Span]:
    """Return what follows `Authorization:`, unless its scheme is one that `find` knows."""
    match = _credentials().match(text, at)
    if not match or not _is_token(match[1]):
        return []
    value = Value(*match.span(1), match[1], True)
    return [(value.start, whole_end(text, value), "GENERIC_SECRET")]


def cookies(text: str, at: int) -> list[Span]:
    """Return the values of a cookie header that look like secrets."""
    spans: list[Span] = []
    for _ in range(_MOST_COOKIES):
        match = _cookie().match(text, at)
        if not match:
            break
        at = match.end()
        if _is_token(match[2]):
            spans.append((*match.span(2), "GENERIC_SECRET"))
    return spans
