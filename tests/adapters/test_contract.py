"""What every adapter promises, checked on a store of each agent."""

from __future__ import annotations

from pathlib import Path

from sesls.adapters import REGISTRY, antigravity, claude, codex, opencode, pi
from sesls.testing import AdapterContract
from tests.builders import antigravity as antigravity_files
from tests.builders import claude as claude_files
from tests.builders import codex as codex_files
from tests.builders import opencode as opencode_files
from tests.builders import pi as pi_files
from tests.builders.common import put, uuid


class TestClaude(AdapterContract):
    agent = "claude"
    adapter = claude

    def write(self, home: Path) -> None:
        claude_files.transcript(home, number=1)
        claude_files.transcript(home, number=2, directory="/srv/meadow")
        claude_files.subagent(home, "a5d6907d35987d0f7", meta={"agentType": "Explore", "description": "Count"})
        claude_files.code_record(home, 1)

    def write_large(self, home: Path) -> None:
        claude_files.transcript(home, [claude_files.user("Count"), *claude_files.work(4000), claude_files.assistant()])


class TestCodex(AdapterContract):
    agent = "codex"
    adapter = codex

    def write(self, home: Path) -> None:
        codex_files.rollout(home, number=1)
        codex_files.rollout(home, number=2, archived=True)
        codex_files.state_database(home, [{"id": uuid(1), "cwd": "/srv/barn", "name": "N"}])
        put(home / ".codex" / "session_index.jsonl", [{"id": uuid(2), "thread_name": "Paint the gate"}])

    def write_large(self, home: Path) -> None:
        words = [codex_files.said("x" * 2000, seconds) for seconds in range(2, 2000)]
        codex_files.rollout(home, [codex_files.meta(), codex_files.turn(), codex_files.said("Count"), *words])


class TestOpenCode(AdapterContract):
    agent = "opencode"
    adapter = opencode

    def write(self, home: Path) -> None:
        opencode_files.database(home, [opencode_files.session(1), opencode_files.session(2)])
        opencode_files.record(home, opencode_files.session(3))
        opencode_files.record(home, opencode_files.session(4))


class TestAntigravity(AdapterContract):
    agent = "antigravity"
    adapter = antigravity

    def write(self, home: Path) -> None:
        antigravity_files.whole_store(home)


class TestPi(AdapterContract):
    agent = "pi"
    adapter = pi

    def write(self, home: Path) -> None:
        pi_files.session(home, number=1)
        pi_files.session(home, number=2)
        pi_files.child(pi_files.session(home, number=3), pi_files.turns(4))

    def write_large(self, home: Path) -> None:
        pi_files.session(home, [pi_files.header(), *(pi_files.said("x" * 2000, n) for n in range(2000))])


def test_every_agent_is_here() -> None:
    here = {kind.agent for kind in AdapterContract.__subclasses__() if kind.__module__ == __name__}

    assert here == set(REGISTRY)
