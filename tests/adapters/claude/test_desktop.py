"""Claude Desktop's records name sessions, and stand for those whose transcript is gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.claude import (
    ACCOUNT,
    Row,
    assistant,
    code_record,
    cowork_record,
    cowork_transcript,
    transcript,
    user,
    work,
)
from tests.builders.common import CWD, at, epoch_ms, put, uuid
from tests.conftest import Ask

Only = Callable[..., Session]

OTHER_ACCOUNT = Path("0a1b2c3d-0000-4000-8000-00000000000c") / "0a1b2c3d-0000-4000-8000-00000000000d"
LINUX = ".config/Claude"
APPS = [
    LINUX,
    "Library/Application Support/Claude",
    "AppData/Roaming/Claude",
    "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude",
]
BEFORE_ENTRYPOINTS = [user("Start", entrypoint=...), assistant(entrypoint=...)]


# A record and its transcript


def test_a_record_and_its_transcript_are_one_session(home: Path, only: Only) -> None:
    path = transcript(home)
    code_record(home, 1)

    session = only()

    assert (session.uuid, session.title, session.path) == (uuid(1), "Desktop title 1", str(path))
    assert "transcript" not in session.extra
    assert "copies" not in session.extra


def test_the_transcript_tells_times_directory_and_models(home: Path, only: Only) -> None:
    transcript(home)
    code_record(home, 1, cwd="/tmp", model="claude-opus-5[1m]", createdAt=epoch_ms(-100), lastActivityAt=epoch_ms(9000))

    session = only()

    assert (session.created, session.last_activity, session.project_dir) == (at(0), at(30), CWD)
    assert "claude-opus-5[1m]" not in session.models


def test_a_session_named_by_desktop_is_resumed_like_any_other(home: Path, only: Only) -> None:
    transcript(home)
    code_record(home, 1)

    assert only().resume_command == f"cd /srv/orchard && claude --resume {uuid(1)}"


@pytest.mark.parametrize("title", [..., None, "", 7])
def test_a_record_without_a_title_gives_none(home: Path, only: Only, title: object) -> None:
    transcript(home)
    code_record(home, 1, title=title)

    assert only().title == "Prompt 1"


@pytest.mark.parametrize("is_archived", [True, False])
def test_a_session_archived_in_desktop_says_so(home: Path, only: Only, is_archived: bool) -> None:
    transcript(home)
    code_record(home, 1, isArchived=is_archived)

    assert only().extra.get("archived", False) is is_archived


# Where it was started from


def test_a_session_before_entrypoints_is_desktops_when_a_record_names_it(home: Path, ask: Ask) -> None:
    transcript(home, BEFORE_ENTRYPOINTS)
    transcript(home, BEFORE_ENTRYPOINTS, number=2)
    code_record(home, 1)

    surfaces = {session.uuid: session.launch_surface for session in ask().sessions}

    assert surfaces == {uuid(1): "claude-desktop", uuid(2): "claude-cli"}


@pytest.mark.parametrize("keys", [{"priorCliSessionIds": [uuid(7), uuid(1)]}, {"preClearCliSessionId": uuid(1)}])
def test_a_session_that_a_record_left_behind_is_desktops_too(home: Path, ask: Ask, keys: Row) -> None:
    transcript(home, BEFORE_ENTRYPOINTS)
    transcript(home, number=2)
    code_record(home, 2, **keys)

    surfaces = {session.uuid: session.launch_surface for session in ask().sessions}

    assert surfaces[uuid(1)] == "claude-desktop"


def test_a_record_does_not_lend_its_title_to_the_session_it_left_behind(home: Path, ask: Ask) -> None:
    transcript(home)
    transcript(home, number=2)
    code_record(home, 2, priorCliSessionIds=[uuid(1)])

    assert {session.title for session in ask().sessions} == {"Prompt 1", "Desktop title 2"}


def test_an_entrypoint_says_more_than_a_record(home: Path, only: Only) -> None:
    transcript(home, [user("Started in a terminal"), assistant()])
    code_record(home, 1)  # imported later

    assert only().launch_surface == "claude-cli"


# A record alone


@pytest.mark.parametrize("app", [*APPS, *(f"{app}-3p" for app in APPS)])
def test_a_record_whose_transcript_is_gone_is_a_session(home: Path, only: Only, app: str) -> None:
    path = code_record(home, 1, app=app, model="claude-opus-5", createdAt=epoch_ms(5), lastActivityAt=epoch_ms(60))

    session = only()

    assert (session.uuid, session.kind, session.parent_uuid, session.path) == (uuid(1), "agent", None, str(path))
    assert (session.title, session.project_dir, session.launch_surface) == ("Desktop title 1", CWD, "claude-desktop")
    assert (session.created, session.last_activity) == (at(5), at(60))
    assert (session.models, session.message_count, session.resume_command) == ((), None, None)
    assert session.extra == {"transcript": "missing"}


def test_a_transcript_without_turns_is_as_good_as_gone(home: Path, only: Only) -> None:
    transcript(home, b"")
    code_record(home, 1, lastActivityAt=epoch_ms(60))

    assert only().extra["transcript"] == "missing"


def test_a_record_that_was_never_active_was_active_when_it_was_made(home: Path, only: Only) -> None:
    code_record(home, 1, createdAt=epoch_ms(5))

    assert only().last_activity == at(5)


@pytest.mark.parametrize("moment", [..., "soon", -1, 0, pytest.param(10**30, id="huge"), 1e308, True])
def test_the_time_of_the_file_counts_where_a_record_has_none(home: Path, only: Only, moment: object) -> None:
    path = code_record(home, 1, createdAt=moment, lastActivityAt=moment)
    put(path, path.read_bytes(), modified=1234)

    session = only()

    assert (session.last_activity, session.created) == (at(1234), None)


def test_a_record_without_times_says_that_its_time_is_the_files(home: Path, only: Only) -> None:
    code_record(home, 1)

    assert only().extra["last_activity_source"] == "mtime"


@pytest.mark.parametrize(
    "keys",
    [
        {"sshConfig": {"host": "meadow.example"}},
        {"wslConfig": {"distribution": "Debian"}},
        {"sshConfig": "meadow.example"},
    ],
)
def test_a_record_of_a_session_on_another_machine_says_so(home: Path, only: Only, keys: Row) -> None:
    code_record(home, 1, lastActivityAt=epoch_ms(60), **keys)

    session = only()

    assert session.extra == {"transcript": "missing", "remote": True}
    assert session.resume_command is None


def test_a_record_alone_says_that_it_is_archived(home: Path, only: Only) -> None:
    code_record(home, 1, lastActivityAt=epoch_ms(60), isArchived=True)

    assert only().extra["archived"] is True


@pytest.mark.parametrize("cwd", [..., None, "orchard", 7])
def test_a_record_without_an_absolute_directory_has_none(home: Path, only: Only, cwd: object) -> None:
    code_record(home, 1, lastActivityAt=epoch_ms(60), cwd=cwd)

    assert only().project_dir is None


@pytest.mark.parametrize("cli_session_id", [..., None, "", 7])
def test_a_record_that_never_got_a_transcript_is_no_session(home: Path, ask: Ask, cli_session_id: object) -> None:
    code_record(home, 1, cliSessionId=cli_session_id)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


# Records that are none


def test_other_files_of_desktop_are_no_records(home: Path, ask: Ask) -> None:
    record = code_record(home, 1)
    content = record.read_bytes()
    record.unlink()
    for name in (
        f"deleted_{uuid(1)}.json",
        f"local_{uuid(1)}.json.tmp",
        f".local_{uuid(1)}.json",
        f"local_{uuid(1)}.idx",
        f".ccdsync-{uuid(1)}.json",
        "scheduled-tasks.json",
        f"deeper/local_{uuid(1)}.json",
        f"../local_{uuid(1)}.json",
        f"../../local_{uuid(1)}.json",
    ):
        put(record.parent / name, content)

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\x00" * 200, b'"local"', b"\xff\xfe{}"])
def test_a_broken_record_costs_one_warning_and_nothing_else(home: Path, ask: Ask, content: bytes) -> None:
    transcript(home)
    code_record(home, 2, lastActivityAt=epoch_ms(60))
    broken = put(code_record(home, 3), content)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(2), uuid(1)]
    assert [(problem.agent, problem.path) for problem in page.warnings] == [("claude", str(broken))]


def test_a_field_of_a_wrong_type_costs_only_itself(home: Path, only: Only) -> None:
    wrong: Row = {
        "title": {"text": "x"},
        "userSelectedFolders": "all",
        "isArchived": "no",
        "createdAt": [],
    }
    code_record(home, 1, lastActivityAt=epoch_ms(60), priorCliSessionIds=[None, 7], **wrong)

    session = only()

    assert (session.uuid, session.title, session.created, session.last_activity) == (uuid(1), None, None, at(60))
    assert session.project_dir == CWD


def test_nothing_else_of_a_record_is_shown(home: Path, ask: Ask) -> None:
    private: Row = {
        "emailAddress": "ada@orchard.example",
        "accountName": "Ada",
        "systemPrompt": "Be kind",
    }
    code_record(home, 1, lastActivityAt=epoch_ms(60), **private)
    cowork_record(home, 2, lastActivityAt=epoch_ms(60), initialMessage="Ada's letter", **private)

    shown = json.dumps(ask().to_dict())

    assert not any(value in shown for value in ("ada@", "Ada", "Be kind"))


# Several records


def test_of_two_records_of_a_transcript_the_newest_counts(home: Path, only: Only) -> None:
    transcript(home)
    code_record(home, 1, title="Newest", lastActivityAt=epoch_ms(90), isArchived=True)
    code_record(home, 1, title="Older", lastActivityAt=epoch_ms(60), account=OTHER_ACCOUNT)

    session = only()

    assert (session.title, session.extra["archived"]) == ("Newest", True)


def test_of_two_records_without_a_transcript_the_newest_counts(home: Path, only: Only) -> None:
    code_record(home, 1, title="Older", lastActivityAt=epoch_ms(60))
    newest = code_record(home, 1, title="Newest", lastActivityAt=epoch_ms(90), account=OTHER_ACCOUNT)

    session = only()

    assert (session.title, session.path) == ("Newest", str(newest))


def test_records_of_both_builds_of_desktop_are_read(home: Path, ask: Ask) -> None:
    code_record(home, 1, lastActivityAt=epoch_ms(60))
    code_record(home, 2, app=f"{LINUX}-3p", lastActivityAt=epoch_ms(60))

    assert {session.uuid for session in ask().sessions} == {uuid(1), uuid(2)}


@pytest.mark.parametrize(
    ("variable", "app"),
    [
        ("XDG_CONFIG_HOME", "Claude"),
        ("APPDATA", "Claude"),
        ("LOCALAPPDATA", "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude"),
    ],
)
def test_desktop_is_looked_for_where_the_system_says(home: Path, only: Only, variable: str, app: str) -> None:
    code_record(home, 1, app=f"moved/{app}", lastActivityAt=epoch_ms(60))

    assert only(variables={variable: str(home / "moved")}).uuid == uuid(1)


# Cowork


@pytest.mark.parametrize("app", [*APPS, *(f"{app}-3p" for app in APPS)])
def test_a_cowork_session_lies_in_the_private_root_of_its_record(home: Path, only: Only, app: str) -> None:
    path = cowork_transcript(cowork_record(home, 1, app=app, userSelectedFolders=["/srv/meadow", CWD]), 1)

    session = only()

    assert (session.uuid, session.title, session.path) == (uuid(1), "Desktop title 1", str(path))
    assert (session.project_dir, session.launch_surface) == ("/srv/meadow", "claude-desktop")
    assert session.resume_command is None


def test_a_cowork_session_below_the_agent_folder_is_found(home: Path, only: Only) -> None:
    cowork_transcript(cowork_record(home, 1, below="agent", userSelectedFolders=[CWD]), 1)

    session = only()

    assert (session.uuid, session.title, session.project_dir) == (uuid(1), "Desktop title 1", CWD)


def test_a_cowork_session_is_desktops_even_without_its_record(home: Path, only: Only) -> None:
    record = cowork_record(home, 1)
    cowork_transcript(record, 1, [user("Start", cwd=CWD, entrypoint=...), assistant(cwd=CWD, entrypoint=...)])
    record.unlink()

    session = only()

    assert (session.title, session.launch_surface, session.project_dir) == ("Start", "claude-desktop", CWD)
    assert session.resume_command is None


@pytest.mark.parametrize("selected", [..., None, []])
def test_a_cowork_session_without_a_selected_folder_is_where_it_ran(home: Path, only: Only, selected: object) -> None:
    record = cowork_record(home, 1, userSelectedFolders=selected)
    cowork_transcript(record, 1, [user("Start", cwd=CWD), assistant(cwd=CWD)])

    assert only().project_dir == CWD


def test_a_directory_inside_coworks_virtual_machine_is_none(home: Path, ask: Ask) -> None:
    record = cowork_record(home, 1, cwd="/sessions/brave-fox")
    cowork_transcript(record, 1, [user("Start", cwd="/sessions/brave-fox"), assistant(cwd="/sessions/brave-fox")])
    cowork_record(home, 2, cwd="/sessions/calm-owl", lastActivityAt=epoch_ms(60))

    assert [session.project_dir for session in ask().sessions] == [None, None]


def test_a_cowork_record_whose_transcript_is_gone_is_a_session(home: Path, only: Only) -> None:
    cowork_record(home, 1, cwd="/tmp", userSelectedFolders=["/srv/meadow"], lastActivityAt=epoch_ms(60))

    session = only()

    assert (session.uuid, session.project_dir, session.launch_surface) == (uuid(1), "/srv/meadow", "claude-desktop")
    assert (session.extra, session.resume_command) == ({"transcript": "missing"}, None)


def test_coworks_audit_log_is_no_session(home: Path, ask: Ask) -> None:
    record = cowork_record(home, 1)
    path = cowork_transcript(record, 1)
    for place in (record.with_suffix(""), record.parent, record.with_suffix("") / ".claude"):
        put(place / "audit.jsonl", path.read_bytes())
        put(place / f"{uuid(9)}.jsonl", path.read_bytes())

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert page.warnings == ()


def test_a_large_cowork_session_is_read_like_any_other(home: Path, only: Only) -> None:
    record = cowork_record(home, 1, userSelectedFolders=[CWD])
    cowork_transcript(record, 1, [user("Start", cwd="/tmp"), *work(100, cwd="/tmp"), assistant(seconds=900)])

    session = only()

    assert (session.last_activity, session.project_dir) == (at(900), CWD)


# Desktop's own helpers


def test_a_record_of_desktops_own_helpers_is_no_session(home: Path, ask: Ask) -> None:
    cowork_record(home, 1, lastActivityAt=epoch_ms(60), below="agent", name="local_ditto_1")

    assert ask().sessions == ()


def test_a_transcript_of_desktops_own_helpers_is_no_session(home: Path, ask: Ask) -> None:
    cowork_transcript(cowork_record(home, 1, below="agent", name="local_ditto_1"), 1)

    assert ask().sessions == ()


def test_a_session_of_a_type_of_its_own_says_so(home: Path, only: Only) -> None:
    record = cowork_record(home, 1, sessionType="helper", lastActivityAt=epoch_ms(60))
    assert only().extra["session_type"] == "helper"

    cowork_transcript(record, 1)
    assert only().extra["session_type"] == "helper"


def test_a_record_below_the_agent_folder_whose_transcript_is_gone_is_a_session(home: Path, only: Only) -> None:
    cowork_record(home, 1, below="agent", lastActivityAt=epoch_ms(60))

    assert only().extra["transcript"] == "missing"


def test_folders_that_are_no_accounts_hold_nothing(home: Path, ask: Ask) -> None:
    for tab in ("claude-code-sessions", "local-agent-mode-sessions"):
        put(home / LINUX / tab / "skills-plugin" / "manifest.json", "{}")
        put(home / LINUX / tab / "rpm" / "skill" / "SKILL.md", "# A skill")
        put(home / LINUX / tab / ACCOUNT / "cowork_settings.json", "{}")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())
