"""Whatever a client sends, it is answered in valid JSON-RPC, and the next request is answered too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.acp.client import Message, Talk
from tests.builders import claude, pi

METHODS = (
    "initialize",
    "session/list",
    "session/new",
    "session/prompt",
    "session/resume",
    "session/close",
    "session/cancel",
    "$/cancel_request",
)
NAMES = ("cwd", "cursor", "sessionId", "prompt", "replayFrom", "mcpServers", "protocolVersion", "info", "type", "text")

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["/srv/orchard", "/", "~", "text", "start", "2.0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=4),
    max_leaves=8,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0", 2]),
        "id": st.integers() | st.text() | json_values,
        "method": st.sampled_from(METHODS) | json_values,
        "params": st.dictionaries(st.sampled_from(NAMES), json_values) | json_values,
        "result": json_values,
        "error": json_values,
    },
)
all_lines = st.binary() | (messages | json_values).map(lambda value: json.dumps(value).encode())


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("acp") / "home"
    claude.transcript(home)
    pi.session(home, number=3)
    return home


def check(answer: Message) -> None:
    """Check that a message is one that the protocol allows."""
    assert answer["jsonrpc"] == "2.0"
    if "method" in answer:
        assert answer.keys() == {"jsonrpc", "method", "params"}
        assert answer["method"] == "session/update"
        assert isinstance(answer["params"]["sessionId"], str)
        return
    assert answer.keys() in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
    assert answer["id"] is None or type(answer["id"]) in (int, str)
    error = answer.get("error", {"code": 0, "message": ""})
    assert type(error["code"]) is int
    assert error["code"] != -32603, "nobody thought of this"
    assert isinstance(error["message"], str)
    assert isinstance(answer.get("result", {}), dict)


def expected(line: bytes) -> Any:
    """Return the id with which a line must be answered, for a request that a plain reader would call one."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return ...
    is_request = isinstance(message, dict) and "id" in message and isinstance(message.get("method"), str)
    return message["id"] if is_request and type(message["id"]) in (int, str) else ...


@given(version=st.sampled_from([None, 1, 2]), said=st.lists(all_lines, max_size=8))
def test_any_lines_are_survived_and_answered_in_valid_messages(
    orchard: Path, version: int | None, said: list[bytes]
) -> None:
    talk = Talk(orchard, version, size=1)
    for line in said:
        answers = talk.say(line)
        for answer in answers:
            check(answer)
        replies = [answer["id"] for answer in answers if "method" not in answer]
        assert len(replies) <= 1
        request_id = expected(line)
        if request_id is not ... and not (isinstance(request_id, str) and not request_id.isprintable()):
            assert replies in ([request_id], [None])
    talk.ask("initialize", {"protocolVersion": 1})
    assert len(talk.sessions()) == 2
