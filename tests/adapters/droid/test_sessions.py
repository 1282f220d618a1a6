from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls import looks
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.builders.common import CWD, at, put, uuid
from tests.builders.droid import MODEL, ROOT, answered, message, result, said, session, settings, start, turns
from tests.conftest import environment_of

Ask = Callable[..., Page]
Only = Callable[..., Session]


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = session(home)

    found = only()

    assert (found.uuid, found.agent, found.title, found.kind, found.parent_uuid) == (
        uuid(1), "droid", "Title 1", "agent", None,
    )  # fmt: skip
    assert (found.project_dir, found.path, found.size_bytes) == (CWD, str(path), path.stat().st_size)
    assert (found.created, found.last_activity) == (at(1), at(30))
    assert (found.models, found.message_count) == ((MODEL,), 2)
    assert found.resume_command == f"cd {CWD} && droid --resume {uuid(1)}"
    assert found.extra == {"format_version": 2}


def test_a_title_given_later_wins(home: Path, only: Only) -> None:
    session(home, turns(1, sessionTitle="Grafting", isSessionTitleManuallySet=True))

    assert only().title == "Grafting"


def test_a_title_that_nobody_gave_gives_way_to_the_first_prompt(home: Path, only: Only) -> None:
    lines = [start(title="New Session"), said("<system-reminder>Rules</system-reminder>"), said("Graft", 2)]
    session(home, lines)

    assert only().title == "Graft"


def test_a_title_that_nobody_gave_stays_where_nothing_was_said(home: Path, only: Only) -> None:
    session(home, [start(title="New Session")])

    assert (only().title, only().message_count, only().models) == ("New Session", 0, ())


@pytest.mark.parametrize("content", ["Graft", [{"type": "image"}, {"type": "text", "text": "Graft"}]])
def test_a_prompt_is_text_or_parts(home: Path, only: Only, content: object) -> None:
    session(home, [start(title=...), message("user", content)])

    assert (only().title, only().message_count) == ("Graft", 1)


def test_a_session_that_another_one_called_is_a_subagent(home: Path, only: Only) -> None:
    session(home, turns(1, callingSessionId=uuid(9), callingToolUseId="t1"))

    assert (only().kind, only().parent_uuid, only().resume_command) == ("subagent", uuid(9), None)


def test_a_session_does_not_call_itself(home: Path, only: Only) -> None:
    session(home, turns(1, callingSessionId=uuid(1)))

    assert (only().kind, only().parent_uuid) == ("agent", None)


@pytest.mark.parametrize(("role", "kind"), [("worker", "subagent"), ("orchestrator", "agent")])
def test_a_missions_worker_is_a_subagent_and_its_orchestrator_is_none(
    home: Path, only: Only, role: str, kind: str
) -> None:
    session(home, turns(1, decompSessionType=role, decompMissionId="m1"))

    assert (only().kind, only().parent_uuid) == (kind, None)


def test_a_fork_has_no_parent(home: Path, only: Only) -> None:
    session(home, turns(1, parent=uuid(9), forkedAtMessageId="m1"))

    assert (only().kind, only().parent_uuid, only().extra["forked_from"]) == ("agent", None, uuid(9))


def test_what_tools_answer_and_the_agent_puts_in_is_no_message(home: Path, only: Only) -> None:
    lines = [
        start(),
        said("Rules", 1, visibility="llm_only"),
        said("Notice", 2, visibility="user_only"),
        said("Graft", 3),
        result(4),
        answered(5),
        {"type": "todo_state", "id": "t", "timestamp": at(6), "todos": []},
    ]
    session(home, lines)

    assert (only().message_count, only().last_activity) == (2, at(6))


def test_models_are_those_that_answered_else_the_sessions_own(home: Path, only: Only) -> None:
    path = session(home, [start(), said("Graft"), answered(model=None)])
    settings(path)

    assert only().models == ("glm-4.6",)

    session(home, [start(), said("Graft"), answered(model="m1"), answered(40, model=None)])

    assert only().models == ("m1",)


def test_an_archived_session_says_so(home: Path, only: Only) -> None:
    settings(session(home), archivedAt=at(90))

    assert only().extra["archived"] is True


def test_settings_that_cannot_be_read_cost_nothing(home: Path, only: Only) -> None:
    put(session(home).with_suffix(".settings.json"), "{")

    assert only().models == (MODEL,)


def test_sessions_of_older_versions_lie_in_the_folder_itself(home: Path, only: Only) -> None:
    session(home, directory=None)

    assert (only().uuid, only().project_dir) == (uuid(1), CWD)


def test_folders_that_are_no_directorys_are_not_looked_into(home: Path, ask: Ask) -> None:
    put(home / ROOT / "btw" / f"{uuid(1)}.jsonl", turns())
    put(home / ROOT / ".favorites", "[]")

    assert (ask().sessions, ask().warnings) == ((), ())


def test_a_session_that_was_moved_is_one(home: Path, only: Only) -> None:
    old = session(home, directory=None)
    session(home, [*turns(), said("Prune", 90)])

    assert (only().last_activity, only().extra["copies"]) == (at(90), [str(old)])


def test_a_session_without_messages_has_its_files_time(home: Path, only: Only) -> None:
    session(home, [start()], modified=77)

    assert (only().created, only().last_activity) == (None, at(77))
    assert only().extra["last_activity_source"] == "mtime"


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"\xff no record\n", "holds no readable record"), (b'{"type":"message"}\n', "has lost its first line")],
)
def test_a_file_that_is_no_session_is_reported(home: Path, ask: Ask, content: bytes, problem: str) -> None:
    path = session(home, content)

    assert [(one.path, one.problem) for one in ask().warnings] == [(str(path), problem)]


def test_an_empty_file_is_not_worth_a_word(home: Path, ask: Ask) -> None:
    session(home, b"")

    assert (ask().sessions, ask().warnings) == ((), ())


def test_half_a_line_at_the_end_is_no_loss(home: Path, only: Only) -> None:
    path = session(home)
    path.write_bytes(path.read_bytes() + b'{"type":"message","time')

    assert (only().last_activity, only().message_count) == (at(30), 2)


def test_a_title_that_was_given_between_two_listings_is_seen(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looks, "_SETTLED_NS", -(10**12))

    def titles() -> list[str | None]:
        return [one.title for one in take(Query(), environment_of(home, cache=tmp_path / "cache")).sessions]

    # The file is as long as before, and ends in the same way.
    before = session(home, turns(1, sessionTitle="Grafting", filler="x" * 2000), modified=50)
    assert titles() == ["Grafting"]

    assert session(home, turns(1, sessionTitle="Manuring", filler="x" * 2000), modified=60) == before
    assert titles() == ["Manuring"]


def test_a_large_session_is_read_at_its_ends_first(home: Path, only: Only) -> None:
    middle = [answered(second, filler="x" * 1000) for second in range(2, 400)]
    session(home, [start(), said("Graft"), *middle, answered(500)])

    assert (only().last_activity, only().message_count) == (at(500), 400)
