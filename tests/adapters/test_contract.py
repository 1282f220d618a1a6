"""What every adapter promises, checked on a store of each agent."""

from __future__ import annotations

from pathlib import Path

from sesls.adapters import (
    REGISTRY,
    antigravity,
    claude,
    cline,
    codex,
    continue_cli,
    copilot,
    crush,
    cursor,
    droid,
    gemini,
    goose,
    grok,
    hermes,
    kimi,
    kiro,
    omp,
    opencode,
    pi,
    qwen,
    vibe,
)
from sesls.testing import AdapterContract
from tests.builders import antigravity as antigravity_files
from tests.builders import claude as claude_files
from tests.builders import cline as cline_files
from tests.builders import codex as codex_files
from tests.builders import continue_cli as continue_files
from tests.builders import copilot as copilot_files
from tests.builders import crush as crush_files
from tests.builders import cursor as cursor_files
from tests.builders import droid as droid_files
from tests.builders import gemini as gemini_files
from tests.builders import goose as goose_files
from tests.builders import grok as grok_files
from tests.builders import hermes as hermes_files
from tests.builders import kimi as kimi_files
from tests.builders import kiro as kiro_files
from tests.builders import omp as omp_files
from tests.builders import opencode as opencode_files
from tests.builders import pi as pi_files
from tests.builders import qwen as qwen_files
from tests.builders import vibe as vibe_files
from tests.builders.common import put, uuid
from tests.builders.mixed import PLANS, WRITERS


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


class TestCline(AdapterContract):
    agent = "cline"
    adapter = cline

    def write(self, home: Path) -> None:
        cline_files.session(home, number=1)
        cline_files.session(home, number=2)
        cline_files.task(home, number=3)
        cline_files.index(home, [cline_files.entry(3)])


class TestContinue(AdapterContract):
    agent = "continue"
    adapter = continue_cli

    def write(self, home: Path) -> None:
        continue_files.session(home, number=1)
        continue_files.session(home, number=2)
        continue_files.index(home, [continue_files.entry(1), continue_files.entry(2)])


class TestCopilot(AdapterContract):
    agent = "copilot"
    adapter = copilot

    def write(self, home: Path) -> None:
        copilot_files.session(home, number=1)
        copilot_files.flat(home, number=2)
        copilot_files.save(home, number=3)


class TestCrush(AdapterContract):
    agent = "crush"
    adapter = crush
    signposts = ("projects.json",)

    def write(self, home: Path) -> None:
        crush_files.whole_store(home)


class TestCursor(AdapterContract):
    agent = "cursor"
    adapter = cursor

    def write(self, home: Path) -> None:
        cursor_files.whole_store(home)


class TestDroid(AdapterContract):
    agent = "droid"
    adapter = droid

    def write(self, home: Path) -> None:
        droid_files.whole_store(home)


class TestGoose(AdapterContract):
    agent = "goose"
    adapter = goose

    def write(self, home: Path) -> None:
        goose_files.whole_store(home)


class TestGrok(AdapterContract):
    agent = "grok"
    adapter = grok

    def write(self, home: Path) -> None:
        grok_files.whole_store(home)


class TestKiro(AdapterContract):
    agent = "kiro"
    adapter = kiro

    def write(self, home: Path) -> None:
        kiro_files.whole_store(home)


class _Planned(AdapterContract):
    """An agent whose sessions of the mixed home are its store."""

    def write(self, home: Path) -> None:
        for plan in PLANS:
            WRITERS[self.agent](home, plan)


class TestGemini(_Planned):
    agent = "gemini"
    adapter = gemini

    def write_large(self, home: Path) -> None:
        words = [gemini_files.said("x" * 2000, seconds) for seconds in range(2, 2000)]
        gemini_files.session(home, [gemini_files.header(), *words])


class TestQwen(_Planned):
    agent = "qwen"
    adapter = qwen

    def write_large(self, home: Path) -> None:
        qwen_files.session(home, [qwen_files.said("x" * 2000, seconds) for seconds in range(2000)])


class TestHermes(AdapterContract):
    agent = "hermes"
    adapter = hermes

    def write(self, home: Path) -> None:
        hermes_files.database(home, [hermes_files.session(1), hermes_files.child(2, 1)])
        hermes_files.database(home, [hermes_files.session(3)], root=".hermes/profiles/garden")
        hermes_files.snapshot(home, 4)
        hermes_files.log(home, 5)


class TestKimi(AdapterContract):
    agent = "kimi"
    adapter = kimi

    def write(self, home: Path) -> None:
        kimi_files.session(home, 1)
        path = kimi_files.session(home, 2, agents={"agent-0": kimi_files.sub()})
        kimi_files.log(path.parents[2], kimi_files.turns("Count", origin=kimi_files.SPAWNER), "agent-0")

    def write_large(self, home: Path) -> None:
        words = [kimi_files.answered(seconds, "x" * 2000) for seconds in range(2, 2000)]
        kimi_files.session(home, 1, [kimi_files.begun(), kimi_files.said("Count"), *words])


class TestOhMyPi(AdapterContract):
    agent = "omp"
    adapter = omp

    def write(self, home: Path) -> None:
        omp_files.session(home, number=1)
        omp_files.session(home, omp_files.old_turns(2), number=2)
        omp_files.child(omp_files.session(home, number=3), [*omp_files.spawned(4), omp_files.said("Count")], "A.jsonl")

    def write_large(self, home: Path) -> None:
        words = [omp_files.said("x" * 2000, seconds) for seconds in range(2000)]
        omp_files.session(home, [omp_files.slot(), omp_files.header(), *words])


class TestVibe(AdapterContract):
    agent = "vibe"
    adapter = vibe

    def write(self, home: Path) -> None:
        vibe_files.save(home, 1)
        vibe_files.child(vibe_files.folder(home, 2, total_messages=2), 3, total_messages=2)
        vibe_files.unified(home, 4)
        vibe_files.unified_child(home, 4, 5)

    def write_large(self, home: Path) -> None:
        vibe_files.folder(home, 1, [vibe_files.said("Count"), *[vibe_files.answered("x" * 2000)] * 2000])


def test_every_agent_is_here() -> None:
    kinds = [*AdapterContract.__subclasses__(), *_Planned.__subclasses__()]
    here = {kind.agent for kind in kinds if kind.__module__ == __name__ and kind is not _Planned}

    assert here == set(REGISTRY)
