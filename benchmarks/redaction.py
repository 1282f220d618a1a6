"""What redacting costs: CPU time for titles, hostile texts and the first call, all made from one seed.

    python benchmarks/redaction.py

Where agent-session-reader is installed too (`pip install agent-session-reader "mcp<2"`), its redactor is timed in the
same run on the same titles. The figures in brackets are what they must not exceed.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence

from sesls.redaction import redact

SEED = 20261130
LENGTH = 200  # of a title
TITLES = 1000
ROUNDS = 7
BAIT = 9000  # characters of a hostile text

WORDS = """
    add after all an and api are as at auth before build by cache can check client close code config database delete
    deploy docs does drop error expires fail feature file fix flaky for form from function handle header help how if
    image import in index into is it job key landing layout link list load log login make message migrate model module
    move new not number of old on only open order page parse password path please port query queue rate read refactor
    release remove rename render replace request reset retry return review rewrite route run schema script secret send
    server session set setting should show slow so split staging state still store string style support sync table
    tell test that the then this time timeout to token tool type update upload use user value version view web when
    where why with without worker write wrong
"""
NAMES = """
    README.md src/app/main.py SessionProvider useEffect() #1234 v2.4.1 getServerSession package.json utf-8 --verbose
    https://example.com/docs/setup "redirect_uri" feat(auth): fix: docs: TypeError: max_tokens=4096 next-auth@5.0.0
    tests/test_api.py::test_login node_modules CI/CD O(n) 3.11 a/b.ts 2026-11-30 release-2026-11 HTTP/2 e.g. i18n
"""
NEAR_MISSES = """
    sk-learn-pipeline-tuning-2024-refactor-v2 glrt-lighting-demo-in-webgl-2 npm_package_version_1_2_3 hf_hub_download
    password=$DB_PASSWORD api_key=YOUR_API_KEY token={{.Values.token}} secretName:my-tls-cert-2024 max_tokens=200000
    dependabot/npm_and_yarn/tar-4.4.19 https://user@bitbucket.org/team/repo.git key:arn:aws:kms:us-east-1:1:key/mrk-1
    xoxb- ghp_ AKIA eyJ Bearer Basic --token <token> sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f9 primary_key=order_id2
    3113dd841b55d6cf2f649c23c0962967a2b4fd8e 017279b6-a9e1-4db2-acb4-d8c1933da7dd OAuth2AuthorizedClientProvider
    feat/the-oauth2-branch-v2-fix-page-retry-login-for asst_M3EA86J22528T6SF1EWE38ASPZ redis://localhost:6379/0
    curl -u $USER:$PASS "password": "token" Authorization: Cookie: set FOO to pass: auth: secret: https://h:8443/p@v2
"""
BAITS = (
    *(
        "sk-",
        "sk-v1-",
        "sk-ant-v1-",
        "xsk-ant-v1-",
        "xAIza",
        "ghp_",
        "eyJ",
        "eyJ-",
        "eyJ.",
        "hvs.",
        "pat.",
        "glpat-",
        "A",
        "a",
        "1",
    ),
    *("-", "_", "Aa0-", " a", "\n", "\n-", "password=", "password: ", "token=a,", 'token="a', "api_key='a", "::::"),
    *(
        "====",
        "://",
        "://a:b@",
        "@",
        "x://a@b@",
        '"\\"',
        "\\",
        "'",
        "Cookie:a=b;",
        "authorization:",
        "Bearer ",
        "JQQJ99a",
    ),
    *("1//0", "Q~", "2/123456789012/", "123456789:AA", "MNO.", "-----BEGIN", "[REDACTED_X]", "<a>aaaaaa</"),
    *("--token a ", "curl -u a:b ", "set A_KEY a ", "the token is ", "-----BEGIN PRIVATE " + "KEY-----"),
)

Redact = Callable[[str], object]


def titles_of(source: random.Random, *vocabularies: Sequence[str]) -> list[str]:
    """Return titles of one length that take their words from vocabularies in turn."""
    titles = []
    for _ in range(TITLES):
        words: list[str] = []
        while sum(map(len, words)) + len(words) < LENGTH:
            words += (source.choice(vocabulary) for vocabulary in vocabularies)
        titles.append(" ".join(words)[:LENGTH])
    return titles


def microseconds(function: Redact, texts: Iterable[str]) -> float:
    """Return the CPU time of one call: the mean over texts of the fastest of several rounds."""
    texts = list(texts)
    rounds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for text in texts:
            function(text)
        rounds.append(time.process_time() - start)
    return min(rounds) / len(texts) * 1e6


def first_call() -> float:
    """Return the median milliseconds of CPU that importing the redactor and its first call take in new interpreters.

    What every program of this size has imported before (`re`, `typing`) is not counted, compiled files are there.
    """
    code = (
        "import collections, functools, re, time, typing\n"
        "start = time.process_time()\n"
        "from sesls.redaction import redact\n"
        "redact('deploy with password=' + 'a1B2c3D4' * 4 + ' and sk-' + 'ant-' + 'x9Y8z7W6' * 9)\n"
        "print(time.process_time() - start)"
    )
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        seconds = [
            float(subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout)
            for _ in range(22)
        ]
    return statistics.median(seconds[1:]) * 1e3


def milliseconds(bait: str, length: int) -> float:
    """Return the CPU time of a text that is nothing but a bait, again and again."""
    return microseconds(redact, [(bait * (length // len(bait) + 1))[:length]]) / 1e3


def other_redactor() -> Redact | None:
    """Return agent-session-reader's function, or None where it is not installed."""
    try:
        from ai_r.redact import redact_text  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    return redact_text  # type: ignore[no-any-return, unused-ignore]


def main() -> None:
    """Print the figures."""
    source = random.Random(SEED)
    words, names, near_misses = WORDS.split(), NAMES.split(), NEAR_MISSES.split()
    ordinary = titles_of(source, words * 4 + names)
    near = titles_of(source, near_misses, words)
    other = other_redactor()
    cost = microseconds(redact, ordinary)
    print(f"ordinary title of {LENGTH} characters   {cost:6.1f} µs  [15]")
    if other:
        theirs = microseconds(other, ordinary)
        print(f"agent-session-reader                {theirs:6.1f} µs  ratio {cost / theirs:.2f}  [0.25]")
    print(f"title of near misses                {microseconds(redact, near):6.1f} µs  [60]")
    if other:
        print(f"agent-session-reader                {microseconds(other, near):6.1f} µs")
    print(f"first call, with its import         {first_call():6.1f} ms  [10]")
    worst, bait = max((milliseconds(bait, BAIT), bait) for bait in BAITS)
    print(f"worst text of {BAIT} characters       {worst:6.1f} ms  [50]  {bait!r} repeated")
    growth = {bait: milliseconds(bait, 4 * BAIT) / max(milliseconds(bait, 2 * BAIT), 0.5) for bait in BAITS}
    bait = max(growth, key=lambda bait: growth[bait])
    print(f"growth when a text doubles          {growth[bait]:6.2f}     [2.5]  {bait!r} repeated")


if __name__ == "__main__":
    main()
