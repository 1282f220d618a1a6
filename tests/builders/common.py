"""Bytes and instants of made-up stores. Every time is fixed; every name is invented."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 3, 10, 9, 0, 0, tzinfo=UTC)
CWD = "/srv/orchard"


def at(seconds: float = 0) -> str:
    """Return the instant so many seconds after the start, as agents write it."""
    moment = START + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def epoch_ms(seconds: float = 0) -> int:
    """Return the same instant as epoch milliseconds."""
    return round((START + timedelta(seconds=seconds)).timestamp() * 1000)


def uuid(number: int) -> str:
    """Return a well-formed UUID that is easy to find in a failure."""
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def lines(records: Iterable[object]) -> bytes:
    """Return records as JSON lines, compact and not escaped, as the agents write them."""
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        for record in records
    )


def put(path: Path, content: bytes | str | Iterable[object], modified: float | None = None) -> Path:
    """Write a file with its folders; anything but bytes and text is written as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    elif not isinstance(content, bytes):
        content = lines(content)
    path.write_bytes(content)
    if modified is not None:
        moment = START.timestamp() + modified
        os.utime(path, (moment, moment))
    return path
