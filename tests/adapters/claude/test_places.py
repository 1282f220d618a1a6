"""Where sessions are looked for, and what is passed by there."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sesls.formats import files
from sesls.session import Session
from tests.adapters.conftest import needs_pipes
from tests.builders.claude import Row, assistant, beside, code_record, folder, subagent, transcript, user
from tests.builders.common import CWD, at, epoch_ms, lines, put, uuid
from tests.conftest import Ask

Only = Callable[..., Session]

TURNS: list[Row] = [user("Not a session"), assistant()]


def ids(ask: Ask, **fields: Any) -> set[str]:
    """Return the ids of all sessions, which are all that there is to say about the home."""
    page = ask(**fields)
    assert page.warnings == ()
    return {session.uuid for session in page.sessions}


# Config directories


def test_sessions_lie_in_the_home_directory(home: Path, ask: Ask) -> None:
    transcript(home)

    assert ids(ask) == {uuid(1)}


def test_a_home_without_claude_is_no_problem(ask: Ask) -> None:
    assert ids(ask) == set()


def test_the_variable_replaces_the_default(home: Path, ask: Ask) -> None:
    transcript(home)
    transcript(home, number=2, root="alt/claude")

    assert ids(ask, variables={"CLAUDE_CONFIG_DIR": str(home / "alt" / "claude")}) == {uuid(2)}


@pytest.mark.parametrize("value", ["", "  "])
def test_a_blank_variable_counts_as_not_set(home: Path, ask: Ask, value: str) -> None:
    transcript(home)

    assert ids(ask, variables={"CLAUDE_CONFIG_DIR": value}) == {uuid(1)}


def test_a_relative_variable_is_seen_from_the_callers_directory(home: Path, ask: Ask) -> None:
    transcript(home, root="alt/claude")

    assert ids(ask, variables={"CLAUDE_CONFIG_DIR": "alt/claude"}) == {uuid(1)}


def test_a_variable_that_names_nothing_leaves_nothing(home: Path, ask: Ask) -> None:
    transcript(home)

    assert ids(ask, variables={"CLAUDE_CONFIG_DIR": str(home / "missing")}) == set()


@pytest.mark.parametrize(
    "form", ["{home}/one,{home}/two", " {home}/one , {home}/two ,, ", "one,two", "{home}/one,missing,two"]
)
def test_a_list_of_directories_is_taken_apart(home: Path, ask: Ask, form: str) -> None:
    transcript(home, root="one")
    transcript(home, number=2, root="two")

    assert ids(ask, variables={"CLAUDE_CONFIG_DIR": form.format(home=home)}) == {uuid(1), uuid(2)}


def test_a_directory_with_a_comma_in_its_name_is_one_directory(home: Path, ask: Ask) -> None:
    transcript(home, root="plums, apples")
    transcript(home, number=2, root="plums")

    assert ids(ask, variables={"CLAUDE_CONFIG_DIR": str(home / "plums, apples")}) == {uuid(1)}


def test_the_directory_of_builds_that_followed_xdg_is_looked_at_too(home: Path, ask: Ask) -> None:
    transcript(home)
    transcript(home, number=2, root=".config/claude")
    transcript(home, number=3, root="xdg/claude")

    assert ids(ask) == {uuid(1), uuid(2)}
    assert ids(ask, variables={"XDG_CONFIG_HOME": str(home / "xdg")}) == {uuid(1), uuid(2), uuid(3)}


def test_a_directory_reached_twice_counts_once(home: Path, only: Only) -> None:
    path = transcript(home)
    (home / ".config").mkdir()
    (home / ".config" / "claude").symlink_to(home / ".claude")

    session = only()

    assert session.path == str(path)
    assert "copies" not in session.extra


# Links


@pytest.mark.parametrize("linked", [".claude", ".claude/projects", ".claude/projects/-srv-orchard"])
def test_a_linked_folder_is_followed(home: Path, ask: Ask, linked: str) -> None:
    transcript(home)
    subagent(home, "a1")
    (home / linked).rename(home / "moved")
    (home / linked).symlink_to(home / "moved")

    assert ids(ask) == {uuid(1), "a1"}


def test_a_linked_transcript_is_followed(home: Path, ask: Ask) -> None:
    path = transcript(home)
    path.rename(home / "moved.jsonl")
    path.symlink_to(home / "moved.jsonl")

    assert ids(ask) == {uuid(1)}


def test_a_linked_folder_of_subagents_is_followed(home: Path, ask: Ask) -> None:
    path = subagent(home, "a1")
    path.parent.rename(home / "moved")
    path.parent.symlink_to(home / "moved")

    assert ids(ask) == {"a1"}


def test_links_in_a_loop_end_and_count_nothing_twice(home: Path, only: Only) -> None:
    path = transcript(home)
    projects = path.parent.parent
    for link, target in (
        (projects / "self", "."),
        (projects / "up", ".."),
        (projects / "same", path.parent.name),
        (path.parent / uuid(2), ".."),
        (path.parent / uuid(3), uuid(3)),
        (path.parent / f"{uuid(4)}.jsonl", f"{uuid(4)}.jsonl"),
    ):
        link.symlink_to(target)

    session = only()

    assert session.path == str(path)
    assert "copies" not in session.extra


def test_folders_of_subagents_that_link_to_each_other_count_once(home: Path, ask: Ask) -> None:
    path = subagent(home, "a1", below="subagents/workflows/wf_1")
    (path.parent / "again").symlink_to(folder(home) / uuid(1) / "subagents")
    (folder(home) / uuid(2)).symlink_to(uuid(1))

    page = ask()

    assert [(session.uuid, session.parent_uuid) for session in page.sessions] == [("a1", uuid(1))]


@pytest.mark.parametrize(
    "name", [f"projects/-srv-orchard/{uuid(5)}.jsonl", "projects/-srv-gone", f"projects/-srv-orchard/{uuid(6)}"]
)
def test_a_link_to_nowhere_is_like_a_deleted_file(home: Path, ask: Ask, name: str) -> None:
    transcript(home)
    (home / ".claude" / name).symlink_to("/nowhere/at/all")

    assert ids(ask) == {uuid(1)}


# What is no transcript


@pytest.mark.parametrize(
    "name",
    [
        "projects/-srv-orchard/notes.jsonl",
        "projects/-srv-orchard/journal.jsonl",
        "projects/-srv-orchard/bridge-pointer.json",
        "projects/-srv-orchard/sessions-index.json",
        f"projects/-srv-orchard/{uuid(5)}",
        f"projects/-srv-orchard/{uuid(5)}.json",
        f"projects/-srv-orchard/{uuid(5)}.cast",
        f"projects/-srv-orchard/{uuid(5)}.jsonl~",
        f"projects/-srv-orchard/{uuid(5)}.jsonl.superseded-1",
        f"projects/-srv-orchard/{uuid(5)}.jsonl.compact.tmp.77",
        f"projects/-srv-orchard/{uuid(5)} (1).jsonl",
        f"projects/-srv-orchard/._{uuid(5)}.jsonl",
        f"projects/-srv-orchard/Copy of {uuid(5)}.jsonl",
        f"projects/-srv-orchard/{uuid(5)[:8]}.jsonl",
        f"projects/-srv-orchard/{uuid(5)}/{uuid(6)}.jsonl",
        f"projects/-srv-orchard/{uuid(5)}/tool-results/{uuid(6)}.jsonl",
        f"projects/-srv-orchard/{uuid(5)}/workflows/{uuid(6)}.jsonl",
        f"projects/-srv-orchard/memory/{uuid(5)}.jsonl",
        f"projects/{uuid(5)}.jsonl",
        f"transcripts/{uuid(5)}.jsonl",
        f"todos/{uuid(5)}-agent-{uuid(5)}.json",
        "jobs/3f2a/parent-transcript.jsonl",
        "history.jsonl",
    ],
)
def test_files_that_are_no_transcripts_are_passed_by(home: Path, ask: Ask, name: str) -> None:
    transcript(home)
    put(home / ".claude" / name, TURNS)

    assert ids(ask) == {uuid(1)}


def test_an_index_makes_no_sessions(home: Path, only: Only) -> None:
    path = transcript(home)
    ghost = {"sessionId": uuid(2), "fullPath": "/nowhere", "firstPrompt": "Ghost", "projectPath": CWD}
    stale = {"sessionId": uuid(1), "fullPath": str(path), "summary": "Stale", "projectPath": "/tmp"}
    put(path.parent / "sessions-index.json", lines([{"version": 1, "entries": [ghost, stale, None, 7]}]))
    put(home / ".claude" / "history.jsonl", [{"display": "Ghost", "project": CWD, "sessionId": uuid(2)}])

    session = only()

    assert (session.uuid, session.title, session.project_dir) == (uuid(1), "Prompt 1", CWD)


@pytest.mark.parametrize("name", [f"{uuid(5)}.jsonl", "agent-5f3a9c1e.jsonl", f"{uuid(1)}/subagents/agent-a1.jsonl"])
def test_a_folder_named_like_a_transcript_is_none(home: Path, ask: Ask, name: str) -> None:
    transcript(home)
    put(folder(home) / name / f"{uuid(6)}.jsonl", TURNS)

    assert ids(ask) == {uuid(1)}


@pytest.mark.parametrize("name", [".", "projects", "projects/-srv-meadow", f"projects/-srv-orchard/{uuid(1)}"])
def test_a_file_where_a_folder_is_expected_is_passed_by(home: Path, ask: Ask, name: str) -> None:
    transcript(home, root=".config/claude")
    put(home / ".claude" / name, "not a folder")

    assert ids(ask) == {uuid(1)}


@needs_pipes
@pytest.mark.parametrize(
    "name",
    [
        f"{uuid(5)}.jsonl",
        "agent-5f3a9c1e.jsonl",
        f"{uuid(1)}/subagents/agent-a1.jsonl",
        f"{uuid(1)}/custom-title.json",
        f"{uuid(1)}/archived.json",
    ],
)
def test_a_named_pipe_is_never_waited_for(home: Path, ask: Ask, name: str) -> None:
    transcript(home)
    pipe = folder(home) / name
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)

    assert ids(ask) == {uuid(1)}


@needs_pipes
def test_a_named_pipe_among_desktops_records_is_never_waited_for(home: Path, ask: Ask) -> None:
    path = code_record(home, 1, lastActivityAt=epoch_ms())
    os.mkfifo(path.with_name("local_pipe.json"))

    assert ids(ask) == {uuid(1)}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_not_utf_8_are_passed_through(home: Path, only: Only) -> None:
    place = os.fsencode(home) + b"/.claude/projects/-srv-\xff\xfe-caf\xe9"
    os.makedirs(place)
    put(Path(os.fsdecode(place)) / f"{uuid(1)}.jsonl", TURNS)
    put(Path(os.fsdecode(place + b"/bad-\xe9.jsonl")), TURNS)

    session = only()

    assert os.fsencode(session.path).startswith(place)


# What must not be opened


def test_secrets_and_histories_are_never_opened(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    beside(transcript(home), "archived.json", {"archived": False})
    for name in (
        ".credentials.json",
        ".claude.json",
        "sessions/7.json",
        "sessions/7.ab.key",
        "history.jsonl",
        "settings.json",
    ):
        put(home / ".claude" / name, "{}")
    put(home / ".claude.json", "{}")
    opened: set[str] = set()
    plainly = files.opened

    def noting(path: str) -> int:
        opened.add(path)
        return plainly(path)

    monkeypatch.setattr(files, "opened", noting)
    ask(agents=("claude",))

    assert {Path(path).name for path in opened} == {f"{uuid(1)}.jsonl", "custom-title.json", "archived.json"}


# What cannot be read


def refuse(monkeypatch: pytest.MonkeyPatch, function: str, path: Path, code: int = errno.EACCES) -> None:
    """Let a function of the system fail for one path."""
    plainly = getattr(os, function)

    def refusing(given: Any, *arguments: Any, **keywords: Any) -> Any:
        if given == str(path):
            raise OSError(code, os.strerror(code), given)
        return plainly(given, *arguments, **keywords)

    monkeypatch.setattr(os, function, refusing)


@pytest.mark.parametrize("name", ["projects", "projects/-srv-meadow", f"projects/-srv-orchard/{uuid(1)}/subagents"])
def test_an_unreadable_folder_costs_one_warning(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    transcript(home, root=".config/claude", number=2)
    transcript(home)
    transcript(home, number=3, directory="/srv/meadow")
    subagent(home, "a1")
    refuse(monkeypatch, "scandir", home / ".claude" / name)

    page = ask()

    assert uuid(2) in {session.uuid for session in page.sessions}
    assert [problem.to_dict() for problem in page.warnings] == [
        {"agent": "claude", "path": str(home / ".claude" / name), "problem": "permission denied"}
    ]


def test_the_other_folders_are_listed_beside_an_unreadable_one(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript(home)
    transcript(home, number=2, directory="/srv/meadow")
    refuse(monkeypatch, "scandir", folder(home, "/srv/meadow"))

    assert [session.uuid for session in ask().sessions] == [uuid(1)]


def test_a_config_directory_of_somebody_else_costs_one_warning(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript(home)
    projects = home / ".claude" / "projects"
    refuse(monkeypatch, "stat", projects)

    assert [(problem.path, problem.problem) for problem in ask().warnings] == [(str(projects), "permission denied")]


class Withheld:
    """A file in a folder that may be listed and not entered."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = Path(path).name

    def is_symlink(self) -> bool:
        return False

    def is_dir(self) -> bool:
        return False

    def stat(self) -> os.stat_result:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self.path)


