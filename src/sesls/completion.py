"""What a shell may add to a command line that is being typed: from what earlier listings learnt, no store is looked at.

A shell that gets an error in the place of words shows it amid what is being typed, so there is none: no words instead.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

import typer

from sesls.adapters import known
from sesls.cache import Memory, memory_of
from sesls.environment import Environment
from sesls.output import terminal
from sesls.paths import expanded
from sesls.session import Summary
from sesls.text import one_line

_MOST = 100
"""How many words a shell gets, those of the newest sessions; who types more gets others."""

_WORD = re.compile(r"[\w./~+@%,:=-]+")
"""What no shell takes for anything but text."""

_OBEYED = str.maketrans("", "", "\\`$")
"""What is left out of a title: zsh evaluates what describes a word."""


def answer(app: typer.Typer) -> NoReturn:
    """Answer a shell that asks, and exit."""
    from typer import _completion_classes as shells

    # Typer would have Rich take every description for markup.
    shells._sanitize_help_text = str  # type: ignore[assignment]
    terminal.abandon(sys.stderr)
    status: object = 1
    with suppress(Exception):
        status = app(standalone_mode=False)
        sys.stdout.flush()
    sys.exit(status if isinstance(status, int) else 0)


def ids(incomplete: str, environment: Environment) -> list[tuple[str, str]]:
    """Return the ids that begin so, the newest sessions first, each with its title; all as they were last listed."""
    agents = known(environment.plugins)
    agent, colon, start = incomplete.partition(":")
    before = agent + colon
    if not colon or agent not in agents:
        before, start = "", incomplete
    memories = {one: memory_of(one, environment) for one in ([agent] if before else agents)}
    found = [one for one in _last(memories) if one.uuid.startswith(start) and _WORD.fullmatch(one.uuid)]
    found.sort(key=lambda summary: -summary.last_activity)
    return [(before + one.uuid, _title(one, memories[one.agent])) for one in found[:_MOST]]


def directories(incomplete: str, environment: Environment) -> list[tuple[str, str]]:
    """Return the project directories that begin so, those of the newest sessions first."""
    home = environment.home
    start = expanded(incomplete, home)
    newest: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for summary in _last({agent: memory_of(agent, environment) for agent in known(environment.plugins)}):
        path = summary.project_dir
        if path is not None and path.startswith(start):
            counts[path] += 1
            newest[path] = max(newest.get(path, 0), summary.last_activity)
    found = []
    for path in sorted(newest, key=lambda path: -newest[path]):
        word = path if start == incomplete else "~" + path[len(home) :]
        if _WORD.fullmatch(word):
            found.append((word, f"{counts[path]:,} session{'' if counts[path] == 1 else 's'}"))
    return found[:_MOST]


def _last(memories: dict[str, Memory]) -> Iterator[Summary]:
    for memory in memories.values():
        yield from memory.last_summaries()


def _title(summary: Summary, memory: Memory) -> str:
    title = one_line(memory.last_title(summary) or "").translate(_OBEYED)
    return title or summary.agent
