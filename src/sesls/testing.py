"""A pytest kit for adapters: what every adapter promises, checked on a store that you write.

    from sesls.testing import AdapterContract
    from sesls_acme import adapter

    class TestAcme(AdapterContract):
        agent = "acme"
        adapter = adapter

        def write(self, home):
            ...  # a store of two sessions or more

Needs pytest; nothing else in sesls imports this module.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sesls import looks
from sesls.adapters import REGISTRY
from sesls.adapters.plugins import NAME, Plugin
from sesls.environment import Environment
from sesls.inventory import take
from sesls.page import Page
from sesls.query import Query

BOUND = 256 << 10
"""The most that the first reading may take of one file, in bytes."""

DAMAGES: Mapping[str, Callable[[bytes], bytes]] = {
    "nothing left": lambda _: b"",
    "the first half": lambda content: content[: len(content) // 2],
    "the second half": lambda content: content[len(content) // 2 :],
    "a torn end": lambda content: content[:-7],
    "a run of NULs within": lambda content: content[: len(content) // 3] + bytes(512) + content[len(content) // 3 :],
    "NULs alone": lambda content: bytes(len(content)),
    "no UTF-8": lambda content: content.replace(b"e", b"\xff\xfe"),
    "bytes swapped": lambda content: content[1::2] + content[::2],
    "lines glued": lambda content: content.replace(b"\n", b""),
    "lines twice": lambda content: content.replace(b"\n", b"\n\n") * 2,
    "texts for numbers": lambda content: re.sub(rb"\d+", b'"x"', content),
    "numbers for texts": lambda content: re.sub(rb'"[^"\n]*"(?!\s*:)', b"1e400", content),
    "lists for objects": lambda content: content.replace(b"{", b"[").replace(b"}", b"]"),
    "nothing for everything": lambda content: re.sub(rb':\s*("[^"\n]*"|\d+|true|false)', b": null", content),
    "half an emoji": lambda content: re.sub(rb'(?<=")[A-Za-z](?=[^"\n]*"\s*[,}])', rb"\\ud83d", content),
    "nested without end": lambda content: b'{"a":' * 5000 + content,
    "huge numbers": lambda content: re.sub(rb"\d{4,}", b"9" * 400, content),
    "a line without end": lambda content: content + b'{"x":"' + b"y" * 300_000,
}
"""What may have happened to a file, by name."""


class AdapterContract:
    """Subclass this as `Test…`, give it an adapter and a store, and pytest runs every check."""

    agent: str
    """The word that `--agent` takes."""
    adapter: Any
    """The adapter: a module, or an object with the same functions."""
    signposts: Collection[str] = ()
    """The names of files that alone tell where others lie: without them nobody finds those."""

    def write(self, home: Path) -> None:
        """Write a good store of two sessions or more, best each in a file of its own, into an empty home."""
        raise NotImplementedError

    def write_large(self, home: Path) -> None:
        """Write a store of one session that is many times as large as `BOUND`, if the format allows that."""
        pytest.skip(f"no large store for {home}")

    @pytest.fixture
    def home(self, tmp_path: Path) -> Path:
        """An empty home directory."""
        home = tmp_path / "home"
        home.mkdir()
        return home

    def listed(self, home: Path, cache: Path | None = None) -> Page:
        """Return all sessions of the agent in a home, read by the adapter."""
        own = type(self)
        is_module = isinstance(self.adapter, ModuleType)
        target = self.adapter.__name__ if is_module else f"{own.__module__}:{own.__qualname__}.adapter"
        environment = Environment(
            home=str(home),
            variables={},
            cwd=str(home),
            config_home=str(home / ".config"),
            cache_home=None if cache is None else str(cache),
            plugins={self.agent: Plugin(target, "a package", "1.0")},
        )
        return take(Query(agents=(self.agent,), limit=0), environment)

    def test_it_is_an_adapter(self) -> None:
        """It has a name that an option can take, a label, and all functions."""
        if self.agent not in REGISTRY:
            assert NAME.fullmatch(self.agent), "letters, digits and dashes"
        assert isinstance(self.adapter.LABEL, str)
        assert self.adapter.LABEL

    def test_it_lists_sessions(self, home: Path) -> None:
        """It lists the store's sessions, each once, with what can be known of any session."""
        self.write(home)
        page = self.listed(home)
        assert page.total >= 2, "a store of two sessions or more is needed"
        assert page.warnings == ()
        assert len({session.uuid for session in page.sessions}) == page.total
        for session in page.sessions:
            assert session.uuid
            assert Path(session.path).is_relative_to(home)
            assert session.project_dir is None or re.match(r"/|[A-Za-z]:[\\/]|\\\\", session.project_dir)
            assert session.last_activity > "2000"

    def test_an_empty_home_holds_nothing(self, home: Path) -> None:
        """It finds nothing where nothing is, and does not complain."""
        page = self.listed(home)
        assert (page.total, page.warnings) == (0, ())
        assert page.diagnostics is not None
        places = [place for item in page.diagnostics.scanned if item.agent == self.agent for place in item.places]
        assert places, "stores() names the places that are looked at, there or not"

    def test_the_store_is_untouched(self, home: Path) -> None:
        """It changes nothing and leaves nothing."""
        self.write(home)
        before = _state(home)
        self.listed(home)
        assert _state(home) == before

    def test_the_first_reading_is_bounded(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It takes a bounded piece of a file to summarise it, however large the file is."""
        self.write_large(home)
        summarise = self.adapter.summarise
        amounts: list[int] = []

        def counted(candidate: Any) -> object:
            with _read_bytes(monkeypatch) as read:
                try:
                    return summarise(candidate)
                finally:
                    amounts.append(sum(read))

        monkeypatch.setattr(self.adapter, "summarise", counted)
        assert self.listed(home).total == 1
        assert max(amounts) <= BOUND

    @pytest.mark.parametrize("damage", DAMAGES)
    def test_a_damaged_file_hides_no_other(self, home: Path, tmp_path: Path, damage: str) -> None:
        """Whatever became of one file, there is an answer, in which the sessions of the others are."""
        self.write(home)
        good = self.listed(home)
        for path in _files(home):
            copy = tmp_path / "copy"
            shutil.copytree(home, copy, symlinks=True)
            harmed = copy / path.relative_to(home)
            harmed.write_bytes(DAMAGES[damage](path.read_bytes()))
            before = _state(copy)
            page = self.listed(copy)
            assert _state(copy) == before
            left = {session.uuid for session in page.sessions}
            others = [session for session in good.sessions if Path(session.path) != path]
            expected = {session.uuid for session in others if session.uuid not in str(path)}
            assert expected <= left or path.name in self.signposts, f"{damage} in {path.name} hides {expected - left}"
            unforeseen = [problem for problem in page.warnings if problem.problem.startswith("unexpected")]
            assert unforeseen == [], f"{damage} in {path.name}"
            shutil.rmtree(copy)

    def test_a_file_that_vanishes_is_no_problem(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file that is deleted after it was found is no session, and no problem either."""
        self.write(home)
        summarise = self.adapter.summarise

        def late(candidate: Any) -> object:
            Path(candidate.path).unlink(missing_ok=True)
            return summarise(candidate)

        monkeypatch.setattr(self.adapter, "summarise", late)
        assert self.listed(home).warnings == ()

    def test_all_that_it_looks_at_is_noted(self, home: Path) -> None:
        """It opens files through `sesls.formats` alone: what is remembered counts while all of them are unchanged."""
        self.write(home)
        with _opened() as opened, looks.noted() as seen:
            self.listed(home)
        own = {path for path in opened if path.startswith(str(home))}
        assert own - seen.paths.keys() == set()

    def test_what_is_remembered_is_what_is_there(self, home: Path, tmp_path: Path) -> None:
        """A listing from the cache is the same as one without, also after any file is gone."""
        self.write(home)
        for path in [None, *_files(home)]:
            if path is not None:
                path.unlink()
            for _ in range(2):
                assert _plain(self.listed(home, tmp_path / "cache")) == _plain(self.listed(home))


def _plain(page: Page) -> Any:
    answer = page.to_dict()
    answer.pop("diagnostics", None)
    return [{name: value for name, value in item.items() if name != "age_sec"} for item in answer["sessions"]]


def _files(home: Path) -> list[Path]:
    return sorted(path for path in home.rglob("*") if path.is_file() and not path.is_symlink())


def _state(home: Path) -> list[tuple[str, int, int, bytes]]:
    """Return what can be seen of a home from outside: names, kinds, times and contents."""
    return [
        (
            str(path.relative_to(home)),
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(home.rglob("*"))
    ]


@contextmanager
def _read_bytes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count what is read of files through the operating system's functions."""
    amounts: list[int] = []

    def counting(function: Callable[..., bytes]) -> Callable[..., bytes]:
        def read(*arguments: Any) -> bytes:
            result = function(*arguments)
            amounts.append(len(result))
            return result

        return read

    with monkeypatch.context() as patch:
        for name in ("read", "pread"):
            if hasattr(os, name):
                patch.setattr(os, name, counting(getattr(os, name)))
        yield amounts


_watching: list[set[str]] = []


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in ("open", "os.scandir", "os.listdir") and isinstance(arguments[0], str):
        _watching[-1].add(arguments[0])


@contextmanager
def _opened() -> Iterator[set[str]]:
    """Note every file and folder that is opened."""
    if not hasattr(_opened, "is_heard"):
        sys.addaudithook(_hear)
        _opened.is_heard = True  # type: ignore[attr-defined]
    _watching.append(set())
    try:
        yield _watching[-1]
    finally:
        _watching.pop()
