"""Stores of Antigravity. A conversation is told once, as steps, and written as a database, as a log, or as both."""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.builders.common import CWD, START, at, put, uuid

Field = int | str | bytes | Mapping[int, "Field"] | Sequence["Field"] | None
Fields = Mapping[int, Field]
Row = Mapping[str, object]
Tables = Mapping[str, tuple[str, Iterable[Row]]]
"""The columns of each table, and its rows."""

MODEL = "gemini-9.1-swift-high"
CLI, SHARED, IDE, ACP = "antigravity-cli", "antigravity", "antigravity-ide", "antigravity-acp"
ROOTS = (CLI, SHARED, IDE, ACP)
URI = f"file://{CWD}"

# Protocol buffers


def encode(fields: Fields) -> bytes:
    """Return a message: a list is a repeated field, and None is absent."""
    data = b""
    for number, field in fields.items():
        for value in field if isinstance(field, list | tuple) else (field,):
            if isinstance(value, int):
                data += varint(number << 3) + varint(value)
            elif value is not None:
                content = value.encode() if isinstance(value, str) else value
                content = content if isinstance(content, bytes) else encode(content)
                data += varint(number << 3 | 2) + varint(len(content)) + content
    return data


def varint(value: int) -> bytes:
    """Return a number of at most 64 bits, a negative one as its complement."""
    value &= (1 << 64) - 1
    data = []
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*data, value))


def moment(seconds: float | None) -> Fields | None:
    """Return the instant so many seconds after the start as a message."""
    if seconds is None:
        return None
    whole, micros = divmod(round((START.timestamp() + seconds) * 1_000_000), 1_000_000)
    return {1: whole, 2: micros * 1000}


# Steps


@dataclass(frozen=True)
class Step:
    """One step of a conversation."""

    type: int
    name: str
    """Its type in a log."""
    source: str
    text: str
    seconds: float | None
    completed: float | None = None
    model: str | None = None

    def metadata(self) -> Fields:
        """Return what a database keeps beside the step."""
        model = {8: self.model} if self.model is not None else None
        return {1: moment(self.seconds), 8: moment(self.completed), 24: model}

    def payload(self) -> Fields:
        """Return the step as a database holds it."""
        said: dict[int, Fields] = {
            14: {19: {2: self.text, 3: {1: self.text}}},
            15: {20: {1: self.text or None, 6: "an id"}},
            101: {114: {1: self.text}},
        }
        return {1: self.type, 4: 3, 5: self.metadata(), **said.get(self.type, {28: {1: self.text}})}

    def row(self, idx: int, **columns: object) -> Row:
        """Return the step as a row of a database."""
        whole = {"metadata": encode(self.metadata()), "step_payload": encode(self.payload())}
        return {"idx": idx, "step_type": self.type, "status": 3, **whole, **columns}

    def line(self, index: int, **keys: object) -> dict[str, object]:
        """Return the step as a line of a log."""
        text = f"<USER_REQUEST>\n{self.text}\n</USER_REQUEST>" if self.type == 14 else self.text
        head = {"step_index": index, "source": self.source, "type": self.name, "status": "DONE"}
        when = None if self.seconds is None else f"{START + timedelta(seconds=self.seconds):%Y-%m-%dT%H:%M:%SZ}"
        return {**head, "created_at": when, "content": text, **keys}


def asked(text: str = "Prompt 1", seconds: float | None = 0) -> Step:
    """Return what a person asked for."""
    return Step(14, "USER_INPUT", "USER_EXPLICIT", text, seconds)


def answered(
    text: str = "Done.", seconds: float | None = 30, completed: float | None = None, model: str | None = MODEL
) -> Step:
    """Return an answer."""
    return Step(15, "PLANNER_RESPONSE", "MODEL", text, seconds, completed, model)


def sent(text: str, sender: str | None = None, seconds: float = 0) -> Step:
    """Return a message of another conversation, by default of the second one."""
    sender = uuid(2) if sender is None else sender
    head = f"[Message] timestamp={at(seconds)} sender={sender} priority=HIGH"
    content = f"Of the system.\n<SYSTEM_MESSAGE>\n{head} content={text}\n</SYSTEM_MESSAGE>"
    return Step(101, "SYSTEM_MESSAGE", "SYSTEM", content, seconds)


