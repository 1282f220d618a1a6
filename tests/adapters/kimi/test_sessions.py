"""What Kimi Code's files say of a session."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.adapters.kimi import wire
from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, START, at, epoch_ms, lines, put
from tests.builders.kimi import (
    HOME,
    MODEL,
    REMINDER,
    SPAWNER,
    answered,
    begun,
    bound,
    ended,
    folder,
    key,
    log,
    record,
    reminded,
    requested,
    said,
    session,
    state,
    sub,
    turns,
)
from tests.watching import Reading

Ask = Callable[..., Page]
Only = Callable[..., Session]


def by_id(page: Page) -> dict[str, Session]:
    return {one.uuid: one for one in page.sessions}


def test_a_session_tells_everything(home: Path, only: Only) -> None:
    path = session(home)

    found = only()

    assert found.to_dict() == found.to_dict() | {
        "uuid": key(1),
        "agent": "kimi",
        "title": "Prompt 1",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": None,
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": f"cd {CWD} && kimi --session {key(1)}",
    }
    assert found.extra == {}


# What is a session


@pytest.mark.parametrize(
    "records",
    [
        b"",
        [begun(), bound()],
        [begun(), reminded()],
        [begun(), said("Go on", origin={"kind": "system_trigger", "name": "goal_continuation"})],
        [begun(), record("turn.prompt", 1, input=[{"type": "text", "text": "Go on"}])],
        [begun(), record("turn.ended", 1, prompt="turn.prompt")],
    ],
)
def test_in_which_nobody_asked_for_anything_is_none(home: Path, ask: Ask, records: Any) -> None:
    session(home, 1, records, title="Titled")
    log(folder(home), records, "agent-0")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_state_without_a_log_is_none(home: Path, ask: Ask) -> None:
    session(home).unlink()

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_log_without_a_state_is_a_session_that_kimi_does_not_find(home: Path, ask: Ask) -> None:
    path = session(home, title="Titled")
    log(path.parents[2], turns("Count", 20, SPAWNER), "agent-0")
    (path.parents[2] / "state.json").unlink()

    main, spawned = ask().sessions

    assert (main.uuid, main.title, main.project_dir, main.created, main.last_activity) == (
        key(1),
        "Prompt 1",
        None,
        at(),
        at(30),
    )
    assert (main.kind, main.resume_command) == ("agent", None)
    assert (spawned.uuid, spawned.kind, spawned.parent_uuid) == (f"{key(1)}/agent-0", "subagent", key(1))


def test_a_run_that_was_killed_is_a_session(home: Path, only: Only) -> None:
    session(home, 1, [begun(), bound(), said("Graft"), requested(seconds=3)], updatedAt=epoch_ms())

    found = only()

    assert (found.title, found.models, found.last_activity, found.message_count) == ("Graft", (MODEL,), at(3), 1)


def test_what_lies_beside_sessions_is_none(home: Path, ask: Ask) -> None:
    index = {"sessionId": key(9), "sessionDir": str(folder(home, 9)), "workDir": CWD}
    put(home / HOME / "session_index.jsonl", [index])
    put(home / HOME / "workspaces.json", json.dumps({"version": 1, "workspaces": {}}))
    put(home / HOME / "sessions/.index-cache/scan.json", json.dumps({"sessions": {key(9): {}}}))
    put(home / HOME / f"sessions/.index-dirty/{key(9)}.123", b"")
    put(home / HOME / "sessions/.index-cache/x/state.json", json.dumps(state(9)))
    log(home / HOME / "sessions/.index-cache/x", turns())

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


# Titles


@pytest.mark.parametrize(
    ("keys", "title"),
    [
        ({"title": "Given", "titleKind": "custom"}, "Given"),
        ({"customTitle": "Given"}, "Given"),
        ({"title": "", "customTitle": "Given"}, "Given"),
        ({"title": "  "}, "Prompt 1"),
        ({"title": None}, "Prompt 1"),
        ({"title": 7}, "Prompt 1"),
        ({"lastPrompt": "Last"}, "Prompt 1"),
    ],
)
def test_a_title_comes_before_the_first_prompt(home: Path, only: Only, keys: dict[str, Any], title: str) -> None:
    session(home, **keys)

    assert only().title == title


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Graft\nthe plum", "Graft the plum"),
        ([{"type": "text", "text": REMINDER}, {"type": "text", "text": "Graft"}], "Graft"),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "Graft"}], "Graft"),
        (REMINDER, "Second"),
        ([{"type": "image_url"}], "Second"),
        ([], "Second"),
        (" \u200b", "Second"),
    ],
)
def test_the_first_prompt_is_what_a_person_wrote(home: Path, only: Only, prompt: Any, title: str) -> None:
    session(home, 1, [begun(), bound(100_000), reminded(), said(prompt), said("Second", 9), ended()])

    assert only().title == title


def test_a_turn_that_kimi_began_itself_is_no_title(home: Path, only: Only) -> None:
    itself = said("Go on", origin={"kind": "system_trigger", "name": "cron"})
    session(home, 1, [begun(), itself, said("Graft", 9), answered()])

    found = only()

    assert (found.title, found.message_count) == ("Graft", 2)


# Other fields


def test_models_are_those_asked_in_order(home: Path, only: Only) -> None:
    session(home, 1, [*turns(), requested("b", 40), requested(MODEL, 41), record("usage.record", 42, model="c")])

    assert only().models == (MODEL, "b")


def test_messages_are_prompts_and_answers(home: Path, only: Only) -> None:
    asked = {"message": {"role": "user", "content": []}}
    user = {"message": asked, "type": "agent.message.appended", "time": epoch_ms(31)}
    steered = said("Faster", 32) | {"type": "turn.steer"}
    old = record("context.append_message", 33, message={"role": "assistant", "content": []})
    failed = record("turn.step.interrupted", 34, message="[provider.api_error] agent.message.appended")
    session(home, 1, [*turns(), user, steered, old, failed])

    assert only().message_count == 4


@pytest.mark.parametrize(
    ("updated", "last_record", "created", "last"),
    [(30, 20, 0, 30), (10, 20, 0, 20), (10, 20, 50, 50)],
)
def test_the_last_activity_is_the_latest_time(
    home: Path, only: Only, updated: float, last_record: float, created: float, last: float
) -> None:
    session(home, 1, turns(seconds=last_record), updatedAt=epoch_ms(updated), createdAt=epoch_ms(created))

    found = only()

    assert (found.last_activity, found.created) == (at(last), at(created))


@pytest.mark.parametrize("moment", [at(30), str(epoch_ms(30)), epoch_ms(30) / 1000])
def test_times_may_be_written_otherwise(home: Path, only: Only, moment: object) -> None:
    session(home, 1, turns(seconds=9), updatedAt=moment)

    assert only().last_activity == at(30)


def test_without_any_time_the_files_counts_and_is_said_to(home: Path, only: Only) -> None:
    records = [{name: value for name, value in one.items() if name not in ("time", "created_at")} for one in turns()]
    path = session(home, 1, records, createdAt=None, updatedAt=None)
    os.utime(path, (START.timestamp() + 77,) * 2)

    found = only()

    assert (found.last_activity, found.created) == (at(77), None)
    assert found.extra["last_activity_source"] == "mtime"


@pytest.mark.parametrize(
    ("keys", "directory"),
    [
        ({"cwd": "/srv/meadow"}, "/srv/meadow"),
        ({"cwd": ..., "workDir": "/srv/meadow"}, "/srv/meadow"),
        ({"cwd": ..., "custom": {"cwd": "/srv/meadow"}}, "/srv/meadow"),
        ({"cwd": ...}, None),
        ({"cwd": "meadow"}, None),
        ({"cwd": 7, "custom": []}, None),
    ],
)
def test_the_directory_is_the_one_noted(home: Path, only: Only, keys: dict[str, Any], directory: str | None) -> None:
    session(home, **keys)

    assert only().project_dir == directory


@pytest.mark.parametrize("noted", [..., None, 7, "another"])
def test_the_id_is_the_folders_name(home: Path, only: Only, noted: object) -> None:
    session(home, id=noted)

    assert only().uuid == key(1)


def test_the_command_is_quoted(home: Path, only: Only) -> None:
    session(home, directory="/srv/my orchard")

    command = only().resume_command

    assert command is not None
    assert shlex.split(command) == ["cd", "/srv/my orchard", "&&", "kimi", "--session", key(1)]


def test_archived_sessions_and_forks_say_so(home: Path, only: Only) -> None:
    session(home, archived=True, forkedFrom=key(9), updatedAt=epoch_ms(-900), title="Fork: Prompt")

    found = only()

    assert found.extra == {"archived": True, "forked_from": key(9)}
    assert (found.kind, found.parent_uuid) == ("agent", None)


# Sessions that others spawned


def test_agents_of_a_session_are_subagents(home: Path, ask: Ask) -> None:
    path = session(home, agents={"main": {"type": "main"}, "agent-0": sub(), "agent-1": sub("agent-0", None)})
    inner = log(path.parents[2], [*turns("Count", 20, SPAWNER), requested("b", 21)], "agent-0")
    log(path.parents[2], turns("Weigh", 10, SPAWNER), "agent-1")

    found = by_id(ask())

    one, two = found[f"{key(1)}/agent-0"], found[f"{key(1)}/agent-1"]
    assert one.to_dict() == one.to_dict() | {
        "title": "Count",
        "kind": "subagent",
        "parent_uuid": key(1),
        "project_dir": CWD,
        "models": [MODEL, "b"],
        "created": at(),
        "last_activity": at(21),
        "message_count": 2,
        "size_bytes": inner.stat().st_size,
        "path": str(inner),
        "resume_command": None,
        "extra": {"subagent_type": "explore"},
    }
    assert (two.kind, two.parent_uuid, two.last_activity) == ("subagent", f"{key(1)}/agent-0", at(10))
    assert two.extra == {}
    assert found[key(1)].last_activity == at(30)


def test_the_parent_may_stand_beside_the_labels(home: Path, ask: Ask) -> None:
    path = session(home, agents={"agent-1": {"type": "sub", "parentAgentId": "agent-0"}})
    log(path.parents[2], turns(origin=SPAWNER), "agent-1")

    assert by_id(ask())[f"{key(1)}/agent-1"].parent_uuid == f"{key(1)}/agent-0"


@pytest.mark.parametrize("agents", [..., None, {}, [], {"agent-0": None}, {"agent-0": {"labels": 7}}])
def test_an_agent_that_is_not_noted_is_the_sessions_own(home: Path, ask: Ask, agents: object) -> None:
    path = session(home, agents=agents)
    log(path.parents[2], turns("Count", origin=SPAWNER), "agent-0")

    found = by_id(ask())[f"{key(1)}/agent-0"]

    assert (found.kind, found.parent_uuid, found.title) == ("subagent", key(1), "Count")


@pytest.mark.parametrize(
    "before",
    [
        '<git-context status="unavailable" reason="not-a-repo"/>\n\n',
        "<git-context>\nBranch: main\n- a < b > c\n</git-context>\n\n",
        "\n <git-context>\n</git-context>",
    ],
)
def test_the_state_of_the_repository_is_no_title(home: Path, ask: Ask, before: str) -> None:
    path = session(home)
    log(path.parents[2], turns(f"{before}Count <git-context/>", origin=SPAWNER), "agent-0")

    assert by_id(ask())[f"{key(1)}/agent-0"].title == "Count <git-context/>"


def test_an_agent_that_was_never_asked_is_none(home: Path, ask: Ask) -> None:
    path = session(home, agents={"agent-0": sub()})
    log(path.parents[2], [begun(), bound()], "agent-0")

    assert list(by_id(ask())) == [key(1)]


# One session in two places


def test_one_session_in_two_places_is_one_row(home: Path, ask: Ask) -> None:
    older = session(home)
    newer = session(home, 1, turns(seconds=60), directory="/srv/meadow", updatedAt=epoch_ms(60))
    for path in (older, newer):
        log(path.parents[2], turns(origin=SPAWNER), "agent-0")

    found = by_id(ask())

    assert len(found) == 2
    assert (found[key(1)].path, found[key(1)].extra["copies"]) == (str(newer), [str(older)])


# Older versions, and places


def test_the_state_of_older_versions_lies_deeper(home: Path, only: Only) -> None:
    path = session(home, title="Titled")
    put(path.parents[2] / "session-meta" / "state.json", (path.parents[2] / "state.json").read_bytes())
    (path.parents[2] / "state.json").unlink()

    assert only().title == "Titled"


def test_an_imported_session_has_an_id_of_its_own(home: Path, only: Only) -> None:
    path = home / HOME / "sessions" / "wd_orchard_012345678901" / "ses_0a"
    put(path / "state.json", json.dumps(state(1, id="ses_0a")))
    log(path, turns())

    assert only().uuid == "ses_0a"


@pytest.mark.parametrize(
    ("root", "variables"),
    [
        (HOME, {}),
        (HOME, {"KIMI_CODE_HOME": ""}),
        ("moved", {"KIMI_CODE_HOME": "{home}/moved"}),
        ("moved", {"KIMI_CODE_HOME": "moved"}),
    ],
)
def test_the_home_is_found(home: Path, ask: Ask, root: str, variables: dict[str, str]) -> None:
    session(home, root=root)

    page = ask({name: value.replace("{home}", str(home)) for name, value in variables.items()})

    assert list(by_id(page)) == [key(1)]


def test_a_variable_replaces_the_home(home: Path, ask: Ask) -> None:
    session(home)

    assert ask({"KIMI_CODE_HOME": str(home / "moved")}).sessions == ()


def test_links_in_loops_end(home: Path, ask: Ask) -> None:
    path = session(home)
    for place in (path.parents[0], path.parents[1], path.parents[2], path.parents[3], path.parents[4]):
        (place / "loop").symlink_to(home / HOME / "sessions")

    page = ask()

    assert (list(by_id(page)), len(page.sessions), page.warnings) == ([key(1)], 1, ())


def test_the_prompt_of_the_system_is_read_no_further_than_needed(home: Path, reading: Reading) -> None:
    path = session(home, 1, [begun(), bound(90_000), said("Graft"), *[answered(text="x" * 1000)] * 3000, ended()])
    ends, prompt = wire.read_ends(str(path))

    assert (prompt, ends.is_prompted) == ("Graft", True)
    assert path.stat().st_size > 3_000_000
    assert reading.read[str(path)] < 200_000


# Damage


WHOLE = lines(turns("Graft the plum"))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE + lines([ended(900)])[:40], id="torn last line"),
        pytest.param(WHOLE + b"\x00" * 70_000, id="NUL tail"),
        pytest.param(b"\x00" * 4096 + b"\n" + WHOLE, id="NULs first"),
        pytest.param(b"garbage\n[]\n7\nnull\n" + WHOLE, id="garbage first"),
        pytest.param(WHOLE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(WHOLE + b"\xff\xfe\x80\n", id="a line of no text last"),
        pytest.param(WHOLE + lines([record("llm.tools_snapshot", tools="x" * 3_000_000)]), id="huge line last"),
    ],
)
def test_damage_around_the_lines_changes_nothing(home: Path, only: Only, content: bytes) -> None:
    session(home, 1, content)

    found = only()

    assert (found.title, found.models, found.last_activity) == ("Graft the plum", (MODEL,), at(30))


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"[]", b"7", b'{"id": "'])
def test_a_state_that_cannot_be_read_is_reported(home: Path, ask: Ask, content: bytes) -> None:
    path = put(session(home, 1).parents[2] / "state.json", content)
    session(home, 2)

    page = ask()

    assert {one.uuid: one.project_dir for one in page.sessions} == {key(1): None, key(2): CWD}
    assert [(one.agent, one.path, one.problem) for one in page.warnings] == [
        ("kimi", str(path), "is no readable session state")
    ]
