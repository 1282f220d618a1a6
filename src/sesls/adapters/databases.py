"""Agents that keep their sessions as rows of databases: what is asked is asked once for each database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sesls.formats import files, sqlite
from sesls.session import Summary

if TYPE_CHECKING:
    import sqlite3

Answer = TypeVar("Answer")
Told = TypeVar("Told")


def read(path: str, query: Callable[[sqlite3.Connection], Answer]) -> Answer:
    """Return what a query answers about a database of sessions.

    Raises OSError where it may not be read, and ValueError, with a few lower-case words, where it is none.
    """
    try:
        return sqlite.read(path, query)
    except sqlite.UnreadableError as error:
        raise ValueError(str(error)) from error


def told_of(
    summaries: Iterable[Summary],
    query: Callable[[Sequence[str], sqlite3.Connection], Mapping[str, Told]],
    report: files.Report,
) -> dict[tuple[str, str], Told]:
    """Return what the databases that hold some sessions tell of each, by the database and the session's id.

    The query gets the ids that it is asked about. A database that cannot be read is reported and tells nothing.
    """
    ids: dict[str, list[str]] = defaultdict(list)
    for summary in summaries:
        ids[summary.path].append(summary.uuid)
    told: dict[tuple[str, str], Told] = {}
    for path, some in ids.items():
        answers: Mapping[str, Told] = sqlite.answer(path, partial(query, some), {}, report)
        told |= {(path, session): one for session, one in answers.items()}
    return told
