"""Texts that look like secrets and are none: hashes, ids, digests, public keys, versions, paths, addresses, people."""

from __future__ import annotations

import pytest

from tests.redaction.samples import made, masked

TEMPLATES = [
    "revert <hex*40>",
    "commit <hex*8> broke the build",
    "md5 <hex*32> does not match",
    "resume session <uuid>",
    "trace-id: <uuid>",
    "task 01<up*24> is stuck",
    "pull ghcr.io/acme/app@sha256:<hex*64>",
    'integrity "sha512-<b64*86>==" in package-lock.json',
    "h1:<b64*43>= in go.sum",
    "pip hash --hash=sha256:<hex*64>",
    "data:image/png;base64,iVBORw0KGgo<b64*200>==",
    "add key ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<b64*43> ada@laptop",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ<b64*300> ada@laptop",
    "encrypt to age1<low*58>",
    "arn:aws:iam::<digit*12>:role/deploy",
    "projects/<digit*12>/secrets/db-pass/versions/3",
    "look at req_<b62*24> in the logs",
    "why did cus_<b62*24> and evt_<b62*24> stop",
    "ses_<up*26>",
    "discord message <digit*19> deleted",
    "tx 0x<hex*64> reverted",
    "contract 0x<hex*40>",
    "https://www.youtube.com/watch?v=<b62*11>",
    "https://docs.google.com/document/d/<b62*44>/edit",
    "https://www.figma.com/design/<b62*22>/Login?node-id=12-345",
    "https://github.com/acme/app/commit/<hex*40>",
    "ipfs bafybei<low*52>",
    "<digit*12>-<low*32>.apps.googleusercontent.com",
    "pod web-<hex*9>-<low*5> is down",
    "bundle.<hex*20>.js",
    "screenshot_<b62*16>.png",
]
TEXTS = [
    "bump @acme/token-utils from 1.3.0 to 2.0.0-next.13",
    "renovate/npm-vite-vulnerability-5.4.19",
    "feat/the-oauth2-branch-v2-fix-page-retry-login-for",
    "node_modules/.pnpm/@babel+core@7.24.5/node_modules/@babel/core",
    "C:\\Users\\bob\\AppData\\Local\\Temp\\build-2026",
    "/Users/alice/code/password-strength/tests/test_strength01.py",
    "IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334 parsing",
    "MAC 00:1B:44:11:3A:B7",
    "call +1 (555) 010-9999 back",
    "reply to anna.k@example.org about invoice 20261130",
    "claude-opus-4-20260514 vs gpt-5.1-codex-max-2026",
    "m5.24xlarge vs c7gn.16xlarge",
    "utf8mb4_0900_ai_ci collation",
    "CVE-2026-12345 mitigation",
    "ISBN 978-3-16-148410-0",
    "error -2147024891 access denied",
    "0xdeadbeef in the crash dump",
    "修复登录时的 token 过期问题",
    "パスワードリセット画面を作って",
    "добавь токен: документация",
    "supercalifragilisticexpialidocious",
    "[REDACTED_GITHUB_TOKEN] and [REDACTED_WHATEVER_1]",
    "[REDACTED_ is no mark",
    "password",
    "",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_only_looks_random_stays(template: str) -> None:
    for salt in range(25):
        text = made(template, salt)
        assert masked(text) == (text, {})


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == (text, {})
