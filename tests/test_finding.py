"""Finding sessions: every filter and order over a whole home, what that reads, and what the cache may hold of it."""

from __future__ import annotations

import fnmatch
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sesls.adapters import adapter
from sesls.clock import Clock
from sesls.inventory import diagnose, take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.builders.claude import MODEL, assistant, subagent, transcript, user
from tests.builders.codex import event, meta, rollout, said, turn
from tests.builders.common import START, uuid
from tests.conftest import environment_of, examples

Ask = Callable[..., Page]

SECRET = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = "gh" + "p_" + SECRET
EPOCH = round(START.timestamp() * 1000)
CLOCK = Clock(EPOCH + 3_600_000)


def claude_session(home: Path, number: int, words: str = "Words", seconds: float = 30, **keys: Any) -> Path:
    model = keys.pop("model", MODEL)
    keys = {"sessionId": uuid(number), **keys}
    rows = [user(words, seconds, **keys), assistant(seconds=seconds, model=model, **keys)]
    return transcript(home, rows, number=number, directory=keys.get("cwd", "/srv/orchard"))


def codex_session(home: Path, number: int, words: str = "Words", seconds: float = 30, branch: str = "main") -> Path:
    header = meta(number, git={"branch": branch}, cwd="/srv/barn")
    return rollout(home, [header, turn(), said(words), event("agent_message", seconds)], number=number)


