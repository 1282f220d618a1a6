"""Listing reads both ends of oh-my-pi's files alone, whatever their size."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesls.adapters.omp import find, stores, summarise
from sesls.adapters.pi_family.transcript import Ends
from sesls.formats import files
from tests.builders.common import epoch_ms
from tests.builders.omp import answered, header, model_change, said, session, slot
from tests.conftest import environment_of
from tests.watching import Reading


def test_a_large_session_is_read_at_both_ends(home: Path, reading: Reading) -> None:
    middle = [answered("x" * 1000)] * 5000
    path = session(home, [slot("Titled"), header(), model_change(), said("Graft"), *middle, answered(seconds=60)])
    (candidate,) = (one for store in stores(environment_of(home)) for one in find(store, files.ignore))

    ends = summarise(candidate)

    assert isinstance(ends, Ends)
    assert (ends.titles, ends.last_activity) == ({"title": "Titled"}, epoch_ms(60))
    assert path.stat().st_size > 5_000_000
    assert reading.read[str(path)] < 100_000


def test_finding_opens_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session(home)
    places = stores(environment_of(home))  # settings may name some
    monkeypatch.setattr(files, "opened", None)

    assert len([one for store in places for one in find(store, files.ignore)]) == 1
