"""Sessions out of files that may be copies of each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from sesls.adapters.pi_family import lineage
from sesls.adapters.pi_family.lineage import File
from sesls.adapters.pi_family.transcript import Contents, Ends
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its file, and what it continues."""

    candidate: Candidate
    ends: Ends
    forked_from: str | None
    """The id of the session it was forked, branched or handed off from."""
    copies: tuple[str, ...]


def summary(
    agent: str, copies: list[File], ids: Mapping[str, str], is_spawned: Callable[[Candidate], bool] = lambda _: False
) -> Summary:
    """Return the session that copies hold, as the newest has it; `ids` are those of `lineage.known_ids`.

    `is_spawned` tells of a file what its place alone says, beside what the family has in common.
    """
    newest, *others = sorted(copies, key=lambda file: (-lineage.activity(file), file[0].path))
    candidate, ends = newest
    origin = lineage.origin(ends, ids)
    parent = lineage.parent_by_place(candidate, ids)
    is_subagent = parent is not None or ends.is_spawned or is_spawned(candidate)
    return Summary(
        agent=agent,
        uuid=ends.id,
        kind="subagent" if is_subagent else "agent",
        parent_uuid=(parent or origin or lineage.parent_by_name(candidate)) if is_subagent else None,
        project_dir=absolute_or_none(ends.cwd),
        launch_surface=None,
        last_activity=lineage.activity(newest),
        path=candidate.path,
        source=Source(candidate, ends, None if is_subagent else origin, tuple(copy.path for copy, _ in others)),
    )


def details(
    source: Source, contents: Contents | None, titles: tuple[str | None, ...], resume_command: str | None
) -> Details:
    """Return the details of a session; without contents where its file cannot be read."""
    return Details(
        titles=titles,
        models=() if contents is None else tuple(contents.models),
        created=source.ends.created,
        size_bytes=source.candidate.size,
        message_count=None if contents is None else contents.messages,
        resume_command=resume_command,
        extra={
            "forked_from": source.forked_from,
            "format_version": source.ends.version,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if source.ends.last_activity is None else None,
        },
    )
