"""A made-up home of five agents, so that a list can be seen where there is nothing to list yet.

The files are real ones, in the least that each agent's format needs, read like any others. Every name is invented.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from msgspec.structs import replace

from sesls import interruption
from sesls.clock import Clock
from sesls.environment import Environment
from sesls.instants import Instant, rfc3339
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session

HOME = "/home/ada"
"""Whose sessions these are."""

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_TOKEN = "gh" + "p_" + "x7Rk2mQ9vT4bW8nL5cJ1dF6hS3gZ0aYe9uPq"


class Made(NamedTuple):
    """A session to be written."""

    agent: str
    age: int
    """In seconds."""
    title: str
    directory: str
    """Below the home."""
    model: str
    messages: int
    surface: str = ""
    """In the agent's own word."""
    parent: str = ""
    """The title of the session that spawned it."""

    @property
    def cwd(self) -> str:
        """The directory it ran in."""
        return f"{HOME}/{self.directory}"


_WEBHOOK = "Move the payment webhook to the queue"
SESSIONS = (
    Made("claude", 40, _WEBHOOK, "src/shop", "claude-opus-5-5", 28, "cli"),
    Made("claude", 95, "Find callers of chargeCard", "src/shop", "claude-haiku-5-5", 2, "cli", _WEBHOOK),
    Made("claude", 110, "Review the retry logic", "src/shop", "claude-haiku-5-5", 2, "cli", _WEBHOOK),
    Made("codex", 25 * _MINUTE, "Why is the login test flaky on CI?", "src/shop", "gpt-5.2-codex", 12, "codex-tui"),
    Made("opencode", 52 * _MINUTE, "Add pagination to the orders API", "src/shop", "claude-sonnet-5", 16),
    Made("claude", 3 * _HOUR, f"Replace {_TOKEN} in the deploy script", "src/infra", "claude-sonnet-5", 8, "cli"),
    Made("codex", 9 * _HOUR, "Port the image resizer to wasm", "src/thumbs", "gpt-5.2-codex", 62, "codex_vscode"),
    Made("antigravity", 20 * _HOUR, "Tidy the settings page", "src/mobile-app", "Gemini 3.5 Pro", 18),
    Made("claude", _DAY, "Explain this stack trace", "src/mobile-app", "claude-opus-5-5", 6, "claude-desktop"),
    Made("pi", 3 * _DAY, "日本語の README を書く", "src/docs", "claude-sonnet-5", 10),
    Made("codex", 4 * _DAY, "Write release notes for 2.4", "src/docs", "gpt-5.4-mini", 4, "codex_exec"),
    Made("claude", 8 * _DAY, "Draft a migration plan for Postgres 18", "src/infra", "claude-opus-5", 18, "cli"),
)


def page(clock: Clock, *, redact: bool = True) -> Page:
    """Return the list of the made-up sessions, as old at any moment as at any other. No file of them is left."""
    temporary = tempfile.TemporaryDirectory(prefix="sesls-demo-")
    with interruption.cleared_by(temporary.cleanup), temporary as root:
        write(root, clock.now)
        environment = Environment(home=root, variables={}, cwd=root, config_home=os.path.join(root, ".config"))
        made = take(Query(redact=redact), environment, clock=clock)
        return replace(made, sessions=tuple(_at_home(session, root) for session in made.sessions))


def _at_home(session: Session, root: str) -> Session:
    """Return a session as if it lay in the home of those who made it."""
    command = session.resume_command
    return replace(
        session,
        path=session.path.replace(root, HOME),
        resume_command=None if command is None else command.replace(root, HOME),
    )


def write(root: str, now: Instant) -> None:
    """Write the files of all agents into an empty home."""
    for made in SESSIONS:
        _WRITERS[made.agent](root, made, now)


def _claude(root: str, made: Made, now: Instant) -> None:
    owner = _uuid(made.parent or made.title)
    names: dict[str, Any] = {"sessionId": owner, "cwd": made.cwd, "version": "2.1.332", "entrypoint": made.surface}
    if made.parent:
        names |= {"isSidechain": True, "agentId": _spawned(made)}
    rows = []
    for place, (role, text, moment) in enumerate(_talk(made, now)):
        message = {"role": role, "content": text} if role == "user" else _answer(made, text)
        rows.append(
            {"type": role, "message": message, "uuid": _uuid(f"{made.title} {place}"), "timestamp": moment, **names}
        )
    project = os.path.join(root, ".claude", "projects", re.sub("[^A-Za-z0-9]", "-", made.cwd))
    if not made.parent:
        _put(os.path.join(project, f"{owner}.jsonl"), rows)
        return
    path = os.path.join(project, owner, "subagents", f"agent-{_spawned(made)}")
    _put(f"{path}.meta.json", [{"agentType": "Explore", "description": made.title}])
    _put(f"{path}.jsonl", rows)


