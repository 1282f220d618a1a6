"""One home in which all agents worked: one list, whatever is asked of it, and nothing in the home is touched."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters import REGISTRY
from sesls.inventory import diagnose, take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.builders import antigravity, claude, codex, gemini, hermes, kimi, omp, opencode, pi, qwen, vibe
from tests.builders.common import at, put, uuid
from tests.builders.mixed import PLANS, WRITERS, Plan, session_id, write
from tests.conftest import environment_of

AGENTS = tuple(WRITERS)
TOKEN = "gh" + "p_" + "c3D5e7F9g1H2i4J6k8L0m2N4o6P8q0R2s4T6"


def _rank(session: tuple[str, Plan]) -> tuple[float, str, str]:
    agent, plan = session
    return -plan.seconds, agent, session_id(agent, plan)


ORDERED = [(agent, session_id(agent, plan)) for agent, plan in sorted(itertools.product(AGENTS, PLANS), key=_rank)]
"""The newest first, ties by agent and id."""
TOTAL = len(ORDERED)


def asked(home: Path, **fields: Any) -> Page:
    return take(Query(**{"limit": 0, **fields}), environment_of(home))


def ids(sessions: Iterable[Session]) -> list[tuple[str, str]]:
    return [(one.agent, one.uuid) for one in sessions]


def lasting(session: Session) -> dict[str, Any]:
    """Return what a session says whenever it is asked for."""
    return {key: value for key, value in session.to_dict().items() if key not in ("age_sec", "activity")}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that no test of this module changes."""
    return write(tmp_path_factory.mktemp("mixed") / "home")


@pytest.fixture(scope="module")
def everything(mixed: Path) -> tuple[Session, ...]:
    return asked(mixed).sessions


# One list


def test_all_sessions_of_all_agents_are_there_the_newest_first(mixed: Path) -> None:
    page = asked(mixed)

    assert ids(page.sessions) == ORDERED
    assert (page.total, page.truncated, page.warnings, page.diagnostics) == (TOTAL, False, (), None)


def test_the_order_is_the_same_whatever_was_written_first(home: Path) -> None:
    write(home, reversed(PLANS))

    assert ids(asked(home).sessions) == ORDERED


