"""The parts of the cache: entries come back as they were put, however few of them are in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from sesls.cache import disk, sections
from sesls.cache.facts import Facts
from sesls.cache.sections import Section
from sesls.looks import Identity
from sesls.session import Candidate, Store
from tests.conftest import examples

KEYS = st.text("abcdef", min_size=1, max_size=3)
STORE = Store("/srv")
NOTHING: Identity = bytes(32)


def raw(value: int) -> Raw:
    return Raw(msgspec.msgpack.encode(value))


def values(section: Section) -> dict[str, int]:
    return {key: msgspec.msgpack.decode(entry) for key, entry in section.all()}


def candidate(path: str) -> Candidate:
    return Candidate(path, "session", STORE, NOTHING)


def written(path: Path, entries: dict[str, int], size: int) -> None:
    some = [(key, raw(entries[key])) for key in sorted(entries)]
    disk.write(str(path), sections.pieces(some, size))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four new entries be too many."""
    monkeypatch.setattr(sections, "_MOST_NEW", 4)
    monkeypatch.setattr(sections, "_PIECE_ASIDE", 1)


@examples(200)
@given(
    kept=st.dictionaries(KEYS, st.integers(0, 9), max_size=12),
    new=st.lists(st.tuples(KEYS, st.integers(10, 99)), max_size=20),
    size=st.integers(1, 5),
)
def test_a_section_holds_what_was_kept_and_what_is_new(
    tmp_path_factory: pytest.TempPathFactory, kept: dict[str, int], new: list[tuple[str, int]], size: int
) -> None:
    folder = tmp_path_factory.mktemp("section")
    written(folder / "rows", kept, size)
    section = Section(lambda: disk.read(str(folder / "rows")), disk.Aside(str(folder)).put, holds=False)

    assert {key: section.get(key) for key in sorted(kept)} == {key: raw(kept[key]) for key in kept}
    for key, value in new:
        section.put(key, raw(value))
        assert section.get(key) == raw(value)

    together = kept | dict(new)
    assert section.is_changed == bool(new)
    assert set(kept) <= set(section.all_keys()) <= set(together)
    assert values(section) == together
    assert list(values(section)) == sorted(together)
    assert dict(section.all({"a"})) == {key: entry for key, entry in section.all() if key != "a"}
    assert [path.name for path in folder.iterdir()] == (["rows"] if kept else [])


def test_a_miss_reads_no_further_than_its_place(tmp_path: Path) -> None:
    written(tmp_path / "rows", dict.fromkeys("abcdef", 1), 1)
    read = 0

    def counted() -> Iterator[bytes]:
        nonlocal read
        for piece in disk.read(str(tmp_path / "rows")):
            read += 1
            yield piece

    section = Section(counted, None, holds=False)

    assert section.get("a") is not None
    assert section.get("a1") is None
    assert section.get("a2") is None
    assert read == 2


def test_an_entry_may_be_asked_for_twice_where_it_is_held(tmp_path: Path) -> None:
    written(tmp_path / "rows", {"a": 1}, 1)

    for holds in (True, False):
        section = Section(lambda: disk.read(str(tmp_path / "rows")), None, holds=holds)
        section.put("b", raw(2))
        assert [section.get("a") is None for _ in range(2)] == [False, not holds]
        assert [section.get("b") is None for _ in range(2)] == [False, not holds]


def test_a_copy_of_a_process_leaves_open_files_alone(tmp_path: Path) -> None:
    written(tmp_path / "rows", dict.fromkeys("abcd", 1), 1)
    asides = 0

    def aside(pieces: object) -> NoReturn:
        nonlocal asides
        asides += 1
        raise OSError

    opened = []

    def read() -> Iterator[bytes]:
        opened.append(True)
        return disk.read(str(tmp_path / "rows"))

    section = Section(read, aside, holds=False)
    section.get("b")

    section.part_ways()

    assert section.get("c") == raw(1)
    assert len(opened) == 2
    for number in range(20):
        section.put(str(number), raw(number))
    assert asides == 0


def test_where_nothing_can_be_put_aside_it_stays_in_memory(tmp_path: Path) -> None:
    section = Section(lambda: iter(()), disk.Aside(str(tmp_path / "gone")).put, holds=False)
    for number in range(20):
        section.put(str(number), raw(number))

    assert [section.get("0"), section.get("0")] == [raw(0), raw(0)]
    assert len(values(section)) == 20


def renewed(facts: Facts, passed_on: dict[str, int]) -> None:
    with facts.renewed():
        for path, value in passed_on.items():
            if facts.get(path) is None:
                facts.put(path, raw(value))
            facts.pass_on(path)


def found(facts: Facts, paths: str) -> dict[str, Raw | None]:
    with facts.renewed():
        got = {path: facts.get(path) for path in paths}
        for path in paths:
            facts.pass_on(path)
    return got


@pytest.mark.parametrize("is_on_disk", [True, False])
def test_facts_are_those_that_were_passed_on_last(tmp_path: Path, is_on_disk: bool) -> None:
    facts = Facts(str(tmp_path / "facts") if is_on_disk else None, "1")
    facts.is_needed_again = True
    renewed(facts, {"a": 1, "b": 2, "c": 3})
    assert found(facts, "abc") == {"a": raw(1), "b": raw(2), "c": raw(3)}

    renewed(facts, {"c": 4, "d": 5})  # one that is known stays as it was

    assert found(facts, "dacb") == {"a": None, "b": None, "c": raw(3), "d": raw(5)}


def test_facts_without_a_place_are_held_only_if_asked_to(tmp_path: Path) -> None:
    facts = Facts(None, "")
    renewed(facts, {"a": 1})

    assert found(facts, "a") == {"a": None}


@pytest.mark.parametrize("is_on_disk", [True, False])
def test_files_without_facts_are_named_in_their_order(tmp_path: Path, is_on_disk: bool) -> None:
    facts = Facts(str(tmp_path / "facts") if is_on_disk else None, "1")
    facts.is_needed_again = True
    renewed(facts, {"b": 1, "d": 2})

    with facts.renewed():
        unread = facts.unread([candidate(path) for path in "edcba"])
        facts.pass_on("b")
        assert facts.get("a") is None
        assert facts.get("d") == raw(2)

    assert [one.path for one in unread] == ["e", "c", "a"]


def test_of_a_file_that_is_new_the_others_are_not_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "PIECE", 1)
    facts = Facts(str(tmp_path / "facts"), "1")
    renewed(facts, dict.fromkeys("abcdef", 1))
    plainly, read = sections.read_back, [0]

    def counted(pieces: Iterator[bytes]) -> Iterator[sections.Entries]:
        for entries in plainly(pieces):
            read[0] += 1
            yield entries

    monkeypatch.setattr(sections, "read_back", counted)
    with facts.renewed():
        facts.unread([candidate(path) for path in "1abcdef"])
        read[0] = 0
        assert facts.get("1") is None
        assert read == [0]
        assert facts.get("b") is not None
        assert read == [2]


def test_a_failure_within_leaves_the_facts_of_before(tmp_path: Path) -> None:
    facts = Facts(str(tmp_path / "facts"), "1")
    renewed(facts, {"a": 1})

    with pytest.raises(ZeroDivisionError), facts.renewed():
        facts.put("a", raw(1 // 0))

    assert found(facts, "a") == {"a": raw(1)}
    assert [path.name for path in tmp_path.iterdir()] == ["facts"]


def test_a_file_that_would_hold_nothing_is_none(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    renewed(Facts(str(path), "1"), {"a": 1})
    assert path.exists()

    renewed(Facts(str(path), "1"), {})

    assert not path.exists()