def ran(seconds: float | None = 10, completed: float | None = None) -> Step:
    """Return a call of a tool."""
    return Step(132, "GENERIC", "MODEL", "ls", seconds, completed)


# Conversations


def folder(home: Path, root: str = CLI) -> Path:
    """Return a product's root."""
    return home / ".gemini" / root


def brain(home: Path, number: int = 1, root: str = CLI) -> Path:
    """Return the folder of a conversation's log, artifacts and notes."""
    return folder(home, root) / "brain" / uuid(number)


def about(
    created: float | None = 0,
    *,
    workspaces: Sequence[str] = (URI,),
    parent: int | None = None,
    role: str | None = None,
    type_name: str | None = None,
    project: str | None = None,
    branch: str | None = None,
    others: Fields | None = None,
) -> Fields:
    """Return a trajectory's metadata."""
    return {
        1: {1: workspaces[0] if workspaces else None, 4: branch} if branch else None,
        2: moment(created),
        5: uuid(parent) if parent is not None else None,
        7: workspaces,
        8: {1: type_name, 2: role} if role or type_name else None,
        18: project,
        **(others or {}),
    }


def tables(
    steps: Iterable[Step | Row] | None = None,
    meta: Fields | bytes | None = None,
    *,
    source: int = 17,
    generations: Sequence[Fields] = (),
    references: Sequence[Fields] = (),
) -> dict[str, tuple[str, Iterable[Row]]]:
    """Return the tables of a conversation's database; by default of one prompt and its answer."""
    steps = [asked(), answered()] if steps is None else steps
    data = meta if isinstance(meta, bytes) else encode(about() if meta is None else meta)
    return {
        "trajectory_meta": (
            "trajectory_id TEXT PRIMARY KEY, cascade_id, trajectory_type, source",
            [{"trajectory_id": "t", "cascade_id": "c", "trajectory_type": 17, "source": source}],
        ),
        "steps": (
            "idx INTEGER PRIMARY KEY, step_type, status, metadata, error_details, step_payload",
            [step.row(idx) if isinstance(step, Step) else step for idx, step in enumerate(steps)],
        ),
        "gen_metadata": ("idx INTEGER PRIMARY KEY, data, size", _numbered(generations)),
        "parent_references": ("idx INTEGER PRIMARY KEY, data", _numbered(references)),
        "trajectory_metadata_blob": ("id TEXT PRIMARY KEY, data", [{"id": "main", "data": data}]),
    }


def _numbered(messages: Sequence[Fields]) -> list[Row]:
    return [{"idx": idx, "data": encode(message)} for idx, message in enumerate(messages)]


def conversation(
    home: Path, steps: Iterable[Step | Row] | None = None, *, number: int = 1, root: str = CLI, **keys: Any
) -> Path:
    """Write a conversation's database at rest; the other keys are those of `tables`."""
    steps = [asked(f"Prompt {number}"), answered()] if steps is None else steps
    return database(database_path(home, number, root), tables(steps, **keys))


def database_path(home: Path, number: int = 1, root: str = CLI) -> Path:
    """Return where a conversation's database lies."""
    return folder(home, root) / "conversations" / f"{uuid(number)}.db"


