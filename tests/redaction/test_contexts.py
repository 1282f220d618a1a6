"""A name says that its value is secret; the value has to look like it, and must not only refer to one."""

from __future__ import annotations

import pytest

from sesls.redaction import redact_field
from tests.redaction.samples import made, masked

TOKEN = made("<b62*32>")
GENERIC = {"GENERIC_SECRET": 1}


@pytest.mark.parametrize(
    "name",
    [
        *("API_KEY", "OPENAI_API_KEY", "apiKey", "api-key", "apikey", "x-api-key", "X-Auth-Token", "ACME_KEY"),
        *("secret", "clientSecret", "client_secret", "WEBHOOK_SECRET", "SECRET_KEY_BASE", "private_key"),
        *("token", "accessToken", "AUTH_TOKEN", "refresh_token", "authToken", "GITLAB_PAT", "credentials"),
        *("password", "DB_PASSWORD", "PGPASSWORD", "passwd", "pwd", "SMTP_PASS", "passphrase", "userPassword"),
        *(
            "signing_key",
            "encryptionKey",
            "MASTER_KEY",
            "openweatherapikey",
            "DD_APP_KEY",
            "SOPS_AGE_KEY",
            "vendor_key",
        ),
        *("密码", "令牌", "密钥", "パスワード", "トークン", "비밀번호", "пароль", "токен", "contraseña", "Passwort"),
    ],
)
@pytest.mark.parametrize(
    "sentence",
    [
        "{}={}",
        "{} = '{}'",
        '"{}": "{}"',
        '\\"{}\\":\\"{}\\"',
        "export {}={}",
        "x {}\uff1a{}。",
        "?{}={}&limit=5",
        "({}={})",
    ],
)
def test_the_value_of_a_secret_name_is_masked(name: str, sentence: str) -> None:
    assert masked(sentence.format(name, TOKEN)) == (sentence.format(name, "[REDACTED_GENERIC_SECRET]"), GENERIC)


@pytest.mark.parametrize("sign", [": ", ":", " : ", " := ", " => ", " == ", ":\n  ", "\uff1a ", "\uff1d"])
def test_signs_between_a_name_and_its_value(sign: str) -> None:
    assert masked(f"api_key{sign}{TOKEN} now") == (f"api_key{sign}[REDACTED_GENERIC_SECRET] now", GENERIC)


@pytest.mark.parametrize(
    "name",
    [
        *("primary_key", "publicKey", "foreign_key", "sort_key", "cache_key", "partition_key", "SITE_KEY", "hotkey"),
        *("monkey", "turnkey", "keyboard", "next_page_token", "pad_token", "max_tokens", "token_count", "tokenId"),
        *("passed", "bypass", "compass", "author", "authority", "secretName", "passwordless", "tokenizer", "key"),
        *("SharedAccessKeyName", "accessKeyId", "request_id", "sha", "commit"),
    ],
)
def test_names_that_say_nothing(name: str) -> None:
    for sentence in ("{}={}", "{}: {}", '"{}": "{}"'):
        assert masked(sentence.format(name, TOKEN)) == (sentence.format(name, TOKEN), {})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("AWS_SECRET_ACCESS_KEY={}", "AWS_SECRET"),
        ("Secret access key: {}", "AWS_SECRET"),
        ("aws_session_token = {}", "AWS_SECRET"),
        ("AccountName=a;AccountKey={}", "AZURE_KEY"),
        ("SharedAccessKeyName=Root;SharedAccessKey={}", "AZURE_KEY"),
        ("//registry.example/:_authToken={}", "NPM_TOKEN"),
        ("OKTA_API_TOKEN: {}", "OKTA_TOKEN"),
        ("LAUNCHDARKLY_SDK_KEY={}", "LAUNCHDARKLY_KEY"),
        ("https://a.blob.example/f?sv=2024&sig={}", "URL_SIGNATURE"),
        ("https://a.example/f?X-Amz-Signature={}", "URL_SIGNATURE"),
        ("https://a.example/f?X-Amz-Security-Token={}", "URL_SIGNATURE"),
        ("https://a.example/f?X-Goog-Signature={}", "URL_SIGNATURE"),
        ("HF_TOKEN={}", "GENERIC_SECRET"),
    ],
)
def test_a_name_may_say_whose_its_value_is(text: str, kind: str) -> None:
    value = made("<b62*40>")

    assert masked(text.format(value)) == (text.format(f"[REDACTED_{kind}]"), {kind: 1})


