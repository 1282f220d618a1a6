"""What is remembered changes no answer: it only saves reading."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sesls import looks
from sesls.adapters import REGISTRY
from sesls.cache import disk
from sesls.cache.disk import clear, folder, kept
from sesls.clock import Clock
from sesls.formats import files, jsonl
from sesls.inventory import read, readers_of, select, take
from sesls.page import Page
from sesls.query import Query
from tests.builders import antigravity, claude, codex, gemini, hermes, kimi, omp, opencode, pi, qwen, vibe
from tests.builders.common import at, epoch_ms, lines, put, uuid
from tests.builders.mixed import PLANS, WRITERS, write
from tests.conftest import environment_of

TOKEN = "gh" + "p_" + "a1B3c5D7e9F1g3H5i7J9k1L3m5N7o9P1q3R5"
AGENTS = tuple(sorted(WRITERS))
TOTAL = len(AGENTS) * len(PLANS)

List = Callable[..., Page]

pytestmark = pytest.mark.skipif(not looks.CAN_TRUST_FOLDERS, reason="surveys are not remembered there")


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything count as settled, and as large: each test waits for the file system's clock itself."""
    monkeypatch.setattr(looks, "_SETTLED_NS", -(10**12))
    monkeypatch.setattr("sesls.cache._LEAST_CONTENTS", 0)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where the listings of a test remember what they read; not there yet."""
    return tmp_path / "cache" / "sesls"


@pytest.fixture
def listed(home: Path, cache: Path) -> List:
    """A function that lists with the cache, checks the answer against one without, and returns it."""

    def listing(variables: Mapping[str, str] | None = None, *, cwd: Path | None = None, **fields: Any) -> Page:
        query = Query(**{"limit": 0, **fields})
        with_cache = take(query, environment_of(home, variables, cwd=cwd, cache=cache))
        without = take(query, environment_of(home, variables, cwd=cwd))
        assert comparable(with_cache) == comparable(without)
        return with_cache

    return listing


def comparable(page: Page) -> dict[str, Any]:
    answer = page.to_dict()
    for session in answer["sessions"]:
        del session["age_sec"]
    return answer


def tick(folder: Path) -> None:
    """Wait until the file system's clock has moved on, so that what is changed next looks changed."""
    probe = folder.parent / "probe"
    put(probe, b"")
    start = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == start:
        put(probe, b"")
    probe.unlink()


class Reading:
    """What was opened, and how much was read, within a home."""

    def __init__(self) -> None:
        self.openings: Counter[str] = Counter()
        self.read: Counter[str] = Counter()


@pytest.fixture
def reading(home: Path, monkeypatch: pytest.MonkeyPatch) -> Reading:
    """Notes what is opened and read of the home from here on."""
    notes = Reading()
    paths: dict[int, str] = {}
    opened, read_at, scandir = files.opened, jsonl.read_at, os.scandir

    def noting_opened(path: str) -> int:
        notes.openings[path] += 1
        descriptor = opened(path)
        paths[descriptor] = path
        return descriptor

    def noting_read_at(descriptor: int, size: int, offset: int) -> bytes:
        data = read_at(descriptor, size, offset)
        notes.read[paths[descriptor]] += len(data)
        return data

    def noting_scandir(path: str) -> Any:
        notes.openings[path] += 1
        return scandir(path)

    monkeypatch.setattr(files, "opened", noting_opened)
    monkeypatch.setattr(jsonl, "read_at", noting_read_at)
    monkeypatch.setattr(os, "scandir", noting_scandir)
    return notes


def remembering(home: Path, cache: Path, **fields: Any) -> Page:
    """List with the cache alone."""
    return take(Query(**{"limit": 0, **fields}), environment_of(home, cache=cache))


# What is saved


def test_a_second_listing_opens_nothing(home: Path, cache: Path, listed: List, reading: Reading) -> None:
    write(home)
    first = listed()
    reading.openings.clear()

    second = remembering(home, cache)

    assert reading.openings == Counter()
    assert comparable(second) == comparable(first)
    assert second.total == TOTAL


def test_another_page_reads_its_own_sessions_alone(home: Path, cache: Path, reading: Reading) -> None:
    paths = [str(claude.transcript(home, number=number)) for number in (1, 2, 3)]
    remembering(home, cache, limit=1)
    reading.openings.clear()

    page = remembering(home, cache, limit=2)

    assert len(page.sessions) == 2
    assert [reading.openings[path] > 0 for path in paths] == [False, True, False]