def database(path: Path, tables: Tables, changes: Sequence[str] = ()) -> Path:
    """Write a database at rest, as all programs of Antigravity leave theirs: in WAL mode, without a WAL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA journal_mode=WAL")
        _fill(connection, tables)
        for change in changes:
            connection.execute(change)
        connection.commit()
    return path


def live_database(path: Path, at_rest: Tables, steps: Iterable[Row], *, shm: bool = True) -> Path:
    """Write a database as a running program keeps it: its newest steps in the WAL alone."""
    source = database(path.parent.parent / "being-written" / path.name, at_rest)
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint=0")
        _insert(connection, "steps", steps)
        connection.commit()
        for suffix in ("", "-wal", "-shm") if shm else ("", "-wal"):
            shutil.copy(f"{source}{suffix}", f"{path}{suffix}")
    shutil.rmtree(source.parent)
    return path


def _fill(connection: sqlite3.Connection, tables: Tables) -> None:
    """Make tables with their rows."""
    for table, (columns, rows) in tables.items():
        connection.execute(f"CREATE TABLE {table} ({columns})")
        _insert(connection, table, rows)


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    """Add rows to a table."""
    for row in rows:
        values = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})", list(row.values()))


def encrypted(
    home: Path,
    *,
    number: int = 1,
    root: str = SHARED,
    modified: float | None = 0,
    content: bytes = b"\x9c\x01\xfe" * 700,
) -> Path:
    """Write a conversation of which nothing can be read."""
    return put(folder(home, root) / "conversations" / f"{uuid(number)}.pb", content, modified)


def log(
    home: Path,
    steps: Iterable[Step | Row] | bytes | None = None,
    *,
    number: int = 1,
    root: str = CLI,
    name: str = "transcript.jsonl",
    modified: float | None = None,
) -> Path:
    """Write a conversation's log; by default of one prompt and its answer."""
    if steps is None:
        steps = [asked(f"Prompt {number}"), answered()]
    if not isinstance(steps, bytes):
        steps = json_lines(steps)
    return put(brain(home, number, root) / ".system_generated" / "logs" / name, steps, modified)


def json_lines(steps: Iterable[Step | Row]) -> bytes:
    """Return steps as lines of a log."""
    rows = (step.line(index) if isinstance(step, Step) else step for index, step in enumerate(steps))
    return b"".join(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for row in rows)


def artifact(
    home: Path,
    text: str = "# Plan",
    *,
    name: str = "task.md",
    updated: float | None = None,
    number: int = 1,
    root: str = SHARED,
    modified: float | None = 0,
) -> Path:
    """Write an artifact and, where it says when it was updated, the file beside it."""
    path = put(brain(home, number, root) / name, text, modified)
    if updated is not None:
        put(path.with_name(f"{name}.metadata.json"), json.dumps({"summary": "Of the plan", "updatedAt": at(updated)}))
    return path


def annotation(home: Path, text: str, *, number: int = 1, root: str = CLI) -> Path:
    """Write what a person noted about a conversation, as text of a protocol buffer."""
    return put(folder(home, root) / "annotations" / f"{uuid(number)}.pbtxt", text)


def note(
    home: Path,
    *,
    child: int = 1,
    parent: int = 2,
    role: str | None = None,
    type_name: str | None = None,
    root: str = CLI,
) -> Path:
    """Write what a conversation noted about one that it spawned."""
    content = {"conversationId": uuid(child), "subagentDescriptor": {"typeName": type_name, "role": role}}
    return put(
        brain(home, parent, root) / ".system_generated" / "subagents" / f"{uuid(child)}.json", json.dumps(content)
    )


# Indexes


def summary(
    title: str | None = None,
    *,
    user_title: str | None = None,
    archived: bool = False,
    modified: float | None = None,
    created: float | None = None,
    workspaces: Sequence[str] = (),
    meta: Fields | None = None,
    fork: str | None = None,
) -> Fields:
    """Return an index's summary of a conversation."""
    return {
        1: title,
        3: moment(modified),
        7: moment(created),
        9: [{1: uri} for uri in workspaces],
        15: {1: user_title, 4: int(archived)},
        17: meta,
        24: fork,
    }


SUMMARY_COLUMNS = (
    "conversation_id", "title", "preview", "last_modified_time", "workspace_uris", "project_id",
    "parent_conversation_id", "raw_summary",
)  # fmt: skip


def listed(number: int = 1, *, modified: float | None = None, **columns: object) -> Row:
    """Return a row of the list of conversations; a time that was never set is one of the year 1."""
    when = "0001-01-01 00:00:00+00:00"
    if modified is not None:
        when = f"{START + timedelta(seconds=modified):%Y-%m-%d %H:%M:%S.%f}+00:00"
    empty: dict[str, object] = dict.fromkeys(SUMMARY_COLUMNS, "") | {"raw_summary": None}
    return {**empty, "conversation_id": uuid(number), "last_modified_time": when, **columns}


