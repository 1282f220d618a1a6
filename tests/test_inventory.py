"""One inventory of all agents: paged, timed, and complete whatever one file or one agent does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from sesls import clock as clocks
from sesls.adapters import adapter
from sesls.output.json import encoded
from sesls.page import Page
from sesls.session import Session
from tests.builders.claude import assistant, folder, subagent, transcript, user
from tests.builders.codex import event, meta, rollout, said, turn
from tests.builders.common import START, at, lines, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OTHER_TOKEN = "gh" + "p_" + "z9Y8x7W6v5U4t3S2r1Q0p9O8n7M6l5K4j3I2"
NO_RECORD = b"\x00\xff no record\n"


def claude_session(home: Path, number: int, seconds: float = 30, words: str = "Words") -> Path:
    own = {"sessionId": uuid(number)}
    return transcript(home, [user(words, seconds, **own), assistant(seconds=seconds, **own)], number=number)


def codex_session(home: Path, number: int, seconds: float = 30, words: str = "Words") -> Path:
    return rollout(home, [meta(number), turn(), said(words), event("agent_message", seconds)], number=number)


def mixed(home: Path) -> None:
    """Seven sessions of each agent, in pairs of one instant."""
    for number in range(1, 8):
        claude_session(home, number, 60 * (number // 2))
        codex_session(home, number + 8, 60 * (number // 2))


def uuids(page: Page) -> list[str]:
    return [session.uuid for session in page.sessions]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], list[float]]:
    """A function that stops the clock so many seconds after the start, and returns a list of its readings."""

    def stop(seconds: float) -> list[float]:
        readings: list[float] = []

        def time_ns() -> int:
            readings.append(seconds)
            return round((START.timestamp() + seconds) * 1000) * 1_000_000

        monkeypatch.setattr(clocks, "time", SimpleNamespace(time_ns=time_ns))
        return readings

    return stop


@pytest.mark.parametrize("size", [1, 2, 3, 5, 13, 14, 15])
def test_pages_neither_lose_nor_repeat_a_session(home: Path, ask: Ask, size: int) -> None:
    mixed(home)

    pages = [ask(limit=size, offset=offset) for offset in range(0, 14, size)]

    assert [one for page in pages for one in uuids(page)] == uuids(ask())
    assert {page.total for page in pages} == {14}
    assert [page.truncated for page in pages] == [True] * (len(pages) - 1) + [False]


def test_the_newest_come_first_and_ties_go_by_agent_and_id(home: Path, ask: Ask) -> None:
    claude_session(home, 2)
    claude_session(home, 1)
    codex_session(home, 4)
    codex_session(home, 3)
    codex_session(home, 5, seconds=99)

    assert uuids(ask()) == [uuid(number) for number in (5, 1, 2, 3, 4)]


def test_thirty_ties_come_in_the_same_order_every_time(home: Path, ask: Ask) -> None:
    for number in reversed(range(15)):
        claude_session(home, number)
        codex_session(home, number + 15)

    assert uuids(ask()) == uuids(ask()) == [uuid(number) for number in range(30)]


def test_a_page_past_the_end_is_empty_and_knows_the_total(home: Path, ask: Ask) -> None:
    mixed(home)

    page = ask(limit=5, offset=14)

    assert (page.sessions, page.total, page.truncated, page.diagnostics) == ((), 14, False, None)


def test_a_limit_counts_what_the_filters_left(home: Path, ask: Ask) -> None:
    for number in range(20):
        claude_session(home, number, seconds=100 + number)
    rollout(home, [meta(30, cwd="/srv/quiet"), turn(cwd="/srv/quiet"), said("Quiet")], number=30)

    quiet = ask(project_dir="/srv/quiet", limit=2)

    assert (uuids(quiet), quiet.total, quiet.truncated) == ([uuid(30)], 1, False)
    assert uuids(ask(agents=("codex",), limit=2)) == [uuid(30)]
    assert ask(limit=2).total == 21


def test_a_page_knows_what_was_left_out(home: Path, ask: Ask) -> None:
    claude_session(home, 1)
    subagent(home, "a5d6907d35987d0f7")
    codex_session(home, 2)

    assert (ask().subagents, ask().filtered) == (1, 0)
    assert (ask(noise="exclude").subagents, ask(noise="exclude").filtered) == (0, 1)
    assert ask(agents=("claude",), kind="agent").filtered == 1


def test_an_agent_that_is_not_asked_for_is_not_looked_at(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed(home)
    monkeypatch.setattr(adapter("codex"), "find", None)

    assert (ask(agents=("claude",)).total, ask(agents=("claude",)).warnings) == (7, ())


@pytest.mark.parametrize(
    ("variables", "threshold"),
    [
        ({}, 600),
        ({"SESLS_STALL_SEC": "60"}, 60),
        ({"AI_R_STALL_SEC": "60"}, 60),
        ({"SESLS_STALL_SEC": "30", "AI_R_STALL_SEC": "60"}, 30),
        ({"SESLS_STALL_SEC": " ", "AI_R_STALL_SEC": "60"}, 60),
        ({"SESLS_STALL_SEC": " 1e3 "}, 1000),
        ({"SESLS_STALL_SEC": ""}, 600),
        ({"SESLS_STALL_SEC": "ten"}, 600),
        ({"SESLS_STALL_SEC": "60s"}, 600),
        ({"SESLS_STALL_SEC": "nan"}, 600),
        ({"SESLS_STALL_SEC": "inf"}, 600),
        ({"SESLS_STALL_SEC": "-inf"}, 600),
        ({"SESLS_STALL_SEC": "1e999"}, 600),
        ({"SESLS_STALL_SEC": "0"}, 600),
        ({"SESLS_STALL_SEC": "-5"}, 600),
    ],
)
def test_a_session_is_fresh_up_to_the_threshold(
    home: Path, only: Only, clock: Callable[[float], object], variables: dict[str, str], threshold: int
) -> None:
    claude_session(home, 1, seconds=0)

    clock(threshold + 0.999)
    assert (only(variables=variables).age_sec, only(variables=variables).activity) == (threshold, "fresh")

    clock(threshold + 1)
    assert (only(variables=variables).age_sec, only(variables=variables).activity) == (threshold + 1, "stale")


@pytest.mark.parametrize("ahead", [0.001, 1, 86_400, 10 * 365 * 86_400])
def test_an_instant_in_the_future_is_now(
    home: Path, only: Only, clock: Callable[[float], object], ahead: float
) -> None:
    claude_session(home, 1, seconds=ahead)
    clock(0)

    assert (only().age_sec, only().activity) == (0, "fresh")
    assert only().last_activity == at(ahead)


def test_ages_are_whole_seconds_to_one_reading_of_the_clock(
    home: Path, ask: Ask, clock: Callable[[float], list[float]]
) -> None:
    for number in range(4):
        claude_session(home, number, seconds=number)
    readings = clock(600.5)

    page = ask()

    assert len(readings) == 1
    assert [session.age_sec for session in page.sessions] == [597, 598, 599, 600]


@pytest.mark.parametrize("broken", ["claude", "codex"])
def test_one_broken_file_costs_one_warning(home: Path, ask: Ask, broken: str) -> None:
    mixed(home)
    path = transcript(home, NO_RECORD, number=90) if broken == "claude" else rollout(home, NO_RECORD, number=90)

    page = ask()

    assert page.total == 14
    assert [(warning.agent, warning.path) for warning in page.warnings] == [(broken, str(path))]
    assert page.warnings[0].problem == "holds no readable record"


def test_the_rows_of_a_damaged_file_that_can_be_read_are(home: Path, only: Only) -> None:
    good = lines([user("Real words"), assistant()])
    transcript(home, b'{"type":"user","mess\n' + NO_RECORD + good + b'{"type":"assis')

    assert only().title == "Real words"


def test_an_empty_file_is_neither_a_session_nor_a_problem(home: Path, ask: Ask) -> None:
    transcript(home, b"")
    rollout(home, b"")

    assert (ask().total, ask().warnings) == (0, ())


def test_a_file_that_goes_away_after_it_was_found_is_no_problem(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude_session(home, 1)
    details = adapter("claude").details

    def late(*arguments: Any) -> object:
        path.unlink()
        return details(*arguments)

    monkeypatch.setattr(adapter("claude"), "details", late)

    page = ask()

    assert [session.title for session in page.sessions] == [None]
    assert page.warnings == ()


def refuse(*arguments: object) -> Any:
    raise RuntimeError("cannot go on")


@pytest.mark.parametrize("function", ["find", "summarise", "unite"])
@pytest.mark.parametrize(("failing", "other"), [("claude", "codex"), ("codex", "claude")])
def test_an_adapter_that_fails_costs_no_other_agent_anything(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, function: str, failing: str, other: str
) -> None:
    mixed(home)
    whole = ask(agents=(other,))
    monkeypatch.setattr(adapter(failing), function, refuse)

    page = ask()

    assert (page.total, uuids(page)) == (7, uuids(whole))
    assert {warning.agent for warning in page.warnings} == {failing}
    assert {warning.problem for warning in page.warnings} == {"unexpected RuntimeError: cannot go on"}


def test_an_adapter_that_fails_in_the_details_keeps_its_rows(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, 1, words="Prune")
    path = codex_session(home, 2, words="Paint")
    monkeypatch.setattr(adapter("codex"), "details", refuse)

    page = ask()

    assert [(session.agent, session.title) for session in page.sessions] == [("claude", "Prune"), ("codex", None)]
    assert [(warning.agent, warning.path) for warning in page.warnings] == [("codex", str(path))]


def test_details_are_read_once_and_for_the_page_alone(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed(home)
    details = adapter("claude").details
    asked: list[str] = []

    def noted(summary: Any, *others: Any) -> object:
        asked.append(summary.uuid)
        return details(summary, *others)

    monkeypatch.setattr(adapter("claude"), "details", noted)

    page = ask(limit=5, offset=2)

    assert asked == [session.uuid for session in page.sessions if session.agent == "claude"]


def test_details_that_fail_for_one_session_are_there_for_the_others(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        claude_session(home, number, words=f"Words {number}")
    details = adapter("claude").details

    def brittle(summary: Any, *others: Any) -> object:
        if summary.uuid == uuid(2):
            raise RuntimeError("cannot go on")
        return details(summary, *others)

    monkeypatch.setattr(adapter("claude"), "details", brittle)

    page = ask()

    assert [session.title for session in page.sessions] == ["Words 1", None, "Words 3"]
    assert len(page.warnings) == 1


def test_hints_that_fail_for_one_session_are_there_for_the_others(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        claude_session(home, number, words=f"Words {number}")

    def brittle(summaries: Any, *others: Any) -> None:
        if any(summary.uuid == uuid(2) for summary in summaries):
            raise RuntimeError("cannot go on")

    monkeypatch.setattr(adapter("claude"), "hints", brittle)

    page = ask()

    assert [session.title for session in page.sessions] == ["Words 1", None, "Words 3"]
    assert len(page.warnings) == 1


@pytest.fixture
def brittle_unite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claude's `unite` fails whenever the file of session 9 is among its findings."""
    unite = adapter("claude").unite

    def brittle(findings: Any, *others: Any) -> object:
        if any(uuid(9) in finding.candidate.path for finding in findings):
            raise RuntimeError("cannot go on")
        return list(unite(findings, *others))

    monkeypatch.setattr(adapter("claude"), "unite", brittle)


