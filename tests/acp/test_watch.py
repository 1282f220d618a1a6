"""With `--watch`, a client hears of what changed in the sessions that it has seen, and of nothing else."""

from __future__ import annotations

import json
import os
import queue
from pathlib import Path

import pytest

from tests.acp.client import Client, Message, Talk
from tests.builders import claude
from tests.builders.common import at, uuid


def write(home: Path, number: int, *more: Message, seconds: float = 30, directory: str = "/srv/orchard") -> Path:
    keys: Message = {"sessionId": uuid(number), "cwd": directory}
    rows = [claude.user("Words", **keys), claude.assistant(seconds=seconds, **keys), *more]
    return claude.transcript(home, rows, number=number, directory=directory)


def named(number: int, name: str) -> Message:
    return {"type": "custom-title", "customTitle": name, "sessionId": uuid(number)}


@pytest.fixture
def orchard(home: Path) -> Path:
    """A home with three sessions, long since written."""
    for number in (1, 2, 3):
        os.utime(write(home, number, seconds=30 * number), (0, 0))
    return home


def test_only_what_changed_is_told_and_once(orchard: Path) -> None:
    talk = Talk(orchard, watch=True)
    before = {one["sessionId"]: one for one in talk.sessions()}
    assert talk.updates() == []

    write(orchard, 2, named(2, "Count the pears"), seconds=60)
    (update,) = talk.updates()

    assert talk.updates() == []
    now = {one["sessionId"]: one for one in talk.sessions()}
    session_id = f"claude:{uuid(2)}"
    assert update == {
        "sessionId": session_id,
        "update": {
            "sessionUpdate": "session_info_update",
            "title": "Count the pears",
            "_meta": now[session_id]["_meta"],
        },
    }
    assert now[session_id]["updatedAt"] == before[session_id]["updatedAt"]
    assert now[session_id]["_meta"]["sesls"]["size_bytes"] > before[session_id]["_meta"]["sesls"]["size_bytes"]


def test_a_later_activity_is_told_with_its_instant(orchard: Path) -> None:
    talk = Talk(orchard, watch=True)
    talk.sessions()
    write(orchard, 1, seconds=300)

    (update,) = talk.updates()
    assert update["sessionId"] == f"claude:{uuid(1)}"
    assert update["update"]["updatedAt"] == at(300)
    assert "title" not in update["update"]


def test_a_title_that_is_gone_is_cleared(orchard: Path) -> None:
    path = write(orchard, 1, named(1, "Count the pears"))
    talk = Talk(orchard, watch=True)
    talk.sessions()
    keys = {"sessionId": uuid(1), "cwd": "/srv/orchard"}
    claude.transcript(orchard, [claude.assistant(seconds=30, **keys)], number=1)

    (update,) = talk.updates()
    assert path.exists()
    assert update["update"]["title"] is None


def test_nothing_is_told_of_what_was_not_shown(orchard: Path) -> None:
    talk = Talk(orchard, watch=True, size=1)
    write(orchard, 1, named(1, "Before anything was shown"))
    assert talk.updates() == []

    talk.result("session/list")  # the newest alone
    write(orchard, 1, named(1, "Never shown"))
    write(orchard, 9, seconds=900)
    assert talk.updates() == []


def test_nothing_is_told_of_a_session_that_is_gone_until_it_is_back(orchard: Path) -> None:
    talk = Talk(orchard, watch=True)
    talk.sessions()
    path = claude.folder(orchard) / f"{uuid(1)}.jsonl"
    path.unlink()
    assert talk.updates() == []
    write(orchard, 1, named(1, "Back again"))
    assert [one["update"]["title"] for one in talk.updates()] == ["Back again"]


def test_nothing_is_told_of_a_closed_session_until_it_is_resumed(orchard: Path) -> None:
    talk = Talk(orchard, 2, watch=True)
    talk.sessions()
    session_id = f"claude:{uuid(1)}"
    talk.result("session/close", {"sessionId": session_id})
    write(orchard, 1, named(1, "While closed"))
    assert talk.updates() == []

    talk.result("session/resume", {"sessionId": session_id, "cwd": "/srv/orchard"})
    write(orchard, 1, named(1, "While open"))
    assert [one["update"]["title"] for one in talk.updates()] == ["While open"]


def test_looking_again_forgets_no_walk(orchard: Path) -> None:
    talk = Talk(orchard, watch=True, size=2)
    cursor = talk.result("session/list")["nextCursor"]
    for number in range(12):
        write(orchard, 3, named(3, f"Name {number}"), seconds=100 + number)
        assert len(talk.updates()) == 1

    assert len(talk.result("session/list", {"cursor": cursor})["sessions"]) == 1


@pytest.mark.parametrize("arguments", [(), ("--no-cache",)])
def test_an_update_comes_over_the_pipe_while_nothing_is_asked(orchard: Path, arguments: tuple[str, ...]) -> None:
    with Client(orchard, "--watch", "0.1", *arguments) as client:
        client.started().ask("session/list")
        path = claude.folder(orchard) / f"{uuid(2)}.jsonl"
        with path.open("a") as file:
            file.write(json.dumps(named(2, "Count the pears")) + "\n")
        update = client.next()

        assert update is not None
        assert update["params"]["update"]["title"] == "Count the pears"
        assert client.close() == (0, [], "")


def test_without_it_nothing_is_told(orchard: Path) -> None:
    with Client(orchard) as client:
        client.started().ask("session/list")
        write(orchard, 2, named(2, "Count the pears"))
        with pytest.raises(queue.Empty):
            client.next(seconds=0.5)
        assert client.close() == (0, [], "")