def uuids(page: Page) -> list[str]:
    return [session.uuid for session in page.sessions]


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose sessions differ in all that can be asked for."""
    home = tmp_path_factory.mktemp("finding") / "home"
    words = [
        "Mend the roof",
        "paint the GATE",
        f"deploy with {TOKEN}",
        "Mend the roof",
        "Übung",
        "x" * 250 + " far off",
    ]
    for number, text in enumerate(words, start=1):
        claude_session(
            home,
            number,
            text,
            seconds=600 * number,
            cwd=("/srv/orchard", "/srv/orchard/trees", "/srv/barn")[number % 3],
            gitBranch=("main", "feature/roof", "Feature/Gate")[number % 3],
            model=("claude-opus-5", "claude-sonnet-5")[number % 2],
        )
        codex_session(home, number + 10, text, seconds=500 * number, branch=("main", "dev")[number % 2])
    for number in range(1, 4):
        subagent(home, f"a5d6907d35987d00{number}", meta={"description": f"Count {number}"})
    return home


@pytest.fixture(scope="module")
def everything(orchard: Path) -> tuple[Session, ...]:
    """All sessions of the home as they are without a filter, secrets shown."""
    return taken(orchard, redact=False).sessions


def taken(home: Path, cache: Path | None = None, **fields: Any) -> Page:
    return take(Query(**{"limit": 0, **fields}), environment_of(home, cache=cache), clock=CLOCK)


def glob(pattern: str, value: object) -> bool:
    return isinstance(value, str) and fnmatch.fnmatchcase(value.lower(), pattern.lower())


def within(path: str | None, directories: tuple[str, ...]) -> bool:
    return path is not None and any((path + "/").startswith(one + "/") for one in directories)


def instant(session: Session) -> int:
    from sesls.instants import instant

    return instant(session.last_activity) or 0


BRUTE: dict[str, Callable[[Session, Any], bool]] = {
    "agents": lambda one, agents: one.agent in agents,
    "kind": lambda one, kind: one.kind == kind,
    "noise": lambda one, noise: noise == "include" or (one.parent_uuid is not None) == (noise == "only"),
    "project_dir": lambda one, directory: within(one.project_dir, (directory,)),
    "here": lambda one, directories: within(one.project_dir, directories),
    "since": lambda one, since: instant(one) >= since,
    "until": lambda one, until: instant(one) <= until,
    "activity": lambda one, activity: one.activity == activity,
    "surface": lambda one, surface: glob(surface, one.launch_surface),
    "model": lambda one, model: any(glob(model, name) for name in one.models),
    "branch": lambda one, branch: glob(branch, one.extra.get("git_branch")),
    "title": lambda one, words: words.lower() in (one.title or "").lower(),
}
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "agents": st.sampled_from([("claude",), ("codex",), ("claude", "codex"), ("pi",)]),
        "kind": st.sampled_from(["agent", "subagent"]),
        "noise": st.sampled_from(["include", "exclude", "only"]),
        "project_dir": st.sampled_from(["/srv", "/srv/orchard", "/srv/barn", "/else"]),
        "here": st.sampled_from([("/srv/barn", "/srv/orchard/trees"), ("/srv",), ("/else",)]),
        "since": st.sampled_from([EPOCH, EPOCH + 600_000, EPOCH + 1_500_000]),
        "until": st.sampled_from([EPOCH + 1_500_000, EPOCH + 3_000_000, EPOCH + 9_000_000]),
        "activity": st.sampled_from(["fresh", "stale"]),
        "surface": st.sampled_from(["claude-*", "codex_cli_rs", "*", "cli"]),
        "model": st.sampled_from(["*opus*", "claude-*", "gpt-*", "*"]),
        "branch": st.sampled_from(["main", "feature/*", "*e*"]),
        "title": st.sampled_from(["roof", "the", SECRET, SECRET.lower(), "übung", "deploy", "count", "redacted"]),
    },
)
ORDERS = st.fixed_dictionaries(
    {}, optional={"sort": st.sampled_from(["activity", "created", "title", "size"]), "reverse": st.booleans()}
)
thorough = examples(50)


@thorough
@given(filters=FILTERS, order=ORDERS)
def test_any_filters_together_leave_what_trying_each_session_leaves(
    orchard: Path, everything: tuple[Session, ...], filters: dict[str, Any], order: dict[str, Any]
) -> None:
    expected = {one.uuid for one in everything if all(BRUTE[name](one, value) for name, value in filters.items())}

    page = taken(orchard, **filters, **order)

    assert set(uuids(page)) == expected
    assert page.total == len(page.sessions) == len(expected)
    assert page.filtered == sum(one.agent in filters.get("agents", (one.agent,)) for one in everything) - page.total
    assert TOKEN not in str(page.to_dict())


@thorough
@given(filters=FILTERS, order=ORDERS, size=st.integers(1, 7))
def test_pages_together_are_the_whole(orchard: Path, filters: dict[str, Any], order: dict[str, Any], size: int) -> None:
    whole = taken(orchard, **filters, **order)

    pages = [taken(orchard, **filters, **order, limit=size, offset=at) for at in range(0, whole.total, size)]

    assert [one for page in pages for one in page.sessions] == list(whole.sessions)
    assert {page.total for page in pages} <= {whole.total}


@thorough
@given(filters=FILTERS)
def test_what_the_filters_remove_adds_up(orchard: Path, filters: dict[str, Any]) -> None:
    found, _ = diagnose(Query(**filters), environment_of(orchard), clock=CLOCK)

    assert list(found.removed) == list(found.filters)
    assert found.sessions - sum(found.removed.values()) == found.matching == taken(orchard, **filters).total
    answer = found.to_dict()
    assert ("removed" in answer) == bool(found.filters)


def test_an_order_is_the_one_asked_for(orchard: Path) -> None:
    titles = [session.title for session in taken(orchard, sort="title", agents=("claude",), kind="agent").sessions]
    sizes = [session.size_bytes or 0 for session in taken(orchard, sort="size").sessions]
    created = [session.created or "" for session in taken(orchard, sort="created", reverse=True).sessions]

    assert [title[:6] for title in titles if title] == ["deploy", "Mend t", "Mend t", "paint ", "x" * 6, "Übung"]
    assert sizes == sorted(sizes, reverse=True)
    assert created == sorted(created)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that gets the path of every session whose details are read."""
    found: list[str] = []
    for agent in ("claude", "codex"):
        source = adapter(agent)
        details = source.details

        def noted(summary: Any, *rest: Any, details: Callable[..., Any] = details) -> Any:
            found.append(summary.path)
            return details(summary, *rest)

        monkeypatch.setattr(source, "details", noted)
    return found