def _codex(root: str, made: Made, now: Instant) -> None:
    talk = list(_talk(made, now))
    start = talk[0][2]
    meta = {"id": _uuid(made.title), "timestamp": start, "cwd": made.cwd, "originator": made.surface, "source": "cli"}
    records = [_record("session_meta", {**meta, "cli_version": "0.171.0"}, start)]
    records.append(_record("turn_context", {"cwd": made.cwd, "model": made.model}, start))
    kinds = {"user": "user_message", "assistant": "agent_message"}
    records += [_record("event_msg", {"type": kinds[role], "message": text}, moment) for role, text, moment in talk]
    name = f"rollout-{start[:19].replace(':', '-')}-{_uuid(made.title)}.jsonl"
    _put(os.path.join(root, ".codex", "sessions", *start[:10].split("-"), name), records)


def _record(kind: str, payload: Mapping[str, Any], moment: str) -> dict[str, Any]:
    return {"timestamp": moment, "type": kind, "payload": payload}


def _opencode(root: str, made: Made, now: Instant) -> None:
    storage = os.path.join(root, ".local", "share", "opencode", "storage")
    identity, project = f"ses_{_hex(made.title, 12)}", _hex(made.directory, 20)
    moments = [moment for _, moment in _moments(made, now)]
    record: dict[str, Any] = {
        "id": identity,
        "projectID": project,
        "directory": made.cwd,
        "title": made.title,
        "version": "1.1.40",
    }
    record["time"] = {"created": moments[0], "updated": moments[-1]}
    _put(os.path.join(storage, "session", project, f"{identity}.json"), [record])
    for place, (role, moment) in enumerate(_moments(made, now)):
        message: dict[str, Any] = {
            "id": f"msg_{place:04}",
            "sessionID": identity,
            "role": role,
            "time": {"created": moment},
        }
        if role == "assistant":
            message |= {"modelID": made.model, "providerID": "anthropic"}
        _put(os.path.join(storage, "message", identity, f"msg_{place:04}.json"), [message])


def _antigravity(root: str, made: Made, now: Instant) -> None:
    home = os.path.join(root, ".gemini", "antigravity-cli")
    identity = _uuid(made.title)
    lines = []
    for place, (role, text, moment) in enumerate(_talk(made, now)):
        change = f"\nThe user changed setting `Model Selection` from None to {made.model}." if place == 0 else ""
        content = f"<USER_REQUEST>\n{text}\n</USER_REQUEST>{change}" if role == "user" else text
        kind, source = ("USER_INPUT", "USER_EXPLICIT") if role == "user" else ("PLANNER_RESPONSE", "MODEL")
        lines.append({"step_index": place, "source": source, "type": kind, "created_at": moment, "content": content})
    _put(os.path.join(home, "brain", identity, ".system_generated", "logs", "transcript.jsonl"), lines)
    prompt = {"display": made.title, "timestamp": 1, "workspace": made.cwd, "conversationId": identity}
    _put(os.path.join(home, "history.jsonl"), [prompt])


def _pi(root: str, made: Made, now: Instant) -> None:
    talk = list(_talk(made, now))
    start, identity = talk[0][2], _uuid(made.title)
    entries: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": identity, "timestamp": start, "cwd": made.cwd}
    ]
    for place, (role, text, moment) in enumerate(talk):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        if role == "assistant":
            message |= {"provider": "anthropic", "model": made.model, "stopReason": "stop"}
        tree = {"id": f"{place + 1:08x}", "parentId": f"{place:08x}" if place else None}
        entries.append({"type": "message", **tree, "timestamp": moment, "message": message})
    folder = f"--{made.cwd[1:].replace('/', '-')}--"
    name = f"{re.sub('[:.]', '-', start)}_{identity}.jsonl"
    _put(os.path.join(root, ".pi", "agent", "sessions", folder, name), entries)


_WRITERS: Mapping[str, Callable[[str, Made, Instant], None]] = {
    "claude": _claude,
    "codex": _codex,
    "opencode": _opencode,
    "antigravity": _antigravity,
    "pi": _pi,
}


def _moments(made: Made, now: Instant) -> Iterator[tuple[str, Instant]]:
    """Yield who speaks when: in turns, half a minute apart, the last as old as the session."""
    last = now - made.age * 1000
    for place in range(made.messages):
        yield ("user", "assistant")[place % 2], last - (made.messages - 1 - place) * 30_000


def _talk(made: Made, now: Instant) -> Iterator[tuple[str, str, str]]:
    """Yield who says what and when."""
    for place, (role, moment) in enumerate(_moments(made, now)):
        yield role, made.title if place == 0 else "Go on." if role == "user" else "Done.", rfc3339(moment)


def _answer(made: Made, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "message", "role": "assistant", "model": made.model, "content": content}


def _uuid(text: str) -> str:
    digits = _hex(text, 16)
    return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"8{digits[17:20]}", digits[20:]))


def _spawned(made: Made) -> str:
    return f"a{_hex(made.title, 8)}"


def _hex(text: str, size: int) -> str:
    return blake2b(text.encode(), digest_size=size).hexdigest()


def _put(path: str, records: Sequence[Mapping[str, Any]]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
