"""What every test may use: an empty home, and the questions that sesls can be asked about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from sesls.environment import Environment
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query
from sesls.session import Session
from tests import shapes

Ask = Callable[..., Page]

_IS_LONG = os.environ.get("SESLS_TESTS") == "long"
_LONGER = 50


def examples(count: int) -> settings:
    """Return the settings of a test that tries so many examples, always the same; in a long run many more, by chance.

    A run is long where the variable SESLS_TESTS is `long`.
    """
    return settings(max_examples=count * (_LONGER if _IS_LONG else 1), deadline=None, derandomize=not _IS_LONG)


settings.register_profile("sesls", examples(100))
settings.load_profile("sesls")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home directory."""
    path = tmp_path / "home"
    path.mkdir()
    return path


def environment_of(
    home: Path, variables: Mapping[str, str] | None = None, *, cwd: Path | None = None, cache: Path | None = None
) -> Environment:
    """Return an environment in which nothing but this home exists, and nothing is remembered unless asked for."""
    return Environment(
        home=str(home),
        variables=dict(variables or {}),
        cwd=str(cwd or home),
        config_home=str(home / ".config"),
        cache_home=None if cache is None else str(cache),
    )


@pytest.fixture
def ask(home: Path) -> Ask:
    """A function that takes the fields of a query (and `variables`) and returns the page for this home."""

    def asked(variables: Mapping[str, str] | None = None, **fields: object) -> Page:
        page = take(Query(**{"limit": 0, **fields}), environment_of(home, variables))  # type: ignore[arg-type]
        shapes.check(page.to_dict())
        return page

    return asked


@pytest.fixture
def only(ask: Ask) -> Callable[..., Session]:
    """A function that returns the one session of this home, and fails when there is another number of them."""

    def one(**fields: object) -> Session:
        page = ask(**fields)
        assert len(page.sessions) == 1, [session.uuid for session in page.sessions]
        return page.sessions[0]

    return one
