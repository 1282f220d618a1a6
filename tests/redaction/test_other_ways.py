"""Secrets in URLs, headers, cookies, command lines, netrc, SQL and XML, and private keys in blocks."""

from __future__ import annotations

import base64

import pytest

from tests.redaction.samples import made, masked

TOKEN = made("<b62*32>")
PASSWORD = made("<b62*12>")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("https://ada:{}@git.example.com/a.git", "https://ada:[REDACTED_URL_CREDENTIALS]@git.example.com/a.git"),
        ("redis://:{}@cache:6379/0", "redis://:[REDACTED_URL_CREDENTIALS]@cache:6379/0"),
        ("postgres://ada:P@s/{}@db.example/x", "postgres://ada:[REDACTED_URL_CREDENTIALS]@db.example/x"),
        ("mongodb+srv://ada:{}@c0.example.net", "mongodb+srv://ada:[REDACTED_URL_CREDENTIALS]@c0.example.net"),
        (
            "http://ada:{}@h.example/?mail=a@b.example",
            "http://ada:[REDACTED_URL_CREDENTIALS]@h.example/?mail=a@b.example",
        ),
        (
            "请检查 mysql://ada:{}@10.0.0.5:3306/shop\uff0c",
            "请检查 mysql://ada:[REDACTED_URL_CREDENTIALS]@10.0.0.5:3306/shop\uff0c",
        ),
        ("`ftp://ada:{}@[::1]/`", "`ftp://ada:[REDACTED_URL_CREDENTIALS]@[::1]/`"),
    ],
)
def test_a_password_in_a_url(text: str, left: str) -> None:
    assert masked(text.format(PASSWORD)) == (left, {"URL_CREDENTIALS": 1})


def test_a_password_in_a_url_may_be_a_word() -> None:
    assert masked("redis://:" + "letmein" + "@cache:6379")[1] == {"URL_CREDENTIALS": 1}


def test_a_token_instead_of_a_user() -> None:
    assert masked(made("https://<hex*40>@git.example.com/a"))[1] == {"URL_CREDENTIALS": 1}


def test_a_password_whose_host_was_cut_off() -> None:
    assert masked(f"why: postgres://ada:{PASSWORD}…")[1] == {"URL_CREDENTIALS": 1}
    assert masked(f"postgres://ada:{PASSWORD} is cut")[1] == {}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "https://release-bot@bitbucket.org/team/repo.git",
            "https://example.com:8443/path@v2/file",
            "redis://localhost:6379/0",
        ),
        *("https://<user>:<pass>@example.com", "postgres://${USER}:${PASS}@db", "https://user:password@example.com"),
        *(
            "https://unpkg.com/react@18.2.0/a:b@c",
            "http://localhost:3000/@fs/a",
            "ssh://git@example.com/a",
            "http://[fe80::1%25eth0]/",
        ),
        *("docker://alpine:3f2a9c8d7e", "git@example.com:ada/orchard.git", "mailto:ada@example.com", "see https://"),
    ],
)
def test_urls_without_a_secret_stay(text: str) -> None:
    assert masked(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Authorization: Bearer {}", "BEARER_TOKEN"),
        ('-H "authorization: bearer {}"', "BEARER_TOKEN"),
        ("Bearer%20{}", "BEARER_TOKEN"),
        ("Authorization: SSWS 00{}", "OKTA_TOKEN"),
        ("Authorization: token {}", "GENERIC_SECRET"),
        ("Authorization: Bot {}", "GENERIC_SECRET"),
        ("Proxy-Authorization: ApiKey {}", "GENERIC_SECRET"),
        ("Authorization: {}", "GENERIC_SECRET"),
        ("Cookie: session={}; theme=dark", "GENERIC_SECRET"),
        ("Set-Cookie: connect.sid={}; Path=/", "GENERIC_SECRET"),
        ("curl -H 'Cookie: a=1; sid={}' https://example.com", "GENERIC_SECRET"),
        ("curl -u ada:{} https://example.com", "BASIC_AUTH"),
        ("curl --user 'ada:{}' https://example.com", "BASIC_AUTH"),
        ("http -u ada:{} example.com", "BASIC_AUTH"),
        ("deploy --token {}", "GENERIC_SECRET"),
        ("deploy --api-key '{}'", "GENERIC_SECRET"),
        ("mysql -uroot -p{} shop", "GENERIC_SECRET"),
        ("sshpass -p {} ssh ada@example.com", "GENERIC_SECRET"),
        ("docker login -u ada -p {}", "GENERIC_SECRET"),
        ("machine example.com login ada password {}", "GENERIC_SECRET"),
        ("set -gx ACME_TOKEN {}", "GENERIC_SECRET"),
        ("setx ACME_TOKEN {}", "GENERIC_SECRET"),
        ("set ACME_TOKEN to {} in CI", "GENERIC_SECRET"),
        ("CREATE USER ada IDENTIFIED BY '{}'", "GENERIC_SECRET"),
        ("<password>{}</password>", "GENERIC_SECRET"),
    ],
)
def test_a_secret_beside_a_word_that_announces_it(text: str, kind: str) -> None:
    marked, counts = masked(text.format(TOKEN))

    assert counts == {kind: 1}
    assert TOKEN not in marked
    assert marked.replace(f"[REDACTED_{kind}]", "") in (text.format(""), text.replace("00{}", ""))


