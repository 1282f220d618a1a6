"""Listing reads of a session of Vibe what is noted and the first messages, whatever its size."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters.vibe import find, stores, summarise
from sesls.formats import files
from sesls.session import Candidate
from tests.builders.common import put
from tests.builders.vibe import answered, entry, folder, said, unified
from tests.conftest import environment_of
from tests.watching import Reading


def candidates(home: Path) -> list[Candidate]:
    return [one for store in stores(environment_of(home)) for one in find(store, files.ignore)]


def test_of_a_folder_the_first_messages_are_read(home: Path, reading: Reading) -> None:
    path = folder(home, 1, [said("Graft"), *[answered("x" * 1000)] * 5000])
    (candidate,) = candidates(home)

    assert summarise(candidate) is not None
    assert set(reading.openings) == {str(path / "meta.json"), str(path / "messages.jsonl")}
    assert reading.read[str(path / "messages.jsonl")] < 50_000


@pytest.mark.parametrize("told", [{"title": "Given"}, {}])
def test_of_a_unified_session_no_chunk_is_read(home: Path, reading: Reading, told: dict[str, Any]) -> None:
    path = unified(home, 1, [entry("x" * 1000, seconds) for seconds in range(1, 1000)], **told)
    put(path / "generations/0000000000000001/projection-state.json", json.dumps({}))
    (candidate,) = candidates(home)

    assert summarise(candidate) is not None
    assert {os.path.basename(one) for one in reading.openings} == {"meta.json", "CURRENT", "projection-state.json"}
    assert len(reading.openings) == 3
    assert reading.read.total() < 20_000


def test_finding_opens_nothing(home: Path, reading: Reading) -> None:
    folder(home, 1)
    unified(home, 2)

    assert len(candidates(home)) == 2
    assert not reading.openings
