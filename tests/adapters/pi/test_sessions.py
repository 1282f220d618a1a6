"""What a session's file says of it, in every version of the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, at, epoch_ms, put, uuid
from tests.builders.pi import (
    MODEL,
    Entry,
    answered,
    entry,
    file_name,
    folder,
    header,
    message,
    named,
    result,
    said,
    session,
    text_part,
    turns,
    untreed,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]

ABSURD_TIMES = [0, -1, 1e300, 10**19, True, "", "yesterday", "0001-01-01T00:00:00.000Z", [], {}, None]


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    system = message("system", "", 0.5, sections={"preamble": "x" * 20_000})
    changes = [entry("model_change", provider="anthropic", modelId=MODEL), entry("thinking_level_change")]
    path = session(
        home, [header(), *changes, system, said("Graft the plum"), answered(), result(), answered(seconds=60)]
    )

    session_found = only()

    assert session_found.to_dict() == session_found.to_dict() | {
        "uuid": uuid(1),
        "agent": "pi",
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(60),
        "date": at(60),
        "created": at(),
        "size_bytes": path.stat().st_size,
        "message_count": 3,
        "path": str(path),
        "resume_command": f"cd {CWD} && pi --session {path}",
        "extra": {"format_version": 3},
    }


# Older versions


def test_a_session_of_version_2_is_read(home: Path, only: Only) -> None:
    hook = message("hookMessage", "Remember the pruning", 5)
    session(home, [header(version=2), said("Graft the plum"), hook, answered()])

    found = only()

    assert (found.title, found.models, found.message_count) == ("Graft the plum", (MODEL,), 2)
    assert (found.last_activity, found.extra) == (at(30), {"format_version": 2})


def test_a_session_of_version_1_is_read(home: Path, only: Only) -> None:
    first = header(version=..., provider="anthropic", modelId="not-used", thinkingLevel="off")
    path = session(home, [first, *untreed([said("Graft the plum"), answered(), entry("compaction", 40, summary="x")])])

    found = only()

    assert (found.uuid, found.title, found.models, found.message_count) == (uuid(1), "Graft the plum", (MODEL,), 2)
    assert (found.project_dir, found.created, found.last_activity) == (CWD, at(), at(30))
    assert found.resume_command == f"cd {CWD} && pi --session {path}"
    assert found.extra == {"format_version": 1}


def test_the_header_of_0_7_may_be_younger_than_the_first_message(home: Path, only: Only) -> None:
    first = header(version=..., seconds=5, model="groq/llama", thinkingLevel="off")
    session(home, [first, *untreed([said("Graft the plum", 1), answered(seconds=4, model="llama")])])

    found = only()

    assert (found.created, found.last_activity, found.models) == (at(5), at(4), ("llama",))


def test_a_session_that_a_later_version_rewrote_is_read(home: Path, only: Only) -> None:
    rewritten = {key: header()[key] for key in ("type", "id", "timestamp", "cwd", "version")}
    session(home, [rewritten, said("Graft the plum"), answered(), said("And the quince", 90), answered(seconds=95)])

    found = only()

    assert (found.title, found.last_activity, found.extra) == ("Graft the plum", at(95), {"format_version": 3})


def test_a_session_of_a_version_to_come_is_read(home: Path, only: Only) -> None:
    session(
        home, [header(version=4, colour="green"), entry("dream", 2, of="sheep"), said("Graft the plum"), answered()]
    )

    found = only()

    assert (found.title, found.message_count, found.extra) == ("Graft the plum", 2, {"format_version": 4})


# Identity


def test_the_header_names_the_session_not_its_file(home: Path, only: Only) -> None:
    path = session(home, turns(1), number=2)

    assert (only().uuid, only().path) == (uuid(1), str(path))


@pytest.mark.parametrize("identity", ["nightly", "my_task.v1-2", "0"])
def test_an_id_may_be_any_text(home: Path, only: Only, identity: str) -> None:
    put(folder(home) / file_name(identity), [header(id=identity), said("Graft the plum")])

    assert only().uuid == identity


def test_one_id_in_two_directories_is_two_sessions(home: Path, ask: Ask) -> None:
    paths = [session(home, turns(1, cwd=cwd), directory=cwd) for cwd in ("/srv/barn", "/srv/orchard")]

    page = ask()

    assert [(one.uuid, one.project_dir, one.path) for one in page.sessions] == [
        (uuid(1), "/srv/barn", str(paths[0])),
        (uuid(1), "/srv/orchard", str(paths[1])),
    ]
    assert all("copies" not in one.extra for one in page.sessions)


def test_one_id_in_two_folders_is_two_sessions(home: Path, ask: Ask) -> None:
    session(home)
    put(home / "flat" / "one.jsonl", turns())

    page = ask({"PI_CODING_AGENT_SESSION_DIR": "flat"})

    assert [(one.uuid, one.extra.get("copies")) for one in page.sessions] == [(uuid(1), None), (uuid(1), None)]


def test_one_id_of_two_directories_in_a_common_folder_is_two_sessions(home: Path, ask: Ask) -> None:
    put(home / "flat" / "one.jsonl", turns(1, cwd="/srv/barn"))
    put(home / "flat" / "two.jsonl", turns(1, cwd="/srv/orchard"))

    page = ask({"PI_CODING_AGENT_SESSION_DIR": "flat"})

    assert {one.project_dir for one in page.sessions} == {"/srv/barn", "/srv/orchard"}


def test_two_files_of_one_session_are_one_and_the_newest_counts(home: Path, only: Only) -> None:
    old = session(home, turns(), modified=900)
    new = put(old.with_name("a copy.jsonl"), [*turns(), said("And the quince", 60)], modified=100)
    other = put(old.with_name("b copy.jsonl"), turns(), modified=500)

    found = only()

    assert (found.path, found.last_activity, found.message_count) == (str(new), at(60), 3)
    assert found.extra["copies"] == [str(old), str(other)]


def test_of_two_equal_files_of_one_session_the_first_by_name_counts(home: Path, only: Only) -> None:
    for name in ("c.jsonl", "a.jsonl", "b.jsonl"):
        put(folder(home) / name, turns())

    found = only()

    assert Path(found.path).name == "a.jsonl"
    assert [Path(copy).name for copy in found.extra["copies"]] == ["b.jsonl", "c.jsonl"]  # type: ignore[attr-defined]


# Directory


@pytest.mark.parametrize(
    "directory",
    [
        "/srv/plum tree",
        "/srv/öbst/林檎",
        "/srv/new\nline",
        "/srv/back\\slash",
        "/",
        "C:\\src\\orchard",
        "\\\\barn\\share",
    ],
)
def test_the_directory_is_the_one_in_the_header(home: Path, only: Only, directory: str) -> None:
    session(home, turns(cwd=directory), directory="/srv/elsewhere")

    assert only().project_dir == directory


@pytest.mark.parametrize("directory", [..., None, "", "orchard", ".", 7, [CWD]])
def test_without_an_absolute_one_in_the_header_the_directory_is_unknown(
    home: Path, only: Only, directory: object
) -> None:
    path = session(home, turns(cwd=directory))

    assert (only().project_dir, only().resume_command) == (None, f"pi --session {path}")


def test_folders_that_look_alike_keep_their_sessions_apart(home: Path, ask: Ask) -> None:
    session(home, turns(1, cwd="/srv/a-b"), number=1, directory="/srv/a-b")
    session(home, turns(2, cwd="/srv/a/b"), number=2, directory="/srv/a/b")

    assert [one.uuid for one in ask(project_dir="/srv/a").sessions] == [uuid(2)]
    assert [one.uuid for one in ask(project_dir="/srv/a-b").sessions] == [uuid(1)]


# Models


def test_models_are_those_that_answered_in_their_order(home: Path, only: Only) -> None:
    models = ["plum-1", "apple-2", "plum-1", "cherry-3"]
    session(home, [header(), said("Hello"), *(answered(seconds=n, model=model) for n, model in enumerate(models, 10))])

    assert only().models == ("plum-1", "apple-2", "cherry-3")


def test_a_model_that_was_only_selected_is_none(home: Path, only: Only) -> None:
    change = entry("model_change", 40, provider="anthropic", modelId="never-used", model="x/never-used")
    session(home, [header(), said("Hello"), answered(), change])

    assert only().models == (MODEL,)


@pytest.mark.parametrize("reason", ["error", "aborted", "length", "toolUse"])
def test_an_answer_that_failed_has_a_model_and_counts(home: Path, only: Only, reason: str) -> None:
    failed = message("assistant", [], 30, provider="anthropic", model="plum-1", stopReason=reason, errorMessage="no")
    session(home, [header(), said("Hello"), failed])

    assert (only().models, only().message_count, only().last_activity) == (("plum-1",), 2, at(30))


@pytest.mark.parametrize("model", [..., None, "", 7, ["plum-1"]])
def test_an_answer_without_a_model_counts_without_one(home: Path, only: Only, model: object) -> None:
    session(home, [header(), said("Hello"), message("assistant", [], 30, model=model)])

    assert (only().models, only().message_count) == ((), 2)


def test_only_answers_have_a_model(home: Path, only: Only) -> None:
    others = [message(role, "x", model=f"of-{role}") for role in ("user", "toolResult", "system", "custom")]
    session(home, [header(), *others])

    assert only().models == ()


# Messages


def test_messages_of_people_and_the_model_count_and_no_others(home: Path, only: Only) -> None:
    roles = ("system", "toolResult", "custom", "hookMessage", "bashExecution", "branchSummary", "developer")
    kinds = ("compaction", "branch_summary", "custom", "custom_message", "label", "usage", "context_edit")
    turn = {"role": "user", "content": "Not me"}
    others = [*(message(role, "x") for role in roles), *(entry(kind, 90, message=turn) for kind in kinds)]
    session(home, [header(), *others, said("Hello"), *others, answered(), *others])

    assert (only().message_count, only().title, only().last_activity) == (2, "Hello", at(30))


def test_all_branches_of_the_tree_count(home: Path, only: Only) -> None:
    branches = [said("One way", 40, parentId="x"), answered(seconds=50), said("Another way", 60), answered(seconds=45)]
    session(home, [header(), said("Hello"), answered(), *branches])

    assert (only().message_count, only().title, only().last_activity) == (6, "Hello", at(60))


def test_a_session_without_a_message_is_one(home: Path, only: Only) -> None:
    session(home, [header(seconds=7), entry("model_change", 90, provider="anthropic", modelId=MODEL)])

    found = only()

    assert (found.title, found.models, found.message_count) == (None, (), 0)
    assert (found.created, found.last_activity) == (at(7), at(7))


def test_a_session_that_was_killed_before_its_first_answer_is_one(home: Path, only: Only) -> None:
    session(home, [header(), said("Graft the plum", 3)])

    found = only()

    assert (found.title, found.models, found.message_count, found.last_activity) == ("Graft the plum", (), 1, at(3))


# Times


def test_the_last_message_of_a_person_or_the_model_is_the_last_activity(home: Path, only: Only) -> None:
    later = [result(seconds=50), named("Name", 60), entry("label", 70), message("custom", "x", 80)]
    session(home, [header(), said("Hello"), answered(seconds=40), *later], modified=900)

    assert only().last_activity == at(40)


def test_the_latest_message_counts_wherever_it_stands(home: Path, only: Only) -> None:
    session(home, [header(), said("Hello"), answered(seconds=90), said("Out of order", 20), answered(seconds=30)])

    assert only().last_activity == at(90)


def test_a_clock_that_was_set_back_takes_nothing_from_the_first_message(home: Path, only: Only) -> None:
    session(home, [header(), said("Hello", 500), *[result("x" * 1000)] * 100, answered(seconds=30)])

    assert only().last_activity == at(500)


def test_a_message_has_its_own_time_before_that_of_its_entry(home: Path, only: Only) -> None:
    late = answered(seconds=40) | {"timestamp": at(500)}
    session(home, [header(), said("Hello"), late])

    assert only().last_activity == at(40)


@pytest.mark.parametrize("own", [..., *ABSURD_TIMES])
def test_a_message_without_a_time_has_that_of_its_entry(home: Path, only: Only, own: object) -> None:
    session(home, [header(), said("Hello"), message("assistant", [], 40, timestamp=own)])

    assert only().last_activity == at(40.25)


@pytest.mark.parametrize("own", [at(40), epoch_ms(40) / 1000, float(epoch_ms(40)), str(epoch_ms(40))])
def test_a_message_may_have_its_time_in_another_form(home: Path, only: Only, own: object) -> None:
    session(home, [header(), said("Hello"), message("assistant", [], 1, timestamp=own)])

    assert only().last_activity == at(40)


@pytest.mark.parametrize("time", [..., *ABSURD_TIMES])
def test_messages_without_any_time_leave_that_of_the_header(home: Path, only: Only, time: object) -> None:
    timeless = message("user", "Hello", timestamp=time)
    session(home, [header(seconds=7), {**timeless, "timestamp": None if time is ... else time}], modified=900)

    assert (only().last_activity, only().message_count) == (at(7), 1)


def test_the_last_message_that_has_a_time_counts_however_far_from_the_end(home: Path, only: Only) -> None:
    timeless = message("assistant", "Done.", timestamp=...) | {"timestamp": None}
    bulk = [result("x" * 1000)] * 100
    session(home, [header(), said("Hello"), *bulk, answered(seconds=40), *bulk, timeless])

    assert only().last_activity == at(40)


@pytest.mark.parametrize("time", [..., *ABSURD_TIMES])
def test_without_any_time_a_session_is_as_old_as_its_file(home: Path, only: Only, time: object) -> None:
    session(home, [header(timestamp=time)], modified=90)

    found = only()

    assert (found.created, found.last_activity) == (None, at(90))
    assert found.extra["last_activity_source"] == "mtime"


def test_a_time_in_a_record_needs_no_note_of_its_source(home: Path, only: Only) -> None:
    session(home, [header(timestamp=...), said("Hello")], modified=90)

    assert (only().last_activity, only().created) == (at(1), None)
    assert "last_activity_source" not in only().extra


def test_a_clone_without_a_turn_of_its_own_was_active_before_it_was_made(home: Path, only: Only) -> None:
    session(home, [header(seconds=500), said("Hello"), answered()])

    assert (only().created, only().last_activity) == (at(500), at(30))


# Resuming


@pytest.mark.parametrize(
    ("directory", "quoted"),
    [
        ("/srv/plum tree", "'/srv/plum tree'"),
        ("/srv/o'hara", "'/srv/o'\"'\"'hara'"),
        ("/srv/$(reboot);&", "'/srv/$(reboot);&'"),
        ("-rf", None),
    ],
)
def test_the_command_that_resumes_a_session_can_be_pasted(
    home: Path, only: Only, directory: str, quoted: str | None
) -> None:
    path = session(home, turns(cwd=directory))

    assert only().resume_command == f"cd {quoted} && pi --session {path}" if quoted else f"pi --session {path}"


def test_the_path_of_a_session_is_quoted_too(home: Path, only: Only) -> None:
    path = put(home / "plum tree" / "it's.jsonl", turns())

    command = only(variables={"PI_CODING_AGENT_SESSION_DIR": "plum tree"}).resume_command

    assert command == f"cd {CWD} && pi --session '{path.parent}/it'\"'\"'s.jsonl'"


# Lines


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_only_a_newline_ends_an_entry(home: Path, only: Only, separator: str) -> None:
    session(home, [header(), said(f"Graft{separator}the plum"), answered()])

    assert (only().title, only().message_count) == ("Graft the plum", 2)


def test_entries_of_two_processes_in_one_file_all_count(home: Path, only: Only) -> None:
    one = [said("One", 10, parentId="a"), answered(seconds=30, model="plum-1")]
    other = [said("Other", 20, parentId="b"), answered(seconds=25, model="apple-2")]
    interleaved: list[Entry] = [entry for pair in zip(one, other, strict=True) for entry in pair]
    session(home, [header(), *interleaved])

    found = only()

    assert (found.title, found.message_count, found.last_activity) == ("One", 4, at(30))
    assert found.models == ("plum-1", "apple-2")


def test_content_may_be_text(home: Path, only: Only) -> None:
    session(home, [header(), message("user", "Graft the plum"), message("assistant", "Done.", 30, model=MODEL)])

    assert (only().title, only().models, only().message_count) == ("Graft the plum", (MODEL,), 2)


@pytest.mark.parametrize("content", [..., None, [], 7, {}, [None, 7, "x", [], {}], [{"type": "text", "text": None}]])
def test_a_message_without_content_counts_and_gives_no_title(home: Path, only: Only, content: object) -> None:
    session(home, [header(), message("user", content), message("user", [text_part("Graft the plum")], 5)])

    assert (only().title, only().message_count, only().last_activity) == ("Graft the plum", 2, at(5))