@pytest.mark.parametrize(
    "text",
    [
        *("auth_token: a1b2c3d4e5f6 is done", "token=a1b2c3d4e5f6", "DB_PASS=hunter22"),
        "CODECOV_TOKEN=12345678-1234-4234-8234-123456789012",
    ],
)
def test_a_longer_name_or_an_equals_sign_asks_for_less(text: str) -> None:
    assert masked(text)[1] == GENERIC


def test_a_key_in_a_query_has_to_be_long() -> None:
    assert masked(f"https://maps.example/js?key={TOKEN}")[1] == GENERIC
    assert masked("https://maps.example/js?key=" + made("<b62*11>"))[1] == {}


@pytest.mark.parametrize(
    "value",
    [
        *("$DB_PASSWORD", "${DB_PASSWORD}", "${{ secrets.TOKEN_2 }}", "{{ .Values.token }}", "<your-token-here>"),
        *("%AUTH_TOKEN%", "%s", "[REDACTED_X]", "********", "*default-pass", "!secret wifi_password", "(unset)"),
        *("op://vault/item/field", "vault:secret/data/app#token1", "file:/run/secrets/a1b2c3d4e5f6", "env:TOKEN_2"),
        *(
            "arn:aws:kms:us-east-1:111122223333:key/mrk-1",
            "https://example.com/a1b2c3d4e5f6g7h8",
            "sha256:" + "0a1b" * 16,
        ),
        *(
            "/home/user/project1",
            "./secrets/prod2.json",
            "~/.ssh/id_rsa2",
            "process.env.TOKEN_2",
            "os.environ['T0K3N']",
        ),
        *("config.get('t0k3n')", "os.getenv('HF_TOKEN_2')", "Buffer.from(key1, 'hex')", "str = Field(default=None)"),
        *(
            "YOUR_API_KEY_HERE",
            "xxxxxxxx1234",
            "none",
            "null",
            "undefined",
            "false",
            "required",
            "changeme",
            "''",
            '""',
        ),
        *("", "不能为空", "tls-cert", "order_line_item_id", "camelCaseName", "HTTPServer"),
        *("AAAAC3NzaC1lZDI1NTE5AAAAI6T4vnWgH5vQTaq5Gzs5", "age1xgv32a7rzzhj9u2g56tufpqev2n0hkxvk6saq5tjd"),
    ],
)
@pytest.mark.parametrize("name", ["api_key", "token", "password", "secret"])
def test_a_value_that_refers_to_a_secret_or_stands_in_for_it_stays(name: str, value: str) -> None:
    for sign in ("=", ": ", " = "):
        assert masked(f"{name}{sign}{value}") == (f"{name}{sign}{value}", {})


@pytest.mark.parametrize("value", ["my-tls-cert-2024", "gpt2-medium-v2", "order_line_item_id2", "created_at_desc_2024"])
@pytest.mark.parametrize("name", ["api_key", "token", "secret", "credentials"])
def test_words_with_numbers_are_no_value_of_a_machine(name: str, value: str) -> None:
    for sign in ("=", ": ", " = "):
        assert masked(f"{name}{sign}{value}") == (f"{name}{sign}{value}", {})


@pytest.mark.parametrize("value", ["hunter22", "Winter2026!", "P@ssword", "223345", "correct9horse", "CsvpyadhnxKTdg"])
def test_passwords_that_people_make_up_are_masked_in_code(value: str) -> None:
    assert masked(f"password={value}")[0] == "password=[REDACTED_GENERIC_SECRET]"
    assert masked(f'"password": "{value}"')[0] == '"password": "[REDACTED_GENERIC_SECRET]"'


