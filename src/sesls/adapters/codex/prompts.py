"""What a person asked for, out of what Codex stores."""

from __future__ import annotations

from collections.abc import Iterable

from sesls.adapters.codex.records import Part, Payload
from sesls.text import is_visible

# The VS Code extension puts the editor's context before the request.
_REQUEST = "## My request for Codex:"

# Response items of role `user` that Codex itself wrote. Events and completed items are never synthetic: who really
# types one of these gets it as the title.
_SYNTHETIC = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions for",
    "<turn_aborted>",
    "<user_shell_command>",
    "<user_action>",
    "<skill>",
    "<subagent_notification>",
    "<goal_context>",
    "<model_switch>",
    "<collaboration_mode>",
    "<permissions instructions>",
)


def request(text: str) -> str | None:
    """Return the request in a stored user message, or None when there is no text in it."""
    _, found, after = text.partition(_REQUEST)
    asked = (after if found else text).strip()
    return asked if is_visible(asked) else None


def of_event(payload: Payload) -> str | None:
    """Return the title that a `user_message` event gives: its text, or what was attached instead."""
    return request(payload.message or "") or _attached(
        bool(payload.images or payload.local_images), bool(payload.audio)
    )


def of_item(parts: Iterable[Part]) -> str | None:
    """Return the title that a completed `UserMessage` gives: its text, or what was attached instead."""
    parts = list(parts)
    kinds = {part.type for part in parts}
    text = "".join(part.text or "" for part in parts if part.type == "text")
    return request(text) or _attached(bool(kinds & {"image", "local_image"}), bool(kinds & {"audio", "local_audio"}))


def of_response_item(parts: Iterable[Part]) -> str | None:
    """Return the request in a raw user message, or None when Codex itself wrote it."""
    text = "".join(part.text or "" for part in parts)
    return None if text.lstrip().startswith(_SYNTHETIC) else request(text)


def _attached(images: bool, audio: bool) -> str | None:
    return "[Image]" if images else "[Audio]" if audio else None
