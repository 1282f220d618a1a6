"""Hermes Agent's sessions: databases, and files of older builds, united by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from sesls import text
from sesls.adapters import databases, resume
from sesls.adapters.hermes import database, places, records
from sesls.adapters.hermes.database import Messages, Row
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import local_instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "hermes"


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its row, and where that was found."""

    candidate: Candidate
    row: Row
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> tuple[Row, ...] | Row | None:
    """Return the sessions of a database, or the one of a file; see `Adapter.summarise`."""
    if candidate.role == places.DATABASE:
        return database.read_rows(candidate.path)
    return _read_snapshot(candidate.path) if candidate.role == places.SNAPSHOT else _read_log(candidate.path)


def _read_snapshot(path: str) -> Row | None:
    snapshot = records.read_snapshot(path)
    turns = [message for message in snapshot.messages if records.is_turn(message)]
    if not turns or snapshot.session_id is None:
        return None
    started = local_instant(snapshot.session_start)
    prompt = _first_prompt(turns)
    return Row(
        id=snapshot.session_id,
        created=started,
        last_activity=local_instant(snapshot.last_updated) or started,
        titles={"first prompt": prompt} if prompt is not None else {},
        model=snapshot.model,
        source=snapshot.platform,
        messages=len(turns),
    )


def _read_log(path: str) -> Row | None:
    session = places.id_in_name(path)
    messages = records.read_ends(path)
    if session is None or not any(map(records.is_turn, messages)):
        return None
    moments = [moment for message in messages if (moment := local_instant(message.timestamp)) is not None]
    prompt = _first_prompt(messages)
    return Row(
        id=session,
        created=moments[0] if moments else None,
        last_activity=max(moments, default=None),
        titles={"first prompt": prompt} if prompt is not None else {},
        model=next((message.model for message in messages if message.model), None),
    )


def _first_prompt(messages: Sequence[records.Message]) -> str | None:
    prompts = (records.text_of(message.content) for message in messages if message.role == "user")
    return next(filter(None, prompts), None)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Hermes Agent's sessions, each once; see `Adapter.unite`."""
    found: dict[str, list[tuple[Candidate, Row]]] = defaultdict(list)
    for candidate, facts in findings:
        for row in facts if isinstance(facts, tuple) else (facts,):
            assert isinstance(row, Row)
            found[row.id].append((candidate, row))
    for session, copies in found.items():
        yield _session(session, copies)


def _session(session: str, copies: list[tuple[Candidate, Row]]) -> Summary:
    # A file beside the database tells less than the database, whatever its time.
    copies.sort(key=lambda copy: (_generation(copy[0]), -(copy[1].last_activity or 0), copy[0].path))
    candidate, row = copies[0]
    return Summary(
        agent=AGENT,
        uuid=session,
        kind="subagent" if row.is_subagent else "agent",
        parent_uuid=row.parent,
        project_dir=absolute_or_none(row.directory),
        launch_surface=None,
        last_activity=candidate.last_activity(row.last_activity),
        path=candidate.path,
        source=Source(candidate, row, tuple(other.path for other, _ in copies[1:])),
    )


def _generation(candidate: Candidate) -> int:
    """Return a number that is the lower the newer the kind of file is."""
    return (places.DATABASE, places.SNAPSHOT, places.LOG).index(candidate.role)


Hints = Mapping[tuple[str, str], Messages]
"""What the messages of sessions tell, by the database and the session's id."""


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> Hints:
    """Return what the messages of some sessions tell, each database asked once; see `Adapter.hints`."""
    asked: list[Summary] = []
    untitled: set[str] = set()
    for summary in summaries:
        source = summary.source
        assert isinstance(source, Source)
        if source.candidate.role == places.DATABASE:
            asked.append(summary)
            if not text.is_visible(source.row.titles.get("title", "")):
                untitled.add(summary.uuid)
    return databases.told_of(asked, partial(database.messages, frozenset(untitled)), report)


def details(summary: Summary, hints: Hints, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Hermes Agent's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    candidate, row = source.candidate, source.row
    count, prompt, models = row.messages, row.titles.get("first prompt"), tuple[str, ...]()
    if candidate.role == places.DATABASE:
        messages = hints.get((candidate.path, row.id), Messages())
        count, prompt, models = messages.count, messages.first_prompt, tuple(messages.models)
    elif candidate.role == places.LOG:
        count = _messages_of_log(candidate.path, report)
    if not models and row.model is not None:
        models = (row.model,)
    return Details(
        titles=(row.titles.get("title"), prompt),
        models=models,
        created=row.created,
        size_bytes=None if candidate.role == places.DATABASE else candidate.size,
        message_count=count,
        resume_command=_resume(summary, candidate),
        extra={
            "source": row.source,
            "archived": row.archived or None,
            "forked_from": row.forked_from,
            "continues": row.continues,
            "git_branch": row.git_branch,
            "profile": places.profile(candidate),
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if row.last_activity is None else None,
        },
    )


def _messages_of_log(path: str, report: files.Report) -> int | None:
    try:
        return sum(map(records.is_turn, records.read_log(path)))
    except OSError as error:
        files.failed(path, error, report)
        return None


def _resume(summary: Summary, candidate: Candidate) -> str | None:
    # `hermes` looks into its database alone.
    if summary.kind == "subagent" or candidate.role != places.DATABASE:
        return None
    profile = places.profile(candidate)
    chosen = ("--profile", profile) if profile is not None else ()
    return resume.command(summary.project_dir, ("hermes", *chosen, "--resume", summary.uuid))
