"""What a name means: an id, the start of one, an agent and one, or a file."""

from __future__ import annotations

import os

import pytest

from sesls.naming import meant
from sesls.session import Summary

AGENTS = ("claude", "codex", "pi")


def summary(agent: str, uuid: str, path: str = "/srv/file") -> Summary:
    return Summary(
        agent=agent,
        uuid=uuid,
        kind="agent",
        parent_uuid=None,
        project_dir=None,
        launch_surface=None,
        last_activity=0,
        path=path,
        source=None,
    )


ALL = (
    summary("claude", "abc"),
    summary("claude", "abcd"),
    summary("codex", "abcd"),
    summary("codex", "claude:abc", "/srv/database"),
    summary("codex", "claude:x", "/srv/database"),
    summary("pi", "xyz", "/srv/one/file"),
    summary("pi", "xyz", "/srv/two/file"),
)


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("abcd", [1, 2]),
        ("abc", [0]),
        ("abc\r\n", [0]),
        ("ab", [0, 1, 2]),
        ("claude:ab", [0, 1, 3]),
        ("claude:abc", [3]),
        ("claude:abcd", [1]),
        ("codex:abcd", [2]),
        ("codex:a", [2]),
        ("pi:", [5, 6]),
        ("xyz", [5, 6]),
        ("/srv/two/file", [6]),
        ("two/file", [6]),
        ("./two/../one/file", [5]),
        ("/srv/database", [3, 4]),
        ("~/two/file", [6]),
        ("file", []),
        ("bc", []),
        ("nobody:abc", []),
        ("ABC", []),
        ("", []),
        (" ", []),
    ],
)
def test_a_name_means(name: str, places: list[int]) -> None:
    found = meant(ALL, name.replace("/", os.sep), AGENTS, "/srv", home="/srv")

    assert [ALL.index(one) for one in found] == places
