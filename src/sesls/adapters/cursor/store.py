"""A chat of Cursor's command line: what is known of it in the table `meta`, its messages by their hashes in `blobs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sesls.adapters import databases
from sesls.formats import jsonl, protobuf, sqlite
from sesls.paths import absolute_or_none, of_uri

if TYPE_CHECKING:
    import sqlite3

_ROWS = 16
_LARGEST_ROOT = 1 << 20
_WORKSPACES = 9
"""The field `previous_workspace_uris` of the conversation's state, which the newest root blob is."""


class Meta(msgspec.Struct, rename="camel"):
    """What a chat's table `meta` holds, as JSON in hexadecimal digits."""

    name: str | None = None
    created_at: float | None = None
    last_used_model: str | None = None
    latest_root_blob_id: str | None = None
    """Empty before the first prompt."""


_META = msgspec.json.Decoder(Meta)


def read_store(path: str) -> tuple[Meta, tuple[str, ...]] | None:
    """Return what a chat's database tells, and the workspaces it names; None where nothing was said yet.

    Raises OSError, and ValueError when it is no database.
    """
    return databases.read(path, _read)


def _read(connection: sqlite3.Connection) -> tuple[Meta, tuple[str, ...]] | None:
    if not {"key", "value"} <= sqlite.columns(connection, "meta"):
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise sqlite.UnreadableError("has no table of what is known of the chat")
        return None
    values = connection.execute(f"SELECT CAST(value AS BLOB) FROM meta LIMIT {_ROWS}").fetchall()
    for (value,) in values:
        meta = jsonl.whole(_bytes(value or b""), _META)
        if meta is not None and meta.latest_root_blob_id:
            return meta, _workspaces(meta.latest_root_blob_id, connection)
    return None


def _bytes(value: bytes) -> bytes:
    try:
        return bytes.fromhex(value.decode("ascii"))
    except ValueError:
        return value


def _workspaces(root: str, connection: sqlite3.Connection) -> tuple[str, ...]:
    if not {"id", "data"} <= sqlite.columns(connection, "blobs"):
        return ()
    query = f"SELECT CAST(data AS BLOB) FROM blobs WHERE id IN ({{}}) AND length(data) <= {_LARGEST_ROOT}"
    found: list[str] = []
    for (data,) in sqlite.rows_of(connection, query, [root]):
        values = protobuf.decode(data or b"").get(_WORKSPACES, ())
        uris = [value.decode("utf-8", "replace") for value in values if isinstance(value, bytes)]
        found += [place for uri in uris if (place := of_uri(uri) or absolute_or_none(uri)) is not None]
    return tuple(dict.fromkeys(found))
