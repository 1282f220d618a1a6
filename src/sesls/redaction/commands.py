"""Secrets of command lines and files that put a name and a value side by side: flags, netrc, shells, SQL, XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sesls.redaction.headers import cookies
from sesls.redaction.names import GENERIC, Weight, kind_of, weight_of
from sesls.redaction.spans import Span
from sesls.redaction.values import Value, is_placeholder, is_reference, is_secret


@cache
def _flag() -> re.Pattern[str]:
    return re.compile(r"--(?<![\w-]--)([A-Za-z][\w-]{1,40})[ \t]{1,4}[\"'`]?([^\s\"'`<>|]{6,})")


@cache
def _login() -> re.Pattern[str]:
    return re.compile(r"-(?<![\w-]-)(?:u|U|-user|-proxy-user)[ \t=]?[\"']?([^\s:\"'/]{1,80}):([^\s\"'`]{3,})")


@cache
def _short_flag() -> re.Pattern[str]:
    # To mysql a space behind -p means that it shall ask.
    return re.compile(
        r"(?:\b(?:mysql|mariadb)\w*\b[^\n|]{0,160}? -p"
        r"|\b(?:sshpass|mongo\w*|redis-cli|(?:docker|podman) login)\b[^\n|]{0,160}? -[pa][ \t]?)"
        r"[\"']?([^\s\"'`]{6,})"
    )


@cache
def _netrc() -> re.Pattern[str]:
    return re.compile(r"\blogin\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(\S{6,})")


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])(?:set|setx|setenv)(?:[ \t]{1,4}-\w{1,3}){0,3}[ \t]{1,4}([A-Z][A-Z0-9_]{2,60})[ \t]{1,4}"
        r"(?:to[ \t]{1,4})?[\"']?([^\s\"'`]{6,})"
    )


@cache
def _sql() -> re.Pattern[str]:
    return re.compile(r"\b(?:identified\s{1,3}by|password)\s{1,3}'([^'\s]{6,400})'", re.IGNORECASE)


@cache
def _element() -> re.Pattern[str]:
    return re.compile(r"<([A-Za-z][\w:.-]{2,40})>([^<>\s]{6,})</")


def find(text: str, lower: str) -> list[Span]:
    """Return the secrets of text, `lower` in small letters, that a command or a file names by a word beside them."""
    spans: list[Span] = []
    if "--" in lower:
        for match in _flag().finditer(text):
            spans += _named(match)
    if " -" in lower:
        if ":" in lower and (" -u" in lower or "-user" in lower):
            spans += _logins(text, "curl" in lower)
        if " -p" in lower or " -a" in lower:
            spans += _all(_short_flag(), text)
    if "password" in lower and "login" in lower:
        spans += _all(_netrc(), text)
    if "'" in lower and ("password '" in lower or "identified by" in lower):
        spans += _all(_sql(), text)
    if "set" in lower and ("set " in lower or "setx " in lower or "setenv " in lower):
        for match in _assignment().finditer(text):
            spans += _named(match)
    if "</" in lower:
        for match in _element().finditer(text):
            spans += _named(match)
    return spans


def _all(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for match in pattern.finditer(text):
        yield from _judged(match, 1, "password", GENERIC)


def _named(match: re.Match[str]) -> list[Span]:
    """Return the second part of a match if it looks like what the first, a name, says."""
    weight = weight_of(match[1])
    if weight is None or weight == "header":
        return []
    if weight == "cookie":
        return cookies(match.string, match.start(2))
    return _judged(match, 2, weight, kind_of(match[1], weight))


def _judged(match: re.Match[str], group: int, weight: Weight, kind: str) -> list[Span]:
    start, end = match.span(group)
    value = Value(start, end, match[group].rstrip(".,;:"), True)
    return [(start, start + len(value.text), kind)] if is_secret(value, weight) else []


def _logins(text: str, is_curl: bool) -> list[Span]:
    """Return the passwords of `-u user:password`; those of curl need not look like one."""
    spans: list[Span] = []
    for match in _login().finditer(text):
        start, end = match.span(2)
        value = Value(start, end, match[2], True)
        if match[1][0] in "$<{%[" or is_reference(match[2]) or is_placeholder(match[2]):
            continue
        if is_curl or is_secret(value, "password"):
            spans.append((start, end, "BASIC_AUTH"))
    return spans