def test_what_is_given_to_curl_need_not_look_like_a_password() -> None:
    assert masked("curl -u admin:letmein https://ci.example.com")[1] == {"BASIC_AUTH": 1}
    assert masked("http -u admin:letmein ci.example.com")[1] == {}
    assert masked("curl -u user:password https://ci.example.com")[1] == {}


def test_every_cookie_is_masked_by_itself() -> None:
    one, other = made("<b62*24>"), made("<hex*32>")

    assert masked(f"Cookie: a={one}; lang=en; b={other}\nnext")[0] == (
        "Cookie: a=[REDACTED_GENERIC_SECRET]; lang=en; b=[REDACTED_GENERIC_SECRET]\nnext"
    )


def test_basic_credentials_have_to_be_a_name_and_a_password() -> None:
    credentials = base64.b64encode(f"ada:{PASSWORD}".encode()).decode()
    other = base64.b64encode(b"no name and no password").decode()

    assert masked(f"Authorization: Basic {credentials} now") == (
        "Authorization: Basic [REDACTED_BASIC_AUTH] now",
        {"BASIC_AUTH": 1},
    )
    assert masked(f"Basic {other}")[1] == {}
    assert masked("Basic authentication is deprecated")[1] == {}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Authorization: Bearer header missing",
            "Authorization: Bearer ${process.env.API_TOKEN}",
            "Bearer realm parsing",
        ),
        *(
            "curl -u $USER:$PASS https://ci.example.com",
            "docker login -u acme ghcr.io",
            "docker run -u 1000:1000 image",
        ),
        *(
            "--token <token> is required",
            "--password is gone",
            "git log --author=bob --since=2026-01-01",
            "mkdir -p a/b-2026",
        ),
        *(
            "set GREETING to something-2026",
            "login, then password reset",
            "mysql -p orchard2024",
            "<password>a</password>",
        ),
        *("Cookie: theme=dark; lang=en", "cookie: consent banner 2026", "fix Basic auth header encoding"),
    ],
)
def test_the_same_words_without_a_secret_stay(text: str) -> None:
    assert masked(text) == (text, {})


HEADS = ["RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
LINES = [made("<b64*64>", salt) for salt in range(4)]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("between", ["\n", "\r\n", "\\n", "\\\\n", " "])
def test_a_private_key_is_masked_with_its_head_and_foot(head: str, between: str) -> None:
    block = between.join([f"-----BEGIN {head}-----", *LINES, f"-----END {head}-----"])

    assert masked(f'use "{block}" now') == ('use "[REDACTED_PRIVATE_KEY]" now', {"PRIVATE_KEY": 1})


@pytest.mark.parametrize("between", ["\n", "\\n", " "])
def test_a_private_key_without_its_end_is_masked_as_far_as_it_goes(between: str) -> None:
    block = between.join(["-----BEGIN " + "RSA PRIVATE KEY-----", *LINES, made("<b64*20>")])

    assert masked(block)[0] == "[REDACTED_PRIVATE_KEY]"
    assert masked(block + between + "and fix the timeout")[0] == f"[REDACTED_PRIVATE_KEY]{between}and fix the timeout"
    assert masked(block + between + "为什么连接失败")[0] == f"[REDACTED_PRIVATE_KEY]{between}为什么连接失败"


def test_the_fields_of_an_encrypted_key_belong_to_it() -> None:
    head = "-----BEGIN " + "RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D\n\n"

    assert masked(head + LINES[0])[0] == "[REDACTED_PRIVATE_KEY]"


def test_two_private_keys_are_two() -> None:
    head = "\n".join(["-----BEGIN " + "PRIVATE KEY-----", *LINES])
    block = f"{head}\n-----END " + "PRIVATE KEY-----"

    assert masked(f"{block}\nand\n{block}")[1] == {"PRIVATE_KEY": 2}
    assert masked(f"{head}\nand\n{block}")[1] == {"PRIVATE_KEY": 2}


@pytest.mark.parametrize(
    "text",
    [
        "what does -----BEGIN RSA " + "PRIVATE KEY----- mean",
        "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----",
        "between -----BEGIN " + "PRIVATE KEY----- and the line -----END " + "PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n" + LINES[0] + "\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\n" + LINES[0] + "\n-----END CERTIFICATE-----",
        "the private key should never leave the HSM",
    ],
)
def test_blocks_without_a_private_key_stay(text: str) -> None:
    assert masked(text) == (text, {})
