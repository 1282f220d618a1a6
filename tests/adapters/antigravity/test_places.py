"""Where conversations are looked for, whose they are, and what may lie there beside them."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters import adapter
from sesls.formats import files
from sesls.page import Page
from sesls.session import Session
from tests.adapters.conftest import Forbid, needs_pipes, uuids
from tests.builders.antigravity import (
    ACP,
    CLI,
    IDE,
    ROOTS,
    SHARED,
    annotation,
    artifact,
    asked,
    brain,
    conversation,
    database_path,
    encrypted,
    folder,
    history,
    log,
    note,
    project,
    prompted,
    state,
    summaries,
    summary,
)
from tests.builders.common import put, uuid
from tests.conftest import environment_of

Ask = Callable[..., Page]
Only = Callable[..., Session]

HEX = uuid(1).replace("-", "")


# Roots and products


@pytest.mark.parametrize(
    ("root", "surface"),
    [(CLI, "antigravity-cli"), (SHARED, "antigravity-ide"), (IDE, "antigravity-ide"), (ACP, "antigravity-acp")],
)
def test_each_product_has_its_root(home: Path, only: Only, root: str, surface: str) -> None:
    path = conversation(home, root=root)

    session = only()

    assert (session.path, session.launch_surface) == (str(path), surface)


@pytest.mark.parametrize("root", ROOTS)
def test_every_kind_of_file_is_found_in_every_root(home: Path, ask: Ask, root: str) -> None:
    conversation(home, number=1, root=root)
    encrypted(home, number=2, root=root)
    log(home, number=3, root=root)
    artifact(home, number=4, root=root)

    assert uuids(ask()) == [uuid(number) for number in (1, 2, 3, 4)]


def test_all_roots_are_looked_at_there_or_not(home: Path) -> None:
    stores = adapter("antigravity").stores(environment_of(home))

    assert [store.path for store in stores] == [str(folder(home, root)) for root in ROOTS]


def test_roots_that_are_missing_are_no_problem(home: Path, ask: Ask) -> None:
    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@pytest.mark.parametrize(
    "root",
    [
        ".gemini/antigravity-backup",
        ".gemini/antigravity-backup-2026",
        ".gemini",
        ".antigravity",
        ".config/Antigravity",
        "antigravity",
    ],
)
def test_other_folders_are_no_roots(home: Path, ask: Ask, root: str) -> None:
    source = conversation(home)
    target = home / root / "conversations" / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)

    assert ask().sessions == ()


def test_no_variable_moves_the_roots(home: Path, ask: Ask) -> None:
    conversation(home)
    variables = dict.fromkeys(("GEMINI_CLI_HOME", "JETSKI_APP_DATA_DIR", "XDG_DATA_HOME"), str(home / "elsewhere"))

    assert uuids(ask(variables)) == [uuid(1)]


@pytest.mark.parametrize(
    ("source", "surface"), [(15, "antigravity-sdk"), (18, "antigravity-desktop"), (1, "antigravity-ide")]
)
def test_in_the_shared_root_a_database_may_prove_another_product(
    home: Path, only: Only, source: int, surface: str
) -> None:
    conversation(home, root=SHARED, source=source)

    assert only().launch_surface == surface


@pytest.mark.parametrize(("root", "source"), [(CLI, 15), (IDE, 18), (ACP, 1)])
def test_in_its_own_root_a_product_needs_no_proof(home: Path, only: Only, root: str, source: int) -> None:
    conversation(home, root=root, source=source)

    assert only().launch_surface == root


def test_ids_without_dashes_are_those_of_the_sdk(home: Path, only: Only) -> None:
    log(home, root=SHARED)
    brain(home, root=SHARED).rename(brain(home, root=SHARED).with_name(HEX))

    session = only()

    assert (session.uuid, session.launch_surface) == (HEX, "antigravity-sdk")


@pytest.mark.parametrize("name", [f"{HEX}.db", f"{uuid(1)}.DB", f"{uuid(0xAB).upper()}.db"])
def test_a_database_may_have_an_id_of_any_spelling(home: Path, only: Only, name: str) -> None:
    path = conversation(home)
    path = path.rename(path.with_name(name))

    session = only()

    assert (session.uuid, session.path) == (name[:-3], str(path))


# What lies beside conversations


@pytest.mark.parametrize(
    "name",
    [
        "notes.db",
        "not-an-id.db",
        f"{uuid(9)}.trajectory.json",
        f"{uuid(9)}.json",
        f"{uuid(9)}.meta",
        f"{uuid(9)}.db.bak",
        f"{uuid(9)}.db-wal",
        f"{uuid(9)}.db-shm",
        f"{uuid(9)}.db-journal",
        f"{uuid(9)}.pb.tmp",
        f"._{uuid(9)}.db",
        f"{uuid(9)}",
        f"{uuid(9)}0.db",
        f"{HEX}-{HEX}.db",
    ],
)
def test_what_lies_beside_conversations_is_none(home: Path, ask: Ask, name: str) -> None:
    path = conversation(home)
    path.with_name(name).write_bytes(path.read_bytes())

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize(
    "file", [f"implicit/{uuid(9)}.pb", "user_settings.pb", f"{uuid(9)}.pb", f"conversations/old/{uuid(9)}.pb"]
)
def test_other_encrypted_files_are_no_conversations(home: Path, ask: Ask, file: str) -> None:
    put(folder(home, SHARED) / file, b"\x9c\x01\xfe" * 700)

    assert ask().sessions == ()


@pytest.mark.parametrize("suffix", ["db", "pb"])
def test_a_file_of_no_bytes_is_no_conversation(home: Path, ask: Ask, suffix: str) -> None:
    put(folder(home) / "conversations" / f"{uuid(1)}.{suffix}", b"")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_a_log_of_no_bytes_is_no_conversation(home: Path, ask: Ask) -> None:
    log(home, b"")

    assert ask().sessions == ()


def test_an_artifact_of_no_bytes_is_no_conversation(home: Path, ask: Ask) -> None:
    artifact(home, "")

    assert ask().sessions == ()


@pytest.mark.parametrize(
    "file",
    [
        f"{uuid(1)}/.DS_Store",
        f"{uuid(1)}/scratch/notes.md",
        f"{uuid(1)}/.user_uploaded/plan.md",
        f"{uuid(1)}/task.md.resolved",
        f"{uuid(1)}/task.md.resolved.0",
        f"{uuid(1)}/task.md.metadata.json",
        f"{uuid(1)}/.system_generated/messages/1.json",
        f"{uuid(1)}/.system_generated/logs/notes.txt",
        "tempmediaStorage/task.md",
        "task.md",
    ],
)
def test_a_brain_without_a_log_and_an_artifact_is_no_conversation(home: Path, ask: Ask, file: str) -> None:
    put(folder(home) / "brain" / file, "# Plan")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


def test_what_only_indexes_and_notes_know_is_gone(home: Path, ask: Ask) -> None:
    conversation(home, number=1)
    summaries(home, {"conversation_id": uuid(2), "title": "Gone"})
    state(home, {3: summary("Gone")})
    history(home, [prompted(number=4)])
    annotation(home, 'title: "Gone"', number=5)
    note(home, child=6, parent=1)

    assert uuids(ask()) == [uuid(1)]


def test_credentials_are_never_opened(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation(home)
    secret = {
        put(home / ".gemini" / file, '{"token": "x"}')
        for file in (
            "oauth_creds.json",
            "google_accounts.json",
            f"{CLI}/acp_token.json",
            f"{CLI}/antigravity-oauth-token",
        )
    }
    seen: list[str] = []
    opened = files.opened
    monkeypatch.setattr(files, "opened", lambda path: seen.append(path) or opened(path))  # type: ignore[func-returns-value]

    ask()

    assert seen
    assert secret.isdisjoint(map(Path, seen))


# The same conversation in several places


def test_a_conversation_in_two_roots_is_one_and_its_newest_database_counts(home: Path, only: Only) -> None:
    old = conversation(home, [asked("Graft the plum", 10)], root=SHARED)
    new = conversation(home, [asked("Graft the plum", 20)], root=IDE)

    session = only()

    assert (session.path, session.launch_surface) == (str(new), "antigravity-ide")
    assert session.extra["copies"] == [str(old)]


def test_a_database_counts_before_a_newer_encrypted_copy(home: Path, only: Only) -> None:
    path = conversation(home, [asked(seconds=10)], root=CLI)
    copy = encrypted(home, root=SHARED, modified=90)

    session = only()

    assert (session.path, session.launch_surface) == (str(path), "antigravity-cli")
    assert session.extra["copies"] == [str(copy)]


def test_a_migrated_conversation_keeps_its_encrypted_file_and_is_no_copy(home: Path, only: Only) -> None:
    path = conversation(home, root=IDE)
    encrypted(home, root=IDE, modified=90)

    session = only()

    assert session.path == str(path)
    assert "copies" not in session.extra


def test_an_encrypted_conversation_and_its_log_are_one(home: Path, only: Only) -> None:
    path = encrypted(home, modified=30)
    log(home, root=SHARED)

    session = only()

    assert (session.path, session.title) == (str(path), "Prompt 1")
    assert "copies" not in session.extra


def test_an_encrypted_conversation_is_its_file_though_its_log_was_written_later(home: Path, only: Only) -> None:
    path = encrypted(home, modified=29)
    log(home, root=SHARED)

    assert only().path == str(path)


def test_the_order_of_a_folder_does_not_matter(home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    for root in ROOTS:
        conversation(home, root=root)
        log(home, root=root)
    entries = files.entries

    forwards = [session.to_dict() for session in ask().sessions]
    monkeypatch.setattr(files, "entries", lambda folder, report: entries(folder, report)[::-1])
    backwards = [session.to_dict() for session in ask().sessions]

    assert [session | {"age_sec": 0} for session in forwards] == [session | {"age_sec": 0} for session in backwards]


# Links, pipes, other things


@pytest.mark.parametrize("link", [".gemini", f".gemini/{CLI}", f".gemini/{CLI}/conversations"])
def test_a_linked_folder_is_followed(home: Path, only: Only, link: str) -> None:
    conversation(home)
    (home / link).rename(home / "disk")
    (home / link).symlink_to(home / "disk")

    assert only().path == str(database_path(home))


def test_a_linked_database_is_followed(home: Path, only: Only) -> None:
    path = conversation(home)
    target = path.rename(home / "elsewhere.db")
    path.symlink_to(target)

    session = only()

    assert (session.uuid, session.title, session.path) == (uuid(1), "Prompt 1", str(path))


def test_a_brain_that_is_a_link_to_another_root_is_that_root_s(home: Path, only: Only) -> None:
    path = log(home, root=IDE)
    link = brain(home, root=CLI)
    link.parent.mkdir(parents=True)
    link.symlink_to(brain(home, root=IDE))

    session = only()

    assert (session.path, session.launch_surface) == (str(path), "antigravity-ide")
    assert "copies" not in session.extra


def test_links_that_lead_nowhere_or_back_cost_nothing(home: Path, ask: Ask) -> None:
    path = conversation(home)
    path.with_name(f"{uuid(2)}.db").symlink_to("/nowhere/at/all.db")
    path.with_name(f"{uuid(3)}.db").symlink_to(f"{uuid(3)}.db")
    path.with_name(f"{uuid(1)}.pb").symlink_to(path.name)
    (folder(home) / "brain").symlink_to("brain")
    (home / ".gemini" / ACP).symlink_to(".")

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_two_roots_that_are_one_folder_hold_one_conversation(home: Path, only: Only) -> None:
    conversation(home, root=IDE)
    log(home, root=IDE)
    folder(home, SHARED).symlink_to(IDE)

    session = only()

    assert session.path == str(database_path(home, root=IDE))
    assert "copies" not in session.extra


def test_folders_named_like_files_are_folders(home: Path, ask: Ask) -> None:
    conversation(home)
    for name in (f"{uuid(2)}.db", f"{uuid(3)}.pb"):
        (folder(home) / "conversations" / name).mkdir()
    (brain(home, 4) / "task.md").mkdir(parents=True)
    (brain(home, 5) / ".system_generated/logs/transcript.jsonl").mkdir(parents=True)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("file", [".gemini", f".gemini/{CLI}", f".gemini/{CLI}/conversations", f".gemini/{CLI}/brain"])
def test_a_file_where_a_folder_should_be_is_an_empty_store(home: Path, ask: Ask, file: str) -> None:
    put(home / file, "not a folder")

    page = ask()

    assert (page.sessions, page.warnings) == ((), ())


@needs_pipes
def test_named_pipes_are_passed_by(home: Path, ask: Ask) -> None:
    path = conversation(home)
    pipes = [
        *(path.with_name(f"{uuid(2)}.{suffix}") for suffix in ("db", "pb")),
        *(path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm", "-journal")),
        path.with_suffix(".meta"),
        folder(home) / "annotations" / f"{uuid(1)}.pbtxt",
        brain(home, 3) / "task.md",
        brain(home, 4) / ".system_generated/logs/transcript.jsonl",
        brain(home, 1) / ".system_generated/subagents" / f"{uuid(1)}.json",
    ]
    for pipe in pipes:
        pipe.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(pipe)

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == (["Prompt 1"], ())


INDEXES = (
    f".gemini/{CLI}/conversation_summaries.db",
    f".gemini/{SHARED}/agyhub_summaries_proto.pb",
    f".gemini/{CLI}/history.jsonl",
    f".gemini/{CLI}/cache/last_conversations.json",
    f".gemini/{CLI}/cache/conversation_metadata.json",
    ".gemini/config/projects/trees.json",
    ".config/Antigravity/User/globalStorage/state.vscdb",
)


@needs_pipes
@pytest.mark.parametrize("file", INDEXES)
def test_a_named_pipe_instead_of_an_index_costs_one_warning(home: Path, ask: Ask, file: str) -> None:
    conversation(home, root=CLI, number=1)
    conversation(home, root=SHARED, number=2)
    (home / file).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(home / file)

    page = ask()

    assert uuids(page) == [uuid(1), uuid(2)]
    assert [(warning.path, warning.problem) for warning in page.warnings] == [(str(home / file), "not a regular file")]


@needs_pipes
def test_a_pipe_in_the_place_of_a_log_does_not_hide_the_artifacts(home: Path, only: Only) -> None:
    path = artifact(home, "# Prune")
    logs = brain(home, root=SHARED) / ".system_generated/logs"
    logs.mkdir(parents=True)
    os.mkfifo(logs / "transcript.jsonl")

    session = only()

    assert (session.path, session.title) == (str(path), "Prune")


# What may not be read


@pytest.mark.parametrize("file", INDEXES)
def test_an_index_that_may_not_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid, file: str) -> None:
    conversation(home, root=CLI, number=1)
    conversation(home, root=SHARED, number=2)
    forbid(put(home / file, b"x"))

    page = ask()

    assert uuids(page) == [uuid(1), uuid(2)]
    assert [(warning.agent, warning.path, warning.problem) for warning in page.warnings] == [
        ("antigravity", str(home / file), "permission denied")
    ]


@pytest.mark.parametrize("place", ["conversations", "brain"])
def test_a_folder_that_may_not_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid, place: str) -> None:
    conversation(home, number=1)
    log(home, number=2)
    conversation(home, number=3, root=IDE)
    forbid(folder(home) / place)

    page = ask()

    assert uuids(page) == ([uuid(2), uuid(3)] if place == "conversations" else [uuid(1), uuid(3)])
    assert [(warning.path, warning.problem) for warning in page.warnings] == [
        (str(folder(home) / place), "permission denied")
    ]


def test_a_root_that_may_not_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid) -> None:
    conversation(home, number=1)
    conversation(home, number=2, root=IDE)
    forbid(folder(home))

    page = ask()

    assert uuids(page) == [uuid(2)]
    assert [warning.path for warning in page.warnings] == [str(folder(home))]


def test_a_brain_that_may_not_be_read_costs_one_warning(home: Path, ask: Ask, forbid: Forbid) -> None:
    log(home, number=1)
    log(home, number=2)
    forbid(brain(home, 1))

    page = ask()

    assert uuids(page) == [uuid(2)]
    assert [warning.path for warning in page.warnings] == [str(brain(home, 1))]


@pytest.mark.parametrize("write", [conversation, log])
def test_a_file_that_may_not_be_read_costs_one_warning(
    home: Path, ask: Ask, forbid: Forbid, write: Callable[..., Path]
) -> None:
    conversation(home, number=1)
    path = write(home, number=2)
    forbid(path)

    page = ask()

    assert uuids(page) == [uuid(1)]
    assert [(warning.path, warning.problem) for warning in page.warnings] == [(str(path), "permission denied")]


def test_a_database_that_may_not_be_read_does_not_hide_its_log(home: Path, ask: Ask, forbid: Forbid) -> None:
    forbid(conversation(home, [asked("Graft the plum")]))
    path = log(home, [asked("Graft the plum")])

    page = ask()

    assert [(session.title, session.path) for session in page.sessions] == [("Graft the plum", str(path))]
    assert len(page.warnings) == 1


def test_an_encrypted_conversation_need_not_be_read(home: Path, ask: Ask, forbid: Forbid) -> None:
    forbid(encrypted(home))

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


def test_what_adds_to_a_conversation_may_be_unreadable(home: Path, ask: Ask, forbid: Forbid) -> None:
    path = conversation(home)
    forbid(annotation(home, 'title: "Pruning"'))
    forbid(put(path.with_suffix(".meta"), '{"cwd": "/srv/elsewhere"}'))
    forbid(note(home, parent=2))

    page = ask()

    assert ([session.title for session in page.sessions], page.warnings) == (["Prompt 1"], ())


# What goes while it is listed


def test_a_conversation_that_is_deleted_while_it_is_listed_costs_nothing(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(home, number=1)
    vanishing = conversation(home, number=2)
    opened = files.opened

    def opened_late(path: str) -> int:
        if path == str(vanishing):
            vanishing.unlink(missing_ok=True)
        return opened(path)

    monkeypatch.setattr(files, "opened", opened_late)

    page = ask()

    assert (uuids(page), page.warnings) == ([uuid(1)], ())


@pytest.mark.parametrize("write", [conversation, log])
def test_a_conversation_that_is_deleted_before_its_details_are_read_is_still_listed(
    home: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, write: Callable[..., Path]
) -> None:
    path = write(home)
    opened, times = files.opened, []

    def opened_once(opening: str) -> int:
        times.append(opening)
        if times.count(str(path)) > 1:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", opening)
        return opened(opening)

    monkeypatch.setattr(files, "opened", opened_once)

    page = ask()

    assert [(session.path, session.title) for session in page.sessions] == [(str(path), None)]
    assert page.warnings == ()


# The indexes of the desktop programs


@pytest.mark.parametrize("product", ["Antigravity", "Antigravity IDE"])
@pytest.mark.parametrize(
    ("place", "variables"),
    [
        (".config", {}),
        ("Library/Application Support", {}),
        ("AppData/Roaming", {}),
        ("moved", {"XDG_CONFIG_HOME": "{home}/moved"}),
        ("moved", {"APPDATA": "{home}/moved"}),
    ],
)
def test_the_ide_s_index_is_found_where_each_system_keeps_it(
    home: Path, only: Only, product: str, place: str, variables: dict[str, str]
) -> None:
    encrypted(home)
    state(home, {1: summary("Graft the plum")}, app=f"{place}/{product}")

    session = only(variables={name: value.format(home=home) for name, value in variables.items()})

    assert session.title == "Graft the plum"


def test_the_newer_ide_s_index_counts_before_the_older_one_s(home: Path, only: Only) -> None:
    encrypted(home)
    state(home, {1: summary("Old title")}, app=".config/Antigravity")
    state(home, {1: summary("New title")}, app=".config/Antigravity IDE")

    assert only().title == "New title"


def test_the_projects_of_all_products_lie_beside_their_roots(home: Path, only: Only) -> None:
    conversation(home, [asked()], meta={18: "trees"}, root=IDE)
    project(home, "trees", [{"folderUri": "file:///srv/trees"}])

    assert only().project_dir == "/srv/trees"


def test_finding_opens_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation(home)
    encrypted(home, root=CLI, number=2)
    log(home, number=3)
    artifact(home, root=CLI, number=4)
    note(home, child=1, parent=5)
    openings: list[object] = []
    monkeypatch.setattr(files, "opened", openings.append)
    monkeypatch.setattr(sqlite3, "connect", openings.append)

    antigravity = adapter("antigravity")
    store = antigravity.stores(environment_of(home))[0]
    found = list(antigravity.find(store, files.ignore))

    assert len(found) == 5
    assert openings == []
