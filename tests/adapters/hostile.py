"""Homes in which anything may have happened to a file: what every adapter has to answer."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.adapters.damage import json_values
from tests.conftest import environment_of, examples

few = examples(25)


@contextmanager
def fresh_home() -> Iterator[Path]:
    """Give an empty home."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def fingerprint(home: Path) -> dict[str, tuple[object, ...]]:
    """Return of everything in a home what a reader could change; of SQLite's own marks only that they are there."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted([home, *home.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and path.suffix != ".db-shm" else b""
        found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, content)
    return found


def answer(home: Path, agent: str, **fields: Any) -> Page:
    """Return the page of one agent's sessions, as plain as JSON, out of a home that stays as it was."""
    before = fingerprint(home)
    page = take(Query(**{"agents": (agent,), "limit": 0, **fields}), environment_of(home))
    assert fingerprint(home) == before
    assert [warning for warning in page.warnings if warning.problem.startswith("unexpected")] == []
    json.dumps(page.to_dict())
    return page


@st.composite
def mutations(draw: st.DrawFn, whole: bytes) -> bytes:
    """Return bytes with a piece cut out, replaced, doubled or filled with NULs, or only the start of them."""
    start = draw(st.integers(0, len(whole)))
    end = draw(st.integers(start, len(whole)))
    piece = draw(
        st.sampled_from([b"", whole[start:end] * 2, bytes(end - start), b"\xff\xfe", b'"', b"{", b"]", b"\n"])
        | st.binary(max_size=20)
    )
    return whole[:start] + piece + (whole[end:] if draw(st.booleans()) else b"")


@st.composite
def changed(draw: st.DrawFn, record: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON object with the value of one key, at any depth, replaced by anything else or gone."""
    copy: dict[str, Any] = json.loads(json.dumps(record))
    place: Any = copy
    while True:
        key = draw(st.sampled_from(sorted(place)) if isinstance(place, dict) else st.integers(0, len(place) - 1))
        inner = place[key]
        if isinstance(inner, dict | list) and inner and draw(st.booleans()):
            place = inner
            continue
        if draw(st.booleans()):
            place[key] = draw(json_values)
        else:
            del place[key]
        return copy
