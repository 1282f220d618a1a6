"""Listing reads of a session of Vibe what is noted and the first messages, whatever its size."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters.vibe import find, stores, summarise
from sesls.formats import files, jsonl
from sesls.session import Candidate
from tests.builders.common import put
from tests.builders.vibe import answered, entry, folder, said, unified
from tests.conftest import environment_of


def candidates(home: Path) -> list[Candidate]:
    return [one for store in stores(environment_of(home)) for one in find(store, files.ignore)]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many bytes of which file were read, by its path."""
    read: dict[str, int] = {}
    paths: dict[int, str] = {}
    open_file, read_at = files.opened, jsonl.read_at

    def noted_opening(path: str) -> int:
        descriptor = open_file(path)
        paths[descriptor] = path
        read[path] = read.get(path, 0)
        return descriptor

    def noted_reading(descriptor: int, size: int, offset: int) -> bytes:
        data = read_at(descriptor, size, offset)
        read[paths[descriptor]] += len(data)
        return data

    monkeypatch.setattr(files, "opened", noted_opening)
    monkeypatch.setattr(jsonl, "read_at", noted_reading)
    return read


def test_of_a_folder_the_first_messages_are_read(home: Path, opened: dict[str, int]) -> None:
    path = folder(home, 1, [said("Graft"), *[answered("x" * 1000)] * 5000])
    (candidate,) = candidates(home)

    assert summarise(candidate) is not None
    assert set(opened) == {str(path / "meta.json"), str(path / "messages.jsonl")}
    assert opened[str(path / "messages.jsonl")] < 50_000


@pytest.mark.parametrize("told", [{"title": "Given"}, {}])
def test_of_a_unified_session_no_chunk_is_read(home: Path, opened: dict[str, int], told: dict[str, Any]) -> None:
    path = unified(home, 1, [entry("x" * 1000, seconds) for seconds in range(1, 1000)], **told)
    put(path / "generations/0000000000000001/projection-state.json", json.dumps({}))
    (candidate,) = candidates(home)

    assert summarise(candidate) is not None
    assert {os.path.basename(one) for one in opened} == {"meta.json", "CURRENT", "projection-state.json"}
    assert len(opened) == 3
    assert sum(opened.values()) < 20_000


def test_finding_opens_nothing(home: Path, opened: dict[str, int]) -> None:
    folder(home, 1)
    unified(home, 2)

    assert len(candidates(home)) == 2
    assert opened == {}