def test_filters_on_summaries_read_the_page_alone(orchard: Path, reads: list[str]) -> None:
    cheap: dict[str, Any] = {"kind": "agent", "noise": "exclude", "project_dir": "/srv", "here": ("/srv",)}
    cheap |= {"since": EPOCH, "until": EPOCH + 10**8, "surface": "*", "reverse": True}

    page = taken(orchard, **cheap, limit=2)

    assert page.total == 12
    assert len(reads) == 2


def test_filters_on_rows_read_what_the_others_leave(orchard: Path, reads: list[str]) -> None:
    page = taken(orchard, agents=("codex",), since=EPOCH + 1_900_000, model="gpt*", title="the", limit=1)

    assert page.total == 1
    assert len(reads) == 3


def test_the_second_time_nothing_is_read(
    home: Path, tmp_path: Path, reads: list[str], aged: Callable[[], None]
) -> None:
    for number in range(1, 6):
        claude_session(home, number, f"Prompt {number}")
    aged()
    first = taken(home, tmp_path / "cache", title="prompt", sort="title", limit=1)
    assert len(reads) == 5
    reads.clear()

    assert taken(home, tmp_path / "cache", title="prompt", sort="title", limit=1).sessions == first.sessions
    assert taken(home, tmp_path / "cache").total == 5
    assert reads == []


def test_what_a_diagnosis_read_is_remembered_too(
    home: Path, tmp_path: Path, reads: list[str], aged: Callable[[], None]
) -> None:
    claude_session(home, 1, "Mend the roof")
    aged()
    environment = environment_of(home, cache=tmp_path / "cache")

    for _ in range(2):
        assert diagnose(Query(title="roof"), environment, clock=CLOCK)[0].matching == 1

    assert taken(home, tmp_path / "cache", title="roof").total == 1
    assert len(reads) == 1


