"""What a command pays for at its start: only what it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesls.adapters import REGISTRY
from tests.builders.claude import transcript
from tests.builders.codex import rollout
from tests.command.run import imported_by, run

COMPLETION = {
    "bash": lambda typed: {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1)},
    "zsh": lambda typed: {"_TYPER_COMPLETE_ARGS": typed},
}


def completion(shell: str, typed: str) -> dict[str, str]:
    return {"_SESLS_COMPLETE": f"complete_{shell}", **COMPLETION[shell](typed)}


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def test_json_needs_neither_rich_nor_a_database(home: Path) -> None:
    transcript(home)
    rollout(home, number=2)

    text, modules = imported_by(home, "list", "--json")

    assert '"total": 2' in text
    assert "sesls.adapters.codex" in modules
    assert packages(modules) & {"rich", "pydantic", "sqlite3", "_sqlite3", "backports"} == set()


def test_the_version_needs_no_adapter(home: Path) -> None:
    _, modules = imported_by(home, "--version")

    assert modules & {*REGISTRY.values(), "sesls.inventory"} == set()
    assert packages(modules) & {"rich"} == set()


@pytest.mark.parametrize("shell", COMPLETION)
def test_completing_an_agent_needs_no_adapter(home: Path, shell: str) -> None:
    text, modules = imported_by(home, variables=completion(shell, "sesls list --agent c"))

    assert "claude" in text
    assert modules & {*REGISTRY.values(), "sesls.inventory"} == set()
    assert packages(modules) & {"rich"} == set()


@pytest.mark.parametrize(("command", "typed"), [("list", ""), ("list", "cl"), ("list", "x"), ("diagnostics", "c")])
def test_bash_completes_the_agents_that_begin_so(home: Path, command: str, typed: str) -> None:
    done = run(home, variables=completion("bash", f"sesls {command} --agent {typed}"))

    assert done.text.split() == [agent for agent in REGISTRY if agent.startswith(typed)]


def test_zsh_completes_the_agents_that_begin_so(home: Path) -> None:
    done = run(home, variables=completion("zsh", "sesls list --agent cl"))

    assert '"claude"' in done.text
    assert '"codex"' not in done.text


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("sesls list --format ", ["table", "tree", "json", "jsonl", "csv"]),
        ("sesls list --format js", ["json", "jsonl"]),
        ("sesls list --sort ", ["activity", "created", "title", "size"]),
        ("sesls list --activity f", ["fresh"]),
        ("sesls diagnostics --activity ", ["fresh", "stale"]),
        ("sesls list --fields uu", ["uuid"]),
        ("sesls list --fields title,uuid,p", ["title,uuid,parent_uuid", "title,uuid,project_dir", "title,uuid,path"]),
        ("sesls list --fields title,t", []),
    ],
)
def test_new_words_are_completed_without_an_adapter(home: Path, typed: str, answers: list[str]) -> None:
    text, modules = imported_by(home, variables=completion("bash", typed))

    assert text.split() == answers
    assert modules & {*REGISTRY.values(), "sesls.inventory"} == set()
    assert packages(modules) & {"rich"} == set()


@pytest.mark.parametrize("shape", ["jsonl", "csv", "tree"])
def test_lines_and_cells_need_neither_rich_nor_a_table(home: Path, shape: str) -> None:
    transcript(home)

    _, modules = imported_by(home, "list", "--format", shape)

    assert packages(modules) & {"rich", "pydantic"} == set()
    assert ("sesls.output.table" in modules) == (shape == "tree")


def test_a_plain_list_needs_nothing_of_what_it_was_not_asked(home: Path) -> None:
    transcript(home)

    _, modules = imported_by(home, "list", "--json")

    assert modules & {"sesls.when", "sesls.repository", "sesls.output.table", "sesls.output.notes"} == set()
