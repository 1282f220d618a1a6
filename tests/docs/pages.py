"""What the documentation tells to type: every fenced block of every page, and the commands in them.

* sh: every line is a command, or the whole block where it has continued lines or a loop
* console: the lines after `$ ` are commands, the others what they print
* nu, vim: every line is one
* powershell, python: the whole block is one
* none: a line that begins with a program named below is one; so is what follows `$ `
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

AGENTS = ("agy", "claude", "codex", "copilot", "droid", "goose", "hermes", "kimi", "kiro-cli", "omp", "opencode", "pi")
OTHERS = ("acpx", "code", "emacsclient", "fzf", "npx", "vim", "zed")
INSTALLERS = ("python3", "pip", "peers/bin/pip", "pipx", "uv", "uvx", "apt", "brew", "npm")
CHECKS = ("pytest", "SESLS_TESTS=long", "nice")
_STARTS = tuple(f"{program} " for program in ("sesls", "printf", "python", *AGENTS, *OTHERS, *INSTALLERS, *CHECKS))

_OWN_SHELL = ("python", "nu", "powershell")

_FENCE = re.compile(r"^```([\w-]*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_CALL = re.compile(r"""(?:^|[|;(&"'`]\s*|\s--\s+)(?:\.venv/bin/)?sesls(?![\w.-])([^|;&)"'`<>\n]*)""")
_USAGE = re.compile(r"\[[A-Z-]|…|\.\.\.")
_DESCRIPTION = re.compile(r"\s{2,}(?=[^\s\\-])")
_IN_VIM = re.compile(r""":(?:terminal |read ?!)(.*)|:c\w+ system\("(.*)"\)$""")


class Fence(NamedTuple):
    """A fenced block."""

    page: str
    line: int
    language: str
    code: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


class Command(NamedTuple):
    """A command that a reader may type."""

    place: str
    language: str
    code: str

    @property
    def program(self) -> str:
        return self.code.split()[0]


@cache
def pages() -> dict[str, str]:
    """Return the text of every page by its path from the root of the repository."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


def fences() -> Iterator[Fence]:
    """Yield every fenced block."""
    for page, text in pages().items():
        for match in _FENCE.finditer(text):
            yield Fence(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])


def commands() -> Iterator[Command]:
    """Yield every command in a fenced block that can be run as it stands."""
    for fence in fences():
        for code in _commands(fence):
            yield Command(fence.place, fence.language if fence.language in _OWN_SHELL else "sh", code)


def calls() -> Iterator[tuple[str, str]]:
    """Yield where one stands, and what follows `sesls` in every command, line of usage, and code within a text."""
    for fence in fences():
        for line in _joined(fence.code):
            if line.startswith("sesls ") and _USAGE.search(line):
                yield fence.place, line.removeprefix("sesls")
        for code in _commands(fence):
            yield from ((fence.place, call) for call in _CALL.findall(code))
    for page, text in pages().items():
        for match in _INLINE.finditer(_FENCE.sub("", text)):
            yield from ((page, call) for call in _CALL.findall(match[1]))


def _commands(fence: Fence) -> Iterator[str]:
    if fence.language == "python":
        if "import sesls\n" in fence.code or "import subprocess" in fence.code:
            yield fence.code
    elif fence.language == "powershell":
        yield fence.code
    elif fence.language == "nu":
        yield from fence.code.splitlines()
    elif fence.language == "vim":
        for line in fence.code.splitlines():
            match = _IN_VIM.fullmatch(line)
            assert match is not None, f"{fence.place}: no test runs {line!r}"
            yield match[1] or match[2].replace('\\"', '"').replace("\\\\", "\\")
    elif fence.language == "sh":
        is_one = re.search(r"^\s|\\$|^(?:while|for|if) ", fence.code, re.MULTILINE) is not None
        yield from [fence.code] if is_one else fence.code.splitlines()
    elif fence.language in ("", "console", "text"):
        for line in _joined(fence.code):
            if line.startswith("$ "):
                yield line[2:]
            elif fence.language != "console" and f"{line} ".startswith(_STARTS) and not _USAGE.search(line):
                yield _DESCRIPTION.split(line)[0]


def _joined(code: str) -> list[str]:
    """Return lines with those that go on: after a `\\`, or further in."""
    return re.sub(r"\\\n\s*|\n[ \t]+", " ", code).splitlines()
