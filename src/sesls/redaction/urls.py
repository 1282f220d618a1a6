"""Credentials in the authority of URLs (RFC 3986, 3.2.1): `scheme://user:password@host`, `scheme://token@host`."""

from __future__ import annotations

import re
from functools import cache

from sesls.redaction.looks import unwordly, varied
from sesls.redaction.spans import Span
from sesls.redaction.values import is_placeholder, is_reference

KIND = "URL_CREDENTIALS"
_LONGEST = 600  # of an address that is looked at
_TOKEN_NEEDS = 12  # unwordly characters of a user that is a token
_CUT_NEEDS = 6  # and of a password in the end of a text, its host cut off
_IMAGES = ("docker://", "oci://", "podman://")  # a name and a tag, not a user and a password
_SIGNS = 8  # how many `@` of an address are considered


@cache
def _address() -> re.Pattern[str]:
    return re.compile("[^\\s\"'`<>\\\\|\uff0c\u3002\u3001\uff1b\uff08\uff09「」\u201c\u201d…]+")


@cache
def _no_user() -> re.Pattern[str]:
    return re.compile(r"[/?#\[\]]")


@cache
def _host() -> re.Pattern[str]:
    # With a dot, a port or brackets, or the usual one without: what cannot be a part of a password.
    name, port = r"[A-Za-z0-9-]+", r"(?::[0-9]+)"
    return re.compile(rf"(?:{name}\.)+{name}{port}?|localhost|{name}{port}|\[[0-9A-Fa-f:]+\]{port}?")


@cache
def _port() -> re.Pattern[str]:
    return re.compile(r"[0-9]{0,5}(?:[/?#,]|\Z)")


def find(text: str, ends: bool) -> list[Span]:
    """Return passwords and tokens in front of hosts; where text `ends`, the host may have been cut off."""
    spans: list[Span] = []
    finish = len(text.rstrip(" ….")) if ends else len(text) + 1
    mark = text.find("://")
    while mark >= 0:
        start = mark + 3
        mark = text.find("://", start)
        address = _address().match(text, start, min(start + _LONGEST, mark if mark >= 0 else len(text)))
        if address and (span := _credentials(text, start, address.group(), address.end() >= finish)):
            spans.append(span)
    return spans


def _credentials(text: str, start: int, address: str, is_cut: bool) -> Span | None:
    """Return the secret in an address that begins at `start` in text, or None."""
    sign = _sign(address)
    user, colon, password = (address[:sign] if sign >= 0 else address).partition(":")
    if _no_user().search(user):
        return None
    if sign < 0 and not (is_cut and unwordly(password) >= _CUT_NEEDS and not text.endswith(_IMAGES, 0, start)):
        return None
    if colon and _port().match(password):
        return None
    if not colon and (unwordly(user) < _TOKEN_NEEDS or not varied(user)):
        return None
    secret = password if colon else user
    if not secret or is_reference(secret) or is_placeholder(secret):
        return None
    end = start + len(user) + len(colon) + len(password)
    return end - len(secret), end, KIND


def _sign(address: str) -> int:
    """Return which `@` ends the credentials: the last one before a host that can be told, else the last, or -1."""
    sign = address.find("@")
    for _ in range(_SIGNS):
        if sign < 0:
            break
        further = address.find("@", sign + 1)
        authority = re.split("[/?#]", address[sign + 1 : further if further >= 0 else None], maxsplit=1)[0]
        in_password = further >= 0 and len(authority) == further - sign - 1
        if further < 0 or (not in_password and _host().fullmatch(authority)):
            return sign
        sign = further
    return address.rfind("@")
