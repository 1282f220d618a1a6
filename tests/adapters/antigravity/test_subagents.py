"""Which conversation spawned which, by every witness of it; forks were spawned by nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls import looks
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests.builders.antigravity import (
    SHARED,
    Fields,
    about,
    answered,
    asked,
    brain,
    conversation,
    encode,
    encrypted,
    hub,
    listed,
    log,
    note,
    sent,
    state,
    summaries,
    summary,
)
from tests.builders.common import put, uuid
from tests.conftest import environment_of

Ask = Callable[..., Page]
Only = Callable[..., Session]


def kin(session: Session) -> tuple[str, str | None]:
    return session.kind, session.parent_uuid


def test_a_conversation_by_itself_was_spawned_by_nobody(home: Path, only: Only) -> None:
    conversation(home)
    log(home)
    summaries(home, listed())

    assert kin(only()) == ("agent", None)


# Witnesses


def test_a_database_names_the_parent(home: Path, only: Only) -> None:
    conversation(home, meta=about(parent=2))

    assert kin(only()) == ("subagent", uuid(2))


def test_the_root_of_all_is_no_parent(home: Path, only: Only) -> None:
    conversation(home, meta=about(others={6: uuid(3)}))

    assert kin(only()) == ("agent", None)


def test_a_list_names_the_parent(home: Path, only: Only) -> None:
    conversation(home)
    summaries(home, listed(parent_conversation_id=uuid(2)))

    assert kin(only()) == ("subagent", uuid(2))


@pytest.mark.parametrize("write", [hub, state])
def test_a_summary_names_the_parent(home: Path, only: Only, write: Callable[..., Path]) -> None:
    conversation(home)
    write(home, {1: summary(meta=about(parent=2))})

    assert kin(only()) == ("subagent", uuid(2))


def test_a_summary_in_a_list_names_the_parent(home: Path, only: Only) -> None:
    conversation(home)
    summaries(home, listed(raw_summary=encode(summary(meta=about(parent=2)))))

    assert kin(only()) == ("subagent", uuid(2))


def test_a_note_of_the_parent_names_it(home: Path, ask: Ask) -> None:
    conversation(home, number=1)
    conversation(home, number=2)
    note(home, child=1, parent=2, type_name="research")

    sessions = {session.uuid: session for session in ask().sessions}

    assert (kin(sessions[uuid(1)]), kin(sessions[uuid(2)])) == (("subagent", uuid(2)), ("agent", None))
    assert sessions[uuid(1)].extra["subagent_type"] == "research"


def test_a_note_in_a_brain_without_a_log_counts(home: Path, only: Only) -> None:
    encrypted(home)
    note(home, child=1, parent=2, root=SHARED)

    assert kin(only()) == ("subagent", uuid(2))


def test_the_sender_of_the_first_message_in_a_log_is_the_parent(home: Path, only: Only) -> None:
    log(home, [sent("Prune the pear"), answered()])

    assert kin(only()) == ("subagent", uuid(2))


def test_the_sender_of_the_first_message_in_a_large_log_is_the_parent(home: Path, only: Only) -> None:
    log(home, [sent("Prune the pear"), *[answered("x" * 1000)] * 50])

    assert kin(only()) == ("subagent", uuid(2))


def test_the_sender_of_a_very_long_task_is_the_parent(home: Path, only: Only) -> None:
    log(home, [sent("Prune the pear" * 9000), answered()])

    assert kin(only()) == ("subagent", uuid(2))


def test_a_sender_may_have_an_id_of_the_sdk(home: Path, only: Only) -> None:
    sender = uuid(2).replace("-", "")
    log(home, [sent("Prune the pear", sender), answered()])

    assert kin(only()) == ("subagent", sender)


def test_the_sender_of_a_subagent_s_first_step_is_the_parent(home: Path, only: Only) -> None:
    conversation(home, [sent("Prune the pear"), answered()], source=16)

    assert kin(only()) == ("subagent", uuid(2))


def test_the_sender_of_a_database_s_first_step_is_the_parent(home: Path, only: Only) -> None:
    conversation(home, [sent("Prune the pear"), answered()], source=0)

    assert kin(only()) == ("subagent", uuid(2))


def test_the_first_message_is_that_of_the_first_step_wherever_its_line_stands(home: Path, only: Only) -> None:
    log(home, [answered().line(1), sent("Prune the pear").line(0)])

    assert kin(only()) == ("subagent", uuid(2))


@pytest.mark.parametrize("write", [conversation, log])
def test_the_sender_of_a_later_message_is_no_parent(home: Path, only: Only, write: Callable[..., Path]) -> None:
    write(home, [asked("Graft the plum"), sent("Done with it", uuid(3), 5)])

    assert kin(only()) == ("agent", None)


def test_a_person_who_writes_of_senders_is_none(home: Path, only: Only) -> None:
    log(home, [asked(f"Why sender={uuid(2)} content=x?")])

    assert kin(only()) == ("agent", None)


CUT_ID = uuid(2)[:-1]


@pytest.mark.parametrize("sender", ["user", "", "*", CUT_ID])
def test_a_sender_without_an_id_is_no_parent(home: Path, only: Only, sender: str) -> None:
    log(home, [sent("Prune the pear", sender), answered()])

    assert kin(only()) == ("agent", None)


def test_a_subagent_s_source_makes_one_without_a_parent(home: Path, ask: Ask) -> None:
    conversation(home, source=16)

    (session,) = ask(noise="only").sessions

    assert kin(session) == ("subagent", None)


def test_the_parent_is_taken_from_the_best_witness(home: Path, only: Only) -> None:
    log(home, [sent("Prune the pear", uuid(5))])
    assert only().parent_uuid == uuid(5)

    note(home, parent=4)
    assert only().parent_uuid == uuid(4)

    summaries(home, listed(parent_conversation_id=uuid(3)))
    assert only().parent_uuid == uuid(3)

    conversation(home, meta=about(parent=2))
    assert only().parent_uuid == uuid(2)


# Families


def test_a_parent_that_is_gone_is_still_named(home: Path, ask: Ask) -> None:
    conversation(home, meta=about(parent=0x99))

    page = ask()

    assert [kin(session) for session in page.sessions] == [("subagent", uuid(0x99))]
    assert page.warnings == ()


def test_a_grandchild_s_parent_is_its_own_not_the_root(home: Path, ask: Ask) -> None:
    conversation(home, number=1)
    conversation(home, number=2, meta=about(parent=1, others={6: uuid(1), 17: 1}))
    conversation(home, number=3, meta=about(parent=2, others={6: uuid(1), 17: 2}))

    parents = {session.uuid: session.parent_uuid for session in ask().sessions}

    assert parents == {uuid(1): None, uuid(2): uuid(1), uuid(3): uuid(2)}


def test_parents_that_spawned_each_other_do_no_harm(home: Path, ask: Ask) -> None:
    conversation(home, number=1, meta=about(parent=2))
    conversation(home, number=2, meta=about(parent=1))

    assert {session.parent_uuid for session in ask().sessions} == {uuid(1), uuid(2)}


def test_nobody_spawned_itself(home: Path, only: Only) -> None:
    conversation(home, meta=about(parent=1))

    assert kin(only()) == ("agent", None)


def test_subagents_are_noise(home: Path, ask: Ask) -> None:
    conversation(home, number=1)
    conversation(home, number=2, meta=about(parent=1))
    log(home, [sent("Prune the pear", uuid(1))], number=3)

    assert [session.uuid for session in ask(noise="exclude").sessions] == [uuid(1)]


# What kind of subagent


def test_a_database_tells_what_kind_of_subagent_it_is(home: Path, only: Only) -> None:
    conversation(home, meta=about(parent=2, type_name="research"))
    note(home, type_name="self")

    assert only().extra["subagent_type"] == "research"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\x00" * 500,
        b'{"subagentDescriptor": 7}',
        b'{"subagentDescriptor": {"role": 7}}',
        b"{" * 100_000,
    ],
)
def test_a_damaged_note_still_names_the_parent(home: Path, ask: Ask, content: bytes) -> None:
    conversation(home)
    put(note(home), content)

    page = ask()

    assert [(session.title, *kin(session)) for session in page.sessions] == [("Prompt 1", "subagent", uuid(2))]
    assert page.warnings == ()


@pytest.mark.parametrize("name", ["notes.json", f"{uuid(1)}.txt", f"{uuid(1)}.json.tmp", f"_{uuid(1)}.json"])
def test_what_lies_beside_notes_names_nobody(home: Path, only: Only, name: str) -> None:
    conversation(home)
    put(brain(home, 2) / ".system_generated/subagents" / name, "{}")

    assert kin(only()) == ("agent", None)


# Secrets

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def test_a_secret_in_a_role_is_masked(home: Path, ask: Ask) -> None:
    conversation(home, meta=about(parent=2, role=f"Use {TOKEN}"))

    (session,) = ask().sessions

    assert session.title is not None
    assert session.title.startswith("Use [REDACTED_")


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda home: conversation(home, meta=about(parent=2, role=f"Use {TOKEN}")), id="role"),
        pytest.param(lambda home: conversation(home, meta=about(parent=2, type_name=f"Use {TOKEN}")), id="kind"),
        pytest.param(lambda home: conversation(home, meta=about(branch=f"fix-{TOKEN}")), id="branch"),
        pytest.param(lambda home: (conversation(home), note(home, role=f"Use {TOKEN}")), id="role in a note"),
    ],
)
def test_a_secret_of_a_subagent_is_not_remembered(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], object]
) -> None:
    monkeypatch.setattr(looks, "_SETTLED_NS", -(10**12))
    write(home)

    take(Query(agents=("antigravity",)), environment_of(home, cache=tmp_path / "cache"))

    remembered = [path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert remembered
    assert not any(TOKEN.encode() in content for content in remembered)


# Forks and battles


def test_a_fork_was_spawned_by_nobody(home: Path, only: Only) -> None:
    conversation(home, references=[{1: "t", 2: 4, 5: 2, 6: uuid(2)}])

    session = only()

    assert kin(session) == ("agent", None)
    assert session.extra["forked_from"] == uuid(2)


def test_an_index_tells_of_a_fork(home: Path, only: Only) -> None:
    encrypted(home)
    hub(home, {1: summary(fork=uuid(2))})

    session = only()

    assert (kin(session), session.extra["forked_from"]) == (("agent", None), uuid(2))


@pytest.mark.parametrize("reference", [{5: 1, 6: uuid(2)}, {5: 3, 6: uuid(2)}, {6: uuid(2)}, {5: 2}, {}])
def test_other_references_are_no_forks(home: Path, only: Only, reference: Fields) -> None:
    conversation(home, references=[reference])

    assert "forked_from" not in only().extra


def test_one_of_several_tries_belongs_to_what_it_tries_for(home: Path, only: Only) -> None:
    conversation(home, meta=about(others={16: 1, 22: {2: uuid(2)}}))

    assert kin(only()) == ("subagent", uuid(2))


def test_a_conversation_that_had_tries_is_none_itself(home: Path, only: Only) -> None:
    conversation(home, meta=about(others={16: 0, 22: {2: uuid(2)}}))

    assert kin(only()) == ("agent", None)