@pytest.mark.usefixtures("brittle_unite")
def test_one_file_that_cannot_be_united_costs_itself_alone(home: Path, ask: Ask) -> None:
    mixed(home)
    path = claude_session(home, 9)

    page = ask()

    assert page.total == 14
    assert [warning.path for warning in page.warnings] == [str(path)]


@pytest.mark.usefixtures("brittle_unite")
def test_one_file_that_cannot_be_united_makes_no_copy_a_session(home: Path, ask: Ask) -> None:
    claude_session(home, 1)
    claude_session(home, 9)
    transcript(home, number=1, root=".config/claude")

    assert uuids(ask()) == [uuid(1)]


def test_what_was_found_before_a_store_failed_is_kept(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed(home)
    find = adapter("claude").find

    def torn(*arguments: Any) -> Any:
        for count, candidate in enumerate(find(*arguments)):
            if count == 3:
                raise OSError("the disk is gone")
            yield candidate

    monkeypatch.setattr(adapter("claude"), "find", torn)

    page = ask()

    assert page.total == 10
    assert [warning.path for warning in page.warnings] == [str(home / ".claude" / "projects")]


def test_links_to_sessions_count_once(home: Path, ask: Ask) -> None:
    path = claude_session(home, 1)
    codex_session(home, 2)
    path.with_name(f"{uuid(7)}.jsonl").symlink_to(path)
    (home / ".claude" / "projects" / "-srv-link").symlink_to(path.parent)
    (home / ".codex" / "sessions" / "again").symlink_to(home / ".codex" / "sessions" / "2026")
    (home / ".config").mkdir()
    (home / ".config" / "claude").symlink_to(home / ".claude")

    page = ask()

    assert (uuids(page), page.total) == ([uuid(1), uuid(2)], 2)
    assert page.sessions[0].path == str(path)


def test_links_in_a_loop_and_to_nowhere_are_no_problem(home: Path, ask: Ask) -> None:
    place = claude_session(home, 1).parent
    sessions = codex_session(home, 2).parent
    (place / f"{uuid(7)}.jsonl").symlink_to(place / f"{uuid(7)}.jsonl")
    (place / f"{uuid(8)}.jsonl").symlink_to(home / "gone")
    (sessions / "up").symlink_to(home / ".codex" / "sessions")
    (home / ".claude" / "projects" / "-srv-self").symlink_to(home / ".claude" / "projects")

    assert (ask().total, ask().warnings) == (2, ())


def test_a_link_to_a_session_elsewhere_is_read(home: Path, only: Only) -> None:
    path = claude_session(home, 1, words="Moved away")
    moved = path.rename(home / "elsewhere.jsonl")
    path.symlink_to(moved)

    assert (only().uuid, only().title) == (uuid(1), "Moved away")


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_that_are_not_utf8_are_listed(home: Path, only: Only) -> None:
    path = claude_session(home, 1)
    os.rename(os.fsencode(path.parent), os.path.join(os.fsencode(folder(home).parent), b"-srv-\xff"))

    assert only().path.endswith(f"-srv-\udcff{os.sep}{uuid(1)}.jsonl")


def test_a_name_of_which_nothing_can_be_seen_is_passed_over(home: Path, only: Only) -> None:
    name = {"type": "custom-title", "customTitle": "\u200b \u202e", "sessionId": uuid(1)}
    transcript(home, [user("Real words"), assistant(), name])

    assert only().title == "Real words"


def test_redactions_count_the_page_that_is_emitted(home: Path, ask: Ask) -> None:
    claude_session(home, 1, seconds=3, words=f"first {TOKEN}")
    claude_session(home, 2, seconds=2, words=f"second {TOKEN} and {OTHER_TOKEN}")
    codex_session(home, 3, seconds=1, words="none")

    assert [sum(ask(limit=1, offset=offset).redactions.values()) for offset in (0, 1, 2)] == [1, 2, 0]
    assert sum(ask().redactions.values()) == 3
    assert ask(redact=False).redactions == {}


def test_a_secret_beyond_the_end_of_a_title_is_not_counted(home: Path, ask: Ask) -> None:
    claude_session(home, 1, words="apple trees " * 20 + TOKEN)

    assert (ask().redactions, "REDACTED" in str(ask().sessions[0].title)) == ({}, False)


def test_extras_are_masked_and_counted_too(home: Path, only: Only, ask: Ask) -> None:
    rollout(home, [meta(source={"custom": [f"by {TOKEN}", {"deep": TOKEN}]}), turn(), said("Words")])

    assert TOKEN not in str(only().extra)
    assert only().extra["source"] == {"custom": ["by [REDACTED_GITHUB_TOKEN]", {"deep": "[REDACTED_GITHUB_TOKEN]"}]}
    assert ask().redactions == {"GITHUB_TOKEN": 2}
    assert only(redact=False).extra["source"] == {"custom": [f"by {TOKEN}", {"deep": TOKEN}]}


def test_filters_see_the_raw_text(home: Path, ask: Ask) -> None:
    directory = f"/srv/{TOKEN}/orchard"
    transcript(home, [user("Words", cwd=directory), assistant(cwd=directory)], directory=directory)

    assert ask(project_dir=f"/srv/{TOKEN}").total == 1
    assert ask(project_dir="/srv/[REDACTED_GITHUB_TOKEN]").total == 0


def test_a_value_of_a_thousand_levels_costs_no_other_session(home: Path, ask: Ask) -> None:
    claude_session(home, 1)
    deep = b'{"k":' * 700 + b"1" + b"}" * 700
    rollout(home, lines([meta(2, source="here"), turn(), said("Words")]).replace(b'"here"', deep), number=2)

    assert uuid(1) in uuids(ask())


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_a_number_that_json_does_not_know_is_absent(home: Path, ask: Ask, number: str) -> None:
    records = lines([meta(source="here"), turn(), said("Words")])
    rollout(home, records.replace(b'"here"', b'{"custom":' + number.encode() + b"}"))

    (session,) = msgspec.json.decode(encoded(ask().to_dict()))["sessions"]

    assert session["extra"]["source"] == {"custom": None}


def test_what_is_said_twice_is_warned_of_once(home: Path, ask: Ask) -> None:
    codex_session(home, 1)
    codex_session(home, 2)
    put(home / ".codex" / "state_5.sqlite", b"no database" * 100)

    assert [warning.path for warning in ask().warnings] == [str(home / ".codex" / "state_5.sqlite")]
