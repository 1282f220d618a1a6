"""Tokens show by their shape whose they are, wherever they stand, and nothing that only begins like one is masked."""

from __future__ import annotations

import pytest

from sesls.redaction.kinds import KINDS
from sesls.redaction.shapes import LANDMARKS, PREFIXED
from tests.redaction.samples import TOKENS, made, masked

SENTENCES = [
    "{}",
    "use {} please",
    "does ({}) work?",
    'client = Client("{}")',
    "<{}> leaked",
    "请使用{}调用接口",
    "キーは「{}」です",
    "🔑{}🔑",
    "first line\n{}\nlast line",
]
TOKEN = made("npm_<b62*36>")


@pytest.mark.parametrize(("kind", "template"), TOKENS)
def test_a_token_is_masked_wherever_it_stands(kind: str, template: str) -> None:
    for sentence in SENTENCES:
        token = made(template)
        assert masked(sentence.format(token)) == (sentence.format(f"[REDACTED_{kind}]"), {kind: 1})


@pytest.mark.parametrize(("kind", "template"), TOKENS)
def test_a_token_in_a_path_is_masked_though_its_end_cannot_always_be_told(kind: str, template: str) -> None:
    token = made(template)
    marked, counts = masked(f"see ~/keys/{token}/README.md")

    assert marked.startswith(f"see ~/keys/[REDACTED_{kind}]")
    assert counts == {kind: 1}


@pytest.mark.parametrize(("kind", "template"), TOKENS)
def test_a_vendors_other_tokens_are_masked_too(kind: str, template: str) -> None:
    missed = [token for salt in range(1, 30) if masked(token := made(template, salt))[0] != f"[REDACTED_{kind}]"]

    assert len(missed) <= 1  # what was drawn may happen to be a word


def test_every_row_of_the_tables_has_a_sample() -> None:
    prefixes = {prefix for shape in PREFIXED if shape.kind for prefix in shape.prefixes.split()}
    templates = [template for _, template in TOKENS]

    assert {prefix for prefix in prefixes if not any(made(one).startswith(prefix) for one in templates)} == set()
    assert {row.literal for row in LANDMARKS if not any(row.literal in made(one) for one in templates)} == set()


def test_every_vendor_of_the_closed_list_has_a_sample() -> None:
    general = {"URL_CREDENTIALS", "URL_SIGNATURE", "BEARER_TOKEN", "BASIC_AUTH", "GENERIC_SECRET", "OKTA_TOKEN"}

    assert {kind for kind, _ in TOKENS} | general == set(KINDS)


@pytest.mark.parametrize(
    "template",
    [
        "pk_live_<b62*24>",
        "pk_test_<b62*24>",
        "pk-lf-<uuid>",
        "pk.eyJ<b62*60>.<url*22>",
        "phc_<b62*43>",
        "sb_publishable_<url*22>_<url*8>",
        "AC<hex*32>",
        "AIDA<up*16>",
        "AROA<up*16>",
    ],
)
def test_what_is_public_by_design_stays(template: str) -> None:
    for sentence in ("{}", "use {} here", "id={}"):
        assert masked(sentence.format(made(template))) == (sentence.format(made(template)), {})


@pytest.mark.parametrize("template", ["pk_live_<b62*24>", "pk-lf-<uuid>", "phc_<b62*43>", "AIDA<up*16>"])
def test_what_is_public_stays_under_a_secret_name_too(template: str) -> None:
    assert masked("API_KEY=" + made(template))[1] == {}


@pytest.mark.parametrize(
    "before", ["", "token=", "-", "_", "/", ".", "(", "é", "令", "\\n", "\\t", "%3D", "\\u003d", "\x1b[31m"]
)
def test_an_edge_is_whatever_is_no_ascii_letter_or_digit(before: str) -> None:
    assert masked(f"see {before}{TOKEN}")[1] == {"NPM_TOKEN": 1}


@pytest.mark.parametrize("template", ["cio<b62*32>", "oy2<low*43>", "SK<hex*32>", "AKIA<up*16>", "dapi<hex*32>"])
def test_a_weak_prefix_needs_both_its_edges(template: str) -> None:
    token = made(template)

    assert masked(f"x{token}")[1] == {}
    assert masked(f"{token}0x here")[1] == {}


@pytest.mark.parametrize(
    "template",
    [
        "ghp_<b62*36>",
        "github_pat_<b62*22>_<b62*59>",
        "glpat-<url*20>",
        "glpat-_<url*19>",
        "sk-ant-api03-<url*93>AA",
        "AIza<url*35>",
        "xoxb-<digit*12>-<digit*13>-<b62*24>",
        "hvs.CAESI<url*90>",
    ],
)
def test_a_distinctive_prefix_may_be_stuck_to_a_word(template: str) -> None:
    marked, counts = masked(f"token{made(template)} end")

    assert marked.startswith("token[REDACTED_")
    assert sum(counts.values()) == 1


