"""What the name before a value says of the value: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `AccountKey`, `密码`."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

Weight = Literal["password", "pass", "token", "key", "loose", "query", "header", "cookie"]
"""How much a name promises, and so how much of a secret its value has to look like.

* password: people choose these; short ones, digits and words with a digit count
* pass: the same, but also a word of graphics, tests and compilers
* token: machines choose these
* key: some key, by whose name nobody can tell whether it opens anything
* loose: a word that prose follows with a colon as well
* query: `?key=`, which may be anything
* header: `Authorization`, with or without a scheme
* cookie: a list of names and values
"""

# Names whose value is a known vendor's: regular expressions for the words of a name, in lower case and run together.
VENDORS: tuple[tuple[str, str], ...] = (
    ("AWS_SECRET", "aws.*secret|aws.*session|secretaccesskey"),
    ("AZURE_KEY", "accountkey|sharedaccesskey|azure"),
    ("NPM_TOKEN", "^_auth|npm"),
    ("OKTA_TOKEN", "okta"),
    ("LAUNCHDARKLY_KEY", "launchdarkly"),
    ("URL_SIGNATURE", "^sig$|^x(?:amz|goog)(?:signature|securitytoken)"),
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words before "key" that make it a secret, and words that make it anything else.
_SECRET_KEYS = _words("""
    access account admin aes age anthropic api app application auth authorization aws azure bot cipher claude client
    cloudflare cohere consumer crypto datadog dd decryption deepseek deploy encrypt encryption function functions gcp
    gemini github gitlab google gpg grok groq hf hmac ingest ingestion integration jwt kms license licence mailgun maps
    master mistral openai openrouter pgp preshared private rest root rsa sdk secret security sendgrid sentry server
    service shared signer signing ssh storage stripe subscription supabase twilio vault wallet webhook wrapping write
    xai
""")
_OTHER_KEYS = _words("""
    apple arrow artifact asset attribute blob block build cache caps checksum chunk column commit composite config
    content ctrl data dedupe dict dictionary digest document down enter escape etag event field file foreign group hash
    hot i18n idempotency index item join json keyboard label lang left lookup map message meta metric natural node
    object option order page param partition paths press primary prop property pub public publishable query range react
    redis registry return right route routing row s3 search session shard shift short site sort state surrogate tab
    table tag trace translation tree unique up
""")
_FUSED_KEYS = ("apikey", "accesskey", "secretkey", "privatekey")
# Words before "token" that make it something of a parser, a model or a list in pages.
_OTHER_TOKENS = _words("""
    bos cancel cancellation cls continuation continue cursor delimiter design end eof eos lexer mask max next pad page
    pagination parser prompt sep special start stop sync unk
