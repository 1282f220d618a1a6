"""The value after a name: where it begins and ends, whether it only refers to a secret, whether it looks like one."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from sesls.redaction.looks import unwordly, varied
from sesls.redaction.names import Weight
from sesls.redaction.shapes import PREFIXED


class Value(NamedTuple):
    """A value in a text."""

    start: int
    end: int
    text: str
    tight: bool
    """Whether it is quoted or follows an equals sign, as in code, so that it cannot be a word of prose."""


_LONGEST = 200  # of a value that is judged; one that is masked is masked whole
_TELLING_HEAD = 64  # characters of a value in which words say what it is
_CLOSING = {"\u201c": "\u201d", "\u2018": "\u2019", "«": "»", "「": "」", "『": "』"}
_EQUALS = "=\uff1d"

# How many unwordly characters a value must have: a tight one, any other.
_NEEDS: dict[Weight, tuple[int, int]] = {
    "password": (6, 8),
    "pass": (6, 8),
    "token": (10, 10),
    "loose": (10, 16),
    "key": (16, 24),
    "query": (24, 24),
}
# And one that only stands beside its name. A plain word as name needs a value of capitals, small letters and digits.
_SAID_NEEDS: dict[Weight, int] = {"password": 10, "token": 16, "loose": 16}
_SHORTEST = 6
_SHORTEST_SAID = 12
_SYMBOLS = "!#$%^&*?+@"
_PUBLIC = tuple(prefix for shape in PREFIXED if not shape.kind for prefix in shape.prefixes.split() if len(prefix) >= 4)


@cache
def _opening() -> re.Pattern[str]:
    # More of the sign (`:=`, `=>`, `==`), a type between name and value, white space, a quote that may be escaped.
    return re.compile(
        r"(?P<sign>[=>]{0,2}(?:[ \t]{0,4}(?:&?str|string|String|SecretStr)[ \t]?=)?)\s{0,12}"
        "(?P<quote>\\\\{0,3}[\"'`]|[\u201c\u2018«「『])?"
    )


@cache
def _plain() -> re.Pattern[str]:
    # Up to white space, a quote, a closing bracket, an escape, or a sign after which the next field begins.
    characters = r"[!#$%(*+\-./0-9:=?@A-Z\[^_a-z{~À-ÖØ-öø-ɏ]++"
    query = r"&(?![\w.%-]{1,40}=|\s|\Z)"
    field = r"[;,](?=[^\s;,])(?![\w. -]{1,40}[=:])"
    return re.compile(f"(?:{characters}|{query}|{field})+")


@cache
def _quoted(quote: str) -> re.Pattern[str]:
    closing = re.escape(_CLOSING.get(quote[-1], quote[-1]))
    return re.compile(rf"[^\s\\{closing}]+" if quote[0] == "\\" else rf"(?:[^\s\\{closing}]++|\\\S)+")


@cache
def _to_the_end() -> re.Pattern[str]:
    return re.compile(r"[^\s\"'`<>]*")


@cache
def _reference() -> re.Pattern[str]:
    forms = (
        r"\$[A-Za-z_{(]|[<\[({]|%\w+%\Z|%[sdr(]",  # variables and templates
        r"\*+\Z|\*[a-z_-]+\Z|![A-Za-z]+\Z",  # masks, and aliases and tags of YAML
        r"(?:op|vault|file|env|ssm|arn|ref|kms|keyring|md5|bao):|[a-z][a-z0-9+]{1,11}://",  # where it is kept
        r"sha[0-9]+[:-]|AAAA[BCE][23]|age1",  # digests, public keys of ssh and age
        r"[A-Za-z_][\w.:>?!-]*[(\[]|-{4,}",  # calls, lookups, headings
        r"[\w-]{0,40}(?:password|passwd|pwd|pass|token|secret|key|auth|authorization)[=:]",  # the next name
        r"(?:your|my|the|insert|replace|enter|paste|some|add)[_ -]",  # said to the reader
    )
    return re.compile("|".join(forms), re.IGNORECASE)


@cache
def _stand_in() -> re.Pattern[str]:
    forms = (
        r"(?<![A-Za-z0-9])x{4}|x{7}|\*{3}|\.{3}|placeholder|example|change_?-?me|redacted|dummy|process\.env|environ\b"
    )
    return re.compile(forms, re.IGNORECASE)


@cache
def _placeholder() -> re.Pattern[str]:
    forms = r"(?:my|your|the|db|some)?[_-]?(?:user(?:name)?|login|pass(?:word|wd)?|pwd|pw|secret|token|port|host)"
    return re.compile(forms, re.IGNORECASE)


@cache
def _algorithm() -> re.Pattern[str]:
    return re.compile(r"(?:sha|md|aes|rsa|utf|base|oauth|argon|pbkdf|bcrypt|ed|rc|hmac|ipv)[_-]?[0-9]", re.IGNORECASE)


@cache
def _identifier() -> re.Pattern[str]:
    # A variable that is named after what it holds: `password=userPassword2`.
    return re.compile(r"(?:[A-Za-z_][\w.]*)?(?:passw|pwd|secret|token|cred|key)[\w.]*", re.IGNORECASE)


@cache
def _email() -> re.Pattern[str]:
    return re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


@cache
def _uuid() -> re.Pattern[str]:
    return re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def value_after(text: str, sign: int) -> Value | None:
    """Return the value behind the sign at an index, or None when there is none."""
    opening = _opening().match(text, sign + 1)
    if opening is None:  # cannot be, all of it is optional
        return None
    quote = opening["quote"]
    match = (_quoted(quote) if quote else _plain()).match(text, opening.end(), opening.end() + _LONGEST)
    if match is None:
        return None
    value = match.group() if quote else match.group().rstrip(".:,;")
    tight = bool(quote) or text[sign] in _EQUALS or opening["sign"].endswith("=")
    return Value(match.start(), match.start() + len(value), value, tight)


def whole_end(text: str, value: Value) -> int:
    """Return where a value ends of which only the first part was judged."""
    if len(value.text) < _LONGEST:
        return value.end
    rest = _to_the_end().match(text, value.end)
    return rest.end() if rest else value.end


def is_reference(text: str) -> bool:
    """Return whether a value says where a secret is, stands in for one, is public or is a path."""
    if _reference().match(text) or _stand_in().search(text, 0, _TELLING_HEAD) or text.startswith(_PUBLIC):
        return True
    return text.startswith(("/", "./", "../", "~/")) and unwordly(text) < 16


def is_placeholder(text: str) -> bool:
    """Return whether a user's name or password only says that it is one, as in `user:password@host`."""
    return _placeholder().fullmatch(text) is not None


