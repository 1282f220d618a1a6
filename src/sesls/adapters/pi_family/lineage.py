"""What session files tell of each other: by where they lie and how they are named, and by the paths in their headers.

A session that was spawned lies in a folder named like its parent's file: `<stem>/…` beside `<stem>.jsonl`.
"""

from __future__ import annotations

import ntpath
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping

from sesls.adapters.pi_family.names import id_in_name
from sesls.adapters.pi_family.transcript import Ends
from sesls.instants import Instant
from sesls.session import Candidate

File = tuple[Candidate, Ends]


def known_ids(files: Iterable[File]) -> dict[str, str]:
    """Return the ids of sessions by their files' paths, and by their names where those are one session's alone.

    In a home that was copied or moved, headers name files by their old paths.
    """
    ids: dict[str, str] = {}
    names: dict[str, set[str]] = defaultdict(set)
    for candidate, ends in files:
        ids[candidate.path] = ends.id
        if id_in_name(candidate.path) is not None:
            names[os.path.basename(candidate.path)].add(ends.id)
    return ids | {name: found.pop() for name, found in names.items() if len(found) == 1}


def parent_by_place(candidate: Candidate, ids: Mapping[str, str]) -> str | None:
    """Return the session whose own folder a file lies in, the nearest one."""
    folder = os.path.dirname(candidate.path)
    while len(folder) > len(candidate.store.path):
        if (parent := ids.get(f"{folder}.jsonl")) is not None:
            return parent
        folder = os.path.dirname(folder)
    return None


def parent_by_name(candidate: Candidate) -> str | None:
    """Return the id in the name of the nearest folder that is named like a session, whose file is gone."""
    folders = os.path.relpath(os.path.dirname(candidate.path), candidate.store.path).split(os.sep)
    return next(filter(None, (id_in_name(f"{name}.jsonl") for name in reversed(folders))), None)


def origin(ends: Ends, ids: Mapping[str, str]) -> str | None:
    """Return the session that one continues: from its file or, where that is gone, from the file's name."""
    named = ends.forked_from
    if not named:
        return None
    if ntpath.basename(named) == named and not named.endswith(".jsonl"):
        return named  # oh-my-pi 13 wrote an id where others write a path
    return ids.get(named) or ids.get(ntpath.basename(named)) or id_in_name(named)


def activity(file: File) -> Instant:
    """Return when something was last said, or else when the file was written."""
    candidate, ends = file
    return candidate.last_activity(ends.last_activity)