""")

# The last word of a name: what it may be, and how a longer one may end.
_LAST_WORDS: dict[str, Weight] = {
    "password": "password",
    "passwd": "password",
    "passphrase": "password",
    "passcode": "password",
    "pwd": "password",
    "passwort": "password",
    "kennwort": "password",
    "secret": "token",
    "credential": "token",
    "credentials": "token",
    "creds": "token",
    "pass": "pass",
    "dbpass": "pass",
    "pgpass": "pass",
    "smtppass": "pass",
    "sshpass": "pass",
    "userpass": "pass",
    "passe": "pass",  # mot de passe
    "senha": "pass",
    "auth": "token",
    "pat": "token",  # personal access token
    "clave": "token",
    "authorization": "header",
    "cookie": "cookie",
}
_PASSWORD_ENDINGS = ("password", "passwd", "passphrase", "pwd")
_SECRET_ENDINGS = ("secret", "credentials")
_FOREIGN: dict[str, Weight] = {
    "密码": "password",
    "密碼": "password",
    "口令": "password",
    "パスワード": "password",
    "비밀번호": "password",
    "пароль": "password",
    "contraseña": "password",
    "şifre": "password",
    "hasło": "password",
    "令牌": "loose",
    "密钥": "loose",
    "密鑰": "loose",
    "秘钥": "loose",
    "トークン": "loose",
    "토큰": "loose",
    "токен": "loose",
    "ключ": "loose",
}
LAST_TWO = frozenset(
    letters
    for ending in (*_LAST_WORDS, *_FOREIGN, "token", "key", "sig", "signature", "base")
    for last in [ending[-2:]]
    for letters in (last, last.upper(), last.capitalize(), last[0] + last[1].upper())
)
"""How names that say something end, in every case: nearly every sign can be dismissed by it."""

GENERIC = "GENERIC_SECRET"
_NAME_CHARACTERS = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@cache
def _vendors() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(form)) for kind, form in VENDORS)


def weight_of(before: str) -> Weight | None:
    """Return how much the name at the end of a text says of a value that follows it, or None when it says nothing."""
    if not before[-12:].isascii():
        lower = before[-12:].lower()
        foreign = next((weight for ending, weight in _FOREIGN.items() if lower.endswith(ending)), None)
        if foreign:
            return foreign
    name, rest = _split(before)
    words = [word.lower() for word in _word().findall(name)]
    if not words:
        return None
    last = words[-1]
    if last.endswith("key"):
        return _weight_of_key(name, words, rest)
    if last.endswith("token"):
        return _weight_of_token(words, rest)
    return _weight(name, words, rest)


def kind_of(before: str, weight: Weight) -> str:
    """Return which kind of secret the name at the end of a text promises."""
    if weight not in ("token", "loose", "key"):
        return GENERIC
    name, rest = _split(before)
    spoken = "".join(rest[-20:].split()) if name == "key" else ""  # "Secret access key"
    compact = ("_" if name.startswith("_") else "") + "".join(_word().findall(spoken + name)).lower()
    return next((kind for kind, form in _vendors() if form.search(compact)), GENERIC)


def _split(before: str) -> tuple[str, str]:
    """Return the name at the end of a text, and what stands before it."""
    rest = before.rstrip(_NAME_CHARACTERS)
    return before[len(rest) :], rest


def _weight(name: str, words: list[str], rest: str) -> Weight | None:
    last = words[-1]
    several = len(words) > 1
    weight = _LAST_WORDS.get(last)
    if (weight is None and last.endswith(_PASSWORD_ENDINGS)) or (weight == "pass" and several and name.isupper()):
        weight = "password"
    elif weight == "token" and not several:  # the plain word stands in prose, a longer name does not
        weight = "loose"
    elif (
        last.endswith(_SECRET_ENDINGS)
        or words[-3:] == ["secret", "key", "base"]  # of Rails
        or (last == "sig" and rest.endswith(("?", "&")))
        or (last == "signature" and ("amz" in words or "goog" in words))
    ):
        weight = "token"
    return weight


def _weight_of_token(words: list[str], rest: str) -> Weight | None:
    before = words[-1].removesuffix("token") or (words[-2] if len(words) > 1 else _last_word(rest))
    if before in _OTHER_TOKENS:
        return None
    return "loose" if words == ["token"] else "token"


def _weight_of_key(name: str, words: list[str], rest: str) -> Weight | None:
    last = words[-1]
    if last != "key":
        return "token" if last.removesuffix("key") in _SECRET_KEYS or last.endswith(_FUSED_KEYS) else None
    if len(words) == 1:
        if rest.endswith(("?", "&")):
            return "query"
        return "loose" if _last_word(rest) in _SECRET_KEYS else None
    before = words[-2]
    if before in _OTHER_KEYS:
        return None
    return "token" if before in _SECRET_KEYS or ("_" in name and name.isupper()) else "key"


def _last_word(text: str) -> str:
    """Return the word before a name, as in "Signing key:", in lower case."""
    return _split(text.rstrip()[-20:])[0].lower()
