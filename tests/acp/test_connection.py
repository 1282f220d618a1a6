"""What each version answers to each method, and what sessions with this agent say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sesls import inventory
from tests.acp.client import Message, Talk, asking
from tests.builders import claude, codex, pi
from tests.builders.common import uuid

INVALID_PARAMS = -32602
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
NOT_FOUND = -32002
INTERNAL_ERROR = -32603

HELLO = [{"type": "text", "text": "Hello"}]
LISTED = f"claude:{uuid(1)}"

VERSIONS = pytest.mark.parametrize("version", [1, 2])


@pytest.fixture
def orchard(home: Path) -> Path:
    """A home with a session, its subagent, and two of other agents elsewhere."""
    claude.transcript(home, number=1)
    claude.subagent(home, "a5d6907d35987d0f7")
    codex.rollout(home, [codex.meta(2, cwd="/srv/barn"), codex.turn(cwd="/srv/barn"), codex.said("Words")], number=2)
    pi.session(home, [pi.header(3, cwd="/srv/orchard/trees"), pi.said("Prune")], number=3, directory="/srv/x")
    return home


def prompt(session_id: str, blocks: object = HELLO) -> Message:
    return {"sessionId": session_id, "prompt": blocks}


def updates(messages: list[Message]) -> list[Message]:
    """Return the updates among messages."""
    return [dict(one["params"]["update"]) for one in messages if one.get("method") == "session/update"]


def said(talk: Talk, session_id: str) -> str:
    """Return what is said in answer to a prompt."""
    chunks = updates(talk.say(asking("session/prompt", prompt(session_id))))
    (text,) = (one["content"]["text"] for one in chunks if one["sessionUpdate"] == "agent_message_chunk")
    return str(text)


@VERSIONS
@pytest.mark.parametrize(
    "method",
    [
        "nope",
        "",
        "_sesls/none",
        "session/delete",
        "session/fork",
        "session/load",
        "session/cancel",
        "session/set_mode",
        "session/set_config_option",
        "authenticate",
        "logout",
        "auth/login",
        "auth/logout",
        "session/update",
    ],
)
def test_what_is_not_promised_is_not_there(orchard: Path, version: int, method: str) -> None:
    talk = Talk(orchard, version)

    for params in ({"sessionId": LISTED, "cwd": "/srv/orchard", "mcpServers": []}, {}, 5):
        assert talk.code(method, params) == METHOD_NOT_FOUND


def test_only_version_1_allows_null_for_an_id(orchard: Path) -> None:
    line = asking("session/list", {}, None)

    assert [one["id"] for one in Talk(orchard, 1).say(line) if "result" in one] == [None]
    for version in (None, 2):
        (answer,) = Talk(orchard, version).say(line)
        assert (answer["id"], answer["error"]["code"]) == (None, INVALID_REQUEST)


@pytest.mark.parametrize("method", ["session/resume", "session/close"])
def test_version_1_neither_resumes_nor_closes(orchard: Path, method: str) -> None:
    assert Talk(orchard, 1).code(method, {"sessionId": LISTED, "cwd": "/srv/orchard"}) == METHOD_NOT_FOUND


@VERSIONS
@pytest.mark.parametrize("method", ["session/list", "session/new", "session/prompt"])
@pytest.mark.parametrize("params", [[], "x", 5, True])
def test_parameters_are_an_object(orchard: Path, version: int, method: str, params: object) -> None:
    assert Talk(orchard, version).code(method, params) == INVALID_PARAMS


@VERSIONS
def test_every_new_session_has_an_id_of_its_own_and_none_is_listed(orchard: Path, version: int) -> None:
    talk = Talk(orchard, version)
    before = talk.sessions()
    new = {talk.result("session/new", {"cwd": "/srv/orchard", "mcpServers": []})["sessionId"] for _ in range(3)}

    assert len(new) == 3
    assert talk.sessions() == before


@VERSIONS
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"cwd": None},
        {"cwd": "x"},
        {"cwd": ""},
        {"cwd": "file:///x"},
        {"cwd": 5},
        {"cwd": "/x", "mcpServers": 5},
        {"cwd": "/x", "mcpServers": {"a": 1}},
    ],
)
def test_a_new_session_needs_an_absolute_directory(orchard: Path, version: int, params: Message) -> None:
    assert Talk(orchard, version).code("session/new", params) == INVALID_PARAMS


def test_in_version_1_a_turn_is_what_is_said_and_then_its_end(orchard: Path) -> None:
    talk = Talk(orchard, 1)
    session_id = talk.result("session/new", {"cwd": "/srv/orchard", "mcpServers": []})["sessionId"]
    messages = talk.say(asking("session/prompt", prompt(session_id)))

    assert [one.get("method", "answer") for one in messages] == ["session/update", "answer"]
    assert messages[0]["params"]["sessionId"] == session_id
    assert set(messages[0]["params"]["update"]) == {"sessionUpdate", "content"}
    assert messages[1]["result"] == {"stopReason": "end_turn"}


def test_in_version_2_a_turn_is_told_in_updates(orchard: Path) -> None:
    talk = Talk(orchard, 2)
    session_id = talk.result("session/new", {"cwd": "/srv/orchard"})["sessionId"]
    blocks = [*HELLO, {"type": "resource_link", "uri": "file:///x", "name": "x"}, {"type": "future"}]
    answer, *told = talk.say(asking("session/prompt", prompt(session_id, blocks)))
    asked, running, chunk, idle = updates(told)

    assert answer["result"] == {"messageId": asked["messageId"]}
    assert asked == {"sessionUpdate": "user_message", "messageId": asked["messageId"], "content": blocks}
    assert running == {"sessionUpdate": "state_update", "state": "running"}
    assert (chunk["sessionUpdate"], chunk["content"]["type"]) == ("agent_message_chunk", "text")
    assert chunk["messageId"] != asked["messageId"]
    assert idle == {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
    assert {one["params"]["sessionId"] for one in told} == {session_id}


@VERSIONS
def test_a_session_with_this_agent_shows_those_of_its_directory_and_below(orchard: Path, version: int) -> None:
    talk = Talk(orchard, version)
    text = said(talk, talk.result("session/new", {"cwd": "/srv/orchard", "mcpServers": []})["sessionId"])

    assert text.startswith("3 sessions in /srv/orchard and below:")
    assert f"cd /srv/orchard && claude --resume {uuid(1)}" in text
    assert "Prune" in text
    assert uuid(2) not in text


def test_where_no_session_ran_it_says_so(orchard: Path) -> None:
    talk = Talk(orchard)
    text = said(talk, talk.result("session/new", {"cwd": "/srv/\x1b[31mred", "mcpServers": []})["sessionId"])

    assert text.startswith("No session ran in /srv/red or below it.")


def test_of_many_it_shows_the_newest(home: Path) -> None:
    for number in range(1, 25):
        rows = [claude.user("Words", sessionId=uuid(number)), claude.assistant(sessionId=uuid(number), seconds=number)]
        claude.transcript(home, rows, number=number)
    talk = Talk(home)
    text = said(talk, talk.result("session/new", {"cwd": "/srv", "mcpServers": []})["sessionId"])

    assert text.startswith("24 sessions in /srv and below, the newest 20:")
    assert text.count("claude --resume") == 20
    assert uuid(24) in text
    assert uuid(4) not in text


def test_no_title_ends_the_block_it_stands_in(home: Path) -> None:
    claude.transcript(home, [claude.user("A ```` fence"), claude.assistant()])
    talk = Talk(home)
    text = said(talk, talk.result("session/new", {"cwd": "/srv", "mcpServers": []})["sessionId"])

    assert text.endswith("\n`````")


@VERSIONS
def test_a_listed_session_says_how_it_is_reopened(orchard: Path, version: int) -> None:
    text = said(Talk(orchard, version), LISTED)

    assert f"```\ncd /srv/orchard && claude --resume {uuid(1)}\n```" in text
    assert "No command of claude reopens" in said(Talk(orchard, version), "claude:a5d6907d35987d0f7")


@VERSIONS
@pytest.mark.parametrize("session_id", ["no-such-session", "", f"claude:{uuid(7)}", "claude:"])
def test_a_prompt_to_an_unknown_session_names_it(orchard: Path, version: int, session_id: str) -> None:
    error = Talk(orchard, version).error("session/prompt", prompt(session_id))

    assert (error["code"], error["data"]) == (NOT_FOUND, {"sessionId": session_id})


@VERSIONS
@pytest.mark.parametrize(
    "params",
    [
        {"prompt": HELLO},
        {"sessionId": 5, "prompt": HELLO},
        {"sessionId": LISTED},
        {"sessionId": LISTED, "prompt": "Hello"},
        {"sessionId": LISTED, "prompt": []},
        {"sessionId": LISTED, "prompt": ["Hello"]},
        {"sessionId": LISTED, "prompt": [{"text": "Hello"}]},
        {"sessionId": LISTED, "prompt": [{"type": "text"}]},
        {"sessionId": LISTED, "prompt": [{"type": "resource_link", "uri": "file:///x"}]},
    ],
)
def test_a_prompt_has_a_session_and_content(orchard: Path, version: int, params: Message) -> None:
    assert Talk(orchard, version).code("session/prompt", params) == INVALID_PARAMS


@pytest.mark.parametrize("more", [{}, {"replayFrom": None}, {"replayFrom": {"type": "start"}}, {"mcpServers": []}])
def test_version_2_resumes_a_listed_session_which_is_idle(orchard: Path, more: Message) -> None:
    talk = Talk(orchard, 2)
    messages = talk.say(asking("session/resume", {"sessionId": LISTED, "cwd": "/srv/orchard/", **more}))

    assert updates(messages) == [{"sessionUpdate": "state_update", "state": "idle"}]
    assert messages[-1]["result"] == {}
    assert "claude --resume" in said(talk, LISTED)


def test_version_2_resumes_a_session_with_this_agent_until_it_is_closed(orchard: Path) -> None:
    talk = Talk(orchard, 2)
    session_id = talk.result("session/new", {"cwd": "/srv/orchard"})["sessionId"]
    params = {"sessionId": session_id, "cwd": "/srv/orchard"}

    assert talk.result("session/resume", params) == {}
    assert talk.result("session/close", {"sessionId": session_id}) == {}
    assert talk.code("session/resume", params) == NOT_FOUND
    assert talk.result("session/close", {"sessionId": session_id}) == {}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"sessionId": "no-such-session"}, NOT_FOUND),
        ({"sessionId": None}, INVALID_PARAMS),
        ({"cwd": "/srv"}, INVALID_PARAMS),
        ({"cwd": "/srv/orchard/trees"}, INVALID_PARAMS),
        ({"cwd": "srv/orchard"}, INVALID_PARAMS),
        ({"cwd": None}, INVALID_PARAMS),
        ({"replayFrom": {"type": "message"}}, INVALID_PARAMS),
        ({"replayFrom": {}}, INVALID_PARAMS),
        ({"replayFrom": "start"}, INVALID_PARAMS),
        ({"mcpServers": "x"}, INVALID_PARAMS),
    ],
)
def test_version_2_refuses_to_resume_anything_else(orchard: Path, change: Message, code: int) -> None:
    params = {"sessionId": LISTED, "cwd": "/srv/orchard"} | change

    assert Talk(orchard, 2).code("session/resume", params) == code


@pytest.mark.parametrize("params", [{}, {"sessionId": 5}, {"sessionId": None}])
def test_closing_needs_a_session(orchard: Path, params: Message) -> None:
    assert Talk(orchard, 2).code("session/close", params) == INVALID_PARAMS


def test_what_nobody_thought_of_costs_one_answer(
    orchard: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = Talk(orchard, watch=True)
    talk.sessions()

    def fail(*_: Any) -> None:
        raise RuntimeError("unlikely")

    with monkeypatch.context() as broken:
        broken.setattr(inventory, "select", fail)
        assert talk.error("session/list") == {"code": INTERNAL_ERROR, "message": "Internal error"}
        assert talk.updates() == []
    assert len(talk.sessions()) == 4
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.count("sesls: unexpected RuntimeError: unlikely") == 2