def is_secret(value: Value, weight: Weight) -> bool:
    """Return whether a value looks like what its name promises."""
    text = value.text
    if len(text) < _SHORTEST or is_reference(text):
        return False
    found = unwordly(text) >= _NEEDS[weight][0 if value.tight else 1]
    if weight in ("password", "pass"):
        return found or (weight == "password" and not _identifier().fullmatch(text) and _is_password(value))
    return (found or _uuid().fullmatch(text) is not None) and varied(text)


def _is_password(value: Value) -> bool:
    """Return whether a value is what people make up: digits, a word and digits, a word with a symbol inside."""
    text = value.text
    letters, digits = any(map(str.isalpha, text)), any(map(str.isdigit, text))
    symbol = any(symbol in text for symbol in _SYMBOLS)
    if not letters or _algorithm().search(text) or _email().fullmatch(text):
        return text.isdigit()
    if digits:
        return value.tight or symbol
    return symbol and len(text) >= (8 if value.tight else 10) and not text.islower()


def is_said(value: str, weight: Weight) -> bool:
    """Return whether a value that only stands beside its name ("the token is …") can be nothing but a secret."""
    if len(value) < _SHORTEST_SAID or unwordly(value) < _SAID_NEEDS.get(weight, len(value) + 1) or is_reference(value):
        return False
    if weight == "token":
        return not _uuid().fullmatch(value)
    return any(map(str.islower, value)) and any(map(str.isupper, value)) and any(map(str.isdigit, value))
