"""Whole stores of every agent, as bytes by path: what fuzzing damages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sesls.adapters import REGISTRY
from sesls.testing import AdapterContract
from tests.adapters import test_contract
from tests.builders import antigravity, claude, codex, mixed, opencode, pi
from tests.builders.common import put, uuid
from tests.builders.zstd import compressed

Files = Mapping[str, bytes]

WITNESS = 0x77
"""The number of a session in files of its own, which are never damaged: it has to be listed whatever happens."""

ELSEWHERE = "/srv/witness"


def _claude(home: Path) -> None:
    claude.transcript(home, number=1)
    claude.transcript(
        home,
        [
            {"type": "summary", "summary": "Of the leaf", "leafUuid": "user-0"},
            claude.user([{"type": "text", "text": "Look"}, {"type": "image"}], sessionId=uuid(2)),
            claude.assistant(sessionId=uuid(2)),
            {"type": "ai-title", "sessionId": uuid(2), "aiTitle": "A title"},
            {"type": "custom-title", "sessionId": uuid(2), "customTitle": "My title"},
            {"type": "last-prompt", "sessionId": uuid(2), "lastPrompt": "Look again"},
        ],
        number=2,
    )
    claude.subagent(home, "a5d6907d35987d0f7", meta={"agentType": "Explore", "description": "Count", "spawnDepth": 1})
    claude.flat_subagent(home, "b5d6907d")
    claude.beside(claude.folder(home) / f"{uuid(1)}.jsonl", "custom-title.json", {"customTitle": "Named"})
    claude.beside(claude.folder(home) / f"{uuid(1)}.jsonl", "archived.json", {"archivedAt": 1})
    claude.code_record(home, 1, lastActivityAt=1_773_133_200_000, isArchived=True)
    # Not where the builder puts it: its folder's name would tell where this home lies.
    record = claude.cowork_record(home, 4, createdAt=1_773_133_200_000)
    rows = [claude.user("Prompt 4", sessionId=uuid(4)), claude.assistant(sessionId=uuid(4))]
    put(record.with_suffix("") / ".claude/projects/-srv-cowork" / f"{uuid(4)}.jsonl", rows)


def _codex(home: Path) -> None:
    codex.rollout(home, number=1)
    codex.rollout(home, codex.paginated(2), number=2)
    codex.rollout(home, [codex.continuing(2, 2, 4, 60), codex.said("More", 61)], number=2, segment=0x22)
    codex.rollout(home, [codex.meta(3, source=codex.spawned(1)), codex.said("Help")], number=3, archived=True)
    codex.rollout(home, codex.bare(4), number=4)
    path = codex.rollout(home, number=5)
    put(path.with_name(f"{path.name}.zst"), compressed(path.read_bytes()))
    path.unlink()
    codex.save(home, number=6)
    codex.name_index(home, (1, "Named"), (2, "Named too"))
    threads = [{"id": uuid(1), "cwd": "/srv/barn", "name": "Mend the roof", "title": "Mend"}, {"id": uuid(2)}]
    codex.state_database(home, threads, edges=[(uuid(1), uuid(3))])


def _opencode(home: Path) -> None:
    opencode.database(home, [opencode.session(1), opencode.session(2, parent_id=opencode.ses(1))])
    opencode.v2_database(home, [opencode.session(3)], file="opencode-next.db")
    opencode.record(home, opencode.session(4, title=""))
    opencode.old_record(home, opencode.session(5))
    opencode.old_record(home, opencode.session(6), inline=True)


def _antigravity(home: Path) -> None:
    antigravity.whole_store(home)
    antigravity.conversation(home, [antigravity.sent("Prune"), antigravity.answered()], number=4)


def _pi(home: Path) -> None:
    path = pi.session(home, [*pi.turns(), pi.result(), pi.named("Named")])
    pi.child(path, pi.turns(2))
    pi.session(home, [pi.header(3, version=...), *pi.untreed(pi.turns(3)[1:])], number=3)
    put(home / pi.AGENT_DIR / "settings.json", '{"sessionDir": "~/moved"}')
    put(home / "moved" / pi.file_name(4), pi.turns(4))


_WRITERS: Mapping[str, tuple[Callable[[Path], object], Callable[[Path], object], str]] = {
    "antigravity": (
        _antigravity,
        lambda home: antigravity.conversation(home, number=WITNESS, root=antigravity.IDE),
        uuid(WITNESS),
    ),
    "claude": (
        _claude,
        lambda home: claude.transcript(home, number=WITNESS, directory=ELSEWHERE),
        uuid(WITNESS),
    ),
    "codex": (_codex, lambda home: codex.rollout(home, number=WITNESS), uuid(WITNESS)),
    "opencode": (
        _opencode,
        lambda home: opencode.database(home, [opencode.session(WITNESS)], file="opencode-witness.db"),
        opencode.ses(WITNESS),
    ),
    "pi": (_pi, lambda home: pi.session(home, number=WITNESS, directory=ELSEWHERE), uuid(WITNESS)),
}

FIRST = tuple(_WRITERS)
CONTRACTS = {
    one.agent: one
    for one in vars(test_contract).values()
    if isinstance(one, type) and issubclass(one, AdapterContract) and hasattr(one, "agent")
}
OTHERS = tuple(agent for agent in sorted(REGISTRY) if agent not in FIRST)
"""Agents whose store is that of their contract, or their sessions of the mixed home."""
AGENTS = (*FIRST, *OTHERS)

_PLAN = mixed.Plan(WITNESS, 600, ELSEWHERE)


def witness_id(agent: str) -> str | None:
    """Return the id of the session that has to be listed; None where it would lie in a file with others."""
    if agent in FIRST:
        return _WRITERS[agent][2]
    return mixed.session_id(agent, _PLAN) if witness(agent) else None


@cache
def witness(agent: str) -> Files:
    """Return the files of the session that has to be listed."""
    if agent in FIRST:
        return _written(_WRITERS[agent][1])
    if agent not in mixed.WRITERS:
        return {}
    files = _written(lambda home: mixed.WRITERS[agent](home, _PLAN))
    return {} if files.keys() & whole(agent).keys() else files


@cache
def whole(agent: str) -> Files:
    """Return the files of a store in which all is well, without those of the witness."""
    if agent in FIRST:
        return _written(_WRITERS[agent][0])
    if agent not in mixed.WRITERS:
        return _written(CONTRACTS[agent]().write)

    def write(home: Path) -> None:
        for plan in mixed.PLANS:
            mixed.WRITERS[agent](home, plan)

    return _written(write)


def _written(write: Callable[[Path], object]) -> Files:
    with TemporaryDirectory() as folder:
        write(Path(folder))
        found = (path for path in sorted(Path(folder).rglob("*")) if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in found}
