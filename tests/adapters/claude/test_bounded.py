"""What is not shown costs little, whatever its size; what is shown is read once, whole."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from sesls import looks
from sesls.formats import files, jsonl
from tests.builders.claude import (
    Row,
    assistant,
    beside,
    code_record,
    cowork_record,
    cowork_transcript,
    flat_subagent,
    folder,
    subagent,
    transcript,
    user,
    work,
)
from tests.builders.common import at, epoch_ms, lines, put, uuid
from tests.conftest import Ask

TWO_WINDOWS = 32 << 10


class Reads:
    """How often every file was opened, and how many of its bytes were asked for and came."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opens: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self._paths: dict[int, str] = {}
        self._opened = files.opened
        self._read_at = jsonl.read_at
        monkeypatch.setattr(files, "opened", self._open)
        monkeypatch.setattr(jsonl, "read_at", self._read)

    def _open(self, path: str) -> int:
        self.opens[path] += 1
        descriptor = self._opened(path)
        self._paths[descriptor] = path
        return descriptor

    def _read(self, descriptor: int, size: int, offset: int) -> bytes:
        data = self._read_at(descriptor, size, offset)
        self.bytes[self._paths[descriptor]] += len(data)
        return data


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


@pytest.fixture
def shown(home: Path) -> Path:
    """A session newer than all others: with a limit of one, the only one on the page."""
    return transcript(home, [user("Newest", 90_000), assistant(seconds=90_001)], number=0xFF)


def large(**keys: object) -> list[Row]:
    """Return the rows of a session of half a megabyte."""
    common: Row = keys
    return [user("Start", **common), *work(500, **common)]


# Not on the page

TAIL = "at the end the next, larger block is read before the rows of the window are enough"


@pytest.mark.parametrize("kilobytes", [40, 200, 2000])
def test_a_session_that_is_not_shown_costs_two_windows_whatever_its_size(
    home: Path, ask: Ask, shown: Path, reads: Reads, kilobytes: int
) -> None:
    path = transcript(home, [user("Start"), *work(kilobytes)])

    ask(limit=1)

    assert 0 < reads.bytes[str(path)] <= TWO_WINDOWS


