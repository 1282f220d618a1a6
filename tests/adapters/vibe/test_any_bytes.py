"""Whatever bytes a store of Mistral Vibe holds, there is an answer, and what is whole is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sesls.page import Page
from tests.adapters.damage import json_values
from tests.adapters.hostile import answer, changed, few, fresh_home, mutations
from tests.builders.common import lines, put, uuid
from tests.builders.vibe import appended, child, entry, folder, said, save, shown, started, unified, unified_child


def whole(home: Path) -> list[Path]:
    """Write a session of each generation with a child, and return the files of them all."""
    save(home, 1)
    child(folder(home, 2), 7)
    unified(home, 3, session=shown(3, preview=""), journal=[started("Graft"), appended(entry("Prune", 40))])
    unified_child(home, 3, 8)
    return sorted(path for path in home.rglob("*") if path.is_file())


files = st.integers(0, 40)


def ask(home: Path) -> Page:
    """Return the page of a home in which three sessions of another directory are whole."""
    root = ".vibe/other"
    put(home / ".vibe/config.toml", f'[session_logging]\nsave_dir = "{home}/{root}"')
    save(home, 21, root=root)
    folder(home, 22, root=root)
    unified(home, 23, root=root)
    page = answer(home, "vibe")
    found = {one.uuid: one.title for one in page.sessions}
    assert {uuid(number): f"Prompt {number}" for number in (21, 22, 23)}.items() <= found.items()
    return page


def spoil(home: Path, number: int, spoiled: Callable[[bytes], bytes]) -> None:
    paths = whole(home)
    path = paths[number % len(paths)]
    put(path, spoiled(path.read_bytes()))


@few
@given(files, st.binary(max_size=200))
def test_any_bytes_are_answered(number: int, content: bytes) -> None:
    with fresh_home() as home:
        spoil(home, number, lambda _: content)
        ask(home)


@few
@given(files, st.data())
def test_any_mutation_is_answered(number: int, data: st.DataObject) -> None:
    with fresh_home() as home:
        spoil(home, number, lambda content: data.draw(mutations(content)))
        ask(home)


@few
@given(files, st.data())
def test_any_value_of_any_key_is_answered(number: int, data: st.DataObject) -> None:
    def spoiled(content: bytes) -> bytes:
        try:
            found = json.loads(content)
        except ValueError:
            return content
        return json.dumps(data.draw(changed(found))).encode() if isinstance(found, dict) and found else content

    with fresh_home() as home:
        spoil(home, number, spoiled)
        ask(home)


@few
@given(st.lists(json_values | changed(said("Graft")), max_size=5), st.lists(json_values, max_size=5))
def test_any_lines_are_answered(messages: list[Any], journal: list[Any]) -> None:
    journal.append(json.loads(json.dumps(started("Graft"))))
    with fresh_home() as home:
        folder(home, 2, lines(messages))
        unified(home, 3, session=shown(3, preview=""), journal=journal)
        ask(home)


@few
@given(st.lists(st.sampled_from(["CURRENT", "meta.json", "chunks", "generations", "journal"]), unique=True))
def test_any_part_may_be_gone(gone: list[str]) -> None:
    with fresh_home() as home:
        path = unified(home, 3)
        for name in gone:
            (path / name).rename(home / f"gone {name}")
        ask(home)