@pytest.mark.parametrize("name", ["monkey", "turnkey", "cache-key"])
def test_a_prefix_that_ends_names_has_to_begin_a_word(name: str) -> None:
    assert masked(name + made("-<hex*32>")) == (name + made("-<hex*32>"), {})


@pytest.mark.parametrize("end", ["", "…", "...", " …", "\n"])
@pytest.mark.parametrize(
    "template",
    [
        "ghp_<b62*8>",
        "ghs_<digit*7>_eyJ<b62*12>",
        "glpat-<url*9>",
        "github_pat_<b62*8>",
        "AKIA<up*9>",
        "sk-ant-api03-<url*8>",
        "sk-proj-<url*8>",
        "sk-lf-<hex*8>-<hex*2>",
        "hf_<letter*9>",
        "SK<hex*12>",
        "xai-<b62*8>",
        "dop_v1_<hex*9>",
        "AGE-SECRET-KEY-1<up*8>",
        "sha256~<url*9>",
        "eyJ<b62*20>.eyJ<b62*6>",
        "<digit*10>:AA<url*9>",
        "access_token$production$<low*10>",
        "hooks.slack.com/services/T<up*10>/B<up*10>/<b62*9>",
        "fm2_<b64*12>",
    ],
)
def test_a_token_that_the_agent_cut_is_masked_at_the_end(template: str, end: str) -> None:
    shown = [made(template, salt) for salt in range(20)]
    missed = [part for part in shown if "[REDACTED_" not in masked(f"why does this fail: {part}{end}")[0]]

    assert len(missed) <= 3  # some are words by chance


@pytest.mark.parametrize(
    "part", ["AK" + "IAUTBJS2552", "sk-" + "admin-uwrIIC75", "gl" + "pat-Ab_cdEF", "xo" + "xb-12-ab1c2d"]
)
def test_what_is_left_of_a_token_may_look_like_a_word_after_a_telling_prefix(part: str) -> None:
    assert "[REDACTED_" in masked(f"why does this fail: {part}")[0]


def test_what_is_left_of_a_token_stays_in_the_middle_of_a_text() -> None:
    part = made("ghp_<b62*8>")

    for text in (f"{part} is cut", f"{part}[REDACTED_X]", f"see {part}[REDACTED_X] there"):
        assert masked(text) == (text, {})


def test_a_key_id_may_consist_of_letters() -> None:
    assert masked("use AK" + "IAQYHVZVFMIMLNXYZA now")[1] == {"AWS_KEY": 1}


@pytest.mark.parametrize("indent", ["\n", "\n  ", "\r\n", "\n\t"])
@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("ANTHROPIC_KEY", "sk-ant-api03-<url*50>", "<url*40>AA"),
        ("GITHUB_TOKEN", "github_pat_<b62*11>", "<b62*11>_<b62*59>"),
        ("GITLAB_TOKEN", "glpat-<url*10>", "<url*10>k"),
        ("GOOGLE_API_KEY", "AIza<url*18>", "<url*17>"),
        ("GITHUB_TOKEN", "ghp_<b62*12>", "<b62*24>"),
    ],
)
def test_a_token_that_was_wrapped_is_masked_on_both_lines(kind: str, first: str, second: str, indent: str) -> None:
    assert masked(f"key: {made(first)}{indent}{made(second)} now") == (f"key: [REDACTED_{kind}] now", {kind: 1})


@pytest.mark.parametrize("line", ["and then deploy", "refactoring-everything", made("glpat-<url*20>"), "KEY=value"])
def test_the_line_after_a_token_is_its_own(line: str) -> None:
    assert masked(made("sk-ant-<url*90>") + f"\n{line}")[0].startswith("[REDACTED_ANTHROPIC_KEY]\n")


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-pipeline-tuning-2024-refactor-v2",
        "xai-explainability-dashboard-shap-values-2026-refactor",
        "hf_hub_download_retries_forever_in_notebooks",
        "glrt-lighting-demo-in-webgl-2",
        "xapp-launcher-2-desktop-entry-icons",
        "npm_package_version_1_2_3_in_scripts",
        "lin_api_client_generated_from_openapi",
        "pypi-publish-action-v1-migration-2026",
        "patch-based-training-2024.experimental.branch.name",
        "re_match_group_indexes_and_spans",
        "dp.state.machine.transitions",
        "secret_santa_generator_with_emails_2026",
        "dependabot/npm_and_yarn/tar-4.4.19",
        "ciowebinarregistrationpage2026",
        "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_" + "x" * 36,
        "AKIA" + "X" * 16,
        "-----BEGIN",
        "glpat- prefix support",
        "https://hooks.slack.com/services/WORKSPACE/CHANNEL/TOKENS",
        "getServerSessionFromTheRequestContext in discord.com/api/webhooks/1234567/create-a-webhook",
        "fix GetOAuth2AuthorizedClientProvider",
    ],
)
def test_names_that_begin_like_tokens_stay(text: str) -> None:
    for sentence in ("{}", "{} again", "rename {}", "use {}…"):
        assert masked(sentence.format(text)) == (sentence.format(text), {})
