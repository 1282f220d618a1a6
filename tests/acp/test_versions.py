"""Which version is spoken, and what this agent promises in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesls import __version__
from tests.acp.client import Message, Talk, initialize

INVALID_PARAMS = -32602
INVALID_REQUEST = -32600
UNSUPPORTED = -32022
INFO = {"name": "sesls", "title": "sesls", "version": __version__}


def test_version_1_promises_listing_and_nothing_else(home: Path) -> None:
    assert Talk(home, None).result("initialize", initialize(1)) == {
        "protocolVersion": 1,
        "agentCapabilities": {"loadSession": False, "sessionCapabilities": {"list": {}}},
        "agentInfo": INFO,
        "authMethods": [],
    }


def test_version_2_promises_the_methods_that_every_agent_has(home: Path) -> None:
    assert Talk(home, None).result("initialize", initialize(2)) == {
        "protocolVersion": 2,
        "capabilities": {"session": {}},
        "info": INFO,
        "authMethods": [],
    }


@pytest.mark.parametrize("version", [3, 65535, 10**30])
def test_a_newer_client_gets_the_newest_version_whatever_else_it_says(home: Path, version: int) -> None:
    answer = Talk(home, None).result("initialize", {"protocolVersion": version, "info": 5, "capabilities": [1]})

    assert answer["protocolVersion"] == 2
    assert "agentCapabilities" not in answer


def test_a_client_of_version_1_need_not_say_more(home: Path) -> None:
    params: Message = {
        "protocolVersion": 1,
        "clientInfo": 5,
        "clientCapabilities": None,
        "_meta": {"a": 1},
        "future": [],
    }

    assert Talk(home, None).result("initialize", params)["protocolVersion"] == 1


def test_version_0_is_supported_by_nobody(home: Path) -> None:
    error = Talk(home, None).error("initialize", initialize(0))

    assert (error["code"], error["data"]) == (UNSUPPORTED, {"requested": 0, "supported": [1, 2]})


@pytest.mark.parametrize(
    "params",
    [
        ...,
        None,
        {},
        [],
        "1",
        {"protocolVersion": "1"},
        {"protocolVersion": None},
        {"protocolVersion": 1.0},
        {"protocolVersion": True},
        {"protocolVersion": -1},
        {"protocolVersion": 2},
        {"protocolVersion": 2, "info": {"name": "x"}},
    ],
)
def test_what_is_no_introduction_is_refused_and_another_may_follow(home: Path, params: object) -> None:
    talk = Talk(home, None)

    assert talk.code("initialize", params) == INVALID_PARAMS
    assert talk.code("session/list", {}) == INVALID_REQUEST
    assert talk.result("initialize", initialize(1))["protocolVersion"] == 1


@pytest.mark.parametrize("method", ["session/list", "session/new", "nope", "_x"])
def test_everything_else_comes_after_it(home: Path, method: str) -> None:
    talk = Talk(home, None)

    assert talk.code(method, {}) == INVALID_REQUEST
    assert talk.result("initialize", initialize(2))["protocolVersion"] == 2


def test_it_may_be_repeated_until_something_else_is_asked(home: Path) -> None:
    talk = Talk(home, 1)

    assert talk.result("initialize", initialize(2))["protocolVersion"] == 2
    assert talk.code("initialize", {}) == INVALID_PARAMS
    talk.result("session/list", {})
    assert talk.code("initialize", initialize(1)) == INVALID_REQUEST
    assert talk.result("session/close", {"sessionId": "x"}) == {}
