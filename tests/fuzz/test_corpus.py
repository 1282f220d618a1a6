"""Every input that fuzzing kept (see `tools/fuzz.py`) is tried again, and some that chance made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.fuzz import stores, targets

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="damages that Windows does not know")

INPUTS = sorted((Path(__file__).parent / "corpus").iterdir())


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_an_input_that_was_kept_does_no_harm(path: Path) -> None:
    targets.run(path.read_bytes())


@examples(300)
@given(st.integers(0, len(targets.TARGETS) - 1), st.binary(max_size=120))
def test_no_input_does_harm(target: int, data: bytes) -> None:
    targets.run(bytes([target]) + data)


@pytest.mark.parametrize("agent", stores.AGENTS)
def test_a_store_that_is_whole_needs_no_word(agent: str) -> None:
    with targets.home_of({**stores.whole(agent), **stores.witness(agent)}) as home:
        page = targets.check_page(agent, home)

    assert page.warnings == ()
    if agent != "crush":  # its index names the directory that its store was written in
        assert page.total >= 2
