"""What Kimi Code notes of a session: `state.json`, of version 2 and before.

Seen in 2.1.0. Older versions wrote other names, which 2.1 still reads (by its published program).
"""

from __future__ import annotations

import msgspec

from sesls.formats import jsonl
from sesls.instants import Instant, instant


class _Labels(msgspec.Struct, rename="camel"):
    parent_agent_id: str | None = None
    profile_name: str | None = None


class _Agent(msgspec.Struct, rename="camel"):
    parent_agent_id: str | None = None
    labels: _Labels | None = None


class _Custom(msgspec.Struct):
    cwd: str | None = None


class _Record(msgspec.Struct, rename="camel"):
    cwd: str | None = None
    work_dir: str | None = None
    """An older name of the same."""
    created_at: float | str | None = None
    updated_at: float | str | None = None
    archived: bool = False
    title: str | None = None
    custom_title: str | None = None
    """An older name of the same."""
    forked_from: str | None = None
    agents: dict[str, _Agent] | None = None
    custom: _Custom | None = None


_RECORD = msgspec.json.Decoder(_Record)


class Agent(msgspec.Struct, frozen=True):
    """What a session's state tells of an agent in it."""

    parent: str | None = None
    """The name of the agent that spawned it; None: nothing is said of one."""
    profile: str | None = None


class State(msgspec.Struct, frozen=True):
    """What a session's state tells."""

    directory: str | None = None
    created: Instant | None = None
    updated: Instant | None = None
    archived: bool = False
    forked_from: str | None = None
    agents: dict[str, Agent] = msgspec.field(default_factory=dict)


def read(path: str) -> tuple[State, str | None]:
    """Return what a session's state tells, and the title. Raises OSError, and ValueError for what is none."""
    record = jsonl.whole_file(path, _RECORD)
    if record is None:
        raise ValueError("is no readable session state")
    title = record.title or record.custom_title
    agents = {name: _agent(agent) for name, agent in (record.agents or {}).items()}
    return (
        State(
            directory=record.cwd or record.work_dir or (record.custom.cwd if record.custom is not None else None),
            created=instant(record.created_at),
            updated=instant(record.updated_at),
            archived=record.archived,
            forked_from=record.forked_from or None,
            agents=agents,
        ),
        title,
    )


def _agent(agent: _Agent) -> Agent:
    labels = agent.labels or _Labels()
    return Agent(labels.parent_agent_id or agent.parent_agent_id or None, labels.profile_name or None)