def test_a_session_of_builds_before_entrypoints_costs_no_more(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    path = transcript(home, large(entrypoint=...))

    ask(limit=1)

    assert 0 < reads.bytes[str(path)] <= TWO_WINDOWS


def test_a_subagent_that_is_not_shown_costs_no_more(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    path = subagent(home, "a1", large(isSidechain=True))

    ask(limit=1)

    assert 0 < reads.bytes[str(path)] <= TWO_WINDOWS


def test_a_flat_subagent_that_is_not_shown_costs_no_more(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    path = flat_subagent(home, "b2", large(isSidechain=True))

    ask(limit=1)

    assert 0 < reads.bytes[str(path)] <= TWO_WINDOWS


def test_a_cowork_session_that_is_not_shown_costs_no_more(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    record = cowork_record(home, 1)
    path = cowork_transcript(record, 1, large(cwd=str(record.with_suffix(""))))

    ask(limit=1)

    assert 0 < reads.bytes[str(path)] <= TWO_WINDOWS


def test_a_session_in_a_folder_named_by_a_variable_costs_no_more(
    home: Path, ask: Ask, shown: Path, reads: Reads
) -> None:
    path = put(home / ".claude" / "projects" / "orchard" / f"{uuid(1)}.jsonl", large())

    ask(limit=1)

    assert 0 < reads.bytes[str(path)] <= TWO_WINDOWS


def test_a_small_session_is_read_once(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    path = transcript(home, [user("Start"), *work(20)])

    ask(limit=1)

    assert reads.bytes[str(path)] == path.stat().st_size


def test_a_moved_session_is_searched_at_most_once(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    moved: Row = {"type": "relocated", "relocatedCwd": "/srv/meadow"}
    rows = [user("Start"), *work(500), moved, *work(500, cwd="/tmp")]
    path = transcript(home, rows, directory="/srv/meadow")

    ask(limit=1)

    assert path.stat().st_size <= reads.bytes[str(path)] <= path.stat().st_size + (256 << 10)


def test_a_long_first_record_is_read_to_its_end_and_no_further(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    path = transcript(home, [user("x" * (300 << 10)), *work(5000)])

    ask(limit=1)

    assert (300 << 10) < reads.bytes[str(path)] < (2 << 20) < path.stat().st_size


def test_a_large_file_without_turns_is_read_once(home: Path, ask: Ask, reads: Reads) -> None:
    snapshot: Row = {"type": "file-history-snapshot", "snapshot": {"files": "x" * 1000}}
    path = transcript(home, [snapshot] * 500)

    assert ask().sessions == ()
    assert reads.bytes[str(path)] <= path.stat().st_size + TWO_WINDOWS


def test_a_hundred_large_sessions_cost_a_hundred_times_two_ends(
    home: Path, ask: Ask, shown: Path, reads: Reads
) -> None:
    content = lines(large())
    paths = [transcript(home, content, number=number) for number in range(1, 101)]

    ask(limit=1)

    assert sum(reads.bytes[str(path)] for path in paths) < sum(path.stat().st_size for path in paths) / 4
    assert all(reads.opens[str(path)] == 1 for path in paths)


def test_filters_read_no_more_than_the_ends(home: Path, ask: Ask, shown: Path, reads: Reads) -> None:
    path = transcript(home, large())

    page = ask(project_dir="/srv/meadow", kind="agent", noise="exclude")

    assert page.sessions == ()
    assert reads.opens[str(path)] == 1
    assert reads.bytes[str(path)] < path.stat().st_size / 4


# On the page


@pytest.mark.parametrize("kilobytes", [2, 20, 40, 2000])
def test_a_session_that_is_shown_is_read_whole(home: Path, ask: Ask, reads: Reads, kilobytes: int) -> None:
    path = transcript(home, [user("Start"), *work(kilobytes)])

    ask()

    size = path.stat().st_size
    assert size < reads.bytes[str(path)] <= size + (128 << 10)


def test_only_the_rows_of_the_page_are_read_whole(home: Path, ask: Ask, reads: Reads) -> None:
    paths = [transcript(home, [user("Start"), *work(500, 60 + number)], number=number) for number in range(1, 5)]

    page = ask(limit=1, offset=1)

    assert [session.uuid for session in page.sessions] == [uuid(3)]
    assert [reads.opens[str(path)] for path in paths] == [1, 1, 2, 1]


# Opens


def test_a_transcript_is_opened_once_for_the_list_and_once_for_the_page(home: Path, ask: Ask, reads: Reads) -> None:
    path = transcript(home)
    beside(path, "custom-title.json", {"customTitle": "Pruning"})
    beside(path, "archived.json", {"archived": True})

    ask(agents=("claude",))

    side_files = path.with_suffix("")
    assert reads.opens == {
        str(path): 2,
        str(side_files / "custom-title.json"): 1,
        str(side_files / "archived.json"): 1,
    }


def test_what_no_folder_can_hold_is_not_looked_for(home: Path, ask: Ask) -> None:
    alone, sub = transcript(home), subagent(home, "a1", parent=2)
    beside(transcript(home, number=2), "archived.json", {"archived": True})

    with looks.noted() as seen:
        ask(agents=("claude",))

    looked_at = {Path(path) for path in seen.paths}
    assert {alone.with_suffix(""), sub.with_suffix("")}.isdisjoint(looked_at)
    assert alone.parent / uuid(2) / "archived.json" in looked_at


def test_side_files_of_sessions_that_are_not_shown_are_not_opened(
    home: Path, ask: Ask, shown: Path, reads: Reads
) -> None:
    path = transcript(home)
    beside(path, "custom-title.json", {"customTitle": "Pruning"})
    beside(path, "archived.json", {"archived": True})
    sub = subagent(home, "a1", meta={"description": "Count the trees"})

    ask(limit=1)

    assert {name: count for name, count in reads.opens.items() if uuid(1) in name} == {str(path): 1, str(sub): 1}


def test_a_subagent_that_is_shown_costs_two_opens_and_its_meta_file(home: Path, ask: Ask, reads: Reads) -> None:
    path = subagent(home, "a1", meta={"description": "Count the trees"})

    ask()

    assert reads.opens[str(path)] == 2
    assert reads.opens[str(path.with_name("agent-a1.meta.json"))] == 1


def test_a_desktop_record_is_opened_once(home: Path, ask: Ask, reads: Reads) -> None:
    transcript(home)
    records = [code_record(home, number, lastActivityAt=epoch_ms()) for number in (1, 2)]

    ask()

    assert [reads.opens[str(record)] for record in records] == [1, 1]


def test_of_copies_only_the_newest_is_read_whole(home: Path, ask: Ask, reads: Reads) -> None:
    older = transcript(home, large())
    newer = transcript(home, [*large(cwd="/srv/meadow"), user("On", 5000)], directory="/srv/meadow")

    ask()

    assert (reads.opens[str(older)], reads.opens[str(newer)]) == (1, 2)


def test_a_file_that_two_links_lead_to_is_opened_as_one(home: Path, ask: Ask, reads: Reads) -> None:
    path = transcript(home)
    (folder(home).parent / "-srv-linked").symlink_to(folder(home))

    ask()

    assert {name: count for name, count in reads.opens.items() if name.endswith(".jsonl")} == {str(path): 2}


def test_what_is_passed_by_is_not_opened(home: Path, ask: Ask, reads: Reads) -> None:
    for name in ("notes.jsonl", "journal.jsonl", f"{uuid(1)}.jsonl.bak", f"{uuid(1)}/tool-results/out.txt"):
        put(folder(home) / name, "x" * 10_000)
    put(home / ".claude" / "history.jsonl", "{}")

    ask()

    assert not [name for name in reads.opens if "/.claude/" in name]


def test_no_descriptor_stays_open(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript(home)
    transcript(home, b"garbage", number=2)
    subagent(home, "a1", meta={})
    code_record(home, 3)
    opened: list[int] = []
    plainly = files.opened

    def noting(path: str) -> int:
        opened.append(plainly(path))
        return opened[-1]

    monkeypatch.setattr(files, "opened", noting)
    ask()

    assert opened
    for descriptor in set(opened):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_what_grows_while_it_is_read_ends(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    path = transcript(home)
    plainly = jsonl.read_at

    def growing(descriptor: int, size: int, offset: int) -> bytes:
        with path.open("ab") as file:
            file.write(lines([assistant(seconds=900)]))
        return plainly(descriptor, size, offset)

    monkeypatch.setattr(jsonl, "read_at", growing)

    assert [session.last_activity for session in ask().sessions] == [at(30)]
