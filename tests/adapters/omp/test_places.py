"""Where oh-my-pi's sessions are found, and who owns what lies in a directory that Pi uses too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.adapters.omp.places import PROFILES, SESSIONS, SHARED, stores
from sesls.page import Page
from tests.builders import pi
from tests.builders.common import put, uuid
from tests.builders.omp import file_name, header, model_change, old_turns, said, session, slot, turns
from tests.conftest import environment_of

Ask = Callable[..., Page]


def owners(page: Page) -> list[tuple[str, str]]:
    return sorted((one.agent, one.uuid) for one in page.sessions)


@pytest.mark.parametrize(
    ("root", "variables"),
    [
        (".omp/agent", {}),
        (".omp/profiles/work/agent", {}),
        (".omp/profiles/work/agent", {"OMP_PROFILE": "other"}),
        (".local/share/omp", {}),
        (".local/share/omp/profiles/work", {}),
        ("data/omp", {"XDG_DATA_HOME": "{home}/data"}),
        ("data/omp/profiles/work", {"XDG_DATA_HOME": "{home}/data"}),
        (".oh/agent", {"PI_CONFIG_DIR": ".oh"}),
        (".oh/profiles/work/agent", {"PI_CONFIG_DIR": ".oh"}),
        ("moved", {"PI_CODING_AGENT_DIR": "{home}/moved"}),
        ("moved", {"PI_CODING_AGENT_DIR": "moved"}),
        (".omp/agent", {"PI_CODING_AGENT_DIR": " "}),
        (".omp/agent", {"PI_CODING_AGENT_DIR": "/srv/nowhere", "OMP_PROFILE": "work"}),
        (".omp/agent", {"PI_CODING_AGENT_DIR": "/srv/nowhere", "PI_PROFILE": "work"}),
    ],
)
def test_sessions_are_found_where_the_version_and_the_variables_put_them(
    home: Path, ask: Ask, root: str, variables: dict[str, str]
) -> None:
    session(home, root=root)

    page = ask({name: value.replace("{home}", str(home)) for name, value in variables.items()})

    assert owners(page) == [("omp", uuid(1))]


@pytest.mark.parametrize(
    "variables",
    [
        {"PI_CODING_AGENT_DIR": "/srv/nowhere"},
        {"PI_CODING_AGENT_DIR": "/srv/nowhere", "OMP_PROFILE": "default"},
        {"PI_CODING_AGENT_DIR": "/srv/nowhere", "OMP_PROFILE": "", "PI_PROFILE": "work"},
        {"PI_CONFIG_DIR": ".oh"},
    ],
)
def test_a_variable_that_moves_the_home_replaces_it(home: Path, ask: Ask, variables: dict[str, str]) -> None:
    session(home)

    assert owners(ask(variables)) == []


@pytest.mark.parametrize("name", ["-work-orchard", "-", "-tmp-x", "--srv-orchard--", "home-orchard-0123abcd"])
def test_the_name_of_a_folder_does_not_matter(home: Path, ask: Ask, name: str) -> None:
    put(home / ".omp/agent/sessions" / name / file_name(), turns())

    assert owners(ask()) == [("omp", uuid(1))]


def test_the_stores_are_named(home: Path) -> None:
    found = {store.path: store.role for store in stores(environment_of(home))}

    assert found == {
        f"{home}/.omp/agent/sessions": SESSIONS,
        f"{home}/.local/share/omp/sessions": SESSIONS,
        f"{home}/.omp/profiles": PROFILES,
        f"{home}/.local/share/omp/profiles": PROFILES,
    }


# A directory that Pi uses too

SHARED_DIR = {"PI_CODING_AGENT_DIR": "shared"}


def test_of_a_shared_directory_each_program_gets_its_own(home: Path, ask: Ask) -> None:
    session(home, turns(1), root="shared")
    session(home, old_turns(2), number=2, root="shared")
    session(home, [header(3, title="Titled"), said("Words")], number=3, root="shared")
    pi.session(home, number=4, root="shared")
    pi.session(home, [header(5, version=..., model="a/b"), *pi.untreed([said("Words")])], number=5, root="shared")
    changed = [header(6), pi.entry("model_change", provider="google", modelId="g"), said("Words"), pi.answered()]
    pi.session(home, changed, number=6, root="shared")

    page = ask(SHARED_DIR)

    assert owners(page) == [
        *[("omp", uuid(number)) for number in (1, 2, 3)],
        *[("pi", uuid(number)) for number in (4, 5, 6)],
    ]
    assert page.warnings == ()


def test_a_model_of_pis_first_version_is_no_mark(home: Path, ask: Ask) -> None:
    entries = [header(version=...), *pi.untreed([model_change("anthropic/x"), said("Words"), pi.answered()])]
    pi.session(home, entries, root="shared")

    assert owners(ask(SHARED_DIR)) == [("pi", uuid(1))]


def test_a_lost_header_in_a_shared_directory_is_reported_once(home: Path, ask: Ask) -> None:
    pi.session(home, [said("Words")], root="shared")
    session(home, [slot("Words"), said("Words")], number=2, root="shared")

    page = ask(SHARED_DIR)

    assert {(one.agent, Path(one.path).name[-9:-6]) for one in page.warnings} == {("pi", "001"), ("omp", "002")}


@pytest.mark.parametrize("link", [".pi", ".pi/agent", ".pi/agent/sessions"])
def test_one_directory_by_two_names_is_shared(home: Path, ask: Ask, link: str) -> None:
    session(home, turns(1))
    pi.session(home, number=2, root=".omp/agent")
    place = home / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(home / link.replace(".pi", ".omp"))

    assert owners(ask()) == [("omp", uuid(1)), ("pi", uuid(2))]
    assert SHARED in {store.role for store in stores(environment_of(home))}


def test_what_bears_no_mark_in_oh_my_pis_own_directory_is_its_own(home: Path, ask: Ask) -> None:
    session(home, [header(), said("Words")])

    assert owners(ask()) == [("omp", uuid(1))]


def test_in_pis_own_directory_pi_lists_its_own(home: Path, ask: Ask) -> None:
    pi.session(home, number=1)
    pi.session(home, turns(2), number=2)

    assert owners(ask()) == [("pi", uuid(1))]


@pytest.mark.parametrize("value", ["NUL\x00", "half\ud800", "/", "~"])
def test_a_directory_that_cannot_be_costs_no_session(home: Path, ask: Ask, value: str) -> None:
    session(home, root=".omp/profiles/work/agent")

    page = ask({"PI_CODING_AGENT_DIR": value, "XDG_DATA_HOME": value})

    assert ("omp", uuid(1)) in owners(page)


def test_links_in_loops_end(home: Path, ask: Ask) -> None:
    path = session(home)
    (path.parent / "loop").symlink_to(home / ".omp")
    (home / ".omp" / "profiles").symlink_to(home / ".omp")

    assert owners(ask()) == [("omp", uuid(1))]
