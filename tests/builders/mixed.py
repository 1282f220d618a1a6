"""One home in which all agents worked on the same five sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders import antigravity, claude, codex, gemini, hermes, kimi, omp, opencode, pi, qwen, vibe
from tests.builders.common import epoch_ms, uuid


class Plan(NamedTuple):
    """A session to be written: each agent gets the same five."""

    number: int
    seconds: float
    """Its last activity: as old in all agents, and that of two sessions of each agent."""
    directory: str
    parent: int | None = None

    @property
    def text(self) -> str:
        return f"Prompt {self.number}"


PLANS = (
    Plan(1, 100, "/srv/orchard"),
    Plan(2, 500, "/srv/orchard/trees"),
    Plan(3, 300, "/srv/orchard", parent=1),
    Plan(4, 200, "/srv/orchard-old"),
    Plan(5, 200, "/srv/barn"),
)


def write_claude(home: Path, plan: Plan) -> None:
    owner = plan.parent or plan.number
    keys: dict[str, Any] = {"sessionId": uuid(owner), "cwd": plan.directory, "isSidechain": plan.parent is not None}
    rows = [claude.user(plan.text, **keys), claude.assistant(seconds=plan.seconds, **keys)]
    if plan.parent is None:
        claude.transcript(home, rows, number=plan.number, directory=plan.directory)
    else:
        claude.subagent(home, session_id("claude", plan), rows, parent=plan.parent, directory=plan.directory)


def write_codex(home: Path, plan: Plan) -> None:
    source: object = "cli" if plan.parent is None else codex.spawned(plan.parent)
    records = [
        codex.meta(plan.number, cwd=plan.directory, source=source),
        codex.turn(cwd=plan.directory),
        codex.said(plan.text),
        codex.event("agent_message", plan.seconds, message="Done."),
    ]
    codex.rollout(home, records, number=plan.number)


def write_opencode(home: Path, plan: Plan) -> None:
    messages = [opencode.user(plan.text), opencode.assistant(seconds=2, took=plan.seconds - 2)]
    parent = None if plan.parent is None else opencode.ses(plan.parent)
    row = {"directory": plan.directory, "parent_id": parent, "title": plan.text}
    opencode.database(home, [opencode.session(plan.number, messages, **row)])


def write_antigravity(home: Path, plan: Plan) -> None:
    steps = [antigravity.asked(plan.text), antigravity.answered(seconds=plan.seconds)]
    meta = antigravity.about(workspaces=[f"file://{plan.directory}"], parent=plan.parent)
    antigravity.conversation(home, steps, number=plan.number, meta=meta)


def write_pi(home: Path, plan: Plan) -> None:
    entries = [
        pi.header(plan.number, cwd=plan.directory),
        pi.said(plan.text),
        pi.answered(seconds=plan.seconds),
    ]
    if plan.parent is None:
        pi.session(home, entries, number=plan.number, directory=plan.directory)
    else:
        pi.child(pi.folder(home, plan.directory) / pi.file_name(plan.parent), entries)


def write_gemini(home: Path, plan: Plan) -> None:
    kind = "main" if plan.parent is None else "subagent"
    records = gemini.turns(plan.number, plan.text, plan.seconds, directory=plan.directory, kind=kind)
    if plan.parent is None:
        gemini.session(home, records, number=plan.number, directory=plan.directory)
    else:
        gemini.subagent(home, records, number=plan.number, parent=plan.parent, directory=plan.directory)


def write_qwen(home: Path, plan: Plan) -> None:
    if plan.parent is None:
        records = qwen.turns(plan.number, plan.text, plan.seconds, cwd=plan.directory)
        qwen.session(home, records, number=plan.number, directory=plan.directory)
    else:
        agent = session_id("qwen", plan)
        records = qwen.spawned(agent, plan.text, plan.seconds, plan.parent, cwd=plan.directory)
        meta = qwen.about(agent, plan.parent, description=plan.text)
        qwen.subagent(home, agent, records, parent=plan.parent, directory=plan.directory, meta=meta)


def write_hermes(home: Path, plan: Plan) -> None:
    messages = [hermes.said(plan.text), hermes.answered(plan.seconds)]
    if plan.parent is None:
        hermes.database(home, [hermes.session(plan.number, messages, cwd=plan.directory)])
    else:
        hermes.database(home, [hermes.child(plan.number, plan.parent, messages, cwd=plan.directory)])


def write_kimi(home: Path, plan: Plan) -> None:
    if plan.parent is None:
        records = kimi.turns(plan.text, plan.seconds)
        kimi.session(home, plan.number, records, directory=plan.directory, updatedAt=epoch_ms(plan.seconds))
    else:
        records = kimi.turns(plan.text, plan.seconds, kimi.SPAWNER)
        kimi.log(kimi.folder(home, plan.parent, plan.directory), records, f"agent-{plan.number}")


def write_omp(home: Path, plan: Plan) -> None:
    said = [omp.said(plan.text), omp.answered(seconds=plan.seconds)]
    if plan.parent is None:
        entries = [omp.slot(), omp.header(plan.number, cwd=plan.directory), *said]
        omp.session(home, entries, number=plan.number, directory=plan.directory)
    else:
        parent = omp.folder(home, plan.directory) / omp.file_name(plan.parent)
        omp.child(parent, [*omp.spawned(plan.number, cwd=plan.directory), *said], "CountPears.jsonl")


def write_vibe(home: Path, plan: Plan) -> None:
    keys: dict[str, Any] = {
        "title": plan.text,
        "end_time": vibe.at(plan.seconds),
        "environment": {"working_directory": plan.directory},
    }
    if plan.parent is None:
        vibe.folder(home, plan.number, **keys)
    else:
        vibe.child(home / vibe.SESSIONS / vibe.name(plan.parent), plan.number, **keys)


WRITERS: dict[str, Callable[[Path, Plan], None]] = {
    "claude": write_claude,
    "codex": write_codex,
    "opencode": write_opencode,
    "antigravity": write_antigravity,
    "pi": write_pi,
    "gemini": write_gemini,
    "qwen": write_qwen,
    "hermes": write_hermes,
    "kimi": write_kimi,
    "omp": write_omp,
    "vibe": write_vibe,
}


def write(home: Path, plans: Iterable[Plan] = PLANS) -> Path:
    """Write the same sessions of all agents into a home, and return it."""
    for plan in plans:
        for writer in WRITERS.values():
            writer(home, plan)
    return home


def session_id(agent: str, plan: Plan) -> str:
    if agent == "opencode":
        return opencode.ses(plan.number)
    if agent == "qwen" and plan.parent is not None:
        return f"scout-call_{plan.number:016x}"
    if agent == "hermes":
        return hermes.key(plan.number)
    if agent == "kimi":
        return f"{kimi.key(plan.parent)}/agent-{plan.number}" if plan.parent is not None else kimi.key(plan.number)
    return f"a{plan.number:016x}" if agent == "claude" and plan.parent is not None else uuid(plan.number)
