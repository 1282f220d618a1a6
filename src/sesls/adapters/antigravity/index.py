"""What Antigravity's indexes and caches say of conversations. They lag, or are empty: hints, never sessions."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from sesls.adapters.antigravity import places
from sesls.environment import Environment
from sesls.formats import files, jsonl, protobuf, sqlite
from sesls.formats.protobuf import Fields
from sesls.instants import Instant, instant

if TYPE_CHECKING:
    import sqlite3

_LARGEST = 16 << 20
"""How much of an index is read, in bytes."""

# Keys of the VS Code-like index. VS Code's own chat index beside them holds no Antigravity conversation.
_STATE_KEYS = ("antigravityUnifiedStateSync.trajectorySummaries", "unifiedStateSync.trajectorySummaries")


class Entry(msgspec.Struct, frozen=True):
    """What one index says of one conversation."""

    user_title: str | None = None
    listed_title: str | None = None
    """As a list of conversations shows it."""
    title: str | None = None
    """As a summary of the conversation has it."""
    preview: str | None = None
    last_activity: Instant | None = None
    created: Instant | None = None
    parent_id: str | None = None
    workspaces: tuple[str, ...] = ()
    project_id: str | None = None
    is_archived: bool = False
    forked_from: str | None = None
    is_desktop: bool = False
    """Whether it stands in the desktop program's own index."""


class Index(msgspec.Struct):
    """What all indexes say, by conversation; the earlier of two entries has more authority."""

    entries: dict[str, list[Entry]] = msgspec.field(default_factory=dict)
    launch_dirs: dict[str, str] = msgspec.field(default_factory=dict)
    """Where `agy` was started."""
    last_dirs: dict[str, str] = msgspec.field(default_factory=dict)
    """Directories whose newest conversation it is."""
    first_prompts: dict[str, str] = msgspec.field(default_factory=dict)
    projects: dict[str, str] = msgspec.field(default_factory=dict)
    """Folder URIs of projects by their ids."""

    def add(self, entries: Iterable[tuple[str, Entry]]) -> None:
        """Note what one index says."""
        for conversation, entry in entries:
            self.entries.setdefault(conversation, []).append(entry)


def read(environment: Environment, report: files.Report) -> Index:
    """Return what all indexes and caches on this machine say."""
    index = Index()
    for store in places.stores(environment):
        if not files.entries(store.path, files.ignore):
            continue  # not there, empty or not readable, which `find` tells
        index.add(_listed(os.path.join(store.path, "conversation_summaries.db"), report))
        index.add(_hub(os.path.join(store.path, "agyhub_summaries_proto.pb"), report))
        index.add(_cached(os.path.join(store.path, "cache", "conversation_metadata.json"), report))
        _add_history(index, os.path.join(store.path, "history.jsonl"), report)
        last = _json(os.path.join(store.path, "cache", "last_conversations.json"), _LAST, report) or {}
        index.last_dirs |= {value: cwd for cwd, value in last.items() if isinstance(value, str)}
    for home in environment.config_homes():
        for product in ("Antigravity IDE", "Antigravity"):
            path = os.path.join(home, product, "User", "globalStorage", "state.vscdb")
            index.add(sqlite.answer(path, _state, [], report))
    index.projects = _projects(os.path.join(places.gemini(environment), "config", "projects"), report)
    return index


def _content(path: str, report: files.Report) -> bytes:
    try:
        return files.content(path, _LARGEST)
    except OSError as error:
        files.failed(path, error, report)
        return b""


def _summary(fields: Fields) -> Entry:
    """Return what a CascadeTrajectorySummary says."""
    workspaces = [protobuf.text(one, 1) for one in protobuf.messages(fields, 9)]
    metadata = protobuf.message(fields, 17)
    return Entry(
        user_title=protobuf.text(fields, 15, 1),
        title=protobuf.text(fields, 1),
        last_activity=protobuf.moment(fields, 3),
        created=protobuf.moment(fields, 7),
        parent_id=protobuf.text(metadata, 5),
        workspaces=(*protobuf.texts(metadata, 7), *(uri for uri in workspaces if uri is not None)),
        project_id=protobuf.text(metadata, 18),
        is_archived=bool(protobuf.number(fields, 15, 4)),
        forked_from=protobuf.text(fields, 24),
    )


def _hub(path: str, report: files.Report) -> Iterator[tuple[str, Entry]]:
    """Yield what the desktop program's index says."""
    for one in protobuf.messages(protobuf.decode(_content(path, report)), 1):
        if (conversation := protobuf.text(one, 1)) is not None:
            yield conversation, replace(_summary(protobuf.message(one, 2)), is_desktop=True)


def _state(connection: sqlite3.Connection) -> list[tuple[str, Entry]]:
    """Return what the IDE's index says: summaries in Base64 within a table in Base64."""
    if not {"key", "value"} <= sqlite.columns(connection, "ItemTable"):
        return []
    found = []
    for key in _STATE_KEYS:
        row = connection.execute("SELECT value FROM ItemTable WHERE key = ?", (key,)).fetchone()
        for one in protobuf.messages(protobuf.decode(_from_base64(row[0] if row is not None else None)), 1):
            conversation, summary = protobuf.text(one, 1), protobuf.text(one, 2, 1)
            if conversation is not None:
                found.append((conversation, _summary(protobuf.decode(_from_base64(summary)))))
    return found


def _from_base64(value: object) -> bytes:
    try:
        return base64.b64decode(value) if isinstance(value, str | bytes) else b""
    except (binascii.Error, ValueError):
        return b""


