"""Cursors: where a walk through pages goes on, as a text that tells clients nothing.

A cursor names the snapshot that its walk goes through and the place in it. Clients that start a process for every
page (acpx 0.19) bring it to one that never had that snapshot: so it also names the last session that was shown,
after which a walk through the present ones goes on.
"""

from __future__ import annotations

import zlib
from typing import Annotated

import msgspec

from sesls.acp.parameters import wrong
from sesls.instants import Instant


class Position(msgspec.Struct, frozen=True, array_like=True):
    """Where a page starts."""

    directory: str | None
    """The one whose sessions are walked through, in its normal form; None for all."""
    snapshot: str
    offset: Annotated[int, msgspec.Meta(ge=0)]
    """How many sessions of the snapshot come before."""
    session_id: str
    """The last one of them."""
    last_activity: Instant
    """Its last activity then."""


def cursor(position: Position) -> str:
    """Return a position as a cursor."""
    body = msgspec.msgpack.encode(position)
    return (zlib.crc32(body).to_bytes(4) + body).hex()


def position(text: str) -> Position:
    """Return the position that a cursor stands for. Raises ProtocolError for a text that is none."""
    try:
        found = msgspec.msgpack.decode(bytes.fromhex(text)[4:], type=Position)
    except ValueError:
        found = None
    if found is None or cursor(found) != text:
        raise wrong("cursor is none that was given")
    return found
