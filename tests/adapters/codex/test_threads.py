"""Files and threads are not the same: a thread may have several files, a file tells of several threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.codex import (
    Record,
    continuing,
    event,
    item,
    meta,
    name,
    numbered,
    paginated,
    response,
    rollout,
    said,
    spawned,
    state_database,
    turn,
)
from tests.builders.common import CWD, at, lines, put, uuid
from tests.builders.zstd import compressed

Ask = Callable[..., Page]
Only = Callable[..., Session]

FIRST, SECOND, THIRD = 0x11, 0x12, 0x13
"""Ids of segments."""


def segment(home: Path, header: Record, text: str, seconds: float, *, own: int, model: str = "gpt-later") -> Path:
    """Write a segment of thread 1 with one message."""
    records = [header, *numbered([turn(seconds, model), item("UserMessage", text, seconds)], header["ordinal"] + 1)]
    return rollout(home, records, segment=own)


def test_an_edited_message_leaves_one_thread(home: Path, only: Only) -> None:
    first = rollout(home, paginated(text="Graft the plum"))
    second = segment(home, continuing(1, base=1, start=3, seconds=50), "And the quince", 60, own=FIRST)

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "title": "Graft the plum",
        "path": str(second),
        "size_bytes": second.stat().st_size,
        "created": at(),
        "last_activity": at(60),
        "models": ["gpt-5.2-codex", "gpt-later"],
        "message_count": None,
        "resume_command": f"cd {CWD} && codex resume {uuid(1)}",
    }
    assert session.extra["segments"] == [str(first)]
    assert "forked_from" not in session.extra
    assert "copies" not in session.extra


def test_a_chain_of_segments_is_named_after_the_oldest_of_them(home: Path, only: Only) -> None:
    rollout(home, paginated(text="Graft the plum"))
    segment(home, continuing(1, base=1, start=3, seconds=50), "Graft the quince", 60, own=FIRST, model="gpt-b")
    last = segment(home, continuing(1, base=FIRST, start=5, seconds=70), "Water both", 80, own=SECOND, model="gpt-c")

    session = only()

    assert (session.title, session.path) == ("Graft the plum", str(last))
    assert session.models == ("gpt-5.2-codex", "gpt-b", "gpt-c")


def test_a_segment_that_the_newest_one_does_not_continue_has_no_say(home: Path, only: Only) -> None:
    rollout(home, paginated(text="Graft the plum"))
    segment(home, continuing(1, base=1, start=3, seconds=50), "Graft the quince", 60, own=FIRST, model="gpt-b")
    segment(home, continuing(1, base=1, start=3, seconds=70), "Water it", 80, own=SECOND, model="gpt-c")

    assert only().models == ("gpt-5.2-codex", "gpt-c")


def test_a_replaced_first_message_names_the_thread(home: Path, only: Only) -> None:
    rollout(home, paginated(text="Graft the plum"))
    header = meta(1, 50, history_mode="paginated") | {"ordinal": 0}
    segment(home, header, "Graft the quince", 60, own=FIRST)

    session = only()

    assert (session.title, session.created, session.message_count) == ("Graft the quince", at(), 1)


def test_a_segment_whose_predecessor_is_gone_is_named_after_itself(home: Path, only: Only) -> None:
    segment(home, continuing(1, base=1, start=3, seconds=50), "And the quince", 60, own=FIRST)

    session = only()

    assert (session.uuid, session.title) == (uuid(1), "And the quince")


@pytest.mark.parametrize("base", [FIRST, SECOND])
def test_segments_in_a_loop_end(home: Path, only: Only, base: int) -> None:
    segment(home, continuing(1, base=SECOND, start=3, seconds=50), "One", 60, own=FIRST)
    segment(home, continuing(1, base=base, start=3, seconds=70), "Two", 80, own=SECOND)

    assert only().uuid == uuid(1)


def test_the_newest_segment_is_the_one_with_the_last_record_not_the_last_name(home: Path, only: Only) -> None:
    newest = segment(home, continuing(1, base=1, start=3, seconds=50), "One", 500, own=FIRST)
    segment(home, continuing(1, base=1, start=3, seconds=70), "Two", 80, own=SECOND)
    rollout(home, paginated(), modified=90_000)

    assert only().path == str(newest)


def test_a_fourth_segment_is_one_thread_still(home: Path, only: Only) -> None:
    rollout(home, paginated(text="Graft the plum"))
    for own, base in ((FIRST, 1), (SECOND, FIRST), (THIRD, SECOND)):
        segment(home, continuing(1, base=base, start=3, seconds=own), "Next", 60 + own, own=own)

    session = only()

    assert session.title == "Graft the plum"
    assert len(session.extra["segments"]) == 3  # type: ignore[arg-type]


def test_a_thread_that_is_active_and_archived_is_one_row(home: Path, only: Only) -> None:
    active = rollout(home)
    archived = rollout(home, archived=True)

    session = only()

    assert (session.path, session.extra["copies"]) == (str(active), [str(archived)])
    assert "archived" not in session.extra


def test_of_two_copies_the_one_that_went_on_counts(home: Path, only: Only) -> None:
    active = rollout(home)
    archived = rollout(home, [meta(), said("Prompt 1"), said("In the archive", 90)], archived=True)

    session = only()

    assert (session.path, session.extra["copies"]) == (str(archived), [str(active)])
    assert session.extra["archived"] is True


def test_a_copy_under_another_name_is_no_segment(home: Path, only: Only) -> None:
    path = rollout(home)
    copy = put(path.with_name(f"rollout-2026-03-11T10-00-00-{uuid(1)}.jsonl"), path.read_bytes())

    session = only()

    assert {session.path, *session.extra["copies"]} == {str(path), str(copy)}  # type: ignore[misc]
    assert "segments" not in session.extra


def test_copies_are_chosen_alike_whatever_their_order_in_the_folder(home: Path, only: Only) -> None:
    content = lines([meta(), said("Hello")])
    paths = [put(home / f".codex/sessions/{folder}" / name(), content) for folder in ("c", "a", "b")]

    assert only().path == str(min(paths))


def test_a_compressed_thread_reads_like_a_plain_one(home: Path, only: Only) -> None:
    path = rollout(home, modified=90)
    plain = only().to_dict()
    packed = rollout(home, compressed(path.read_bytes()), suffix=".jsonl.zst", modified=90)
    path.unlink()

    session = only().to_dict()

    assert session == plain | {"path": str(packed), "size_bytes": packed.stat().st_size, "age_sec": session["age_sec"]}


def test_the_plain_file_wins_over_a_compressed_one_beside_it(home: Path, only: Only) -> None:
    path = rollout(home)
    rollout(home, compressed(lines([meta(), said("Compressed", 90)])), suffix=".jsonl.zst")

    session = only()

    assert (session.path, session.title) == (str(path), "Prompt 1")
    assert "copies" not in session.extra


def test_a_link_to_nothing_hides_no_compressed_file(home: Path, only: Only) -> None:
    packed = rollout(home, compressed(lines([meta(), said("Hello")])), suffix=".jsonl.zst")
    packed.with_name(name()).symlink_to("nowhere.jsonl")

    assert only().title == "Hello"


def test_a_compressed_copy_in_the_archive_is_a_copy(home: Path, only: Only) -> None:
    path = rollout(home)
    packed = rollout(home, compressed(path.read_bytes()), suffix=".jsonl.zst", archived=True)

    session = only()

    assert (session.path, session.extra["copies"]) == (str(path), [str(packed)])


def test_an_archived_compressed_thread_is_archived(home: Path, only: Only) -> None:
    rollout(home, compressed(lines([meta(), said("Hello")])), suffix=".jsonl.zst", archived=True)

    session = only()

    assert (session.title, session.extra["archived"]) == ("Hello", True)


def test_a_fork_keeps_its_own_header_and_its_ancestor_is_listed_once(home: Path, ask: Ask) -> None:
    ancestor = [meta(2, cwd="/srv/ancestor", git={"branch": "old"}), turn(1, "gpt-old"), said("Graft the plum")]
    rollout(home, ancestor, number=2)
    copied = [record | {"timestamp": at(100)} for record in ancestor]
    own = meta(1, 100, cwd="/srv/fork", forked_from_id=uuid(2))
    rollout(home, [own, *copied, turn(101, "gpt-new"), said("And the quince", 110)], number=1)

    fork, original = ask().sessions

    assert fork.to_dict() == fork.to_dict() | {
        "uuid": uuid(1),
        "kind": "agent",
        "parent_uuid": None,
        "title": "Graft the plum",
        "project_dir": "/srv/fork",
        "models": ["gpt-old", "gpt-new"],
        "created": at(100),
        "last_activity": at(110),
    }
    assert fork.extra["forked_from"] == uuid(2)
    assert "git_branch" not in fork.extra
    assert (original.uuid, original.project_dir, original.last_activity) == (uuid(2), "/srv/ancestor", at(1))


def test_a_fork_that_only_points_to_its_ancestor_is_a_thread_of_its_own(home: Path, ask: Ask) -> None:
    rollout(home, paginated(2, "Graft the plum"), number=2)
    header = continuing(1, base=2, start=4, seconds=100, forked_from_id=uuid(2))
    rollout(home, [header, *numbered([turn(101, "gpt-new"), item("UserMessage", "And the quince", 110)], 5)], number=1)

    fork, original = ask().sessions

    assert (fork.uuid, fork.title, fork.models, fork.message_count) == (uuid(1), "And the quince", ("gpt-new",), None)
    assert (original.uuid, original.title, original.message_count) == (uuid(2), "Graft the plum", 2)
    assert "segments" not in fork.extra


def test_an_attached_thread_is_no_subagent(home: Path, only: Only) -> None:
    rollout(home, [meta(1, attached_thread=True, forked_from_id=uuid(2)), said("Hello")])

    session = only()

    assert (session.kind, session.parent_uuid, session.extra["attached"]) == ("agent", None, True)


REVIEW: Record = {"source": {"subagent": "review"}}


@pytest.mark.parametrize(
    ("keys", "parent"),
    [
        (REVIEW, None),
        (REVIEW | {"parent_thread_id": uuid(2)}, uuid(2)),
        ({"source": {"subagent": "compact"}}, None),
        ({"source": {"subagent": {"other": "guardian"}}}, None),
        ({"source": {"internal": "memory_consolidation"}}, None),
        ({"source": spawned(2)}, uuid(2)),
        ({"source": spawned(2), "parent_thread_id": uuid(3), "session_id": uuid(4)}, uuid(3)),
        ({"source": spawned(2), "forked_from_id": uuid(2), "thread_source": "subagent"}, uuid(2)),
        ({"source": {"subagent": {"a kind of tomorrow": {"depth": 1}}}}, None),
    ],
)
def test_a_thread_that_codex_spawned_is_a_subagent(home: Path, only: Only, keys: Record, parent: str | None) -> None:
    rollout(home, [meta(1, **keys), said("Hello")])

    session = only()

    assert (session.kind, session.parent_uuid, session.resume_command) == ("subagent", parent, None)
    assert session.extra["source"] == keys["source"]
    assert "forked_from" not in session.extra


@pytest.mark.parametrize("source", [..., "cli", "vscode", "exec", "mcp", "unknown", {"custom": "atlas"}, "subagent"])
def test_a_thread_that_somebody_started_is_none(home: Path, only: Only, source: object) -> None:
    rollout(home, [meta(1, source=source, thread_source="automation"), said("Hello")])

    session = only()

    assert (session.kind, session.parent_uuid) == ("agent", None)


def test_a_subagent_without_a_known_parent_is_noise(home: Path, ask: Ask) -> None:
    rollout(home, number=1)
    rollout(home, [meta(2, **REVIEW), said("Review the changes")], number=2)

    assert [session.uuid for session in ask(noise="exclude").sessions] == [uuid(1)]
    assert [session.uuid for session in ask(noise="only").sessions] == [uuid(2)]


def test_a_fork_is_no_noise(home: Path, ask: Ask) -> None:
    rollout(home, [meta(1, forked_from_id=uuid(2)), said("Hello")])

    assert ask(noise="exclude").total == 1


def test_a_parent_that_is_gone_is_named_all_the_same(home: Path, only: Only) -> None:
    rollout(home, [meta(1, source=spawned(0x99)), said("Hello")])

    assert only().parent_uuid == uuid(0x99)


def test_the_database_names_a_parent_that_no_record_names(home: Path, only: Only) -> None:
    rollout(home, [meta(1, **REVIEW), said("Hello")])
    state_database(home, [{"id": uuid(1)}, {"id": uuid(2)}], edges=[(uuid(2), uuid(1)), (uuid(1), uuid(3))])

    assert only().parent_uuid == uuid(2)


def test_the_parent_in_the_header_wins_over_the_database(home: Path, only: Only) -> None:
    rollout(home, [meta(1, source=spawned(2)), said("Hello")])
    state_database(home, [{"id": uuid(1)}], edges=[(uuid(3), uuid(1))])

    assert only().parent_uuid == uuid(2)


def test_the_database_makes_no_subagent_of_a_thread_that_somebody_started(home: Path, only: Only) -> None:
    rollout(home)
    state_database(home, [{"id": uuid(1)}], edges=[(uuid(2), uuid(1))])

    session = only()

    assert (session.kind, session.parent_uuid) == ("agent", None)


def test_an_edge_is_known_of_a_thread_that_has_no_row(home: Path, only: Only) -> None:
    rollout(home, [meta(1, **REVIEW), said("Hello")])
    state_database(home, [{"id": uuid(2)}], edges=[(uuid(2), uuid(1))])

    assert only().parent_uuid == uuid(2)


def test_a_child_that_was_given_its_parents_context_is_itself(home: Path, ask: Ask) -> None:
    parent = [
        meta(2, 10, cwd="/srv/parent", originator="codex_exec"),
        turn(11, "gpt-parent"),
        response("Look after the orchard", 12),
        item("UserMessage", "Look after the orchard", 12),
        item("AgentMessage", "I will", 13),
    ]
    rollout(home, numbered(parent), number=2)
    header = meta(
        1,
        100,
        source=spawned(2, agent_path="/root/graft"),
        parent_thread_id=uuid(2),
        forked_from_id=uuid(2),
        session_id=uuid(2),
        history_mode="paginated",
        subagent_history_start_ordinal=6,
    )
    copied = [record | {"timestamp": at(100)} for record in parent]
    own = [turn(101, "gpt-child"), item("AgentMessage", "Grafted", 130), event("task_complete", 131)]
    rollout(home, numbered([header, *copied, *own]), number=1)

    child, original = ask().sessions

    assert child.to_dict() == child.to_dict() | {
        "uuid": uuid(1),
        "kind": "subagent",
        "parent_uuid": uuid(2),
        "title": "graft",
        "project_dir": CWD,
        "launch_surface": "codex_cli_rs",
        "models": ["gpt-child"],
        "message_count": 1,
        "created": at(100),
        "last_activity": at(131),
    }
    assert (original.uuid, original.title, original.message_count) == (uuid(2), "Look after the orchard", 2)


def test_children_that_share_their_roots_session_id_are_apart(home: Path, ask: Ask) -> None:
    for number in (1, 2, 3):
        rollout(home, [meta(number, source=spawned(9), session_id=uuid(9)), said("Hello")], number=number)

    assert {session.uuid for session in ask().sessions} == {uuid(1), uuid(2), uuid(3)}