def test_a_folder_that_may_be_listed_and_not_entered_costs_one_warning(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript(home)
    place = transcript(home, number=2, directory="/srv/meadow").parent
    plainly = os.scandir

    @contextmanager
    def scandir(given: str) -> Iterator[list[Withheld] | Iterator[os.DirEntry[str]]]:
        with plainly(given) as scan:
            yield [Withheld(entry.path) for entry in scan] if given == str(place) else scan

    monkeypatch.setattr(os, "scandir", scandir)
    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert [problem.problem for problem in page.warnings] == ["permission denied"]


@pytest.mark.parametrize(("code", "problem"), [(errno.EACCES, "permission denied"), (errno.EIO, "input/output error")])
def test_an_unreadable_transcript_costs_one_warning(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, code: int, problem: str
) -> None:
    transcript(home)
    path = transcript(home, number=2)
    refuse(monkeypatch, "open", path, code)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert [(warning.path, warning.problem) for warning in page.warnings] == [(str(path), problem)]


@pytest.mark.parametrize("code", [errno.ENOENT, errno.ENOTDIR, errno.ELOOP])
def test_a_transcript_deleted_while_sesls_looks_is_no_problem(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    transcript(home)
    refuse(monkeypatch, "open", transcript(home, number=2), code)

    assert ids(ask) == {uuid(1)}


def break_later(monkeypatch: pytest.MonkeyPatch, path: Path, code: int) -> None:
    """Let a file be readable the first time and never again."""
    plainly = files.opened
    looked_at: list[str] = []

    def opened(given: str) -> int:
        looked_at.append(given)
        if looked_at.count(str(path)) > 1:
            raise OSError(code, os.strerror(code), given)
        return plainly(given)

    monkeypatch.setattr(files, "opened", opened)


def test_a_transcript_deleted_between_the_two_readings_keeps_its_row(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_later(monkeypatch, transcript(home), errno.ENOENT)

    page = ask()

    session = page.sessions[0]
    assert (session.uuid, session.project_dir, session.last_activity) == (uuid(1), CWD, at(30))
    assert (session.title, session.models, session.created) == (None, (), None)
    assert page.warnings == ()


def test_a_transcript_that_breaks_between_the_two_readings_costs_one_warning(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = transcript(home)
    break_later(monkeypatch, path, errno.EACCES)

    page = ask()

    assert [session.uuid for session in page.sessions] == [uuid(1)]
    assert [(problem.path, problem.problem) for problem in page.warnings] == [(str(path), "permission denied")]


def test_messages_that_could_not_be_counted_are_no_number(
    home: Path, only: Only, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_later(monkeypatch, transcript(home), errno.ENOENT)

    assert only().message_count is None
