"""The worktrees of the repository that a directory lies in, read from git's own files."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.repository import worktrees
from tests.conftest import examples


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A directory above which there is no repository that counts."""
    (tmp_path / "src").mkdir()
    return tmp_path / "src"


def repository(root: Path) -> Path:
    (root / ".git").mkdir(parents=True)
    return root


def linked(git: Path, name: str, root: Path, *, is_relative: bool = False) -> Path:
    """Make a linked worktree of the repository whose folder is given."""
    admin = git / "worktrees" / name
    admin.mkdir(parents=True)
    root.mkdir(parents=True)
    (admin / "commondir").write_text("../..\n")
    to_worktree, to_admin = str(root / ".git"), str(admin)
    if is_relative:
        to_worktree, to_admin = os.path.relpath(to_worktree, admin), os.path.relpath(to_admin, root)
    (admin / "gitdir").write_text(to_worktree + "\n")
    (root / ".git").write_text(f"gitdir: {to_admin}\n")
    return root


def found(directory: Path) -> set[str]:
    roots = worktrees(str(directory))
    assert len(set(roots)) == len(roots)
    return set(roots)


def paths(*roots: Path) -> set[str]:
    return set(map(str, roots))


def test_outside_of_a_repository_a_directory_is_its_own_project(base: Path) -> None:
    assert worktrees(str(base)) == (str(base),)


def test_the_project_of_a_directory_is_the_repository_around_it(base: Path) -> None:
    shop = repository(base / "shop")
    (shop / "web" / "pages").mkdir(parents=True)

    assert found(shop) == found(shop / "web" / "pages") == found(shop / "gone" / "since") == paths(shop)


def test_the_nearest_repository_counts(base: Path) -> None:
    repository(base / "shop")
    inner = repository(base / "shop" / "vendor" / "lib")

    assert found(inner) == paths(inner)


@pytest.mark.parametrize("is_relative", [False, True])
def test_worktrees_find_each_other(base: Path, is_relative: bool) -> None:
    shop = repository(base / "shop")
    one = linked(shop / ".git", "one", base / "shop-one", is_relative=is_relative)
    two = linked(shop / ".git", "two", base / "else" / "two", is_relative=is_relative)

    assert found(shop) == found(one) == found(two) == paths(shop, one, two)
    assert worktrees(str(one))[0] == str(one)


def test_a_worktree_that_was_deleted_still_counts_while_git_knows_it(base: Path) -> None:
    shop = repository(base / "shop")
    gone = linked(shop / ".git", "gone", base / "gone")
    shutil.rmtree(gone)

    assert found(shop) == paths(shop, gone)


def test_a_bare_repository_is_no_worktree(base: Path) -> None:
    bare = base / "shop.git"
    bare.mkdir()
    one, two = linked(bare, "one", base / "one"), linked(bare, "two", base / "two")

    assert found(one) == paths(one, two)


def test_a_repository_beside_its_file_is_no_worktree(base: Path) -> None:
    (base / "shop" / ".bare").mkdir(parents=True)
    (base / "shop" / ".git").write_text("gitdir: ./.bare\n")
    one = linked(base / "shop" / ".bare", "one", base / "shop" / "one")

    assert found(one) == paths(one)
    assert found(base / "shop") == paths(base / "shop", one)


def test_a_submodule_is_a_project_of_its_own(base: Path) -> None:
    shop = repository(base / "shop")
    (shop / ".git" / "modules" / "lib").mkdir(parents=True)
    (shop / "lib").mkdir()
    (shop / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")

    assert found(shop / "lib") == paths(shop / "lib")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"gitdir:", b"gitdir: \n", b"gitdir: /nowhere\n", b"gitdir: a\0b\n", b"\xff\xfe", b"gitdir: .git\n"],
)
def test_a_broken_file_leaves_the_directory_itself(base: Path, content: bytes) -> None:
    (base / ".git").write_bytes(content)

    assert found(base) == paths(base)


def test_broken_worktrees_cost_no_other(base: Path) -> None:
    shop = repository(base / "shop")
    one = linked(shop / ".git", "one", base / "one")
    for name, content in (("empty", b""), ("strange", b"/srv/no-git\n"), ("nul", b"/srv/\0/.git\n")):
        (shop / ".git" / "worktrees" / name).mkdir()
        (shop / ".git" / "worktrees" / name / "gitdir").write_bytes(content)
    (shop / ".git" / "worktrees" / "none").mkdir()
    (shop / ".git" / "worktrees" / "file").write_text("")

    assert found(shop) == paths(shop, one)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_does_not_hold_it_up(base: Path) -> None:
    os.mkfifo(base / ".git")

    assert found(base) == paths(base)


@examples(50)
@given(content=st.binary(max_size=60) | st.binary(max_size=60).map(b"gitdir: ".__add__))
def test_any_bytes_are_answered(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    base = tmp_path_factory.mktemp("any")
    (base / ".git").write_bytes(content)

    assert str(base) in worktrees(str(base))


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_it_reads_what_git_writes(base: Path) -> None:
    shop, one = base / "shop", base / "one"
    shop.mkdir()

    def git(*arguments: str) -> None:
        own = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        variables = {**os.environ, "HOME": str(base)}
        subprocess.run(["git", *own, *arguments], cwd=shop, check=True, capture_output=True, env=variables)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "Start")
    git("worktree", "add", "-q", str(one))

    assert found(shop) == found(one) == paths(shop, one)
