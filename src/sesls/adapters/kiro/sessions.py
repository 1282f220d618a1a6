"""Kiro's sessions: records, journals and rows united by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from sesls.adapters import databases, resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.kiro import database, places, records
from sesls.adapters.kiro.records import Contents, Facts, Row
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "kiro"

# The newest kind of store first: Kiro converts sessions, and leaves the old ones where they were.
_GENERATIONS = (places.SESSION, places.RECORD, places.JOURNAL, places.DATABASE)


class Place(msgspec.Struct, frozen=True):
    """A place where a session was found."""

    candidate: Candidate
    row: Row
    title: str | None
    last_activity: Instant | None


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: where it was found, what all places tell, and the other places."""

    place: Place
    title: str | None
    is_timed: bool
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> Facts | None:
    """Return what one file tells; see `Adapter.summarise`."""
    if candidate.role == places.DATABASE:
        return Facts(database.read_rows(candidate.path))
    if candidate.role == places.JOURNAL:
        return records.read_journal(candidate)
    return records.read_session(candidate) if candidate.role == places.SESSION else records.read_record(candidate)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Kiro's sessions, each once; see `Adapter.unite`. A journal belongs to the record of the same name."""
    journals: dict[str, tuple[Candidate, Row]] = {}
    others: list[tuple[Candidate, Facts]] = []
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        if candidate.role == places.JOURNAL:
            journals[places.stem(candidate.path)] = (candidate, facts.rows[0])
        else:
            others.append((candidate, facts))
    found: dict[str, list[Place]] = defaultdict(list)
    for candidate, facts in others:
        journal = journals.pop(places.stem(candidate.path), None) if candidate.role == places.RECORD else None
        for row in facts.rows:
            moments = [row.last_activity, journal[1].last_activity if journal is not None else None]
            last = max((moment for moment in moments if moment is not None), default=None)
            found[row.id].append(Place(candidate, row, facts.titles.get("title"), last))
    for candidate, row in journals.values():
        found[row.id].append(Place(candidate, row, None, row.last_activity))
    for session_places in found.values():
        session_places.sort(key=_rank)
        yield _session(session_places)


def _rank(place: Place) -> tuple[int, Instant, str]:
    return _GENERATIONS.index(place.candidate.role), -(place.last_activity or 0), place.candidate.path


def _session(found: Sequence[Place]) -> Summary:
    place = found[0]
    parent = next((one.row.parent_id for one in found if one.row.parent_id), None)
    directory = next((one.row.cwd for one in found if one.row.cwd), None)
    last = max((one.last_activity for one in found if one.last_activity is not None), default=None)
    return Summary(
        agent=AGENT,
        uuid=place.row.id,
        kind="agent" if parent is None else "subagent",
        parent_uuid=parent,
        project_dir=absolute_or_none(directory),
        launch_surface=None,
        last_activity=place.candidate.last_activity(last),
        path=place.candidate.path,
        source=Source(
            place,
            title=next((one.title for one in found if one.title), None),
            is_timed=last is not None,
            copies=tuple(other.candidate.path for other in found[1:]),
        ),
    )


Hints = Mapping[tuple[str, str], Contents]


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> Hints:
    """Return what the messages of sessions that are rows tell, each database asked once; see `Adapter.hints`."""
    rows = [
        one
        for one in summaries
        if isinstance(one.source, Source) and one.source.place.candidate.role == places.DATABASE
    ]
    return databases.told_of(rows, database.read_contents, report)


def details(summary: Summary, hints: Hints, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Kiro's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    place = source.place
    candidate, row = place.candidate, place.row
    size: int | None = None
    if candidate.role == places.DATABASE:
        contents = hints.get((summary.path, summary.uuid))
    else:
        messages = places.messages_file(candidate)
        contents = _contents(messages, report, read)
        status = files.status(messages)
        size = status.st_size if status is not None else None
    models = tuple(filter(records.model_or_none, contents.models)) if contents is not None else ()
    return Details(
        titles=(source.title, contents.titles.get("first prompt") if contents is not None else None),
        models=models or ((row.model,) if row.model else ()),
        created=row.created,
        size_bytes=size,
        message_count=contents.messages if contents is not None else None,
        resume_command=_resume(summary, candidate),
        extra={
            "copies": list(source.copies) or None,
            "last_activity_source": None if source.is_timed else "mtime",
        },
    )


def _contents(path: str, report: files.Report, read: Reader) -> Contents | None:
    try:
        return read(path, Contents(), records.add_lines)
    except OSError as error:
        files.failed(path, error, report)
        return None


def _resume(summary: Summary, candidate: Candidate) -> str | None:
    # Descriptions disagree on how a session of 3.0 is reopened; a journal alone is never opened.
    if summary.kind == "subagent" or candidate.role in (places.SESSION, places.JOURNAL):
        return None
    return resume.command(summary.project_dir, ("kiro-cli", "chat", "--resume-id", summary.uuid))