def _listed(path: str, report: files.Report) -> list[tuple[str, Entry]]:
    return sqlite.answer(path, _listed_rows, [], report)


def _listed_rows(connection: sqlite3.Connection) -> list[tuple[str, Entry]]:
    """Return what conversation_summaries says; its layout has had 19 to 21 columns."""
    columns = sqlite.columns(connection, "conversation_summaries")
    if "conversation_id" not in columns:
        return []
    wanted = (
        "conversation_id", "title", "preview", "last_modified_time", "workspace_uris", "project_id",
        "parent_conversation_id", "raw_summary",
    )  # fmt: skip
    selected = ", ".join(name if name in columns else "NULL" for name in wanted)
    return [
        (row[0], _listed_entry(*row[1:]))
        for row in connection.execute(f"SELECT {selected} FROM conversation_summaries")
        if isinstance(row[0], str)
    ]


def _listed_entry(
    title: object, preview: object, modified: object, uris: object, project: object, parent: object, raw: object
) -> Entry:
    entry = _summary(protobuf.decode(raw)) if isinstance(raw, bytes) else Entry()
    return replace(
        entry,
        listed_title=_text(title),
        preview=_text(preview),
        # A time that was never set reads 0001-01-01, which is no instant.
        last_activity=max(filter(None, (instant(modified), entry.last_activity)), default=None),
        workspaces=(*_uris(uris), *entry.workspaces),
        project_id=_text(project) or entry.project_id,
        parent_id=_text(parent) or entry.parent_id,
    )


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _uris(value: object) -> list[str]:
    try:
        return _URIS.decode(value) if isinstance(value, str) and value else []
    except (msgspec.DecodeError, UnicodeEncodeError):
        return []


class _Cached(msgspec.Struct, rename="pascal"):
    title: str | None = None
    preview: str | None = None
    updated_at: str | None = None
    workspace_uris: list[str] | None = msgspec.field(default=None, name="WorkspaceURIs")
    project_id: str | None = msgspec.field(default=None, name="ProjectID")


class _CachedConversation(msgspec.Struct):
    summary: _Cached | None = None


class _Cache(msgspec.Struct):
    conversations: dict[str, msgspec.Raw] | None = None


class _Prompt(msgspec.Struct, rename="camel"):
    """A line of the command line's history."""

    display: str | None = None
    workspace: str | None = None
    conversation_id: str | None = None
    type: str | None = None


class _Resource(msgspec.Struct, rename="camel"):
    folder_uri: str | None = None
    git_folder: _Resource | None = None


class _Resources(msgspec.Struct):
    resources: list[_Resource] | None = None


class _Project(msgspec.Struct, rename="camel"):
    id: str | None = None
    project_resources: _Resources | None = None


_URIS = msgspec.json.Decoder(list[str])
_CACHE = msgspec.json.Decoder(_Cache)
_CACHED = msgspec.json.Decoder(_CachedConversation)
_PROMPT = msgspec.json.Decoder(_Prompt)
_PROJECT = msgspec.json.Decoder(_Project)
_LAST = msgspec.json.Decoder(dict[str, Any])


def _json(path: str, decoder: msgspec.json.Decoder[Any], report: files.Report) -> Any:
    """Return what a JSON file holds, or None where it is not there or holds something else."""
    content = _content(path, report)
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, RecursionError):
        if content.strip():
            report(path, "holds no readable record")
        return None


def _cached(path: str, report: files.Report) -> Iterator[tuple[str, Entry]]:
    cache = _json(path, _CACHE, report)
    for conversation, raw in ((cache.conversations or {}) if cache is not None else {}).items():
        cached = jsonl.whole(bytes(raw), _CACHED)
        summary = (cached.summary if cached is not None else None) or _Cached()
        yield (
            conversation,
            Entry(
                listed_title=_text(summary.title),
                preview=_text(summary.preview),
                last_activity=instant(summary.updated_at),
                workspaces=tuple(summary.workspace_uris or ()),
                project_id=summary.project_id,
            ),
        )


def _add_history(index: Index, path: str, report: files.Report) -> None:
    """Note where `agy` was started, and with which words. The first prompt is often written before it has an id."""
    waiting: dict[str | None, str] = {}
    try:
        with jsonl.opened(path) as file:
            for prompt in jsonl.all_records(file, _PROMPT):
                if not prompt.conversation_id:
                    if prompt.display and prompt.type != "slash_command":
                        waiting[prompt.workspace] = prompt.display
                    continue
                if prompt.conversation_id not in index.launch_dirs and prompt.workspace in waiting:
                    index.first_prompts.setdefault(prompt.conversation_id, waiting.pop(prompt.workspace))
                if prompt.workspace:
                    index.launch_dirs.setdefault(prompt.conversation_id, prompt.workspace)
                if prompt.display and prompt.type != "slash_command":
                    index.first_prompts.setdefault(prompt.conversation_id, prompt.display)
    except OSError as error:
        files.failed(path, error, report)


def _projects(folder: str, report: files.Report) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in files.entries(folder, report):
        if not entry.name.endswith(".json"):
            continue
        project = jsonl.whole(_content(entry.path, report), _PROJECT)
        resources = project.project_resources if project is not None else None
        for resource in (resources.resources or ()) if resources is not None else ():
            uri = resource.folder_uri or (resource.git_folder.folder_uri if resource.git_folder is not None else None)
            if uri and project is not None:
                found.setdefault(project.id or entry.name.removesuffix(".json"), uri)
    return found
