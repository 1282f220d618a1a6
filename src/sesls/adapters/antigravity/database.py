"""A conversation's database. Field numbers are the vendor's own, from the descriptors in its SDK 0.1.22.

The schema has been stable since May 2026; still, only tables and columns that exist are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sesls.adapters import databases
from sesls.adapters.antigravity import log
from sesls.formats import protobuf, sqlite
from sesls.formats.protobuf import Fields
from sesls.instants import Instant

if TYPE_CHECKING:
    import sqlite3

# trajectory_meta.source
SOURCE_SDK = 15
SOURCE_SUBAGENT = 16
SOURCE_HUB = 18

# steps.step_type
_USER, _PLANNER, _SYSTEM_MESSAGE = 14, 15, 101

_LAST_STEPS = 16
_PAYLOAD_START = 4096
"""A step without metadata has its times in the first fields of its payload."""
_PROMPT_KEPT = 8 << 20
_FORK = 2


class Trajectory(msgspec.Struct, frozen=True):
    """What a database tells of its conversation, its steps but for the last ones left out."""

    created: Instant | None
    last_activity: Instant | None
    parent_id: str | None
    sender: str | None
    """The conversation that sent the first step, where no parent is named."""
    workspaces: tuple[str, ...]
    """URIs of folders."""
    project_id: str | None
    source: int | None
    is_hidden: bool


def read_trajectory(path: str) -> tuple[Trajectory, dict[str, str]]:
    """Return what a database tells of its conversation, texts apart; see `sessions.Facts.titles`.

    Raises OSError, and ValueError when it is none.
    """
    return databases.read(path, _trajectory)


def _trajectory(connection: sqlite3.Connection) -> tuple[Trajectory, dict[str, str]]:
    if not sqlite.columns(connection, "steps") and not sqlite.columns(connection, "trajectory_metadata_blob"):
        raise sqlite.UnreadableError("has no table of a conversation")
    blob = _metadata_blob(connection)
    moments = [moment for step in _last_steps(connection) for moment in _moments(step) if moment is not None]
    created = protobuf.moment(blob, 2)
    workspaces = protobuf.texts(blob, 7) or [
        uri for one in protobuf.messages(blob, 1) if (uri := protobuf.text(one, 1)) is not None
    ]
    parent = protobuf.text(blob, 5) or (protobuf.text(blob, 22, 2) if protobuf.number(blob, 16) else None)
    texts = {"role": protobuf.text(blob, 8, 2), "type": protobuf.text(blob, 8, 1), "branch": protobuf.text(blob, 1, 4)}
    trajectory = Trajectory(
        created=created or _first_moment(connection),
        last_activity=max(moments, default=None),
        parent_id=parent,
        sender=log.sender(_first_message(connection)) if parent is None else None,
        workspaces=tuple(workspaces),
        project_id=protobuf.text(blob, 18),
        source=_source(connection),
        is_hidden=bool(protobuf.number(blob, 12, 3)),
    )
    return trajectory, {name: text for name, text in texts.items() if text is not None}


def _metadata_blob(connection: sqlite3.Connection) -> Fields:
    if "data" not in sqlite.columns(connection, "trajectory_metadata_blob"):
        return {}
    row = connection.execute("SELECT data FROM trajectory_metadata_blob LIMIT 1").fetchone()
    return protobuf.decode(row[0]) if row is not None and isinstance(row[0], bytes) else {}


def _source(connection: sqlite3.Connection) -> int | None:
    if "source" not in sqlite.columns(connection, "trajectory_meta"):
        return None
    row = connection.execute("SELECT source FROM trajectory_meta LIMIT 1").fetchone()
    return row[0] if row is not None and isinstance(row[0], int) else None


def _step_columns(connection: sqlite3.Connection) -> tuple[str, str] | None:
    """Return expressions for a step's metadata and the start of its payload, or None without a table of steps."""
    columns = sqlite.columns(connection, "steps")
    if "idx" not in columns:
        return None
    metadata = "metadata" if "metadata" in columns else "NULL"
    payload = f"CAST(substr(step_payload, 1, {_PAYLOAD_START}) AS BLOB)" if "step_payload" in columns else "NULL"
    return metadata, f"CASE WHEN {metadata} IS NULL THEN {payload} END"


def _last_steps(connection: sqlite3.Connection) -> list[Fields]:
    """Return the metadata of the last steps."""
    expressions = _step_columns(connection)
    if expressions is None:
        return []
    query = f"SELECT {', '.join(expressions)} FROM steps ORDER BY idx DESC LIMIT {_LAST_STEPS}"
    return [_metadata(metadata, payload) for metadata, payload in connection.execute(query)]