def summaries(home: Path, *rows: Row, root: str = CLI, columns: Sequence[str] = SUMMARY_COLUMNS) -> Path:
    """Write the list of conversations with these columns."""
    kept = [{name: value for name, value in row.items() if name in columns} for row in rows]
    return database(
        folder(home, root) / "conversation_summaries.db", {"conversation_summaries": (", ".join(columns), kept)}
    )


def hub(home: Path, listed: Mapping[int, Fields], root: str = SHARED) -> Path:
    """Write the desktop program's index."""
    entries: list[Fields] = [{1: uuid(number), 2: content} for number, content in listed.items()]
    return put(folder(home, root) / "agyhub_summaries_proto.pb", encode({1: entries}))


STATE_KEY = "antigravityUnifiedStateSync.trajectorySummaries"


def state_value(listed: Mapping[int, Fields]) -> str:
    """Return summaries as the IDE keeps them: in Base64 within a message in Base64."""
    packed = {number: base64.b64encode(encode(one)) for number, one in listed.items()}
    entries: list[Fields] = [{1: uuid(number), 2: {1: content, 2: "7"}} for number, content in packed.items()]
    return base64.b64encode(encode({1: entries})).decode()


def state(home: Path, value: Any, *, key: str = STATE_KEY, app: str = ".config/Antigravity") -> Path:
    """Write the IDE's index, in a table of other things."""
    stored = state_value(value) if isinstance(value, Mapping) else value
    rows: list[Row] = [{"key": "workbench.layout", "value": "{}"}, {"key": key, "value": stored}]
    return database(home / app / "User/globalStorage/state.vscdb", {"ItemTable": ("key TEXT UNIQUE, value BLOB", rows)})


def prompted(
    text: str = "Prompt 1", workspace: str | None = CWD, number: int | None = 1, **keys: object
) -> dict[str, object]:
    """Return a line of the command line's history."""
    ids = {} if number is None else {"conversationId": uuid(number)}
    return {"display": text, "timestamp": 1, "workspace": workspace, **ids, **keys}


def history(home: Path, content: Iterable[object] | bytes, root: str = CLI) -> Path:
    """Write the command line's history."""
    return put(folder(home, root) / "history.jsonl", content)


def last_conversations(home: Path, content: Mapping[str, object], root: str = CLI) -> Path:
    """Write which conversation is the newest of each directory."""
    return put(folder(home, root) / "cache/last_conversations.json", json.dumps(content))


def cached(home: Path, entries: Mapping[int, Mapping[str, object]], root: str = CLI) -> Path:
    """Write the cache of what is known of conversations."""
    content = {uuid(number): {"summary": {"ID": uuid(number), **entry}} for number, entry in entries.items()}
    return put(folder(home, root) / "cache/conversation_metadata.json", json.dumps({"conversations": content}))


def project(home: Path, name: str, resources: object, **keys: object) -> Path:
    """Write a project and its folders."""
    content = {"id": name, "name": "Trees", "projectResources": {"resources": resources}, **keys}
    return put(home / ".gemini/config/projects" / f"{name}.json", json.dumps(content))


def whole_store(home: Path) -> None:
    """Write two conversations, the first as a database, the third encrypted, and all that tells of them."""
    put(conversation(home, number=1).with_suffix(".meta"), '{"cwd": "/srv/server"}')
    log(home, number=1)
    annotation(home, 'title: "Pruning"', number=1)
    note(home, child=1, parent=2, role="Pruner")
    encrypted(home, number=3)
    artifact(home, number=3, updated=5)
    summaries(home, listed(title="Listed", workspace_uris=f'["{URI}"]', raw_summary=encode(summary("Raw"))))
    hub(home, {3: summary("Graft the plum", modified=9)})
    state(home, {3: summary("Graft the plum", workspaces=[URI])})
    history(home, [prompted()])
    last_conversations(home, {CWD: uuid(1)})
    cached(home, {1: {"Title": "Cached"}})
    project(home, "trees", [{"folderUri": URI}])