@pytest.fixture
def aged(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function that makes what was written just now count as settled, so that it is remembered."""
    from sesls import looks

    return lambda: monkeypatch.setattr(looks, "_SETTLED_NS", -(10**12))


@pytest.mark.parametrize("words", [TOKEN, SECRET[4:20].upper(), f"with {TOKEN} pl", "please"])
def test_a_secret_is_found_in_a_title_and_never_kept(
    home: Path, tmp_path: Path, reads: list[str], aged: Callable[[], None], words: str
) -> None:
    claude_session(home, 1, f"deploy with {TOKEN} please")
    for number in range(2, 6):
        codex_session(home, number, "Words please" if words == "please" else "Words")
    aged()
    cache = tmp_path / "cache"
    taken(home, cache)
    reads.clear()

    for _ in range(2):
        page = taken(home, cache, title=words)
        assert uuid(1) in uuids(page)
        assert page.total == (5 if words == "please" else 1)
        assert TOKEN not in str(page.to_dict())
        assert page.redactions == {"GITHUB_TOKEN": 1}
    assert {Path(path).stem for path in reads} == {uuid(1)}  # only what a secret hides is read again
    assert all(SECRET[:8].encode() not in file.read_bytes() for file in cache.rglob("*") if file.is_file())


def test_the_mark_of_a_secret_is_nothing_to_be_found(home: Path) -> None:
    claude_session(home, 1, f"deploy with {TOKEN}")

    page = taken(home, title="[REDACTED_GITHUB_TOKEN]")

    assert page.total == 0
    assert page.diagnostics is not None
    assert any("[REDACTED_…] mark" in hint for hint in page.diagnostics.hints)


def test_a_secret_that_was_looked_for_is_not_told(home: Path) -> None:
    claude_session(home, 1)

    masked, shown = taken(home, title=TOKEN), taken(home, title=TOKEN, redact=False)

    assert TOKEN not in str(masked.to_dict())
    assert TOKEN in str(shown.to_dict())


def test_a_title_is_searched_beyond_where_it_is_cut(home: Path, tmp_path: Path, aged: Callable[[], None]) -> None:
    claude_session(home, 1, "word " * 100 + "far off")
    codex_session(home, 2, "word " * 190 + "far off " + "word " * 2000)
    claude_session(home, 3, "word " * 100)
    aged()

    for cache in (None, tmp_path / "cache", tmp_path / "cache"):
        page = taken(home, cache, title="Far OFF")
        assert set(uuids(page)) == {uuid(1), uuid(2)}
        assert all(session.title == ("word " * 40).rstrip() + "…" for session in page.sessions)
    with (transcript_path := next(home.rglob(f"{uuid(1)}.jsonl"))).open("ab") as file:
        file.write(transcript_path.read_bytes().splitlines(keepends=True)[-1])
    assert set(uuids(taken(home, tmp_path / "cache", title="Far OFF"))) == {uuid(1), uuid(2)}


def test_a_secret_beyond_where_a_title_is_cut_is_not_counted(home: Path) -> None:
    claude_session(home, 1, "word " * 100 + TOKEN)

    page = taken(home)

    assert page.redactions == {}
    assert page.sessions[0].title == ("word " * 40).rstrip() + "…"


def test_each_session_is_handed_on_once_in_order(orchard: Path) -> None:
    for fields in ({}, {"sort": "title"}, {"limit": 3, "offset": 2}, {"title": "nothing of the kind"}):
        got: list[Session] = []
        query = Query(**{"limit": 0, **fields})  # type: ignore[arg-type]
        handed_on = take(query, environment_of(orchard), clock=CLOCK, hand_on=got.append)
        held = take(query, environment_of(orchard), clock=CLOCK)
        assert tuple(got) == held.sessions
        assert handed_on == replace(held, sessions=())


def test_a_session_is_handed_on_before_the_next_one_is_read(orchard: Path, reads: list[str]) -> None:
    got: list[int] = []

    take(Query(limit=0), environment_of(orchard), hand_on=lambda session: got.append(len(reads)))

    assert got == list(range(1, len(got) + 1))


def homes_page(own: Path, *homes: Path, variables: dict[str, str] | None = None, **fields: Any) -> Page:
    environment = environment_of(own, variables)
    others = [environment.of_home(str(home)) for home in homes]
    return take(Query(**{"limit": 0, **fields}), environment, homes=others, clock=CLOCK)


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """Another home, with sessions of two agents."""
    path = tmp_path / "disk" / "ada"
    claude_session(path, 1, "Of the disk", seconds=60)
    codex_session(path, 2, "Of the disk too", seconds=90)
    return path


def test_another_home_is_looked_through_instead_of_the_own(home: Path, disk: Path) -> None:
    claude_session(home, 3)

    page = homes_page(home, disk)

    assert uuids(page) == [uuid(2), uuid(1)]
    assert {session.home for session in page.sessions} == {str(disk)}
    assert page.to_dict()["sessions"][0]["home"] == str(disk)
    assert "home" not in taken(home).to_dict()["sessions"][0]


def test_several_homes_are_one_list(home: Path, disk: Path) -> None:
    claude_session(home, 1, "My own", seconds=70)

    page = homes_page(home, disk, home, sort="title")

    assert [(session.title, session.home) for session in page.sessions] == [
        ("My own", str(home)),
        ("Of the disk", str(disk)),
        ("Of the disk too", str(disk)),
    ]


def test_what_reopens_a_session_is_told_for_the_own_home_alone(home: Path, disk: Path) -> None:
    claude_session(home, 1, "My own")

    commands = {session.title: session.resume_command for session in homes_page(home, home, disk).sessions}

    assert commands == {
        "My own": f"cd /srv/orchard && claude --resume {uuid(1)}",
        "Of the disk": None,
        "Of the disk too": None,
    }


def test_variables_move_what_lies_in_the_own_home_alone(home: Path, disk: Path, tmp_path: Path) -> None:
    claude_session(tmp_path / "moved", 5)
    variables = {"CLAUDE_CONFIG_DIR": str(tmp_path / "moved" / ".claude"), "CODEX_HOME": str(tmp_path / "nothing")}

    assert uuids(homes_page(home, disk, variables=variables)) == [uuid(2), uuid(1)]
    assert uuids(homes_page(home, home, variables=variables)) == [uuid(5)]


def test_the_desktop_of_another_home_is_looked_at_there(home: Path, disk: Path) -> None:
    environment = environment_of(home, {"APPDATA": "/srv/appdata"}).of_home(str(disk))

    assert all(place.startswith(str(disk)) for place in environment.config_homes())


def test_every_home_has_a_cache_of_its_own(
    home: Path, disk: Path, tmp_path: Path, reads: list[str], aged: Callable[[], None]
) -> None:
    claude_session(home, 3)
    aged()
    environment = environment_of(home, cache=tmp_path / "cache")
    homes = [environment.of_home(str(one)) for one in (disk, home)]
    first = take(Query(limit=0), environment, homes=homes, clock=CLOCK)
    reads.clear()

    assert take(Query(limit=0), environment, homes=homes, clock=CLOCK).sessions == first.sessions
    assert uuids(taken(home, tmp_path / "cache")) == [uuid(3)]
    assert taken(home, tmp_path / "cache").sessions[0].home is None
    assert reads == []
    assert not list(disk.rglob("*sesls*"))


def test_homes_are_told_apart_in_diagnostics(home: Path, disk: Path) -> None:
    environment = environment_of(home)
    homes = [environment.of_home(str(one)) for one in (disk, home)]

    found, _ = diagnose(Query(), environment, homes=homes)

    claude = [item for item in found.to_dict()["scanned"] if item["agent"] == "claude"]
    assert [(item["home"], item["sessions"]) for item in claude] == [(str(disk), 1), (str(home), 0)]
    empty = take(Query(title="nowhere"), environment, homes=homes, clock=CLOCK)
    assert empty.diagnostics is not None
    assert len(empty.diagnostics.scanned) == len(found.scanned)
    assert "home" not in diagnose(Query(), environment)[0].to_dict()["scanned"][0]


def test_a_broken_file_costs_no_filter(home: Path) -> None:
    claude_session(home, 1, "Mend")
    rollout(home, b"\x00\xff no rollout", number=2)
    path = claude_session(home, 3, "Mend too")
    path.write_bytes(path.read_bytes() + b"\x00\xff{]\n" * 20)

    page = taken(home, title="mend", model="*", sort="size")

    assert set(uuids(page)) == {uuid(1), uuid(3)}
    assert [warning.agent for warning in page.warnings] == ["codex"]


@examples(30)
@given(content=st.binary(max_size=200), filters=FILTERS, order=ORDERS)
def test_any_bytes_in_a_store_are_answered(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, filters: dict[str, Any], order: dict[str, Any]
) -> None:
    home = tmp_path_factory.mktemp("any") / "home"
    path = claude_session(home, 1)
    path.write_bytes(path.read_bytes() + content)
    rollout(home, content, number=2)
    before = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}

    page = taken(home, **filters, **order)

    assert page.total == len(page.sessions)
    assert {file: file.read_bytes() for file in home.rglob("*") if file.is_file()} == before


def test_shuffled_questions_change_no_answer(orchard: Path, tmp_path: Path, aged: Callable[[], None]) -> None:
    aged()
    questions: list[dict[str, Any]] = [
        {"title": SECRET},
        {"title": "roof", "redact": False},
        {"sort": "title", "limit": 4},
        {"model": "*opus*", "reverse": True},
        {"branch": "feature/*"},
        {},
    ]
    expected = [taken(orchard, **question) for question in questions]
    for place in random.Random(1).choices(range(len(questions)), k=20):
        page = taken(orchard, tmp_path / "cache", **questions[place])
        assert (page.sessions, page.total) == (expected[place].sessions, expected[place].total)
