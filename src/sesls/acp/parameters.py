"""What the parameters of a request say. Every function raises ProtocolError for what they must not be."""

from __future__ import annotations

from sesls.acp.wire import INVALID_PARAMS, Message, ProtocolError
from sesls.paths import absolute_or_none

_REQUIRED_TEXTS = {"text": ("text",), "resource_link": ("uri", "name")}
"""What the kinds of content have that every agent takes."""


def wrong(why: str) -> ProtocolError:
    """Return the refusal of parameters, for a reason in one sentence."""
    return ProtocolError(INVALID_PARAMS, f"Invalid params: {why}")


def fields(params: object) -> Message:
    """Return parameters by name; there may be none."""
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise wrong("params is an object")
    return params


def text_or_none(params: Message, name: str) -> str | None:
    """Return a text that may be left out, or null."""
    value = params.get(name)
    if value is not None and not isinstance(value, str):
        raise wrong(f"{name} is a text")
    return value


def text(params: Message, name: str) -> str:
    """Return a text that must be there."""
    value = text_or_none(params, name)
    if value is None:
        raise wrong(f"{name} is missing")
    return value


def directory_or_none(params: Message) -> str | None:
    """Return the directory `cwd`, an absolute one, which may be left out."""
    value = text_or_none(params, "cwd")
    if value is not None and absolute_or_none(value) is None:
        raise wrong("cwd is an absolute path")
    return value


def directory(params: Message) -> str:
    """Return the directory `cwd`, an absolute one."""
    value = directory_or_none(params)
    if value is None:
        raise wrong("cwd is missing")
    return value


def servers(params: Message) -> None:
    """Check the MCP servers, which no session of ours connects to."""
    if not isinstance(params.get("mcpServers") or [], list):
        raise wrong("mcpServers is an array")


def prompt(params: Message) -> list[Message]:
    """Return the blocks of content of a prompt."""
    blocks = params.get("prompt")
    if not isinstance(blocks, list) or not blocks:
        raise wrong("prompt is an array of content")
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str):
            raise wrong("prompt holds objects with a type")
        if not all(isinstance(block.get(name), str) for name in _REQUIRED_TEXTS.get(kind, ())):
            raise wrong(f"{kind} in prompt has {' and '.join(_REQUIRED_TEXTS[kind])}")
    return blocks


def replay(params: Message) -> None:
    """Check from where a session's history is to be told again: from its start, or not at all."""
    start = params.get("replayFrom")
    if start is not None and not (isinstance(start, dict) and start.get("type") == "start"):
        raise wrong('replayFrom is null or {"type": "start"}')
