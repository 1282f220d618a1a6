"""Private keys in blocks with a head and a foot line (RFC 7468, OpenSSH, OpenPGP, PuTTY's cousin SSH2)."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from sesls.redaction.looks import unwordly
from sesls.redaction.spans import Span

KIND = "PRIVATE_KEY"
_RULE = "[-\u2013\u2014]{1,5}"  # editors join two hyphens to a dash
_FIRST_NEEDS = 8  # characters of a key after the head without a foot; one that merely mentions the head has none
_LINE = 40  # a line this long is no word, and the shorter one after it is the key's last


@cache
def _head() -> re.Pattern[str]:
    return re.compile(rf"{_RULE} ?BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)? ?{_RULE}")


@cache
def _foot() -> re.Pattern[str]:
    return re.compile(rf"{_RULE} ?END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)? ?{_RULE}")


@cache
def _space() -> re.Pattern[str]:
    # White space or its escapes, and the fields of old keys and of armour (Proc-Type, DEK-Info, Version, Comment).
    return re.compile(r"(?:\s|\\+[nrt]|[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,80}?(?=\s|\\+n))*")


@cache
def _line() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/=]+")


def find(text: str) -> list[Span]:
    """Return the blocks of private keys in text, also those without a foot."""
    spans: list[Span] = []
    if "PRIVATE KEY" not in text:
        return spans
    heads = [head.span() for head in _head().finditer(text)]
    for (start, body), (limit, _) in pairwise([*heads, (len(text), 0)]):
        foot = _foot().search(text, body, limit)
        if foot is None:
            end = _end_of_lines(text, body, limit)
        else:
            end = foot.end() if _holds_key(text[body : foot.start()]) else body
        if end > body:
            spans.append((start, end, KIND))
    return spans


def _holds_key(body: str) -> bool:
    """Return whether there is more between head and foot than a word of prose, or dots."""
    return sum(map(len, _line().findall(body))) >= _FIRST_NEEDS and not body.islower()


def _end_of_lines(text: str, at: int, limit: int) -> int:
    """Return where the lines of a key end that begin at an index, or that index when there are none."""
    end = at
    previous = _LINE
    while previous >= _LINE:
        space = _space().match(text, end, limit)
        line = _line().match(text, space.end() if space else end, limit)
        if not line:
            break
        length = line.end() - line.start()
        if length < _LINE and not (unwordly(line.group()) >= _FIRST_NEEDS or line.group().endswith("=")):
            break
        end = line.end()
        previous = length
    return end
