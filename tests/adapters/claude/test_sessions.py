"""Which transcripts are sessions, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.claude import MODEL, Row, assistant, beside, folder, subagent, transcript, user, work
from tests.builders.common import at, put, uuid
from tests.conftest import Ask

Only = Callable[..., Session]


def noted(kind: str, **keys: object) -> Row:
    return {"type": kind, "sessionId": uuid(1), **keys}


SNAPSHOT = {"type": "file-history-snapshot", "messageId": "m1", "snapshot": {"timestamp": at(5)}}
SUMMARY = {"type": "summary", "summary": "Grafting", "leafUuid": "row-of-another-file"}
QUEUED = noted("queue-operation", operation="enqueue", timestamp=at(), content="Prune")
API_REQUEST = noted(
    "api-request", timestamp=at(90), params={"model": "claude-opus-5", "messages": [{"role": "user", "content": "Hi"}]}
)


# What is a session


def test_a_transcript_is_one_session(home: Path, only: Only) -> None:
    path = transcript(home)

    session = only()

    assert (session.uuid, session.agent, session.kind, session.parent_uuid) == (uuid(1), "claude", "agent", None)
    assert (session.path, session.size_bytes) == (str(path), path.stat().st_size)


@pytest.mark.parametrize(
    "rows",
    [
        b"",
        [SNAPSHOT, SNAPSHOT],
        [SUMMARY],
        [QUEUED],
        [
            noted("mode", mode="default"),
            noted("custom-title", customTitle="Named"),
            noted("last-prompt", lastPrompt="Hi"),
        ],
        [API_REQUEST],
        [noted("system", subtype="turn_duration", timestamp=at()), noted("attachment", attachment={"type": "model"})],
    ],
    ids=["empty", "snapshots", "summary", "queue", "bookkeeping", "request-log", "system"],
)
def test_a_file_without_a_turn_is_no_session_and_no_problem(home: Path, ask: Ask, rows: list[Row] | bytes) -> None:
    transcript(home, rows)

    page = ask()

    assert page.sessions == ()
    assert page.warnings == ()


@pytest.mark.parametrize("row", [user("Only asked"), assistant("Only answered")], ids=["prompt", "answer"])
def test_one_turn_makes_a_session(home: Path, only: Only, row: Row) -> None:
    transcript(home, [SNAPSHOT, QUEUED, row])

    assert only().uuid == uuid(1)


def test_turns_far_behind_the_start_of_a_large_file_make_it_a_session(home: Path, only: Only) -> None:
    snapshots = [{**SNAPSHOT, "snapshot": {"files": "x" * 1000}}] * 100
    transcript(home, [*snapshots, user("Real words"), assistant(), *snapshots])

    session = only()

    assert (session.title, session.last_activity) == ("Real words", at(30))


def test_the_empty_files_that_resuming_left_behind_are_none(home: Path, only: Only) -> None:
    transcript(home)
    transcript(home, b"", number=2)  # 2.0.77 and 2.1.0 leave one for each resume

    assert only().uuid == uuid(1)


# Which session it is


def test_the_file_name_is_the_id_whatever_the_rows_say(home: Path, only: Only) -> None:
    transcript(home, [user("A fork of 2.0", sessionId=uuid(9)), assistant(sessionId=uuid(9))])

    assert only().uuid == uuid(1)


def test_a_renamed_session_keeps_its_id(home: Path, only: Only) -> None:
    transcript(home, [user("First words"), assistant(), noted("custom-title", customTitle=uuid(7))])

    assert only().uuid == uuid(1)


def test_a_session_resumed_into_a_new_file_is_a_session_of_its_own(home: Path, ask: Ask) -> None:
    rows = [user("Same first words"), assistant()]
    transcript(home, rows)
    transcript(home, [*rows, user("And on", 60)], number=2)  # up to 1.0.0

    assert [session.uuid for session in ask().sessions] == [uuid(2), uuid(1)]


def test_of_two_files_with_one_id_the_one_with_the_newest_row_counts(home: Path, only: Only) -> None:
    older = transcript(home, modified=9000)
    rows = [user("Prompt 1"), user("Continued elsewhere", 90, cwd="/srv/meadow")]
    newer = transcript(home, rows, directory="/srv/meadow", modified=10)

    session = only()

    assert (session.path, session.last_activity, session.project_dir) == (str(newer), at(90), "/srv/meadow")
    assert session.extra["copies"] == [str(older)]


def test_copies_in_two_config_directories_are_one_session(home: Path, only: Only) -> None:
    newer = transcript(home, [user("Prompt"), assistant(seconds=90)])
    older = transcript(home, root=".config/claude")

    session = only()

    assert (session.path, session.extra["copies"]) == (str(newer), [str(older)])


def test_a_session_in_one_place_has_no_copies(home: Path, only: Only) -> None:
    transcript(home)

    assert "copies" not in only().extra


def test_a_link_to_a_transcript_is_no_copy(home: Path, only: Only) -> None:
    path = transcript(home)
    linked = folder(home, "/srv/meadow") / path.name
    linked.parent.mkdir(parents=True)
    linked.symlink_to(path)

    assert "copies" not in only().extra


# Models and messages


def test_models_come_once_each_in_the_order_of_their_first_answer(home: Path, only: Only) -> None:
    models = ["claude-opus-5", "claude-haiku-4-5", "claude-opus-5", "<synthetic>", "claude-sonnet-5", ""]
    answers = [assistant(seconds=seconds, model=model) for seconds, model in enumerate(models)]
    transcript(home, [user("Start"), *answers])

    assert only().models == ("claude-opus-5", "claude-haiku-4-5", "claude-sonnet-5")


def test_models_that_only_were_asked_for_are_none(home: Path, only: Only) -> None:
    attachment = noted("attachment", attachment={"type": "model", "model": "claude-opus-5"}, model="claude-opus-5")
    message = {"role": "user", "content": "Start", "model": "claude-opus-5"}
    transcript(
        home, [user("Start", message=message), attachment, API_REQUEST, assistant(requestedModel="claude-opus-5")]
    )

    assert only().models == (MODEL,)


def test_a_session_that_got_no_answer_has_no_models(home: Path, only: Only) -> None:
    transcript(home, [user("Anybody there?")])

    assert only().models == ()


def test_a_model_in_the_middle_of_a_large_file_is_found(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), *work(60), assistant(seconds=200, model="claude-opus-5"), *work(60, 300)])

    assert only().models == (MODEL, "claude-opus-5")


def test_messages_are_what_people_said_and_answers(home: Path, only: Only) -> None:
    transcript(
        home,
        [
            user("First"),
            assistant("Part one", 10),
            assistant("Part two of the same answer", 11, message=assistant("", 10)["message"]),
            user([{"type": "tool_result", "content": "a result"}], 12),
            user("<system-reminder>stay calm</system-reminder>", 13),
            user("Continued", 14, isCompactSummary=True),
            user("A caveat", 15, isMeta=True),
            user([{"type": "image", "source": {"data": "AAAA"}}], 16),
            assistant("Another answer", 20),
        ],
    )

    assert only().message_count == 4


# Times


def test_a_session_begins_with_its_first_row_that_has_a_time(home: Path, only: Only) -> None:
    mode = noted("mode", mode="default")
    transcript(home, [mode, SNAPSHOT, {**QUEUED, "timestamp": at(-5)}, user("Start"), assistant()])

    assert only().created == at(-5)


def test_the_last_activity_is_the_latest_turn_even_when_rows_are_out_of_order(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), assistant(seconds=31), assistant(seconds=30.5), user("Late", 20)])

    assert only().last_activity == at(31)


def test_rows_out_of_order_at_the_end_of_a_large_file_are_seen(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), *work(100), assistant(seconds=905), assistant(seconds=904), user("Late", 900)])

    assert only().last_activity == at(905)


def test_bookkeeping_is_no_activity(home: Path, only: Only) -> None:
    later = [API_REQUEST, noted("system", subtype="turn_duration", timestamp=at(91)), {**QUEUED, "timestamp": at(92)}]
    transcript(home, [user("Start"), assistant(), *later])

    assert only().last_activity == at(30)


def test_bookkeeping_of_any_length_at_the_end_does_not_hide_the_last_turn(home: Path, only: Only) -> None:
    logs = [{**API_REQUEST, "system": "x" * 10_000}] * 30
    transcript(home, [user("Start"), *work(60), assistant(seconds=700), *logs])

    assert only().last_activity == at(700)


def test_the_time_of_the_file_does_not_count_where_rows_have_one(home: Path, only: Only) -> None:
    transcript(home, modified=86_400 * 300)

    session = only()

    assert session.last_activity == at(30)
    assert "last_activity_source" not in session.extra


def test_the_time_of_the_file_counts_where_no_row_has_one_and_is_marked(home: Path, only: Only) -> None:
    transcript(home, [user("Start", timestamp=...), assistant(timestamp=...)], modified=1234)

    session = only()

    assert (session.last_activity, session.created) == (at(1234), None)
    assert session.extra["last_activity_source"] == "mtime"


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        ("2026-03-10T09:01:00", "2026-03-10T09:01:00.000Z"),
        ("2026-03-10 09:01:00", "2026-03-10T09:01:00.000Z"),
        ("2026-03-10T11:01:00+02:00", "2026-03-10T09:01:00.000Z"),
        ("2026-03-10T09:01:00.123456Z", "2026-03-10T09:01:00.123Z"),
        ("2026-03-10T09:01:00,5Z", "2026-03-10T09:01:00.500Z"),
    ],
)
def test_times_in_other_spellings_are_understood(home: Path, only: Only, stored: str, meant: str) -> None:
    transcript(home, [user("Start"), assistant(timestamp=stored)])

    assert only().last_activity == meant


def test_times_in_several_spellings_are_compared_as_instants(home: Path, only: Only) -> None:
    transcript(
        home,
        [
            user("Start", timestamp="2026-03-10T11:00:10+02:00"),
            assistant(seconds=60),
            user("Naive", timestamp="2026-03-10T09:00:20"),
        ],
    )

    assert only().last_activity == at(60)


@pytest.mark.parametrize(
    "stored", ["", "yesterday", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2026-13-40T25:61:61.000Z"]
)
def test_absurd_times_count_as_absent(home: Path, only: Only, stored: str) -> None:
    transcript(home, [user("Start", timestamp=stored), assistant(), user("Later", timestamp=stored)])

    session = only()

    assert (session.created, session.last_activity) == (at(30), at(30))


def test_a_session_from_the_future_has_no_negative_age(home: Path, only: Only) -> None:
    transcript(home, [user("Start", timestamp="2199-01-01T00:00:00.000Z")])

    session = only()

    assert (session.last_activity, session.age_sec, session.activity) == ("2199-01-01T00:00:00.000Z", 0, "fresh")


# Where it was started from


@pytest.mark.parametrize(
    ("entrypoint", "surface"),
    [
        ("cli", "claude-cli"),
        ("sdk-ts", "claude-cli"),
        ("claude-vscode", "claude-cli"),
        ("a-tool-of-my-own", "claude-cli"),
        ("claude-desktop", "claude-desktop"),
        ("claude-desktop-3p", "claude-desktop"),
        ("local-agent", "claude-desktop"),
        ("local_agent", "claude-desktop"),
    ],
)
def test_the_entrypoint_tells_the_surface(home: Path, only: Only, entrypoint: str, surface: str) -> None:
    transcript(home, [user("Start", entrypoint=entrypoint), assistant(entrypoint=entrypoint)])

    session = only()

    assert (session.launch_surface, session.extra["entrypoint"]) == (surface, entrypoint)


def test_the_first_entrypoint_is_where_it_was_started(home: Path, only: Only) -> None:
    transcript(home, [user("Start", entrypoint="claude-desktop"), assistant(), user("Resumed in a terminal", 60)])

    session = only()

    assert (session.launch_surface, session.extra["entrypoint"]) == ("claude-desktop", "claude-desktop")


def test_without_an_entrypoint_it_was_the_command_line(home: Path, only: Only) -> None:
    transcript(home, [user("Start", entrypoint=...), assistant(entrypoint=...)])

    session = only()

    assert session.launch_surface == "claude-cli"
    assert "entrypoint" not in session.extra


# How to go on with it


def test_it_is_resumed_by_its_id_in_its_directory(home: Path, only: Only) -> None:
    transcript(home)

    assert only().resume_command == f"cd /srv/orchard && claude --resume {uuid(1)}"


def test_the_directory_is_quoted_for_a_shell(home: Path, only: Only) -> None:
    directory = "/srv/Ada's plum trees"
    transcript(home, [user("Start", cwd=directory)], directory=directory)

    assert only().resume_command == f"""cd '/srv/Ada'"'"'s plum trees' && claude --resume {uuid(1)}"""


def test_it_is_resumed_by_its_id_alone_where_the_directory_is_unknown(home: Path, only: Only) -> None:
    transcript(home, [user("Start", cwd=...)])

    assert only().resume_command == f"claude --resume {uuid(1)}"


def test_the_config_directory_is_named_where_claude_would_not_look(home: Path, only: Only) -> None:
    transcript(home, root=".config/claude")

    command = f"cd /srv/orchard && env CLAUDE_CONFIG_DIR={home}/.config/claude claude --resume {uuid(1)}"
    assert only().resume_command == command


def test_the_config_directory_in_force_is_not_named(home: Path, only: Only) -> None:
    transcript(home, root="alt")

    session = only(variables={"CLAUDE_CONFIG_DIR": str(home / "alt")})

    assert session.resume_command == f"cd /srv/orchard && claude --resume {uuid(1)}"


def test_the_config_directory_in_force_is_not_named_when_it_ends_in_a_slash(home: Path, only: Only) -> None:
    transcript(home, root="alt")

    session = only(variables={"CLAUDE_CONFIG_DIR": f"{home}/alt/"})

    assert session.resume_command == f"cd /srv/orchard && claude --resume {uuid(1)}"


def test_every_config_directory_of_a_list_is_named(home: Path, ask: Ask) -> None:
    transcript(home, root="first")
    transcript(home, root="second", number=2)

    page = ask(variables={"CLAUDE_CONFIG_DIR": f"{home}/first,{home}/second"})

    assert {session.resume_command for session in page.sessions} == {
        f"cd /srv/orchard && env CLAUDE_CONFIG_DIR={home}/{name} claude --resume {uuid(number)}"
        for name, number in (("first", 1), ("second", 2))
    }


# What only Claude has


def test_a_session_that_says_nothing_more_has_nothing_extra(home: Path, only: Only) -> None:
    keys: Row = dict.fromkeys(("version", "gitBranch", "entrypoint"), ...)
    transcript(home, [user("Start", **keys), assistant(**keys)])

    assert only().extra == {}


def test_the_version_and_the_branch_are_the_latest(home: Path, only: Only) -> None:
    transcript(
        home,
        [
            user("Start", version="2.1.150", gitBranch="main"),
            assistant(version="2.1.332", gitBranch="graft"),
            user("On", 60, version=..., gitBranch=""),
        ],
    )

    extra = only().extra

    assert (extra["agent_version"], extra["git_branch"]) == ("2.1.332", "graft")


def test_a_fork_names_its_source_and_has_no_parent(home: Path, only: Only) -> None:
    forked = {"sessionId": uuid(7), "messageUuid": "row-1"}
    transcript(home, [user("Copied", forkedFrom=forked), assistant(forkedFrom=forked), user("Own words", 60)])

    session = only()

    assert (session.kind, session.parent_uuid, session.extra["forked_from"]) == ("agent", None, uuid(7))


def test_a_fork_of_a_fork_names_the_first_source(home: Path, only: Only) -> None:
    rows = [user("Copied", forkedFrom={"sessionId": uuid(7)}), assistant(forkedFrom={"sessionId": uuid(8)})]
    transcript(home, rows)

    assert only().extra["forked_from"] == uuid(7)


def test_the_last_tag_counts(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), noted("tag", tag="spring"), assistant(), noted("tag", tag="summer")])

    assert only().extra["tag"] == "summer"


def test_an_empty_tag_clears_it(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), noted("tag", tag="spring"), assistant(), noted("tag", tag="")])

    assert "tag" not in only().extra


def test_a_session_that_went_on_in_the_background_names_the_new_one(home: Path, only: Only) -> None:
    transcript(home, [user("Start"), assistant(), noted("continued-in", continuedInSessionId=uuid(5))])

    assert only().extra["continued_in"] == uuid(5)


@pytest.mark.parametrize(
    ("key", "name", "value"), [("sessionKind", "session_kind", "bg"), ("teamName", "team_name", "pickers")]
)
def test_what_kind_of_process_it_was_is_told(home: Path, only: Only, key: str, name: str, value: str) -> None:
    keys: Row = {key: value}
    transcript(home, [user("Start", **keys), assistant(**keys)])

    assert only().extra[name] == value


# Archived


ARCHIVED = {"archived": True, "at": at(60), "by": "sdk"}


@pytest.mark.parametrize("content", [ARCHIVED, {"archived": True}, {"archived": True, "at": "long ago"}])
def test_an_archived_session_is_listed_and_says_so(home: Path, only: Only, content: Mapping[str, object]) -> None:
    beside(transcript(home), "archived.json", content)

    assert only().extra["archived"] is True


def test_a_later_prompt_brings_a_session_back(home: Path, only: Only) -> None:
    beside(transcript(home, [user("Start"), assistant(), user("Once more", 90)]), "archived.json", ARCHIVED)

    assert "archived" not in only().extra


@pytest.mark.parametrize(
    "row",
    [
        assistant(seconds=90),
        user([{"type": "tool_result", "content": "a result"}], 90),
        user("<task-notification>agent finished</task-notification>", 90, origin={"kind": "task-notification"}),
        user("A caveat", 90, isMeta=True),
        noted("custom-title", customTitle="Renamed"),
    ],
    ids=["answer", "tool-result", "notification", "meta", "rename"],
)
def test_a_later_row_that_no_person_wrote_does_not(home: Path, only: Only, row: Row) -> None:
    beside(transcript(home, [user("Start"), assistant(), row]), "archived.json", ARCHIVED)

    assert only().extra["archived"] is True


@pytest.mark.parametrize(
    "content", [{"archived": False, "at": at(60)}, {"archived": "yes"}, {}, [], None, 7, "archived"]
)
def test_anything_but_a_clear_yes_is_not_archived(home: Path, only: Only, content: object) -> None:
    beside(transcript(home), "archived.json", content)

    assert "archived" not in only().extra


def test_a_torn_side_file_is_no_problem(home: Path, ask: Ask) -> None:
    path = transcript(home)
    put(path.with_suffix("") / "archived.json", b'{"archived": tr')
    put(path.with_suffix("") / "custom-title.json", b"\x00\x00\x00")

    page = ask()

    assert (page.sessions[0].title, page.warnings) == ("Prompt 1", ())
    assert "archived" not in page.sessions[0].extra


def test_an_archived_session_keeps_its_subagents(home: Path, ask: Ask) -> None:
    beside(transcript(home), "archived.json", ARCHIVED)
    subagent(home, "a1")

    assert {session.uuid for session in ask().sessions} == {uuid(1), "a1"}
