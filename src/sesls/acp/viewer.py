"""What sessions with this agent say: they run no model, they show what there is.

A client opens a session with every agent it starts, so this one has sessions too. They live in memory, as long as
the connection, and are never listed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from sesls.acp.versions import Version
from sesls.acp.wire import Message, Reply, notification
from sesls.output import words
from sesls.session import Session
from sesls.text import one_line

SHOWN = 20
"""How many sessions are shown of a directory."""

_BACKTICKS = re.compile("`+")


def overview(sessions: Sequence[Session], total: int, directory: str) -> str:
    """Return the newest sessions of a directory as Markdown, each with the command that reopens it."""
    place = one_line(directory)
    if not sessions:
        return f"No session ran in {place} or below it. sesls only lists sessions; it runs no model."
    listed = "\n".join(line for session in sessions for line in _lines(session))
    newest = f", the newest {len(sessions)}" if len(sessions) < total else ""
    return f"{words.count(total, 'session')} in {place} and below{newest}:\n\n{_fenced(listed)}"


def reopening(session: Session) -> str:
    """Return how to go on with a session, as Markdown."""
    if session.resume_command is None:
        return f"No command of {session.agent} reopens this session. sesls only lists sessions; it runs no model."
    return f"sesls only lists sessions. This command reopens it:\n\n{_fenced(session.resume_command)}"


def turn(version: Version, session_id: str, prompt: Sequence[Message], text: str) -> Reply:
    """Return the reply to a prompt: in version 2 a turn is told in updates, after the prompt has been accepted."""
    said = {"type": "text", "text": text}
    if version == 1:
        return Reply({"stopReason": "end_turn"}, before=[_update(session_id, "agent_message_chunk", content=said)])
    asked_id, said_id = os.urandom(8).hex(), os.urandom(8).hex()
    updates = [
        _update(session_id, "user_message", messageId=asked_id, content=prompt),
        _update(session_id, "state_update", state="running"),
        _update(session_id, "agent_message_chunk", messageId=said_id, content=said),
        _update(session_id, "state_update", state="idle", stopReason="end_turn"),
    ]
    return Reply({"messageId": asked_id}, after=updates)


def resumption(session_id: str) -> Reply:
    """Return the reply to the resuming of a session, in version 2: nothing is going on in it."""
    return Reply({}, before=[_update(session_id, "state_update", state="idle")])


def _update(session_id: str, kind: str, **fields: object) -> Message:
    return notification("session/update", {"sessionId": session_id, "update": {"sessionUpdate": kind, **fields}})


def _lines(session: Session) -> list[str]:
    about = f"{words.age(session.age_sec):>4}  {session.agent:<11}  {session.title or '—'}"
    return [about] if session.resume_command is None else [about, f"      {session.resume_command}"]


def _fenced(text: str) -> str:
    """Return a text as a block of code, whatever it holds."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
