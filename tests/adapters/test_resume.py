"""The command that reopens a session can be pasted into a shell, whatever its directory and id are called."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesls.adapters.resume import command


def test_it_goes_where_the_session_ran() -> None:
    assert (
        command("/srv/old barn", ("pi", "--session", "x y"), system="posix")
        == "cd '/srv/old barn' && pi --session 'x y'"
    )
    assert command(None, ("codex", "unarchive", "1"), ("codex", "resume", "1"), system="posix") == (
        "codex unarchive 1 && codex resume 1"
    )


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1))
def test_a_unix_shell_takes_every_word_as_it_is(word: str) -> None:
    assert shlex.split(str(command(None, ("pi", word), system="posix"))) == ["pi", word]


@pytest.mark.parametrize(
    ("directory", "typed"),
    [
        ("C:\\src\\shop", 'pushd "C:\\src\\shop" && pi --session 5f0c-1'),
        ("D:\\My Shop (old) & more", 'pushd "D:\\My Shop (old) & more" && pi --session 5f0c-1'),
        ("C:\\src\\shop\\", 'pushd "C:\\src\\shop" && pi --session 5f0c-1'),
        ("C:\\", 'pushd "C:/" && pi --session 5f0c-1'),
        ("\\\\barn\\trees", 'pushd "\\\\barn\\trees" && pi --session 5f0c-1'),
        ("C:\\src\\it's", 'pushd "C:\\src\\it\'s" && pi --session 5f0c-1'),
        ("C:\\Übung\\果樹園", 'pushd "C:\\Übung\\果樹園" && pi --session 5f0c-1'),
        ("/", 'pushd "/" && pi --session 5f0c-1'),
        (None, "pi --session 5f0c-1"),
    ],
)
def test_on_windows_it_changes_the_drive_too(directory: str | None, typed: str) -> None:
    assert command(directory, ("pi", "--session", "5f0c-1"), system="nt") == typed


@pytest.mark.parametrize("word", ['a" & calc & "', "%PATH%", "$(calc)", "a`b", "a\nb", "a“b", "a\\"])
def test_what_some_shell_of_windows_would_take_for_more_has_no_command(word: str) -> None:
    assert command(None, ("pi", word), system="nt") is None
    assert command(f"C:\\{word}\\x", ("pi", "1"), system="nt") is None or word == "a\\"


def test_no_shell_of_windows_sets_a_variable_for_one_command() -> None:
    assert command("C:\\x", ("env", "CLAUDE_CONFIG_DIR=C:\\y", "claude", "--resume", "1"), system="nt") is None


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_a_quoted_word_of_windows_is_ended_by_nothing_in_it(word: str) -> None:
    typed = command(None, ("pi", word), system="nt")

    if typed is not None:
        inside = typed.removeprefix("pi ")
        assert inside == word or (inside == f'"{word}"' and not set('"%$`“”„\n\r') & set(word))


@pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="Git's bash is imitated by another one")
@pytest.mark.parametrize("name", ["C:\\My Shop", "D:\\a & b (c)", "C:\\it's", "C:\\果樹園"])
def test_bash_takes_a_directory_of_windows_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    typed = command(name, ("printf", "x y"), system="nt")

    done = subprocess.run(["bash", "-c", f"{typed}; pwd"], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout.endswith(f"x y{tmp_path / name}\n")
