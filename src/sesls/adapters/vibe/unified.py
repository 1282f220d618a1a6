"""The folder of a unified session (2.26 to 3.0).

    CURRENT                                  names the generation that counts
    generations/<n>/projection-state.json    what the session shows of itself
    generations/<n>/manifest.json            names the chunks that hold its history
    chunks/<sha256>.json                     pieces of any kind; old ones stay for a while
    journal/<first sequence>.jsonl           what happened since the generation

The names of chunks are checksums, which sesls does not check.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from sesls.adapters.vibe import records
from sesls.adapters.vibe.records import Message, PublicSession
from sesls.formats import files, jsonl

_LONGEST_CHUNK = 2 << 20
_LONGEST_READ_CHUNK = 16 << 20
_CHUNKS_LOOKED_AT = 64
_STARTS = re.compile(rb'"turn/start"')
_ENTRIES = re.compile(rb'"append_entry"')


def read_public_session(folder: str) -> PublicSession:
    """Return what a session shows of itself, or an empty one where that cannot be read."""
    current = jsonl.small(os.path.join(folder, "CURRENT"), records.CURRENT)
    name = current.generation if current is not None else None
    state = _state(folder, name) if name is not None and files.is_name(name) else None
    if state is not None:
        return state
    # Written before the generation that counts, or after it.
    generations = files.folders(os.path.join(folder, "generations"), files.ignore)
    others = (_state(folder, entry.name) for entry in reversed(generations))
    return next(filter(None, others), None) or PublicSession()


def _state(folder: str, generation: str) -> PublicSession | None:
    path = os.path.join(folder, "generations", generation, "projection-state.json")
    found = jsonl.small(path, records.PROJECTION)
    return found.snapshot.session if found is not None and found.snapshot is not None else None


def first_prompt(folder: str) -> str | None:
    """Return the first prompt of a session that has not shown it yet: from the chunks, or else from the journal."""
    earliest: tuple[float, str] | None = None
    for entry in files.entries(os.path.join(folder, "chunks"), files.ignore)[:_CHUNKS_LOOKED_AT]:
        for message in _chunk(entry.path, _LONGEST_CHUNK) or ():
            prompt = records.text_of(message.content) if message.role == "user" else None
            if prompt is not None and (earliest is None or (message.created_at or 0) < earliest[0]):
                earliest = (message.created_at or 0, prompt)
    return earliest[1] if earliest is not None else next(_started_turns(folder), None)


def _started_turns(folder: str) -> Iterator[str]:
    for record in _journal(folder, _STARTS):
        payload = record.payload
        if payload is not None and payload.method == "turn/start" and payload.params is not None:
            prompt = records.text_of(payload.params.message)
            if prompt is not None:
                yield prompt


def count_messages(folder: str) -> int | None:
    """Return how many messages a session's history holds; None where not all of it can be read."""
    current = jsonl.small(os.path.join(folder, "CURRENT"), records.CURRENT)
    if current is None or current.generation is None or not files.is_name(current.generation):
        return None
    path = os.path.join(folder, "generations", current.generation, "manifest.json")
    manifest = jsonl.small(path, records.MANIFEST)
    if manifest is None or manifest.projection_state is None:
        return None
    ids: set[str | None] = set()
    for name in manifest.projection_state.chunks or ():
        path = os.path.join(folder, "chunks", f"{name}.json")
        messages = _chunk(path, _LONGEST_READ_CHUNK) if files.is_name(name) else None
        if messages is None:
            return None
        ids.update(message.id for message in messages)
    for record in _journal(folder, _ENTRIES):
        if record.payload is not None and (record.sequence or 0) > (current.snapshot_sequence or 0):
            entries = (change.entry for change in record.payload.delta or ())
            ids.update(entry.id for entry in entries if entry is not None and entry.is_turn)
    return len(ids)


def _chunk(path: str, limit: int) -> list[Message] | None:
    found = files.status(path)
    if found is None or found.st_size > limit:
        return None
    try:
        return list(records.chunk_messages(files.content(path, limit)))
    except OSError:
        return None


def _journal(folder: str, pattern: re.Pattern[bytes]) -> Iterator[records.Record]:
    for entry in files.entries(os.path.join(folder, "journal"), files.ignore):
        if not entry.name.endswith(".jsonl"):
            continue
        try:
            with jsonl.opened(entry.path) as file:
                yield from jsonl.records(jsonl.lines_with(jsonl.blocks(file), pattern), records.RECORD)
        except OSError:
            continue
