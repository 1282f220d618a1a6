"""The adapters that were written from descriptions alone: whatever their stores hold, there is an answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls import looks
from sesls.adapters import REGISTRY, adapter
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from tests.adapters.damage import asked, columns_of, damaged, files_of, put_into_column, put_other_values, whole_store
from tests.conftest import environment_of, examples

DESCRIBED = tuple(agent for agent in REGISTRY if adapter(agent).IS_DESCRIBED)
GOOD = {"goose": "20260310_2"}
NOTES = Path(__file__).parents[2] / "docs" / "formats"

few = examples(30)


def builder(agent: str) -> ModuleType:
    return import_module(f"tests.builders.{agent}")


def good_ids(agent: str) -> set[str]:
    return {GOOD.get(agent, "00000002-0000-4000-8000-000000000002")}


def ids(page: Page) -> set[str]:
    return {session.uuid for session in page.sessions}


@pytest.mark.parametrize("agent", REGISTRY)
def test_every_adapter_says_what_it_rests_on_and_so_do_its_notes(agent: str) -> None:
    source = adapter(agent)
    first_lines = (NOTES / f"{agent}.md").read_text().split("\n\n")[1]

    assert source.VERSIONS.strip()
    assert ("not tested against real stores" in first_lines) == source.IS_DESCRIBED


@pytest.mark.parametrize("agent", DESCRIBED)
def test_a_whole_store_is_read_without_a_warning(agent: str) -> None:
    with whole_store(builder(agent)) as home:
        page = asked(agent, home)

    assert page.warnings == ()
    assert ids(page) >= good_ids(agent)
    assert all(session.title for session in page.sessions)


@pytest.mark.parametrize("agent", DESCRIBED)
@few
@given(data=st.data())
def test_any_bytes_in_place_of_a_file_cost_no_other_session(agent: str, data: st.DataObject) -> None:
    with whole_store(builder(agent)) as home:
        path = data.draw(st.sampled_from(files_of(home)))
        path.write_bytes(data.draw(st.binary(max_size=200)))

        page = asked(agent, home)

    assert ids(page) >= good_ids(agent)
    assert {one.path for one in page.warnings} <= {str(path)}


@pytest.mark.parametrize("agent", DESCRIBED)
@few
@given(data=st.data())
def test_any_damage_of_a_file_costs_no_other_session(agent: str, data: st.DataObject) -> None:
    with whole_store(builder(agent)) as home:
        path = data.draw(st.sampled_from(files_of(home)))
        path.write_bytes(damaged(path.read_bytes(), data))

        page = asked(agent, home)

    assert ids(page) >= good_ids(agent)
    assert {one.path for one in page.warnings} <= {str(path)}


@pytest.mark.parametrize("agent", DESCRIBED)
@few
@given(data=st.data())
def test_any_value_in_any_place_costs_no_other_session(agent: str, data: st.DataObject) -> None:
    with whole_store(builder(agent)) as home:
        paths = files_of(home)
        databases = [path for path in paths if path.suffix in (".db", ".sqlite3")]
        path = data.draw(st.sampled_from(databases or paths) | st.sampled_from(paths))
        put_other_values(path, data)

        page = asked(agent, home)

    assert ids(page) >= good_ids(agent)
    assert {one.path for one in page.warnings} <= {str(path)}


@pytest.mark.parametrize("cell", [None, b"\xff\xfe", -1, 2**62, 1e300, "\x00", "{", ""], ids=repr)
@pytest.mark.parametrize("agent", DESCRIBED)
def test_any_type_in_any_column_is_borne(agent: str, cell: object) -> None:
    with whole_store(builder(agent)) as home:
        for path in [one for one in files_of(home) if one.suffix in (".db", ".sqlite3")]:
            for table, column in columns_of(path):
                whole = path.read_bytes()
                put_into_column(path, table, column, cell)
                asked(agent, home)
                path.write_bytes(whole)


def fingerprint(home: Path) -> dict[str, tuple[object, ...]]:
    """Return of everything in a home what a reader could change, without reading it."""
    status = {path: path.lstat() for path in sorted([home, *home.rglob("*")])}
    return {str(path): (one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for path, one in status.items()}


@pytest.mark.parametrize("agent", DESCRIBED)
def test_listing_changes_no_byte_and_no_file(agent: str) -> None:
    with whole_store(builder(agent)) as home:
        for number, path in enumerate(files_of(home)):
            if number % 2:
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        held = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
        before = fingerprint(home)

        asked(agent, home)

        assert fingerprint(home) == before
        assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == held


@pytest.mark.parametrize("agent", DESCRIBED)
def test_what_is_remembered_is_what_is_there(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "_SETTLED_NS", -(10**12))

    def listed(home: Path, cache: Path | None) -> list[dict[str, object]]:
        page = take(Query(agents=(agent,), limit=0), environment_of(home, cache=cache))
        return [{**session.to_dict(), "age_sec": 0} for session in page.sessions]

    with whole_store(builder(agent)) as home:
        for path in (None, *files_of(home)):
            if path is not None:
                path.unlink()
            for _ in range(3):
                assert listed(home, tmp_path / "cache") == listed(home, None)


_watched: set[str] | None = None


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watched is not None and event in ("open", "os.scandir", "os.listdir") and isinstance(arguments[0], str):
        _watched.add(arguments[0])


@pytest.mark.parametrize("agent", DESCRIBED)
def test_everything_that_is_looked_at_is_noted(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.addaudithook(_watch)
    with whole_store(builder(agent)) as home, looks.noted() as seen:
        monkeypatch.setattr(sys.modules[__name__], "_watched", set())
        take(Query(agents=(agent,)), environment_of(home))
        within = {path for path in _watched or () if path.startswith(str(home))}
        monkeypatch.undo()

    assert within
    assert within - seen.paths.keys() == set()


@pytest.mark.parametrize("agent", DESCRIBED)
def test_links_in_a_loop_end_and_doubles_count_once(agent: str) -> None:
    with whole_store(builder(agent)) as home:
        whole = ids(asked(agent, home))
        for folder in [path for path in home.rglob("*") if path.is_dir()]:
            (folder / "loop").symlink_to(folder)
            (folder / "-out").symlink_to(home)

        page = asked(agent, home)

    assert ids(page) == whole
    assert not any("copies" in session.extra for session in page.sessions)


@pytest.mark.parametrize("agent", DESCRIBED)
def test_a_named_pipe_in_place_of_a_file_is_never_waited_for(agent: str) -> None:
    with whole_store(builder(agent)) as home:
        for path in files_of(home):
            path.unlink()
            os.mkfifo(path)

        assert ids(asked(agent, home)) >= good_ids(agent)


@pytest.mark.parametrize("agent", DESCRIBED)
def test_an_agent_that_was_never_used_is_not_worth_a_word(agent: str, home: Path, ask: Callable[..., Page]) -> None:
    page = ask(agents=(agent,))

    assert (page.sessions, page.warnings) == ((), ())
