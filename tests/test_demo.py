"""The made-up sessions: of five agents, as old at any moment, and nothing of them is left."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from sesls import demo
from sesls.adapters import REGISTRY
from sesls.clock import Clock
from sesls.instants import instant
from tests.command.run import cells, run, run_in_terminal

NOW = instant("2026-03-10T09:00:00Z") or 0


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_every_session_is_listed_as_it_was_made(temporary: Path) -> None:
    page = demo.page(Clock(NOW), redact=False)

    assert (page.warnings, page.total) == ((), len(demo.SESSIONS))
    for session, made in zip(page.sessions, demo.SESSIONS, strict=True):
        assert (session.agent, session.title, session.age_sec) == (made.agent, made.title, made.age)
        assert (session.project_dir, session.models) == (made.cwd, (made.model,))
        assert session.message_count == made.messages
        assert (session.kind == "subagent") == bool(made.parent)
        assert session.path.startswith(f"{demo.HOME}/")
        assert temporary.name not in str(session.to_dict())
    assert os.listdir(temporary) == []


def test_they_are_of_five_agents() -> None:
    assert {made.agent for made in demo.SESSIONS} == {*REGISTRY} & {"claude", "codex", "opencode", "antigravity", "pi"}


def test_they_are_the_same_at_any_moment() -> None:
    first, second = (demo.page(Clock(now)) for now in (NOW, NOW + 12_345_678))

    assert [(one.uuid, one.title, one.age_sec) for one in first.sessions] == [
        (one.uuid, one.title, one.age_sec) for one in second.sessions
    ]


def test_secrets_are_masked_unless_asked_not_to(home: Path) -> None:
    masked, shown = run(home, "demo"), run(home, "demo", "--no-redact")

    assert "Replace [REDACTED_GITHUB_TOKEN] in" in masked.text
    assert "REDACTED" not in shown.text


def test_the_command_lists_them_and_says_that_they_are_made_up(home: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()

    done = run(home, "demo", variables={"TMPDIR": str(tmp_path / "temporary")})

    assert done.status == 0
    assert len(done.lines) == 1 + len(demo.SESSIONS)
    assert done.said.splitlines()[-1] == "These sessions are made up. Yours: sesls list"
    assert os.listdir(tmp_path / "temporary") == []
    assert list(home.iterdir()) == []
    assert not (home.parent / "cache").exists()


def test_on_a_terminal_it_looks_like_a_list(home: Path) -> None:
    done = run_in_terminal(home, "demo", columns=80)

    assert "\x1b[" in done.text
    assert max(map(cells, done.lines)) <= 80
    assert "~/src/shop" in done.text


def test_an_empty_list_tells_of_it(home: Path) -> None:
    assert "What a list looks like: sesls demo" in run(home, "list").said
