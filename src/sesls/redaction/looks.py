"""Whether characters look drawn by lot, or like something a person wrote.

Entropy cannot tell the two apart: forty hexadecimal digits are a key or a commit. What can be told is whether a text is
made of words and numbers. So a text is cut into pieces of letters and digits, and the pieces that are no words are
measured. A name (`sk-learn-pipeline-2024`) has next to nothing there, a token nearly everything.
"""

from __future__ import annotations

import re
from functools import cache

# Two-letter humps of names (`getById`) and abbreviations without a vowel (`parseHttpSrc`) are words in camel case.
_SHORT = "An|As|At|Be|By|Db|Do|Go|Id|If|In|Io|Ip|Is|It|Js|La|Mc|My|No|Of|Ok|On|Or|Os|Re|To|Ts|Ui|Up|We"
_CLIPPED = (
    "Bmp|Btn|Cfg|Cmd|Css|Ctrl|Ctx|Dns|Fmt|Grpc|Html|Https?|Jpg|Jwt|Kms|Llm|Mcp|Mgr|Msg|Npm|Png|Ptr|Pwd|Rgb|Rpc|Sdk"
)
_CLIPPED += "|Sql|Src|Ssh|Std|Str|Svg|Tls|Tmp|Tsx|Ttl|Txt|Vpn|Xml|Xyz"


@cache
def _word() -> re.Pattern[str]:
    # A number; or words in camel case (`OAuth2Client`) with up to four digits at the end. Possessive, hence linear.
    inside = "(?:[0-9]{1,2}(?=[A-Z][a-z]{2}))?"
    humps = (
        "[A-Z](?=[a-z]*[aeiouy])[a-z]{2,}+",
        f"(?:{_SHORT}|{_CLIPPED})(?![a-z])",
        "[A-Z]{2,5}(?=[a-z]*[aeiouy])[a-z]{3,}+",  # HTTPServer
        "[A-Z]{2,}+(?![a-z])",
    )
    camel = f"(?:[a-z]++{inside})?(?:(?:{'|'.join(humps)}){inside})*+[0-9]{{0,4}}+"
    return re.compile(f"[0-9]++|[0-9]{{1,4}}[a-z]{{1,2}}|{camel}")


@cache
def _plain_word() -> re.Pattern[str]:
    return re.compile(r"[0-9]+|[a-z]+[0-9]{0,2}|[A-Z][a-z]+|[A-Z]+")


@cache
def _any_piece() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9]+")


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9]{4,}")


def unwordly(text: str) -> int:
    """Return how many letters and digits of text stand in pieces that are neither words nor numbers.

    Pieces of up to three characters (`k8s`, `v2`, `2fa`) say nothing and do not count.
    """
    is_word = _word().fullmatch
    return sum(len(piece) for piece in _piece().findall(text) if not is_word(piece))


def is_plain(text: str) -> bool:
    """Return whether all pieces of text are words or numbers of the plainest sort, without camel case."""
    is_word = _plain_word().fullmatch
    return all(is_word(piece) for piece in _any_piece().findall(text))


def varied(text: str) -> bool:
    """Return whether text has at least five different characters: `XXXXXXXX` and `0000-0000` have not."""
    return len(set(text)) >= 5
