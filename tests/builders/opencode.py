"""Stores of OpenCode: one session written as any generation of it keeps it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders.common import CWD, epoch_ms, put

Record = dict[str, Any]

DATA = ".local/share/opencode"
MODEL = "claude-opus-4-5"
VERSION = "1.18.33"
MIGRATED = epoch_ms(5_000_000)
"""What a migration wrote into `message.time_updated`: long after anything a session tells."""


class Message(NamedTuple):
    """A message; anything but a dict is written as it is."""

    data: Record | bytes | str | float | None
    parts: Sequence[Record | bytes] = ()
    kind: str | None = None
    """That of 2.x, which stands beside the data."""


class Session(NamedTuple):
    """A session by the names of its row's columns, with its messages."""

    row: Record
    messages: Sequence[Message]

    @property
    def id(self) -> str:
        return str(self.row["id"])


def ses(number: int) -> str:
    """Return a session's id."""
    return f"ses_{number:08x}fffe{number:014d}"


def msg(session: str, place: int) -> str:
    """Return the id of a session's message; ids sort as messages follow each other."""
    return f"msg_{place:08x}0001{session[-14:]}"


def user(*texts: str, seconds: float = 1, **keys: object) -> Message:
    """Return a prompt, each of its texts a part."""
    data = {"role": "user", "time": {"created": epoch_ms(seconds)}, "agent": "build", **keys}
    return Message(_without(data), [text_part(text) for text in texts])


def assistant(seconds: float = 10, took: float | None = 20, model: str = MODEL, **keys: object) -> Message:
    """Return an answer; without a time it took it was never completed."""
    time = {"created": epoch_ms(seconds)} | ({} if took is None else {"completed": epoch_ms(seconds + took)})
    data = {
        "role": "assistant",
        "time": time,
        "modelID": model,
        "providerID": "anthropic",
        "mode": "build",
        "path": {"cwd": CWD, "root": "/srv"},
        **keys,
    }
    return Message(_without(data), [text_part("Done.")])


def text_part(text: str, **keys: object) -> Record:
    """Return a part of a message that is text."""
    return {"type": "text", "text": text, **keys}


def session(number: int = 1, messages: Sequence[Message] | None = None, **row: object) -> Session:
    """Return a session; by default of one prompt and its answer."""
    if messages is None:
        messages = [user(f"Prompt {number}"), assistant()]
    columns = {
        "id": ses(number),
        "project_id": "4b1d",
        "slug": "quiet-plum",
        "directory": CWD,
        "title": f"Title {number}",
        "version": VERSION,
        "time_created": epoch_ms(),
        "time_updated": epoch_ms(20),
        **row,
    }
    return Session(_without(columns), messages)


def _without(keys: Record) -> Record:
    return {key: value for key, value in keys.items() if value is not ...}  # `...` takes a key out


# Databases

FIRST_COLUMNS = (
    "id", "project_id", "parent_id", "slug", "directory", "title", "version", "share_url", "summary_diffs", "revert",
    "permission", "time_created", "time_updated", "time_compacting", "time_archived",
)  # fmt: skip
"""Those of 1.2."""
COLUMNS = (*FIRST_COLUMNS, "workspace_id", "path", "metadata", "cost", "agent", "model")
"""Those of 1.18."""
V2_COLUMNS = (*COLUMNS, "fork_session_id", "fork_boundary", "time_idle")

MESSAGES = "message (id PRIMARY KEY, session_id, time_created, time_updated, data)"
PARTS = "part (id PRIMARY KEY, message_id, session_id, time_created, time_updated, data)"
V2_MESSAGES = "session_message (id PRIMARY KEY, session_id, type, seq, time_created, time_updated, data)"

FIRST_INDEXES = ("message (session_id)", "part (message_id)")
INDEXES = ("message (session_id, time_created, id)", "part (message_id, id)")
V2_INDEXES = (
    "session_message (session_id, seq)",
    "session_message (session_id, type, seq)",
    "session_message (session_id, time_created, id)",
)


def database(
    home: Path,
    sessions: Iterable[Session] = (),
    *,
    file: str = "opencode.db",
    data: str = DATA,
    table: str = "session",
    columns: Sequence[str] = COLUMNS,
    others: Sequence[str] = (MESSAGES, PARTS, V2_MESSAGES),
    indexes: Sequence[str] = (*INDEXES, *V2_INDEXES),
) -> Path:
    """Write sessions of 1.x into a database at rest, a new one or one that is there."""
    path = home / data / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=MEMORY")
        _prepare(connection, table, columns, others, indexes)
        fill(connection, sessions, table)
        connection.commit()
        connection.execute("PRAGMA journal_mode=WAL")
    return path


def v2_database(home: Path, sessions: Iterable[Session] = (), **keys: Any) -> Path:
    """Write sessions of 2.x: their own tables, and messages of another shape."""
    shape = {"table": "session_v2", "columns": V2_COLUMNS, "others": (V2_MESSAGES,), "indexes": V2_INDEXES}
    return database(home, [_as_v2(one) for one in sessions], **(shape | keys))


def live_database(
    home: Path, sessions: Iterable[Session], *, shm: bool = True, at_rest: Iterable[Session] = ()
) -> Path:
    """Write a database as a running OpenCode keeps it: its newest sessions in the WAL alone."""
    path = home / DATA / "opencode.db"
    source = database(home, at_rest, data="being-written")
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        fill(connection, sessions)
        connection.commit()
        for suffix in ("", "-wal", "-shm") if shm else ("", "-wal"):
            shutil.copy(f"{source}{suffix}", f"{path}{suffix}")
    shutil.rmtree(source.parent)
    return path


