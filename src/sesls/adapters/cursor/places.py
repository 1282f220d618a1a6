"""Where Cursor keeps its sessions.

    <configuration>/chats/<MD5 of the directory>/<id>/store.db, meta.json      a session of the command line
    <data>/projects/<directory>/agent-transcripts/<id>.txt, <id>.jsonl          a transcript, of the IDE too
    …/agent-transcripts/<id>/<id>.jsonl, <id>/subagents/<id>.jsonl              newer ones, with those it spawned

A directory's encoded name is not reversible, so it is never decoded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
CHATS = "chats"
PROJECTS = "transcripts"

# Roles of candidates.
STORE = "store"
SIDECAR = "sidecar"
TRANSCRIPT = "transcript"
SPAWNED = "transcript of a spawned session"

_ROLES = {"store.db": STORE, "meta.json": SIDECAR}
_ENDINGS = (".jsonl", ".txt")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folders of chats and of transcripts, the same on every system."""
    own = environment.in_home(".cursor")
    moved = environment.directory("CURSOR_CONFIG_DIR")
    config_home = environment.directory("XDG_CONFIG_HOME")
    # Older builds did not ask for XDG_CONFIG_HOME.
    configurations = [moved] if moved else [os.path.join(config_home, "cursor"), own] if config_home else [own]
    data = environment.directory("CURSOR_DATA_DIR") or own
    return (
        *(Store(os.path.join(folder, "chats"), CHATS) for folder in configurations),
        Store(os.path.join(data, "projects"), PROJECTS),
    )


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that tell of sessions."""
    for folder in files.folders(store.path, report):
        if store.role == CHATS:
            for chat in files.folders(folder.path, report):
                for entry in files.entries(chat.path, report):
                    if entry.name in _ROLES:
                        yield from files.candidates([entry], _ROLES[entry.name], store, report)
        else:
            yield from _transcripts(os.path.join(folder.path, "agent-transcripts"), store, report)


def _transcripts(folder: str, store: Store, report: files.Report) -> Iterator[Candidate]:
    entries = files.entries(folder, report)
    yield from files.candidates([entry for entry in entries if _is_transcript(entry)], TRANSCRIPT, store, report)
    for entry in entries:
        if _is_transcript(entry) or not files.is_folder(entry, report):
            continue
        within = files.entries(entry.path, report)
        # Only a file of the folder's own name.
        own = [one for one in within if _is_transcript(one) and os.path.splitext(one.name)[0] == entry.name]
        yield from files.candidates(own, TRANSCRIPT, store, report)
        if any(one.name == "subagents" for one in within):
            spawned = files.entries(os.path.join(entry.path, "subagents"), report)
            yield from files.candidates([one for one in spawned if _is_transcript(one)], SPAWNED, store, report)


def _is_transcript(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_ENDINGS) and not entry.name.startswith(".")


def session_id(candidate: Candidate) -> str:
    """Return the id of the session that a file tells of, which is the name of its folder, or its own."""
    if candidate.role in (STORE, SIDECAR):
        return os.path.basename(os.path.dirname(candidate.path))
    return os.path.splitext(os.path.basename(candidate.path))[0]


def parent_id(candidate: Candidate) -> str | None:
    """Return the id of the session that spawned that of a transcript."""
    if candidate.role != SPAWNED:
        return None
    return os.path.basename(os.path.dirname(os.path.dirname(candidate.path)))


def is_hash_of(candidate: Candidate, directory: str) -> bool:
    """Tell whether the folder that a chat lies in is named after a directory."""
    import hashlib  # here: few homes need it

    name = os.path.basename(os.path.dirname(os.path.dirname(candidate.path)))
    return hashlib.md5(directory.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest() == name
