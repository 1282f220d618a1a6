"""Who spawned whom is told by where files lie and by marks of extensions; a fork was spawned by nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.common import CWD, put, uuid
from tests.builders.pi import (
    AGENT_DIR,
    Entry,
    answered,
    child,
    entry,
    file_name,
    folder,
    header,
    named,
    result,
    said,
    session,
    turns,
    untreed,
)

Ask = Callable[..., Page]
Only = Callable[..., Session]
Kinship = tuple[str, str | None, object]


def kinships(page: Page) -> dict[str, Kinship]:
    """Return the kind, the parent and the origin of each session."""
    return {one.uuid: (one.kind, one.parent_uuid, one.extra.get("forked_from")) for one in page.sessions}


def fork(number: int, origin: object, **keys: Any) -> list[Entry]:
    return [header(number, parentSession=str(origin), **keys), said("Hello"), answered()]


AGENT: Kinship = ("agent", None, None)
BULK = [result("x" * 1000)] * 100

# By place


@pytest.mark.parametrize(
    "place",
    [
        "4f2a/run-0/session.jsonl",
        "async-4f2a/parallel-1/session.jsonl",
        f"forks/{file_name(2)}",
        "Prune.jsonl",
        "a/b/c/d/e/f/g.jsonl",
    ],
)
def test_a_session_in_the_folder_of_another_was_spawned_by_it(home: Path, ask: Ask, place: str) -> None:
    parent = session(home)
    child(parent, turns(2), place)

    assert kinships(ask()) == {uuid(1): AGENT, uuid(2): ("subagent", uuid(1), None)}


def test_a_spawned_session_has_everything_but_a_way_to_resume_it(home: Path, ask: Ask) -> None:
    parent = session(home)
    path = child(parent, turns(2, "Prune", cwd="/srv/orchard/trees"))

    (spawned,) = ask(kind="subagent").sessions

    assert (spawned.title, spawned.path, spawned.project_dir) == ("Prune", str(path), "/srv/orchard/trees")
    assert (spawned.message_count, spawned.resume_command) == (2, None)


def test_the_nearest_session_spawned_it(home: Path, ask: Ask) -> None:
    grandparent = session(home)
    parent = child(grandparent, turns(2), "Prune.jsonl")
    child(parent, turns(3), "Prune.Saw.jsonl")

    assert kinships(ask())[uuid(3)] == ("subagent", uuid(2), None)


def test_a_parent_is_named_by_its_header_not_by_its_file(home: Path, ask: Ask) -> None:
    parent = session(home, turns(7), number=1)
    child(parent, turns(2))

    assert kinships(ask())[uuid(2)] == ("subagent", uuid(7), None)


def test_children_of_equal_name_are_apart(home: Path, ask: Ask) -> None:
    for number in (1, 2):
        child(session(home, number=number), turns(number + 2), "run-0/session.jsonl")

    assert kinships(ask()) == {
        uuid(1): AGENT,
        uuid(2): AGENT,
        uuid(3): ("subagent", uuid(1), None),
        uuid(4): ("subagent", uuid(2), None),
    }


def test_a_spawned_session_that_copied_its_parents_start_is_a_child_and_no_fork(home: Path, ask: Ask) -> None:
    parent = session(home)
    child(parent, [*fork(2, parent), named("subagent-scout-4f2a-1")], f"forks/{file_name(2)}")

    assert kinships(ask())[uuid(2)] == ("subagent", uuid(1), None)


def test_place_wins_over_the_file_that_a_header_names(home: Path, ask: Ask) -> None:
    parent = session(home, number=1)
    other = session(home, number=2)
    child(parent, fork(3, other))

    assert kinships(ask())[uuid(3)] == ("subagent", uuid(1), None)


def test_children_in_a_flat_session_directory_are_known_by_place(home: Path, ask: Ask) -> None:
    parent = put(home / "flat" / file_name(1), turns(1))
    child(parent, turns(2))

    assert kinships(ask({"PI_CODING_AGENT_SESSION_DIR": "flat/"}))[uuid(2)] == ("subagent", uuid(1), None)


def test_a_folder_beside_a_file_that_is_no_session_spawned_nothing(home: Path, ask: Ask) -> None:
    other = put(folder(home) / "notes.jsonl", [{"type": "note"}])
    child(other, turns(2))

    assert kinships(ask()) == {uuid(2): AGENT}


def test_a_folder_that_only_begins_like_a_session_is_not_its_own(home: Path, ask: Ask) -> None:
    parent = session(home)
    put(parent.with_name(f"{parent.stem}-2") / "session.jsonl", turns(2))

    assert kinships(ask())[uuid(2)] == AGENT


def test_a_child_keeps_a_parent_whose_file_is_gone(home: Path, ask: Ask) -> None:
    parent = session(home)
    child(parent, [header(2), named("subagent-scout-4f2a-1", 0.5), *turns()[1:]])
    parent.unlink()

    assert kinships(ask()) == {uuid(2): ("subagent", uuid(1), None)}


# By marks


@pytest.mark.parametrize("place", ["subagents", "subagent-sessions", "--srv-orchard--/subagents/4f2a"])
def test_a_session_in_a_folder_of_spawned_ones_is_one(home: Path, ask: Ask, place: str) -> None:
    put(home / AGENT_DIR / "sessions" / place / "x.jsonl", turns(2))

    assert kinships(ask()) == {uuid(2): ("subagent", None, None)}


def test_folders_above_the_session_directory_tell_nothing(home: Path, ask: Ask) -> None:
    session(home, root="subagents/subagent-sessions")

    assert kinships(ask({"PI_CODING_AGENT_DIR": "subagents/subagent-sessions"})) == {uuid(1): AGENT}


@pytest.mark.parametrize("directory", ["/srv/subagents", "/srv/my-subagents/subagent-sessions"])
def test_a_working_directory_of_such_a_name_tells_nothing(home: Path, ask: Ask, directory: str) -> None:
    session(home, directory=directory)

    assert kinships(ask()) == {uuid(1): AGENT}


def test_a_session_that_an_extension_began_for_a_task_is_spawned(home: Path, ask: Ask) -> None:
    origin = session(home)
    begun = entry("session_init", 0.5, agent="scout", task="Prune", resolvedModel="x")
    first, *others = fork(2, origin)
    session(home, [first, begun, *others], number=2)

    assert kinships(ask())[uuid(2)] == ("subagent", uuid(1), None)


def test_the_mark_of_a_task_may_follow_what_was_copied_from_the_parent(home: Path, ask: Ask) -> None:
    session(home, [*turns(2), entry("session_init", 40, agent="scout", task="Prune"), said("Prune", 41)])

    assert kinships(ask())[uuid(2)] == ("subagent", None, None)


@pytest.mark.parametrize("name", ["subagent-scout-4f2a-1", " subagent-x "])
def test_a_session_of_an_extensions_kind_of_name_is_spawned(home: Path, ask: Ask, name: str) -> None:
    origin = session(home)
    session(home, [*fork(2, origin), named(name)], number=2)

    assert kinships(ask())[uuid(2)] == ("subagent", uuid(1), None)


def test_the_name_at_the_start_of_a_large_session_tells_it_was_spawned(home: Path, ask: Ask) -> None:
    session(home, [header(2), named("subagent-x", 0.5), said("Prune"), *BULK, answered(seconds=90)])

    assert kinships(ask()) == {uuid(2): ("subagent", None, None)}


def test_a_name_in_another_kind_of_entry_tells_nothing(home: Path, ask: Ask) -> None:
    session(home, [header(1, name="subagent-x"), *turns()[1:], entry("label", 40, name="subagent-x")])

    assert kinships(ask()) == {uuid(1): AGENT}


@pytest.mark.parametrize("name", ["subagent", "my subagent-scout", "Subagents", "subagents of the orchard"])
def test_other_names_tell_nothing(home: Path, ask: Ask, name: str) -> None:
    session(home, [*turns(1), named(name)])

    assert kinships(ask()) == {uuid(1): AGENT}


def test_a_session_whose_name_was_changed_by_a_person_is_theirs(home: Path, ask: Ask) -> None:
    session(home, [*turns(1), named("subagent-scout-4f2a-1"), named("Mine", 50)])

    assert kinships(ask()) == {uuid(1): AGENT}


def test_the_name_in_the_middle_of_a_large_child_is_not_needed_to_know_it(home: Path, ask: Ask) -> None:
    child(session(home), [*turns(2), *BULK, named("subagent-x", 50), *BULK, answered(seconds=90)])

    assert kinships(ask())[uuid(2)] == ("subagent", uuid(1), None)


def test_a_marked_child_whose_parents_file_is_gone_keeps_its_parent(home: Path, ask: Ask) -> None:
    session(home, [*fork(2, f"/srv/gone/{file_name(1)}"), named("subagent-x")], number=2)

    assert kinships(ask()) == {uuid(2): ("subagent", uuid(1), None)}


# Forks


def test_a_fork_is_nobodys_child(home: Path, ask: Ask) -> None:
    origin = session(home)
    session(home, fork(2, origin), number=2)

    assert kinships(ask()) == {uuid(1): AGENT, uuid(2): ("agent", None, uuid(1))}


def test_a_fork_can_be_resumed(home: Path, ask: Ask) -> None:
    path = session(home, fork(2, "/srv/gone/x_1.jsonl"), number=2)

    assert ask().sessions[0].resume_command == f"cd {CWD} && pi --session {path}"


def test_a_fork_is_no_noise(home: Path, ask: Ask) -> None:
    origin = session(home)
    session(home, fork(2, origin), number=2)
    child(origin, turns(3))

    assert set(kinships(ask(noise="exclude"))) == {uuid(1), uuid(2)}
    assert set(kinships(ask(noise="only"))) == {uuid(3)}


def test_a_fork_may_lie_in_another_directory(home: Path, ask: Ask) -> None:
    origin = session(home)
    session(home, fork(2, origin, cwd="/srv/barn"), number=2, directory="/srv/barn")

    assert kinships(ask())[uuid(2)] == ("agent", None, uuid(1))


def test_a_fork_of_a_fork_comes_from_the_nearer(home: Path, ask: Ask) -> None:
    first = session(home)
    second = session(home, fork(2, first), number=2)
    session(home, fork(3, second), number=3)

    assert kinships(ask())[uuid(3)] == ("agent", None, uuid(2))


def test_a_branch_of_version_1_is_a_fork(home: Path, ask: Ask) -> None:
    origin = session(home, [header(1, version=...), *untreed(turns()[1:])])
    session(home, [header(2, version=..., branchedFrom=str(origin)), *untreed(turns()[1:])], number=2)

    assert kinships(ask())[uuid(2)] == ("agent", None, uuid(1))


def test_an_origin_is_named_by_its_header_not_by_its_file(home: Path, ask: Ask) -> None:
    origin = session(home, turns(7), number=1)
    session(home, fork(2, origin), number=2)

    assert kinships(ask())[uuid(2)] == ("agent", None, uuid(7))


@pytest.mark.parametrize("place", ["/srv/gone/", "", "C:\\Users\\ada\\.pi\\agent\\sessions\\--C--src--\\"])
def test_an_origin_that_is_not_there_is_named_by_its_file(home: Path, ask: Ask, place: str) -> None:
    session(home, fork(2, place + file_name(1)), number=2)

    assert kinships(ask()) == {uuid(2): ("agent", None, uuid(1))}


def test_an_id_with_an_underscore_is_taken_whole_from_a_files_name(home: Path, ask: Ask) -> None:
    session(home, fork(2, f"/srv/gone/{file_name('my_task')}"), number=2)

    assert kinships(ask()) == {uuid(2): ("agent", None, "my_task")}


@pytest.mark.parametrize("name", ["session.jsonl", "notes.jsonl", "C:\\notes.jsonl"])
def test_a_name_that_holds_no_id_names_no_origin(home: Path, ask: Ask, name: str) -> None:
    session(home, fork(2, f"/srv/gone/{name}"), number=2)

    assert kinships(ask()) == {uuid(2): AGENT}


def test_the_origin_of_a_fork_in_a_copied_home_is_still_named_by_its_header(home: Path, ask: Ask) -> None:
    origin = session(home, turns(7), number=1)
    session(home, fork(2, Path("/home/ada") / origin.relative_to(home)), number=2)

    assert kinships(ask())[uuid(2)] == ("agent", None, uuid(7))


@pytest.mark.parametrize("origin", ["", None, 7, [], {}])
def test_an_origin_that_is_no_path_is_none(home: Path, ask: Ask, origin: object) -> None:
    session(home, [header(parentSession=origin), *turns()[1:]])

    assert kinships(ask()) == {uuid(1): AGENT}


def test_a_fork_of_itself_ends(home: Path, ask: Ask) -> None:
    path = folder(home) / file_name(1)
    session(home, fork(1, path))

    assert kinships(ask()) == {uuid(1): ("agent", None, uuid(1))}