def change(path: Path, *statements: str) -> Path:
    """Run statements on a database at rest."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def _prepare(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], others: Sequence[str], indexes: Sequence[str]
) -> None:
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(columns)})")
    connection.execute("CREATE TABLE IF NOT EXISTS project (id, worktree)")
    connection.execute("INSERT INTO project VALUES ('4b1d', '/srv/another/clone')")
    for one in others:
        connection.execute(f"CREATE TABLE IF NOT EXISTS {one}")
    for one in indexes:
        name = "".join(filter(str.isalnum, one))
        connection.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {one}")


def fill(connection: sqlite3.Connection, sessions: Iterable[Session], table: str = "session") -> None:
    """Add sessions to a database that is open."""
    for one in sessions:
        _insert(connection, table, one.row)
        for place, message in enumerate(one.messages):
            data = message.data
            row = {
                "id": msg(one.id, place),
                "session_id": one.id,
                "time_created": _created(data),
                "time_updated": MIGRATED,
                "data": _json(data),
            }
            if message.kind is None:
                _insert(connection, "message", row)
            else:
                _insert(connection, "session_message", row | {"type": message.kind, "seq": place + 1})
            for number, part in enumerate(message.parts):
                keys = {"id": f"prt_{number}_{row['id']}", "message_id": row["id"], "session_id": one.id}
                _insert(connection, "part", keys | {"data": _json(part)})


def _insert(connection: sqlite3.Connection, table: str, row: Record) -> None:
    places = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))


def _created(data: object) -> object:
    return data["time"].get("created") if isinstance(data, dict) and isinstance(data.get("time"), dict) else None


def _json(data: object) -> object:
    return json.dumps(data, ensure_ascii=False) if isinstance(data, dict) else data


def _as_v2(one: Session) -> Session:
    return Session(one.row, [_v2_message(message) for message in one.messages])


def _v2_message(message: Message) -> Message:
    data = message.data
    if message.kind is not None or not isinstance(data, dict):
        return Message(data, kind=message.kind or "user")
    parts = [part for part in message.parts if isinstance(part, dict)]
    if data["role"] == "user":
        return Message({"text": parts[0]["text"] if parts else "", "time": data["time"]}, kind="user")
    model = {"id": data.get("modelID"), "providerID": data.get("providerID")}
    return Message({"model": model, "content": parts, "time": data["time"]}, kind="assistant")


# Records


def record(home: Path, one: Session, *, project: str = "4b1d", data: str = DATA, modified: float | None = None) -> Path:
    """Write a session as 1.0 and 1.1 keep it."""
    storage = home / data / "storage"
    _put_messages(one, storage / "message", lambda message: storage / "part" / message)
    content = _record(one) | {"projectID": project}
    return put(storage / "session" / project / f"{one.id}.json", json.dumps(content, indent=2), modified)


def old_record(
    home: Path, one: Session, *, slug: str = "srv-orchard", inline: bool = False, modified: float | None = None
) -> Path:
    """Write a session as 0.x keeps it; `inline` as 0.1 did, which kept the parts in the messages."""
    folder = home / DATA / "project" / slug / "storage" / "session"
    if inline:
        one = Session(one.row, [_inline(message) for message in one.messages])
    _put_messages(one, folder / "message", lambda message: folder / "part" / one.id / message)
    content = _record(one)
    content.pop("directory", None)
    return put(folder / "info" / f"{one.id}.json", json.dumps(content), modified)


def _record(one: Session) -> Record:
    row = dict(one.row)
    time = {name: row.pop(f"time_{name}") for name in ("created", "updated", "archived") if f"time_{name}" in row}
    names = {"parent_id": "parentID"}
    return {names.get(key, key): value for key, value in row.items() if key != "project_id"} | {"time": time}


def _put_messages(one: Session, messages: Path, parts_of: Any) -> None:
    for place, message in enumerate(one.messages):
        name = msg(one.id, place)
        data = message.data
        if isinstance(data, dict):
            data = {"id": name, "sessionID": one.id, **data}
        put(messages / one.id / f"{name}.json", data if isinstance(data, bytes) else str(_json(data)))
        for number, part in enumerate(message.parts):
            put(parts_of(name) / f"prt_{number}.json", part if isinstance(part, bytes) else json.dumps(part))


def _inline(message: Message) -> Message:
    data = message.data
    if not isinstance(data, dict):
        return message
    metadata: Record = {"time": data.get("time"), "tool": {}}
    if data["role"] == "assistant":
        metadata["assistant"] = {key: data.get(key) for key in ("modelID", "providerID", "path")}
    return Message({"role": data["role"], "parts": list(message.parts), "metadata": metadata})


def _of_0_1(home: Path, one: Session) -> Path:
    return old_record(home, one, inline=True)


def _of_1_2(home: Path, one: Session) -> Path:
    return database(home, [one], columns=FIRST_COLUMNS, others=(MESSAGES, PARTS), indexes=FIRST_INDEXES)


def _of_1_18(home: Path, one: Session) -> Path:
    return database(home, [one])


def _of_2(home: Path, one: Session) -> Path:
    return v2_database(home, [one])


Write = Callable[[Path, Session], Path]

RECORDS: dict[str, Write] = {"0.1": _of_0_1, "0.5": old_record, "1.1": record}
DATABASES: dict[str, Write] = {"1.2": _of_1_2, "1.18": _of_1_18, "2": _of_2}
GENERATIONS = RECORDS | DATABASES
"""Ways to write one session, by the version that kept it so."""