@pytest.mark.parametrize(
    "text",
    [
        *("password: change every quarter", "password: sha256 of the salt", "Login fails: password incorrect"),
        *("auth: oauth2 flow missing", "token: usage docs", "secret: how we ship on Fridays", "auth: bearer token"),
        *("pass: 123456 requests", "password=userPassword2", "password=ada@example.com", "PWD=/home/ada/project1"),
        *(
            "fix(auth): token refresh",
            "Add Auth::user() and Password::resetUrl(1)",
            "signing key: not found for v1.2.3",
        ),
        *("arn:aws:secretsmanager:us-east-1:228578389838:secret:prod/db-a1B2c3d4E5f6g7H8", "passed: 1024 tests in 32s"),
        *("gcloud secrets versions access latest --secret=db-pass-2", "token -> string conversion", "pass: 2"),
        *("auth: a1b2c3d4e5f6 is done", "token: a1b2c3d4e5f6", "renderPass=hunter22"),
        *("PWD=/builds/a1b2c3d4e5f6g7h8/i9j0k1l2", "password=scram-sha-256", "password: argon2"),
        *("password=Ada1@orchard.org", "password=Ada@Orchard.org"),
    ],
)
def test_prose_and_code_around_secret_names_stay(text: str) -> None:
    assert masked(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("token={};retry=3", "token=[REDACTED_GENERIC_SECRET];retry=3"),
        ("a?token={}&limit=5", "a?token=[REDACTED_GENERIC_SECRET]&limit=5"),
        ("f(token={}).run()", "f(token=[REDACTED_GENERIC_SECRET]).run()"),
        ("token={}, then", "token=[REDACTED_GENERIC_SECRET], then"),
        ("token={}.", "token=[REDACTED_GENERIC_SECRET]."),
        ("token={}\\nnext", "token=[REDACTED_GENERIC_SECRET]\\nnext"),
        ("令牌\uff1a{}\uff0c写进配置里", "令牌\uff1a[REDACTED_GENERIC_SECRET]\uff0c写进配置里"),
        ("token: “{}”", "token: “[REDACTED_GENERIC_SECRET]”"),
    ],
)
def test_a_value_ends_where_the_next_thing_begins(text: str, left: str) -> None:
    assert masked(text.format(TOKEN)) == (left, GENERIC)


def test_signs_inside_a_password_belong_to_it() -> None:
    for password in ("ab1&cd2ef", "ab1;cd2ef", "ab1,cd2ef", "ab1=cd2ef", "a$b1%c2@d", "Müller1é2"):
        assert masked(f"password={password}") == ("password=[REDACTED_GENERIC_SECRET]", GENERIC)


def test_a_long_value_is_masked_whole() -> None:
    assert masked("token=" + made("<b62*900>")) == ("token=[REDACTED_GENERIC_SECRET]", GENERIC)


@pytest.mark.parametrize(
    "text",
    ["my api key is {}", "the access token: is `{}`", "the token is {}", "secret key -> {}", "use password {} there"],
)
def test_a_value_beside_its_name_is_masked_when_it_can_be_nothing_else(text: str) -> None:
    value = made("<b62*32>")

    assert masked(text.format(value)) == (text.format("[REDACTED_GENERIC_SECRET]"), GENERIC)


@pytest.mark.parametrize(
    "text",
    [
        *("my password is hunter22", "revert token " + made("<hex*40>")),
        *("access_token " + made("<uuid>", salt) for salt in range(9)),
        *(
            "associate access token to OAuth2AuthorizedClient",
            "add ssh key " + "AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + "x1Y2",
        ),
    ],
)
def test_a_value_beside_its_name_that_may_be_something_else_stays(text: str) -> None:
    assert masked(text) == (text, {})


def test_the_more_telling_kind_wins() -> None:
    github = made("ghp_<b62*36>")

    for text in ("token={}", "Authorization: Bearer {}", "https://ada:{}@example.com", "password={}!"):
        assert masked(text.format(github))[1] == {"GITHUB_TOKEN": 1}


@pytest.mark.parametrize(("name", "is_secret"), [("api_key", True), ("password", True), ("branch", False), ("", False)])
def test_a_field_is_masked_by_its_name(name: str, is_secret: bool) -> None:
    value = made("<hex*32>")

    assert redact_field(name, value) == ("[REDACTED_GENERIC_SECRET]" if is_secret else value)


def test_a_field_is_masked_by_its_text_first() -> None:
    assert redact_field("password", f"use {made('ghp_<b62*36>')}") == "use [REDACTED_GITHUB_TOKEN]"