def test_a_page_of_the_newest_reads_the_newest_rows_alone(
    home: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 9):
        claude.transcript(home, [claude.user("Prune", 60 * number), claude.assistant("Done", 60)], number=number)
    monkeypatch.setattr("sesls.cache._ROWS_PIECE", 2)
    remembering(home, cache)
    pieces: Counter[str] = Counter()
    plainly = disk.read

    def counted(path: str, version: str = "") -> Iterator[bytes]:
        for piece in plainly(path, version):
            pieces[os.path.basename(path)] += 1
            yield piece

    monkeypatch.setattr(disk, "read", counted)

    assert len(remembering(home, cache, limit=2).sessions) == 2
    assert pieces["claude.rows"] == 1
    assert len(remembering(home, cache, limit=2, offset=6).sessions) == 2
    assert pieces["claude.rows"] == 1 + 4


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_thrift_with_memory_changes_no_answer(
    home: Path, cache: Path, listed: List, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    write(home)
    monkeypatch.setattr("sesls.cache.sections.MANY", 0)
    monkeypatch.setattr("sesls.cache.sections.PIECE", piece)
    monkeypatch.setattr("sesls.cache._ROWS_PIECE", piece)

    assert [listed().total for _ in range(2)] == [TOTAL, TOTAL]
    claude.transcript(home, number=70)
    assert [listed().total for _ in range(2)] == [TOTAL + 1, TOTAL + 1]


@pytest.mark.parametrize("most", [2, 3])
def test_rows_that_are_put_aside_are_all_kept(
    home: Path, cache: Path, reading: Reading, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("sesls.cache.sections._MOST_NEW", most)
    for number in range(1, 12):
        claude.transcript(home, [claude.user("Prune", 60 * (number % 4))], number=number)
    first = remembering(home, cache)
    reading.openings.clear()

    second = remembering(home, cache)

    assert comparable(second) == comparable(first)
    assert reading.openings == Counter()


def test_of_a_small_file_nothing_is_kept_but_what_is_shown(
    home: Path, cache: Path, listed: List, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sesls.cache._LEAST_CONTENTS", 5000)
    small, large = claude.transcript(home, number=1), claude.transcript(home, claude.work(600), number=2)
    listed()
    (kept,) = cache.rglob("claude.contents")

    assert str(large).encode() in kept.read_bytes()
    assert str(small).encode() not in kept.read_bytes()
    append(small, claude.user("And the quince", 900))
    assert listed().sessions[0].message_count == 3


def test_one_changed_file_is_read_again_alone(home: Path, cache: Path, reading: Reading) -> None:
    paths = [str(claude.transcript(home, number=number)) for number in (1, 2, 3)]
    remembering(home, cache)
    tick(home)
    with open(paths[1], "ab") as file:
        file.write(lines([claude.user("And the quince", 900)]))
    reading.openings.clear()

    page = remembering(home, cache)

    assert page.sessions[0].last_activity == at(900)
    assert reading.openings[paths[1]] > 0
    assert (reading.openings[paths[0]], reading.openings[paths[2]]) == (0, 0)


WORK: dict[str, tuple[Callable[[Path], Path], list[Any]]] = {
    "claude": (lambda home: claude.transcript(home, claude.work(600)), [claude.user("Prune", 900)]),
    "codex": (
        lambda home: codex.rollout(
            home, lines([codex.meta(), codex.turn(), codex.said("Plant"), *[codex.response("x" * 1000)] * 600])
        ),
        [codex.said("Prune", 900)],
    ),
    "pi": (
        lambda home: pi.session(home, [pi.header(), pi.said("Plant"), *[pi.answered("x" * 1000)] * 600]),
        [pi.said("Prune", 900)],
    ),
    "omp": (
        lambda home: omp.session(
            home, [omp.slot(), omp.header(), omp.said("Plant"), *[omp.answered("x" * 1000)] * 600]
        ),
        [omp.said("Prune", 900)],
    ),
    "kimi": (
        lambda home: kimi.session(home, 1, [kimi.begun(), kimi.said("Plant"), *[kimi.answered(text="x" * 1000)] * 600]),
        [kimi.said("Prune", 900)],
    ),
    "vibe": (
        lambda home: vibe.folder(home, 1, [vibe.said("Plant"), *[vibe.answered("x" * 1000)] * 600]) / "messages.jsonl",
        [vibe.said("Prune")],
    ),
}


@pytest.mark.parametrize("agent", WORK)
def test_a_file_that_grew_is_read_on_from_its_old_end(
    home: Path, cache: Path, listed: List, reading: Reading, agent: str
) -> None:
    make, added = WORK[agent]
    path = make(home)
    before = remembering(home, cache).sessions[0]
    tick(home)
    with path.open("ab") as file:
        file.write(lines(added))
    reading.read.clear()

    after = remembering(home, cache).sessions[0]

    assert path.stat().st_size > 500_000
    assert reading.read[str(path)] < 100_000
    assert before.message_count is not None
    assert after.message_count == before.message_count + 1
    listed()


def test_a_file_that_was_rewritten_to_be_longer_is_read_from_its_start(home: Path, listed: List) -> None:
    path = claude.transcript(home, [claude.user("Plant"), claude.assistant()])
    listed()
    tick(home)
    path.write_bytes(lines([claude.user("Fell the oak"), *claude.work(10)]))

    assert listed().sessions[0].title == "Fell the oak"


def test_a_torn_last_line_is_read_again_when_it_is_whole(home: Path, listed: List) -> None:
    whole = lines([claude.user("Plant"), claude.assistant(), claude.user("Prune", 900)])
    path = claude.transcript(home, whole[:-40])
    listed()
    tick(home)
    path.write_bytes(whole)

    session = listed().sessions[0]

    assert (session.message_count, session.last_activity) == (3, at(900))


# Everything that can change


def sqlite(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def append(path: Path, *rows: object) -> None:
    with path.open("ab") as file:
        file.write(lines(rows))


def link(source: Path, place: Path) -> Path:
    place.symlink_to(source)
    return place


def same_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Prompt 1", b"Prompt 7"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


CLAUDE = f".claude/projects/-srv-orchard/{uuid(1)}.jsonl"
CHANGES: dict[str, Callable[[Path], object]] = {
    "a session more": lambda home: claude.transcript(home, number=8),
    "a session of a new project more": lambda home: claude.transcript(home, number=8, directory="/srv/meadow"),
    "a session less": lambda home: (home / CLAUDE).unlink(),
    "an agent less": lambda home: shutil.rmtree(home / ".codex"),
    "a session grew": lambda home: append(home / CLAUDE, claude.user("Graft", 5000)),
    "a session shrank": lambda home: put(home / CLAUDE, [claude.user("Graft")]),
    "a session was emptied": lambda home: put(home / CLAUDE, b""),
    "a session was damaged": lambda home: put(home / CLAUDE, b"\x00garbage\n" * 99),
    "a session was replaced": lambda home: os.replace(put(home / "new", [claude.user("Graft", 9)]), home / CLAUDE),
    "a session changed in place": lambda home: same_size_and_time(home / CLAUDE),
    "a session moved": lambda home: (home / CLAUDE).rename(claude.folder(home, "/srv/barn") / f"{uuid(1)}.jsonl"),
    "a session was copied": lambda home: shutil.copy(home / CLAUDE, claude.folder(home, "/srv/barn")),
    "a title beside a session": lambda home: claude.beside(home / CLAUDE, "custom-title.json", {"customTitle": "New"}),
    "a session was archived": lambda home: claude.beside(home / CLAUDE, "archived.json", {"archived": True}),
    "a subagent more": lambda home: claude.subagent(home, "a7", meta={"description": "Count"}),
    "a folder became a link": lambda home: (
        (home / ".claude/projects/-srv-orchard").rename(home / "elsewhere"),
        link(home / "elsewhere", home / ".claude/projects/-srv-orchard"),
    ),
    "a link to a session": lambda home: link(home / CLAUDE, claude.folder(home, "/srv/barn") / f"{uuid(6)}.jsonl"),
    "a desktop record": lambda home: claude.code_record(home, 1, title="From Desktop", lastActivityAt=epoch_ms(9)),
    "the other root of Claude": lambda home: claude.transcript(home, number=8, root=".config/claude"),
    "a name in Codex's index": lambda home: codex.name_index(home, (1, "Named")),
    "a state database": lambda home: codex.state_database(home, [{"id": uuid(2), "cwd": "/srv/meadow", "name": "N"}]),
    "an archived thread": lambda home: codex.rollout(home, number=8, archived=True),
    "a row of OpenCode": lambda home: sqlite(
        home / ".local/share/opencode/opencode.db", "UPDATE session SET title = 'Another'"
    ),
    "a session of OpenCode more": lambda home: opencode.database(home, [opencode.session(8)]),
    "a record of OpenCode": lambda home: opencode.record(home, opencode.session(9)),
    "another database of OpenCode": lambda home: opencode.database(
        home, [opencode.session(9)], file="opencode-beta.db"
    ),
    "a conversation more": lambda home: antigravity.conversation(home, number=8),
    "an index of Antigravity": lambda home: antigravity.summaries(home, antigravity.listed(1, title="Listed")),
    "an annotation": lambda home: antigravity.annotation(home, 'title: "Given"', number=1),
    "a session of Pi more": lambda home: pi.session(home, number=8),
    "a child of a session of Pi": lambda home: pi.child(
        pi.folder(home) / pi.file_name(1), [pi.header(7), pi.said("Words")]
    ),
    "Pi's sessions moved": lambda home: (
        put(home / ".pi/agent/settings.json", f'{{"sessionDir": "{home}/moved"}}'),
        put(home / "moved" / pi.file_name(8), [pi.header(8), pi.said("Words")]),
    ),
    "a session of Gemini CLI more": lambda home: gemini.session(home, number=8),
    "a session of Gemini CLI went on": lambda home: append(
        home / gemini.TMP / "orchard/chats" / gemini.file_name(1), gemini.said("Graft", 5000), gemini.updated(5000)
    ),
    "a project of Gemini CLI moved": lambda home: put(home / gemini.TMP / "orchard/.project_root", "/srv/meadow"),
    "a project of Gemini CLI became known": lambda home: (
        put(home / gemini.TMP / "orchard/.project_root", b""),
        gemini.registry(home, {"/srv/meadow": "orchard"}),
    ),
    "a session of Qwen Code more": lambda home: qwen.session(home, number=8),
    "a session of Qwen Code was archived": lambda home: os.renames(
        qwen.project(home) / f"chats/{uuid(1)}.jsonl", qwen.project(home) / f"chats/archive/{uuid(1)}.jsonl"
    ),
    "what is known of a subagent of Qwen Code": lambda home: qwen.subagent(
        home, f"scout-call_{3:016x}", meta=qwen.about(description="Another")
    ),
    "Qwen Code's sessions moved": lambda home: (
        put(home / ".qwen/settings.json", f'{{"advanced": {{"runtimeOutputDir": "{home}/moved"}}}}'),
        qwen.session(home, number=8, base="moved"),
    ),
    "a session of Hermes more": lambda home: hermes.database(home, [hermes.session(8)]),
    "a title of Hermes": lambda home: sqlite(home / ".hermes/state.db", "UPDATE sessions SET title = 'T' || id"),
    "a profile of Hermes": lambda home: hermes.database(home, [hermes.session(9)], root=".hermes/profiles/garden"),
    "a snapshot of Hermes": lambda home: hermes.snapshot(home, 8),
    "a session of Kimi more": lambda home: kimi.session(home, 8),
    "a title of Kimi": lambda home: put(
        kimi.folder(home) / "state.json", json.dumps(kimi.state(1, title="New", archived=True))
    ),
    "an agent of Kimi more": lambda home: kimi.log(kimi.folder(home), kimi.turns(origin=kimi.SPAWNER), "agent-9"),
    "a session of oh-my-pi more": lambda home: omp.session(home, number=8),
    "a title of oh-my-pi, in place": lambda home: put(
        omp.folder(home) / omp.file_name(1),
        (omp.folder(home) / omp.file_name(1)).read_bytes().replace(b'"title":""', b'"title":"N"', 1),
    ),
    "a child of a session of oh-my-pi": lambda home: omp.child(
        omp.folder(home) / omp.file_name(1), [*omp.spawned(8), omp.said("Words")], "Other.jsonl"
    ),
    "a save of Vibe": lambda home: vibe.save(home, 8),
    "a unified session of Vibe": lambda home: vibe.unified(home, 8),
    "a child of a unified session of Vibe": vibe.unified_child,
    "a title of Vibe": lambda home: vibe.folder(home, 1, title="New"),
    "Vibe's sessions moved": lambda home: (
        put(home / ".vibe/config.toml", f'[session_logging]\nsave_dir = "{home}/moved"'),
        vibe.folder(home, 8, root="moved"),
    ),
    "only a time": lambda home: os.utime(home / CLAUDE, (0, 0)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_shows(home: Path, cache: Path, listed: List, change: str) -> None:
    write(home)
    listed()
    listed()
    tick(home)

    CHANGES[change](home)

    listed(limit=3)
    listed()
    listed()


def test_what_is_open_in_another_program_shows(home: Path, listed: List) -> None:
    write(home)
    path = home / ".local/share/opencode/opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        listed()
        tick(home)
        connection.execute("UPDATE session SET title = 'In the log'")
        connection.commit()

        page = listed()

    assert sum(session.title == "In the log" for session in page.sessions) == 5


def test_a_variable_that_moves_a_store_shows(home: Path, listed: List) -> None:
    write(home)
    codex.rollout(home, number=8, root="moved")
    listed()

    moved = listed({"CODEX_HOME": str(home / "moved")})

    assert [session.uuid for session in moved.sessions if session.agent == "codex"] == [uuid(8)]
    listed()


def test_the_directory_that_sesls_is_started_in_shows(home: Path, listed: List) -> None:
    pi.session(home, number=1)
    put(home / "project/.pi/settings.json", f'{{"sessionDir": "{home}/moved"}}')
    put(home / "moved" / pi.file_name(8), [pi.header(8), pi.said("Words")])
    listed()

    assert listed(cwd=home / "project").total == 2
    assert listed(cwd=home).total == 1


def test_a_directory_in_which_nothing_is_costs_nothing(home: Path, cache: Path, reading: Reading) -> None:
    pi.session(home)
    remembering(home, cache)
    reading.openings.clear()

    take(Query(), environment_of(home, cwd=home / "elsewhere", cache=cache))

    assert reading.openings == Counter()


def test_what_cannot_be_read_is_said_every_time(home: Path, listed: List, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home)
    put(home / CLAUDE, b"garbage\n" * 9)
    closed = codex.rollout(home, number=8)
    plainly = os.open

    def refusing(path: Any, *others: Any) -> int:
        if path == str(closed):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return plainly(path, *others)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing)
        pages = [listed(), listed(), listed()]
    after = listed()

    assert [len(page.warnings) for page in pages] == [2, 2, 2]
    assert (len(after.warnings), after.total) == (1, pages[0].total + 1)


def test_everything_that_is_looked_at_is_noted(home: Path) -> None:
    write(home)
    antigravity.whole_store(home)
    claude.beside(home / CLAUDE, "custom-title.json", {"customTitle": "New"})
    codex.state_database(home, [{"id": uuid(2), "cwd": "/srv/meadow", "name": "N"}])
    codex.name_index(home, (1, "Named"))
    put(home / ".codex/config.toml", "sqlite_home = '~/.codex'")
    opencode.record(home, opencode.session(9))
    gemini.printed(home, number=9)
    gemini.registry(home, {"/srv/meadow": "meadow"})
    qwen.old(home, number=9)
    touched: set[str] = set()
    is_watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if is_watching and event in ("open", "os.scandir", "os.listdir") and isinstance(arguments[0], str):
            touched.add(arguments[0])

    sys.addaudithook(watch)
    with looks.noted() as seen:
        take(Query(), environment_of(home))
    is_watching = False

    within = {path for path in touched if path.startswith(str(home))}
    assert len(within) > 40
    assert within - seen.paths.keys() == set()


# Secrets


def secretive(home: Path) -> None:
    """Fill a home with sessions whose titles hold a secret, and extras too."""
    words = f"use {TOKEN} to deploy"
    claude.transcript(home, [claude.user(words, gitBranch=f"try-{TOKEN}"), claude.assistant(gitBranch=f"try-{TOKEN}")])
    summary = {"type": "summary", "summary": words, "leafUuid": uuid(77)}
    claude.transcript(home, [summary, claude.user("Plain", uuid=uuid(77)), claude.assistant()], number=2)
    claude.code_record(home, 3, title=words, lastActivityAt=epoch_ms())
    branch = {"branch": f"try-{TOKEN}"}
    codex.rollout(home, [codex.meta(git=branch, agent_nickname=TOKEN), codex.turn(), codex.said(words)])
    codex.name_index(home, (1, words))
    opencode.database(home, [opencode.session(1, title=words)])
    antigravity.conversation(home, [antigravity.asked(words), antigravity.answered()])
    antigravity.summaries(home, antigravity.listed(1, title=words))
    pi.session(home, [pi.header(), pi.said(words), pi.answered()])
    gemini.session(home, [gemini.header(), gemini.said(words), gemini.change(summary=words)])
    qwen.session(home, [qwen.said(words, gitBranch=f"try-{TOKEN}"), qwen.titled(words)])
    hermes.database(home, [hermes.session(1, title=words), hermes.session(2, [hermes.said(words)])])
    hermes.snapshot(home, 3, [{"role": "user", "content": words}])
    kimi.session(home, 1, title=words)
    kimi.session(home, 2, kimi.turns(words))
    omp.session(home, omp.turns(1, title=words))
    omp.session(home, omp.turns(2, words), number=2)
    vibe.save(home, 1, [vibe.said(words)])
    vibe.folder(home, 2, title=words)
    vibe.unified(home, 3, session=vibe.shown(3, preview=words))


def test_no_secret_is_remembered(home: Path, cache: Path, listed: List) -> None:
    secretive(home)

    page = listed()

    kept_bytes = b"".join(path.read_bytes() for path in cache.rglob("*") if path.is_file())
    assert page.redactions["GITHUB_TOKEN"] >= 17
    assert b"deploy" in kept_bytes
    assert TOKEN[8:].encode() not in kept_bytes


def test_secrets_are_read_again_to_be_shown(home: Path, listed: List) -> None:
    secretive(home)
    listed()

    page = listed(redact=False)

    assert page.redactions == {}
    assert sum(TOKEN in str(session.title) for session in page.sessions) >= 16
    assert listed().redactions != {}


def test_sessions_without_secrets_are_not_read_again_to_be_shown_unmasked(
    home: Path, cache: Path, reading: Reading
) -> None:
    plain = str(claude.transcript(home, number=5))
    secret = str(claude.transcript(home, [claude.user(f"use {TOKEN}"), claude.assistant()], number=6))
    remembering(home, cache)
    reading.openings.clear()

    remembering(home, cache, redact=False)

    assert reading.openings[plain] == 0
    assert reading.openings[secret] > 0


# The files themselves


def test_the_files_are_private(home: Path, cache: Path, listed: List) -> None:
    write(home)
    listed()

    modes = {path.stat().st_mode & 0o777 for path in cache.rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in (cache, *cache.iterdir())}
    assert (modes, folders) == ({0o600}, {0o700})


def kept_files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def framed(content: bytes, change: Callable[[list[bytes]], list[bytes]]) -> bytes:
    """Return a file of the cache with other pieces, each with the frame it had."""
    place = content.index(b"\n") + 1
    header, pieces = content[:place], []
    while place < len(content):
        end = place + 8 + int.from_bytes(content[place : place + 4])
        pieces.append(content[place:end])
        place = end
    return header + b"".join([*change(pieces[:-1]), pieces[-1]])


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "cut by a byte": lambda content: content[:-1],
    "zeroed": lambda content: bytes(len(content)),
    "garbage": lambda content: b"garbage" * 99,
    "a flipped bit": lambda content: content[:-9] + bytes([content[-9] ^ 4]) + content[-8:],
    "of another version": lambda content: content.replace(b"sesls ", b"sesls 99", 1),
    "longer": lambda content: content + b"\x00",
    "without a piece": lambda content: framed(content, lambda pieces: [*pieces[:1], *pieces[2:]]),
    "with a piece twice": lambda content: framed(content, lambda pieces: [*pieces[:2], *pieces[1:]]),
}
HARMLESS = ("cut by a byte", "longer", "with a piece twice")
"""What no entry is lost by; a survey is only of use as a whole."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_count_as_none(home: Path, cache: Path, listed: List, damage: str) -> None:
    write(home)
    listed()
    sound = {path: path.stat().st_size for path in kept_files(cache)}
    for path in sound:
        path.write_bytes(DAMAGES[damage](path.read_bytes()))

    listed()

    mended = {path: path.stat().st_size for path in kept_files(cache)}
    assert mended.keys() == sound.keys()
    for path, size in sound.items():
        assert mended[path] == size or (damage in HARMLESS and path.suffix != ".survey")


@pytest.mark.parametrize("section", ["survey", "summaries", "facts", "rows", "contents"])
def test_a_file_of_another_agent_counts_as_none(home: Path, cache: Path, listed: List, section: str) -> None:
    write(home)
    listed()
    (source,) = cache.rglob(f"codex.{section}")
    shutil.copy(source, source.with_name(f"claude.{section}"))

    listed()
    listed(agents=("claude",))


@pytest.mark.parametrize("read", [30, 60, 200])
def test_a_disk_that_fails_in_the_middle_of_a_file_costs_no_row(
    home: Path, cache: Path, listed: List, monkeypatch: pytest.MonkeyPatch, read: int
) -> None:
    write(home)
    listed()

    class Failing(io.FileIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() >= read:
                raise OSError(errno.EIO, "input/output error")
            return super().read(-1 if size is None else size)

    def opening(path: str | int, mode: str) -> Any:
        if isinstance(path, str) and path.endswith(".survey"):
            return Failing(path)
        return open(path, mode)

    monkeypatch.setattr(disk, "open", opening, raising=False)

    listed()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied there")
def test_what_several_processes_learn_anew_is_not_lost(home: Path, cache: Path, reading: Reading) -> None:
    paths = [claude.transcript(home, number=number) for number in range(1, 121)]
    environment = environment_of(home, cache=cache)
    take(Query(limit=0), environment, processes=2)
    tick(home)
    for path in paths:
        append(path, claude.assistant("More", 5000))
    take(Query(limit=0), environment, processes=2)
    for rows in cache.rglob("*.rows"):
        rows.unlink()
    reading.openings.clear()

    take(Query(limit=0), environment)

    assert sum(reading.openings[str(path)] for path in paths) == 0


@pytest.mark.parametrize("section", ["survey", "summaries", "facts", "rows", "contents"])
def test_files_of_different_listings_go_together(home: Path, cache: Path, listed: List, section: str) -> None:
    write(home)
    listed()
    old = {path: path.read_bytes() for path in kept_files(cache) if path.suffix == f".{section}"}
    tick(home)
    append(home / CLAUDE, claude.user("Graft", 5000))
    claude.transcript(home, number=8)
    listed()
    for path, content in old.items():
        path.write_bytes(content)

    listed()
    listed()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no such owners there")
def test_a_file_that_others_may_write_to_counts_as_none(
    home: Path, cache: Path, listed: List, reading: Reading
) -> None:
    path = str(claude.transcript(home))
    listed()
    for file in kept_files(cache):
        file.chmod(0o666)
    reading.openings.clear()

    remembering(home, cache)

    assert reading.openings[path] > 0
    assert {file.stat().st_mode & 0o777 for file in kept_files(cache)} == {0o600}


def unwritable(cache: Path) -> None:
    put(cache.parent, b"a file where a folder should be")


def dangling(cache: Path) -> None:
    cache.parent.mkdir()
    cache.symlink_to("nowhere/at/all")


@pytest.mark.parametrize("prepare", [unwritable, dangling])
def test_a_place_that_cannot_be_written_to_costs_nothing(
    home: Path, cache: Path, listed: List, prepare: Callable[[Path], None]
) -> None:
    write(home)
    prepare(cache)

    assert listed().total == TOTAL


@pytest.mark.parametrize("function", ["open", "replace", "makedirs"])
def test_a_full_disk_costs_nothing_and_leaves_nothing(
    home: Path, cache: Path, listed: List, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    write(home)
    plainly = getattr(os, function)

    def full(path: Any, *others: Any, **keys: Any) -> Any:
        if str(path).startswith(str(cache)):
            raise OSError(errno.ENOSPC, "No space left on device", path)
        return plainly(path, *others, **keys)

    monkeypatch.setattr(os, function, full)

    assert listed().total == TOTAL
    assert kept_files(cache) == []


def test_what_killed_listings_left_half_written_goes_after_an_hour(home: Path, cache: Path, listed: List) -> None:
    write(home)
    listed()
    folder = next(cache.rglob("claude.rows")).parent
    old, new, other = (put(folder / name, b"half") for name in ("claude.facts.1", "pi.rows.2", "notes.txt"))
    for path in (old, other):
        os.utime(path, (1, 1))
    claude.transcript(home, number=70)
    listed()

    assert [path.exists() for path in (old, new, other)] == [False, True, True]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files cannot be told there")
def test_no_file_is_replaced_while_it_is_open(home: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses that, and would remember the first listing for ever."""
    refused: list[str] = []
    plainly = os.replace

    def replace(source: str, target: str) -> None:
        links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
        if target in [os.readlink(link) for link in links if os.path.lexists(link)]:
            refused.append(os.path.basename(target))
        plainly(source, target)

    monkeypatch.setattr(os, "replace", replace)
    write(home)
    remembering(home, cache)
    for number in (70, 71):
        claude.transcript(home, [claude.user("Prune", 90_000 + number)], number=number)
        tick(home)
        assert len(remembering(home, cache, limit=1).sessions) == 1

    assert refused == []


def test_two_listings_at_once_leave_sound_files(home: Path, cache: Path, listed: List) -> None:
    write(home)
    listed()
    tick(home)
    append(home / CLAUDE, claude.user("Graft", 5000))
    first = os.fork() if hasattr(os, "fork") else None
    if first == 0:
        remembering(home, cache)
        os._exit(0)

    listed()

    if first is not None:
        os.waitpid(first, 0)
    listed()


def test_what_is_gone_is_forgotten(home: Path, cache: Path, listed: List) -> None:
    write(home)
    codex.name_index(home, (1, "Named"))
    listed()
    before = {path.name: path.stat().st_size for path in kept_files(cache)}
    tick(home)
    (home / CLAUDE).unlink()
    next((home / ".codex/sessions").rglob(f"*{uuid(2)}*")).unlink()

    listed()

    after = {path.name: path.stat().st_size for path in kept_files(cache)}
    assert all(after[f"{agent}.survey"] < before[f"{agent}.survey"] for agent in ("claude", "codex"))
    assert uuid(2).encode() not in b"".join(path.read_bytes() for path in kept_files(cache) if "codex" in path.name)
    assert b"-srv-orchard/" + uuid(1).encode() + b".jsonl" not in b"".join(
        path.read_bytes() for path in kept_files(cache) if path.name in ("claude.rows", "claude.facts")
    )


def test_every_home_has_its_own(home: Path, cache: Path, tmp_path: Path) -> None:
    claude.transcript(home, number=1)
    other = tmp_path / "other"
    claude.transcript(other, number=2)
    remembering(home, cache)

    page = take(Query(), environment_of(other, cache=cache))

    assert [session.uuid for session in page.sessions] == [uuid(2)]
    assert remembering(home, cache).sessions[0].uuid == uuid(1)


def test_what_changed_just_now_is_not_trusted(
    home: Path, cache: Path, reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(claude.transcript(home))
    monkeypatch.setattr(looks, "_SETTLED_NS", 10**15)
    remembering(home, cache)
    reading.openings.clear()

    remembering(home, cache)

    assert reading.openings[path] > 0


def test_a_variable_turns_it_off(home: Path, cache: Path) -> None:
    write(home)

    take(Query(), environment_of(home, {"SESLS_NO_CACHE": "1"}, cache=cache))

    assert not cache.exists()


def test_names_that_are_no_utf_8_cost_nothing(home: Path, listed: List) -> None:
    write(home)
    try:
        os.rename(os.fsencode(home / ".codex/sessions/2026"), os.fsencode(home / ".codex/sessions") + b"/20\xff26")
    except OSError:
        pytest.skip("this file system takes no such names")

    assert listed().total == listed().total == TOTAL


# What can be asked about it


def test_it_can_be_seen_and_cleared(home: Path, cache: Path, listed: List) -> None:
    write(home)
    environment = environment_of(home, cache=cache)
    listed()
    own = put(cache / "0123abcd" / "notes.txt", b"mine")

    sizes = {one.agent: one.size for one in kept(environment)}
    clear(environment)

    assert tuple(sizes) == tuple(sorted(REGISTRY))
    assert min(sizes[agent] for agent in WRITERS) > 500
    assert kept(environment) == []
    assert own.exists()
    assert folder(environment) is not None
    assert not Path(str(folder(environment))).exists()


def test_to_clear_nothing_is_no_failure(home: Path, cache: Path) -> None:
    clear(environment_of(home, cache=cache))
    clear(environment_of(home))

    assert kept(environment_of(home)) == []


def test_what_is_remembered_is_plain_data(home: Path, cache: Path) -> None:
    claude.transcript(home, [claude.user("Plant"), claude.assistant()])
    remembering(home, cache)
    claude.beside(home / CLAUDE, "archived.json", {"archived": True})

    title = remembering(home, cache).sessions[0].title

    assert type(title) is str


def test_a_file_in_the_place_of_a_folder_is_looked_at_once(home: Path, cache: Path, reading: Reading) -> None:
    put(home / ".codex" / "sessions", "no folder")
    remembering(home, cache)
    reading.openings.clear()

    remembering(home, cache)

    assert reading.openings == Counter()


# A process that lists more than once


def test_the_second_listing_of_a_process_opens_nothing_even_with_nowhere_to_remember(
    home: Path, reading: Reading
) -> None:
    write(home)
    query, clock = Query(), Clock(0)
    readers = readers_of(query, environment_of(home))
    answers = []
    for _ in range(2):
        reading.openings.clear()
        again = {key: replace(one, memory=one.memory.again()) for key, one in readers.items()}
        answers.append(read(select(query, clock, again).summaries, clock, again).sessions)

    assert reading.openings == Counter()
    assert [one.title for one in answers[0]] == [one.title for one in answers[1]]
    assert len(answers[0]) == TOTAL


def test_all_pages_of_one_listing_look_through_the_stores_once(home: Path, cache: Path, reading: Reading) -> None:
    for number in range(1, 6):
        claude.transcript(home, number=number)
    remembering(home, cache, limit=1)
    reading.openings.clear()
    query, clock = Query(), Clock(0)
    known = readers_of(query, environment_of(home, cache=cache))
    readers = {key: replace(one, memory=one.memory.again()) for key, one in known.items()}
    for summary in select(query, clock, readers).summaries:
        read([summary], clock, readers)

    assert reading.openings[str(claude.folder(home))] == 1


def test_what_only_details_look_at_costs_no_second_walk(home: Path, reading: Reading) -> None:
    other, path = claude.transcript(home, number=1), claude.transcript(home, number=2)
    claude.beside(path, "custom-title.json", {"customTitle": "Prune"})
    query, clock = Query(), Clock(0)
    readers = readers_of(query, environment_of(home))

    def titles() -> set[str | None]:
        again = {key: replace(one, memory=one.memory.again()) for key, one in readers.items()}
        return {one.title for one in read(select(query, clock, again).summaries, clock, again).sessions}

    titles()
    tick(home)
    append(other, claude.user("Water", 5000))
    titles()
    tick(home)
    claude.beside(path, "custom-title.json", {"customTitle": "Graft"})
    reading.openings.clear()

    assert "Graft" in titles()
    assert reading.openings[str(claude.folder(home))] == 0
