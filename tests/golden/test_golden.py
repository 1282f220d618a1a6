"""What the commands print as JSON, byte for byte, of records that never change.

The files beside this one are what scripts out there rely on. A later sesls may add to them; whatever else changes here
breaks somebody, and needs a new `schema_version`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sesls import cli, inventory
from sesls.agents import Agent
from sesls.cache import disk
from sesls.diagnostics import Diagnostics, Place, Scanned
from sesls.page import Page
from sesls.session import Problem, Session
from sesls.terms import Shape
from tests import shapes
from tests.builders.common import at, epoch_ms, uuid

HERE = Path(__file__).parent

FULL = Session(
    uuid=uuid(1),
    agent="claude",
    title="Use [REDACTED_GITHUB_TOKEN] for the 果樹園",
    kind="agent",
    parent_uuid=None,
    project_dir="/srv/orchard",
    launch_surface="claude-cli",
    models=("claude-opus-5-5", "claude-haiku-5-5"),
    last_activity=at(30),
    date=at(30),
    age_sec=60,
    activity="fresh",
    created=at(),
    size_bytes=1234,
    message_count=2,
    path=f"/home/ada/.claude/projects/-srv-orchard/{uuid(1)}.jsonl",
    resume_command=f"cd /srv/orchard && claude --resume {uuid(1)}",
    extra={"git_branch": "main", "copies": ["/mnt/copy.jsonl"], "archived": True},
)
BARE = Session(
    uuid="ses_1",
    agent="opencode",
    title=None,
    kind="subagent",
    parent_uuid=uuid(1),
    project_dir=None,
    launch_surface=None,
    models=(),
    last_activity=at(0),
    date=at(0),
    age_sec=86_400,
    activity="stale",
    created=None,
    size_bytes=None,
    message_count=None,
    path="/home/ada/.local/share/opencode/opencode.db",
    resume_command=None,
)
PROBLEMS = (Problem("codex", "/home/ada/.codex/sessions/rollout.jsonl", "no record could be read"),)
DIAGNOSTICS = Diagnostics(
    scanned=(
        Scanned(
            agent="claude",
            sessions=1,
            date_min=at(30),
            date_max=at(30),
            places=(
                Place("/home/ada/.claude/projects", "found", 1),
                Place("/home/ada/.config/claude/projects", "missing", 0),
            ),
            hint=None,
        ),
        Scanned(
            agent="codex",
            sessions=0,
            date_min=None,
            date_max=None,
            places=(Place("/home/ada/.codex/sessions", "unreadable", 0),),
            hint="Codex: /home/ada/.codex/sessions exists and cannot be read",
        ),
    ),
    sessions=1,
    matching=0,
    date_min=at(30),
    date_max=at(30),
    filters={"agent": ["claude", "codex"], "kind": "subagent", "noise": "only", "project_dir": "/srv/barn"},
    removed={"agent": 0, "kind": 1, "noise": 0, "project_dir": 0},
    hints=("The filter project directory /srv/barn leaves none of 1 session.",),
)
AGENTS = [
    Agent(
        agent="claude",
        label="Claude Code",
        plugin=None,
        versions="0.2 to 2.1",
        is_described=False,
        sessions=2,
        newest=epoch_ms(30),
        places=(Place("/srv/conf/projects", "found", 2), Place("/home/ada/.config/claude/projects", "missing", 0)),
        moved={"/srv/conf/projects": ("CLAUDE_CONFIG_DIR",)},
    ),
    Agent(
        agent="acme",
        label="Acme",
        plugin="sesls-acme 1.0",
        versions=None,
        is_described=None,
        sessions=0,
        newest=None,
        places=(Place("/home/ada/.acme", "unreadable", 0),),
        moved={},
    ),
]
KEPT = [disk.Kept("claude", 2048, epoch_ms(30)), disk.Kept("codex", 512, epoch_ms(0))]


def page(*sessions: Session, total: int, diagnostics: Diagnostics | None = None, problems: tuple[Problem, ...]) -> Page:
    return Page(
        sessions=sessions,
        shown=len(sessions),
        total=total,
        subagents=1,
        filtered=0,
        offset=0,
        limit=2,
        redactions={"GITHUB_TOKEN": 1} if sessions else {},
        warnings=problems,
        diagnostics=diagnostics,
    )


FULL_PAGE = page(FULL, BARE, total=3, problems=PROBLEMS)
EMPTY_PAGE = page(total=0, diagnostics=DIAGNOSTICS, problems=())
ONE_SESSION = page(FULL, total=1, problems=())

PRINTED = [
    ("list", "list-1.json", ("list", "--json")),
    ("list", "list-empty-1.json", ("list", "--json", "--kind", "subagent")),
    ("show", "show-1.json", ("show", "--json", "0000")),
    ("agents", "agents-1.json", ("agents", "--json")),
    ("diagnostics", "diagnostics-1.json", ("diagnostics", "--json")),
    ("cache", "cache-1.json", ("cache", "info", "--json")),
]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records instead of what this machine holds."""
    monkeypatch.setattr(inventory, "take", lambda query, *_, **__: EMPTY_PAGE if query.kind else FULL_PAGE)
    monkeypatch.setattr(inventory, "diagnose", lambda *_, **__: (DIAGNOSTICS, PROBLEMS))
    monkeypatch.setattr(inventory, "named", lambda *_, **__: ONE_SESSION)
    monkeypatch.setattr(inventory, "agents", lambda *_, **__: (AGENTS, PROBLEMS))
    monkeypatch.setattr(disk, "kept", lambda *_: KEPT)


@pytest.mark.parametrize(("shape", "name", "arguments"), PRINTED)
def test_json_is_what_it_always_was(
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    shape: Shape,
    name: str,
    arguments: tuple[str, ...],
) -> None:
    monkeypatch.setattr(sys, "argv", ["sesls", *arguments])

    with pytest.raises(SystemExit):
        cli.main()

    printed = capsysbinary.readouterr().out
    assert printed.decode() == (HERE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("shape", "name", "arguments"), PRINTED)
def test_the_schema_tells_of_all_of_it(shape: Shape, name: str, arguments: tuple[str, ...]) -> None:
    shapes.check_as(shape, json.loads((HERE / name).read_text(encoding="utf-8")))
