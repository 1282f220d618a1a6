"""OpenCode's sessions: databases and records united by id."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.opencode import database, places
from sesls.adapters.opencode.database import Messages, Row
from sesls.adapters.opencode.records import MESSAGE, PART, RECORD, is_default_title, text_of
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "opencode"

_ENDS = 4
"""How many messages of each end of a session tell its directory and its last activity."""


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its row, where that was found, and whether `opencode` can open it."""

    candidate: Candidate
    row: Row
    can_resume: bool
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> tuple[Row, ...]:
    """Return the sessions of one database, or of one record; see `Adapter.summarise`."""
    if candidate.role == places.DATABASE:
        return database.read_rows(candidate.path)
    return (_read_record(candidate),)


def _read_record(candidate: Candidate) -> Row:
    record = jsonl.whole_file(candidate.path, RECORD)
    if record is None or not record.id:
        raise ValueError("is no readable session record")
    messages = _message_files(candidate, record.id)
    ends = dict.fromkeys([*messages[:_ENDS], *messages[-_ENDS:]])
    read = [message for path in ends if (message := jsonl.small(path, MESSAGE)) is not None]
    times = record.time
    own = [instant(times.updated), instant(times.created)] if times is not None else []
    moments = [moment for moment in (*own, *(message.moment for message in read)) if moment is not None]
    return Row(
        id=record.id,
        parent_id=record.parent_id or None,
        directory=record.directory or next((message.cwd for message in read if message.cwd), None),
        title=record.title,
        created=instant(times.created) if times is not None else None,
        last_activity=max(moments, default=None),
        archived=times is not None and times.archived is not None,
        version=record.version,
        agent=None,
        model=None,
        forked_from=None,
    )


def _message_files(candidate: Candidate, session: str, report: files.Report = files.ignore) -> list[str]:
    """Return the files of a session's messages in the order of their ids, which is that of time."""
    if not files.is_name(session):
        return []
    entries = files.entries(places.message_folder(candidate, session), report)
    return [entry.path for entry in entries if entry.name.endswith(".json")]


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield OpenCode's sessions, each once; see `Adapter.unite`."""
    found: dict[str, list[tuple[Candidate, Row]]] = defaultdict(list)
    for candidate, rows in findings:
        assert isinstance(rows, tuple)
        for row in rows:
            found[row.id].append((candidate, row))
    data, *_ = places.stores(environment)
    # One that cannot be read is one all the same: what wrote it opens no records any more.
    is_there = files.status(os.path.join(data.path, "opencode.db")) is not None
    has_database = is_there or any(candidate.role == places.DATABASE for candidate, _ in findings)
    for session, places_found in found.items():
        yield _session(session, places_found, has_database)


def _session(session: str, found: list[tuple[Candidate, Row]], has_database: bool) -> Summary:
    # The newest record counts: 1.1 goes on in JSON after a downgrade from 1.2. Of equals a database's does.
    found.sort(key=lambda place: (-(place[1].last_activity or 0), _generation(place[0]), place[0].path))
    candidate, row = found[0]
    if row.directory is None:
        row = replace(row, directory=next((other.directory for _, other in found if other.directory), None))
    is_in_database = any(place.role == places.DATABASE for place, _ in found)
    return Summary(
        agent=AGENT,
        uuid=session,
        kind="agent" if row.parent_id is None else "subagent",
        parent_uuid=row.parent_id,
        project_dir=absolute_or_none(row.directory),
        launch_surface=None,
        last_activity=candidate.last_activity(row.last_activity),
        path=candidate.path,
        source=Source(
            candidate,
            row,
            can_resume=is_in_database or not has_database,
            copies=tuple(place.path for place, _ in found[1:]),
        ),
    )


def _generation(candidate: Candidate) -> int:
    """Return a number that is the lower the newer the kind of store is; `opencode.db` before other channels'."""
    if candidate.role == places.DATABASE:
        return 0 if os.path.basename(candidate.path) == "opencode.db" else 1
    return 2 if candidate.role == places.RECORD else 3


Hints = Mapping[tuple[str, str], Messages]
"""What the messages of sessions tell, by the database and the session's id."""


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> Hints:
    """Return what the messages of some sessions tell, each database asked once; see `Adapter.hints`."""
    by_database: dict[str, list[Source]] = defaultdict(list)
    for summary in summaries:
        source = summary.source
        assert isinstance(source, Source)
        if source.candidate.role == places.DATABASE:
            by_database[source.candidate.path].append(source)
    told: dict[tuple[str, str], Messages] = {}
    for path, sources in by_database.items():
        untitled = frozenset(source.row.id for source in sources if is_default_title(source.row.title))
        try:
            messages = database.read_messages(path, [source.row.id for source in sources], untitled)
        except (OSError, ValueError) as error:
            if not isinstance(error, OSError) or not files.is_absence(error):
                report(path, files.reason(error) if isinstance(error, OSError) else str(error))
            messages = {}
        told |= {(path, session): one for session, one in messages.items()}
    return told


def details(summary: Summary, hints: Hints, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of OpenCode's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    candidate, row = source.candidate, source.row
    if candidate.role == places.DATABASE:
        messages = hints.get((candidate.path, row.id))
    else:
        messages = _messages_of_record(candidate, row, report)
    models = tuple(messages.models) if messages is not None else ()
    if not models and row.model is not None:
        models = (row.model,)
    prompt = messages.first_prompt if messages is not None else None
    return Details(
        titles=(prompt, row.title),
        models=models,
        created=row.created,
        size_bytes=None if candidate.role == places.DATABASE else candidate.size,
        message_count=messages.count if messages is not None else None,
        resume_command=_resume(summary, source),
        extra=_extra(summary, source),
    )


def _messages_of_record(candidate: Candidate, row: Row, report: files.Report) -> Messages | None:
    hear, problems = files.heard(report)
    paths = _message_files(candidate, row.id, hear)
    if problems:
        return None
    messages = Messages(0, {}, None)
    read = [message for path in paths if (message := jsonl.small(path, MESSAGE)) is not None]
    read.sort(key=lambda message: message.begun or 0)  # ids begin anew every two years
    for message in read:
        if message.role not in ("user", "assistant"):
            continue
        messages.count += 1
        if message.role == "assistant":
            if model := message.answering_model:
                messages.models[model] = None
        elif messages.first_prompt is None and is_default_title(row.title):
            messages.first_prompt = message.own_text or _part_text(candidate, row.id, message.id)
    return messages


def _part_text(candidate: Candidate, session: str, message: str | None) -> str | None:
    if message is None or not files.is_name(message):
        return None
    entries = files.entries(places.part_folder(candidate, session, message), files.ignore)
    parts = (jsonl.small(entry.path, PART) for entry in entries)
    return text_of([part for part in parts if part is not None])


def _resume(summary: Summary, source: Source) -> str | None:
    if summary.kind == "subagent" or not source.can_resume:
        return None
    return resume.command(summary.project_dir, ("opencode", "--session", summary.uuid))


def _extra(summary: Summary, source: Source) -> dict[str, object]:
    row = source.row
    return {
        "archived": row.archived or None,
        "forked_from": row.forked_from,
        "agent_version": row.version,
        "subagent_type" if summary.kind == "subagent" else "mode": row.agent,
        "copies": list(source.copies) or None,
        "last_activity_source": "mtime" if row.last_activity is None else None,
    }
