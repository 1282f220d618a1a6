"""What the command opens, starts and connects to, told by the interpreter itself: sessions to read, its cache to write.

The tables of this module stand in docs/security.md in words.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from tests.builders.common import put
from tests.command.run import SESLS, run
from tests.fuzz import stores

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths are written in another way there")

READ = (
    ".claude/projects/*",
    ".config/Claude/claude-code-sessions/*",
    ".config/Claude/local-agent-mode-sessions/*",
    ".codex/sessions/*",
    ".codex/archived_sessions/*",
    ".codex/session_index.jsonl",
    ".codex/state_*.sqlite*",
    ".codex/config.toml",  # for the key `sqlite_home`
    ".local/share/opencode/opencode*.db*",
    ".local/share/opencode/storage/session/*",
    ".local/share/opencode/storage/message/*",
    ".local/share/opencode/storage/part/*",
    ".local/share/opencode/project/*",
    ".gemini/antigravity*/brain/*",
    ".gemini/antigravity*/conversations/*",
    ".gemini/antigravity*/annotations/*",
    ".gemini/antigravity*/conversation_summaries.db*",
    ".gemini/antigravity*/agyhub_summaries_proto.pb",
    ".gemini/antigravity*/history.jsonl",
    ".gemini/antigravity*/cache/last_conversations.json",
    ".gemini/antigravity*/cache/conversation_metadata.json",
    ".gemini/config/projects/*.json",
    ".config/Antigravity/User/globalStorage/state.vscdb*",  # for two keys of its table
    ".pi/agent/sessions/*",
    ".pi/agent/settings.json",  # for the key `sessionDir`
    "moved/*",  # which that names
)
"""The files of a home that may be opened, and none of them to be written; those of the further agents' stores too."""

SECRET = (
    ".claude.json",
    ".claude/.credentials.json",
    ".claude/settings.json",
    ".claude/history.jsonl",
    ".claude/shell-snapshots/snapshot.sh",
    ".config/Claude/config.json",
    ".config/Claude/Cookies",
    ".codex/auth.json",
    ".codex/history.jsonl",
    ".codex/.credentials.json",
    ".local/share/opencode/auth.json",
    ".local/share/opencode/mcp-auth.json",
    ".config/opencode/opencode.json",
    ".pi/agent/auth.json",
    ".pi/agent/models.json",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".qwen/oauth_creds.json",
    ".config/goose/secrets.yaml",
    ".gemini/antigravity-cli/credentials.json",
    ".gemini/antigravity-cli/settings.json",
    ".config/Antigravity/Cookies",
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    ".git-credentials",
    ".bash_history",
    ".env",
)

NEVER = re.compile(
    r"socket\.|subprocess\.|os\.(?:exec|posix_spawn|spawn|system|startfile|chmod|chown|truncate|link)|urllib\.|http\.|ftplib|smtplib|ctypes\.|webbrowser|pty\."
)
"""Whatever starts a program, reaches a network, or changes a file of others."""

CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.symlink", "os.utime", "os.setxattr", "shutil.")

# Written at once: what is done in several processes is told by all of them.
PROGRAM = f"""
import json, os, sys
told = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
def tell(event, arguments):
    if event.split(".")[0] in ("compile", "exec", "import", "marshal", "object", "code", "sys", "builtins", "gc"):
        return
    subject = arguments[0] if arguments else ""
    subject = os.fsdecode(subject) if isinstance(subject, (str, bytes)) else ""
    is_writing = event == "open" and subject != "" and isinstance(arguments[2], int) and bool(arguments[2] & writing)
    os.write(told, json.dumps([event, subject, is_writing]).encode() + b"\\n")
sys.addaudithook(tell)
sys.argv = [{SESLS!r}, *sys.argv[2:]]
from sesls.cli import main
main()
"""


class Event(NamedTuple):
    """What the interpreter tells of."""

    name: str
    path: str
    is_writing: bool


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with everything that sesls knows and, beside it, what it must not touch."""
    home = tmp_path_factory.mktemp("access") / "home"
    for agent in stores.AGENTS:
        for name, content in {**stores.whole(agent), **stores.witness(agent)}.items():
            put(home / name, content)
    put(home / ".codex/config.toml", 'model = "gpt-5"\n')
    for name in SECRET:
        put(home / name, '{"token": "never"}')
    return home


def events(home: Path, told: Path, *arguments: str) -> Iterator[Event]:
    """Yield what a command does."""
    done = run(home, str(told), *arguments, command=(sys.executable, "-B", "-c", PROGRAM), cwd=home)
    assert done.status == 0, done.said
    assert b"never" not in done.output
    for line in told.read_text().splitlines():
        name, subject, is_writing = json.loads(line)
        uri = re.match(r"file:(.*)\?", subject) if name == "sqlite3.connect" else None
        yield Event(name, unquote(uri[1]) if uri is not None else subject, is_writing)


def below(folder: Path, path: str) -> str | None:
    """Return a path relative to a folder that it lies in, or None."""
    return os.path.relpath(path, folder) if f"{path}/".startswith(f"{folder}/") else None


COMMANDS = ((), ("list", "--json", "--limit", "0", "--no-redact"), ("diagnostics",), ("cache", "info"))


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_opens_nothing_but_sessions(full: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    opened = set()
    for event in events(full, tmp_path / "told", *arguments):
        assert not NEVER.match(event.name), event
        if event.is_writing or event.name.startswith(CHANGING):
            assert below(full.parent / "cache", event.path) is not None, event
        name = below(full, event.path)
        if event.name in ("open", "sqlite3.connect") and name is not None and (full / name).exists():
            opened.add(name)

    of_others = {name for agent in stores.OTHERS for name in {**stores.whole(agent), **stores.witness(agent)}}
    assert [name for name in sorted(opened - of_others) if not any(fnmatch.fnmatch(name, one) for one in READ)] == []
    assert opened.isdisjoint(SECRET)
    assert arguments == ("cache", "info") or len(opened) > 20


@pytest.mark.parametrize("name", SECRET)
def test_no_place_that_may_be_read_is_a_secret(name: str) -> None:
    assert not any(fnmatch.fnmatch(name, pattern) for pattern in READ)


def test_every_place_that_may_be_read_is_read(full: Path, tmp_path: Path) -> None:
    """A pattern that no command needs must not stand in the list."""
    opened = {below(full, event.path) or "" for event in events(full, tmp_path / "told", "list", "--no-cache")}

    assert [pattern for pattern in READ if not fnmatch.filter(opened, pattern)] == []
