"""Where Antigravity keeps its conversations: one root below `~/.gemini` for each product, the same on every system.

    conversations/<id>.db                       a conversation (from about May 2026), subagents' too
    conversations/<id>.pb                       an encrypted one (before)
    brain/<id>/.system_generated/logs/          its log
    brain/<id>/*.md                             its artifacts
    brain/<id>/.system_generated/subagents/<child>.json     a note about a conversation that it spawned

Indexes and caches beside them never make a session. Credentials (`*token*`, `oauth_creds.json`) are never opened.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores are the names of their roots.
CLI = "antigravity-cli"
SHARED = "antigravity"
"""The IDE's to May 2026, then the desktop program's; the SDK's by default."""
IDE = "antigravity-ide"
ACP = "antigravity-acp"

# Roles of candidates.
DATABASE = "conversation database"
ENCRYPTED = "encrypted conversation"
LOG = "log"
ARTIFACT = "artifact"
SUBAGENT_NOTE = "note about a subagent"

# The SDK writes ids without dashes.
ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}"
_CONVERSATION = re.compile(rf"({ID})\.(db|pb)", re.IGNORECASE)
_NAME = re.compile(ID, re.IGNORECASE)
_NOTE = re.compile(rf"({ID})\.json", re.IGNORECASE)
# The best one first: the full transcript holds more text, and no more about the session.
_LOGS = ("transcript.jsonl", "transcript_full.jsonl", "overview.txt")


def gemini(environment: Environment) -> str:
    """Return the directory of all roots, which the Gemini CLI shares."""
    return environment.in_home(".gemini")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the roots of all products."""
    return tuple(Store(os.path.join(gemini(environment), name), name) for name in (CLI, SHARED, IDE, ACP))


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the databases, encrypted conversations, logs, artifacts and notes of a root."""
    places = {entry.name: entry.path for entry in files.entries(store.path, report)}
    for entry in _entries(places, "conversations", report):
        match = _CONVERSATION.fullmatch(entry.name)
        if match is not None:
            yield from _with_bytes([entry], DATABASE if match[2].lower() == "db" else ENCRYPTED, store, report)
    for entry in _entries(places, "brain", report):
        # Sync tools leave links to other roots' folders.
        if _NAME.fullmatch(entry.name) and not entry.is_symlink() and files.is_folder(entry, report):
            yield from _brain(entry.path, store, report)


def _brain(folder: str, store: Store, report: files.Report) -> Iterator[Candidate]:
    inside = {entry.name: entry for entry in files.entries(folder, report)}
    generated = {entry.name: entry.path for entry in _entries(_paths(inside), ".system_generated", report)}
    named = {entry.name: entry for entry in _entries(generated, "logs", report)}
    logs = list(_with_bytes([named[name] for name in _LOGS if name in named], LOG, store, report))[:1]
    yield from logs
    # An overview may be prose, which tells less than an artifact.
    if not logs or logs[0].path.endswith(".txt"):
        texts = [entry for name, entry in inside.items() if name.endswith(".md")]
        yield from list(_with_bytes(texts, ARTIFACT, store, report))[:1]
    notes = (one for one in _entries(generated, "subagents", report) if _NOTE.fullmatch(one.name))
    yield from files.candidates(notes, SUBAGENT_NOTE, store, report)


def _entries(places: Mapping[str, str], name: str, report: files.Report) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, if it is there: of what may not be read only the outermost is reported."""
    return files.entries(places[name], report) if name in places else []


def _paths(entries: Mapping[str, os.DirEntry[str]]) -> dict[str, str]:
    return {name: entry.path for name, entry in entries.items()}


def _with_bytes(
    entries: Iterable[os.DirEntry[str]], role: str, store: Store, report: files.Report
) -> Iterator[Candidate]:
    return (one for one in files.candidates(entries, role, store, report) if one.size)


def conversation_id(candidate: Candidate) -> str:
    """Return the id of the conversation that a candidate is about."""
    name = os.path.basename(candidate.path)
    if candidate.role in (DATABASE, ENCRYPTED, SUBAGENT_NOTE):
        return name.rpartition(".")[0]
    return os.path.basename(brain_folder(candidate))


def brain_folder(candidate: Candidate) -> str:
    """Return the folder of the conversation whose brain a log, an artifact or a note lies in."""
    folder = os.path.dirname(candidate.path)
    return folder if candidate.role == ARTIFACT else os.path.dirname(os.path.dirname(folder))


def noting_id(candidate: Candidate) -> str:
    """Return the id of the conversation that made a note about a subagent."""
    return os.path.basename(brain_folder(candidate))