def test_the_order_is_the_same_however_the_system_lists_a_folder(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    class Backwards:
        def __init__(self, path: str) -> None:
            with scandir(path) as scan:
                self.entries = sorted(scan, key=lambda entry: entry.name, reverse=True)

        def __enter__(self) -> Iterator[os.DirEntry[str]]:
            return iter(self.entries)

        def __exit__(self, *error: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", Backwards)

    assert ids(asked(mixed).sessions) == ORDERED


def test_one_id_of_several_agents_is_several_sessions(everything: tuple[Session, ...]) -> None:
    found = [agent for agent, one in ids(everything) if one == uuid(2)]
    assert found == sorted(set(AGENTS) - {"opencode", "hermes", "kimi"})


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"session {plan.number}")
def test_every_agent_tells_the_same_of_the_same_session(
    everything: tuple[Session, ...], agent: str, plan: Plan
) -> None:
    (found,) = (one for one in everything if (one.agent, one.uuid) == (agent, session_id(agent, plan)))

    assert (found.title, found.project_dir) == (plan.text, plan.directory)
    assert (found.created, found.last_activity, found.message_count) == (at(), at(plan.seconds), 2)
    assert found.kind == ("agent" if plan.parent is None else "subagent")
    assert found.parent_uuid == (None if plan.parent is None else session_id(agent, PLANS[plan.parent - 1]))
    assert len(found.models) == 1
    assert "copies" not in found.extra


@pytest.mark.parametrize(
    ("agent", "command"),
    [
        ("claude", "claude --resume {id}"),
        ("codex", "codex resume {id}"),
        ("opencode", "opencode --session {id}"),
        ("antigravity", "agy --conversation {id}"),
        ("pi", "pi --session {path}"),
        ("gemini", "gemini --resume {id}"),
        ("qwen", "qwen --resume {id}"),
        ("hermes", "hermes --resume {id}"),
        ("kimi", "kimi --session {id}"),
        ("omp", "omp --resume={id}"),
        ("vibe", "vibe --resume {id}"),
    ],
)
def test_every_agent_reopens_its_own_sessions_and_none_a_subagent(
    everything: tuple[Session, ...], agent: str, command: str
) -> None:
    for one in everything:
        if one.agent == agent:
            resume = f"cd {one.project_dir} && {command.format(id=one.uuid, path=one.path)}"
            assert one.resume_command == (resume if one.kind == "agent" else None)


# Filters

DIRECTORIES = (None, "/srv/orchard", "/srv/orchard/", "/srv/orchard/trees", "/srv", "/", "/srv/orch", "/srv/nowhere")


@pytest.mark.parametrize("kind", [None, "agent", "subagent"])
@pytest.mark.parametrize("noise", ["include", "exclude", "only"])
@pytest.mark.parametrize("project_dir", DIRECTORIES)
def test_filters_leave_what_passes_every_one_of_them(
    mixed: Path, everything: tuple[Session, ...], kind: str | None, noise: str, project_dir: str | None
) -> None:
    page = asked(mixed, kind=kind, noise=noise, project_dir=project_dir)

    expected = [
        one
        for one in everything
        if kind in (None, one.kind)
        and noise in ("include", "only" if one.kind == "subagent" or one.parent_uuid is not None else "exclude")
        and (project_dir is None or f"{one.project_dir}/".startswith(project_dir.rstrip("/") + "/"))
    ]
    assert ids(page.sessions) == ids(expected)
    assert (page.total, page.filtered) == (len(expected), len(everything) - len(expected))


@pytest.mark.parametrize(
    ("fields", "numbers"),
    [
        ({}, {1, 2, 3, 4, 5}),
        ({"kind": "agent"}, {1, 2, 4, 5}),
        ({"kind": "subagent"}, {3}),
        ({"noise": "exclude"}, {1, 2, 4, 5}),
        ({"noise": "only"}, {3}),
        ({"kind": "subagent", "noise": "exclude"}, set()),
        ({"project_dir": "/srv/orchard"}, {1, 2, 3}),
        ({"project_dir": "/srv/orchard", "noise": "exclude"}, {1, 2}),
        ({"project_dir": "/srv/orchard/trees"}, {2}),
        ({"project_dir": "/srv/barn", "kind": "agent"}, {5}),
        ({"project_dir": "/srv/barn", "kind": "subagent"}, set()),
    ],
)
def test_a_filter_means_the_same_for_every_agent(mixed: Path, fields: dict[str, Any], numbers: set[int]) -> None:
    found = set(ids(asked(mixed, **fields).sessions))

    assert found == {(agent, session_id(agent, plan)) for agent in AGENTS for plan in PLANS if plan.number in numbers}


@pytest.mark.parametrize(
    "agents", [chosen for size in (1, 2) for chosen in itertools.combinations(AGENTS, size)] + [AGENTS], ids="-".join
)
def test_agents_are_those_asked_for(mixed: Path, agents: tuple[str, ...]) -> None:
    page = asked(mixed, agents=agents)

    assert ids(page.sessions) == [one for one in ORDERED if one[0] in agents]
    assert (page.total, page.filtered) == (5 * len(agents), 0)


def test_nothing_that_passes_is_explained_by_all_agents(mixed: Path) -> None:
    page = asked(mixed, project_dir="/srv/nowhere", agents=("pi",))

    assert (page.sessions, page.total) == ((), 0)
    assert page.diagnostics is not None
    told = page.diagnostics.to_dict()
    assert {one["agent"]: one["sessions"] for one in told["scanned"]} == {
        agent: 5 if agent in AGENTS else 0 for agent in REGISTRY
    }
    assert told["corpus"]["sessions"] == TOTAL


# Pages


@pytest.mark.parametrize("limit", [0, 1, 2, 7, TOTAL - 1, TOTAL, TOTAL + 1])
def test_every_page_is_a_slice_of_the_one_list(mixed: Path, everything: tuple[Session, ...], limit: int) -> None:
    whole = [lasting(one) for one in everything]

    for offset in range(len(whole) + 2):
        page = asked(mixed, limit=limit, offset=offset)

        end = offset + limit if limit else None
        assert [lasting(one) for one in page.sessions] == whole[offset:end]
        assert (page.total, page.offset, page.limit) == (TOTAL, offset, limit)
        assert page.truncated == (end is not None and end < TOTAL)


@pytest.mark.parametrize(
    "fields",
    [
        {"agents": ("antigravity", "pi")},
        {"noise": "exclude"},
        {"kind": "subagent"},
        {"project_dir": "/srv/orchard", "agents": ("claude", "opencode", "codex")},
    ],
)
def test_pages_of_a_filtered_list_neither_lose_nor_repeat_a_session(mixed: Path, fields: dict[str, Any]) -> None:
    whole = ids(asked(mixed, **fields).sessions)

    pages = [asked(mixed, limit=3, offset=offset, **fields) for offset in range(0, len(whole), 3)]

    assert [one for page in pages for one in ids(page.sessions)] == whole
    assert {page.total for page in pages} == {len(whole)}
    assert [page.truncated for page in pages] == [True] * (len(pages) - 1) + [False]


# Secrets


def test_secrets_of_every_agent_are_masked_and_counted_by_page(home: Path) -> None:
    for writer in WRITERS.values():
        writer(home, SecretPlan(1, 100, "/srv/orchard"))

    page = asked(home)

    assert {one.title for one in page.sessions} == {"Use [REDACTED_GITHUB_TOKEN]"}
    assert page.redactions == {"GITHUB_TOKEN": len(AGENTS)}
    assert asked(home, limit=2, offset=1).redactions == {"GITHUB_TOKEN": 2}
    assert {one.title for one in asked(home, redact=False).sessions} == {f"Use {TOKEN}"}


class SecretPlan(Plan):
    """A session whose prompt holds a secret."""

    @property
    def text(self) -> str:
        return f"Use {TOKEN}"


# One broken thing


def break_claude(home: Path) -> Path:
    return claude.transcript(home, b"\x00\xff no record\n", number=9)


def break_codex(home: Path) -> Path:
    return codex.rollout(home, b"\x00\xff no record\n", number=9)


def break_opencode(home: Path) -> Path:
    return put(home / opencode.DATA / "opencode-beta.db", b"SQLite format 3\x00" + b"no database" * 900)


def break_antigravity(home: Path) -> Path:
    return put(antigravity.database_path(home, 9), b"SQLite format 3\x00" + b"no database" * 900)


def break_pi(home: Path) -> Path:
    return pi.session(home, [pi.said("Words without a header")], number=9)


def break_gemini(home: Path) -> Path:
    return gemini.session(home, [gemini.said("Words without a header")], number=9)


def break_qwen(home: Path) -> Path:
    return qwen.session(home, b"\x00\xff no record\n", number=9)


def break_hermes(home: Path) -> Path:
    return put(home / hermes.HOME / "profiles" / "broken" / "state.db", b"SQLite format 3\x00" + b"no database" * 900)


def break_kimi(home: Path) -> Path:
    return put(kimi.session(home, 9).parents[2] / "state.json", b"\x00\xff no state")


def break_omp(home: Path) -> Path:
    return omp.session(home, [omp.slot("Words without a header"), omp.said("Words")], number=9)


def break_vibe(home: Path) -> Path:
    return put(vibe.save(home, 9), b"\x00\xff no save")


BREAKERS: dict[str, Callable[[Path], Path]] = {
    "claude": break_claude,
    "codex": break_codex,
    "opencode": break_opencode,
    "antigravity": break_antigravity,
    "pi": break_pi,
    "gemini": break_gemini,
    "qwen": break_qwen,
    "hermes": break_hermes,
    "kimi": break_kimi,
    "omp": break_omp,
    "vibe": break_vibe,
}


@pytest.mark.parametrize("agent", AGENTS)
def test_one_broken_store_costs_one_warning_and_no_session(home: Path, agent: str) -> None:
    write(home)
    path = BREAKERS[agent](home)

    page = asked(home)

    assert set(ORDERED) <= set(ids(page.sessions))
    assert [(one.agent, one.path) for one in page.warnings] == [(agent, str(path))]


def test_one_broken_store_of_every_agent_costs_one_warning_each(home: Path) -> None:
    write(home)
    paths = {agent: str(breaker(home)) for agent, breaker in BREAKERS.items()}

    page = asked(home)

    assert set(ORDERED) <= set(ids(page.sessions))
    assert {one.agent: one.path for one in page.warnings} == paths
    assert len(page.warnings) == len(AGENTS)


def test_an_agent_that_is_not_asked_for_is_not_complained_of(home: Path) -> None:
    write(home)
    for breaker in BREAKERS.values():
        breaker(home)

    assert {one.agent for one in asked(home, agents=("codex", "pi")).warnings} == {"codex", "pi"}


def test_warnings_are_the_same_on_every_page(home: Path) -> None:
    write(home)
    for breaker in BREAKERS.values():
        breaker(home)

    warnings = [asked(home, limit=4, offset=offset).warnings for offset in (0, 4, 8, 99)]

    assert len(set(warnings)) == 1


ROOTS = {
    "claude": ".claude",
    "codex": ".codex",
    "opencode": opencode.DATA,
    "antigravity": f".gemini/{antigravity.CLI}",
    "pi": ".pi",
    "gemini": gemini.TMP,
    "qwen": ".qwen",
    "hermes": hermes.HOME,
    "kimi": kimi.HOME,
    "omp": ".omp",
    "vibe": ".vibe",
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_home_of_an_agent_that_is_no_folder_costs_that_agent_alone(home: Path, agent: str) -> None:
    write(home)
    (home / ROOTS[agent]).rename(home / "moved away")
    put(home / ROOTS[agent], "not a folder")

    assert ids(asked(home).sessions) == [one for one in ORDERED if one[0] != agent]


@pytest.mark.parametrize("agent", AGENTS)
def test_folders_of_an_agent_that_cannot_be_read_cost_that_agent_alone(
    home: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home)
    root = str(home / ROOTS[agent])
    monkeypatch.setattr(os, "open", _refusing(os.open, root))
    monkeypatch.setattr(os, "scandir", _refusing(os.scandir, root))

    page = asked(home)

    assert [one for one in ids(page.sessions) if one[0] != agent] == [one for one in ORDERED if one[0] != agent]
    assert {(one.agent, one.problem) for one in page.warnings} == {(agent, "permission denied")}


def _refusing(real: Callable[..., Any], root: str) -> Callable[..., Any]:
    def call(path: str, *arguments: Any, **keys: Any) -> Any:
        if os.fspath(path).startswith(root):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, *arguments, **keys)

    return call


@pytest.mark.parametrize("agent", AGENTS)
def test_a_home_without_one_agent_is_a_home_of_the_others(home: Path, agent: str) -> None:
    write(home)
    (home / ROOTS[agent]).rename(home / "moved away")

    page = asked(home)

    assert ids(page.sessions) == [one for one in ORDERED if one[0] != agent]
    assert page.warnings == ()


# Nothing is touched


def fingerprint(home: Path) -> dict[str, tuple[object, ...]]:
    """Return of everything in a home what a reader could change, without reading it."""
    status = {path: path.lstat() for path in sorted([home, *home.rglob("*")])}
    return {str(path): (one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for path, one in status.items()}


def contents(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


@pytest.fixture
def living(home: Path) -> Path:
    """A home in which agents are at work: databases with a WAL, one broken store of each, links, settings."""
    write(home, PLANS[1:2])
    for breaker in BREAKERS.values():
        breaker(home)
    (home / opencode.DATA / "opencode.db").unlink()
    opencode.live_database(home, [opencode.session(7)], at_rest=[opencode.session(2)], shm=False)
    codex.live_state_database(home, [{"id": uuid(2), "name": "Named in the WAL"}], shm=False)
    antigravity.live_database(
        antigravity.database_path(home, 7),
        antigravity.tables([antigravity.asked("Prompt 7")]),
        [antigravity.answered(seconds=90).row(1)],
        shm=False,
    )
    (home / hermes.HOME / "state.db").unlink()
    hermes.live_database(home, [hermes.session(7)], at_rest=[hermes.session(2)], shm=False)
    put(home / pi.AGENT_DIR / "settings.json", '{"sessionDir": "flat"}')
    put(home / "flat" / "x.jsonl", pi.turns(7))
    for agent, root in ROOTS.items():
        (home / root / "loop").symlink_to(home / root)
        (home / f"{agent}.link").symlink_to(home / root)
    return home


def test_the_living_home_is_one_in_which_everything_is_read(living: Path) -> None:
    page = asked(living)

    found = set(ids(page.sessions))
    assert {(agent, session_id(agent, PLANS[1])) for agent in AGENTS} <= found
    assert {("opencode", opencode.ses(7)), ("antigravity", uuid(7)), ("pi", uuid(7))} <= found
    assert ("hermes", hermes.key(7)) in found
    assert {one.agent for one in page.warnings} == set(AGENTS)


@pytest.mark.parametrize(
    "fields",
    [{}, {"limit": 2, "offset": 1}, {"project_dir": "/srv/nowhere"}, *({"agents": (agent,)} for agent in AGENTS)],
)
def test_listing_leaves_a_home_as_it_was_byte_for_byte(living: Path, fields: dict[str, Any]) -> None:
    held, before = contents(living), fingerprint(living)

    asked(living, **fields)

    assert fingerprint(living) == before
    assert contents(living) == held


def test_diagnosing_leaves_a_home_as_it_was_byte_for_byte(living: Path) -> None:
    held, before = contents(living), fingerprint(living)

    diagnose(Query(), environment_of(living))

    assert fingerprint(living) == before
    assert contents(living) == held