def _first_moment(connection: sqlite3.Connection) -> Instant | None:
    expressions = _step_columns(connection)
    if expressions is None:
        return None
    row = connection.execute(f"SELECT {', '.join(expressions)} FROM steps ORDER BY idx LIMIT 1").fetchone()
    return protobuf.moment(_metadata(*row), 1) if row is not None else None


def _first_message(connection: sqlite3.Connection) -> str:
    """Return the text of the first step where that is a system message."""
    if not {"idx", "step_type", "step_payload"} <= sqlite.columns(connection, "steps"):
        return ""
    payload = f"CAST(substr(step_payload, 1, {_PROMPT_KEPT}) AS BLOB)"
    is_message = f"CASE WHEN step_type = {_SYSTEM_MESSAGE} THEN {payload} END"
    row = connection.execute(f"SELECT {is_message} FROM steps ORDER BY idx LIMIT 1").fetchone()
    data = row[0] if row is not None else None
    return protobuf.text(protobuf.decode(data), 114, 1) or "" if isinstance(data, bytes) else ""


def _metadata(metadata: object, payload: object) -> Fields:
    if isinstance(metadata, bytes):
        return protobuf.decode(metadata)
    return protobuf.message(protobuf.decode(payload), 5) if isinstance(payload, bytes) else {}


def _moments(metadata: Fields) -> tuple[Instant | None, Instant | None]:
    """Return when a step was created and when it was completed."""
    return protobuf.moment(metadata, 1), protobuf.moment(metadata, 8)


class Contents(msgspec.Struct):
    """What the steps of a conversation tell."""

    first_request: str | None = None
    task: str | None = None
    """What another conversation asked for in the first step."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    messages: int | None = None
    steps: int = 0
    forked_from: str | None = None


def read_contents(path: str) -> Contents:
    """Return what all steps tell. Raises OSError, and ValueError when the file is no conversation."""
    return databases.read(path, _contents)


def _contents(connection: sqlite3.Connection) -> Contents:
    contents = Contents()
    columns = sqlite.columns(connection, "steps")
    if {"idx", "step_type"} <= columns:
        _add_steps(contents, connection, columns)
    if not contents.models:
        contents.models = _generation_models(connection)
    if "data" in sqlite.columns(connection, "parent_references"):
        for (data,) in connection.execute("SELECT data FROM parent_references"):
            reference = protobuf.decode(data) if isinstance(data, bytes) else {}
            if protobuf.number(reference, 5) == _FORK:
                contents.forked_from = protobuf.text(reference, 6)
    return contents


def _add_steps(contents: Contents, connection: sqlite3.Connection, columns: frozenset[str]) -> None:
    metadata = "metadata" if "metadata" in columns else "NULL"
    start = f"CAST(substr(step_payload, 1, {_PAYLOAD_START}) AS BLOB)" if "step_payload" in columns else "NULL"
    contents.messages = 0
    for step_type, count in connection.execute("SELECT step_type, count(*) FROM steps GROUP BY 1"):
        contents.steps += count
        contents.messages += count if step_type == _USER else 0
    planner = f"SELECT {metadata}, {start} FROM steps WHERE step_type = {_PLANNER} ORDER BY idx"
    for data, payload in connection.execute(planner):
        contents.messages += _says_something(payload)
        model = protobuf.text(protobuf.decode(data), 24, 8) if isinstance(data, bytes) else None
        if model is not None:
            contents.models[model] = None
    if "step_payload" not in columns:
        return
    payload = f"CAST(substr(step_payload, 1, {_PROMPT_KEPT}) AS BLOB)"
    for (data,) in connection.execute(f"SELECT {payload} FROM steps WHERE step_type = {_USER} ORDER BY idx LIMIT 3"):
        step = protobuf.decode(data) if isinstance(data, bytes) else {}
        said = protobuf.text(step, 19, 2) or protobuf.text(step, 19, 3, 1)
        contents.first_request = contents.first_request or (log.request(said) if said is not None else None)
    contents.task = log.task(_first_message(connection))


def _says_something(payload: object) -> bool:
    """Tell whether an answer has words: one that only calls tools has none, one too long to be read whole has."""
    if not isinstance(payload, bytes) or len(payload) == _PAYLOAD_START:
        return True
    return protobuf.text(protobuf.decode(payload), 20, 1) is not None


def _generation_models(connection: sqlite3.Connection) -> dict[str, None]:
    """Return the models of the generations but the first, whose row holds the whole system prompt."""
    if not {"idx", "data"} <= sqlite.columns(connection, "gen_metadata"):
        return {}
    models: dict[str, None] = {}
    for (data,) in connection.execute("SELECT data FROM gen_metadata WHERE idx > 0 ORDER BY idx"):
        generation = protobuf.message(protobuf.decode(data), 1) if isinstance(data, bytes) else {}
        if model := protobuf.text(generation, 19) or protobuf.text(generation, 21):
            models[model] = None
    return models
