"""Continue's sessions, out of session files and their index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from sesls.adapters import resume
from sesls.adapters.continue_cli import places, records
from sesls.adapters.continue_cli.records import Contents, Facts
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant
from sesls.paths import absolute_or_none, of_uri
from sesls.session import Candidate, Details, Summary

AGENT = "continue"


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session."""

    candidate: Candidate
    created: Instant | None


def summarise(candidate: Candidate) -> Facts | None:
    """Return what one file tells; see `Adapter.summarise`."""
    if candidate.role == places.INDEX:
        return records.read_index(candidate.path)
    return records.read_session(candidate.path) if candidate.size else None


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Continue's sessions, each once; see `Adapter.unite`.

    The index keeps what was deleted, so it adds no session; a fork is a copy that does not say so.
    """
    created: dict[str, Instant] = {}
    sessions: list[tuple[Candidate, Facts]] = []
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        if candidate.role == places.INDEX:
            created |= facts.created
        else:
            sessions.append((candidate, facts))
    for candidate, facts in sessions:
        session = places.session_id(candidate.path)
        first_saved = created.get(session)
        yield Summary(
            agent=AGENT,
            uuid=session,
            kind="agent",
            parent_uuid=None,
            project_dir=_project_dir(facts.directory),
            launch_surface=None,
            # The index is written some milliseconds after the file.
            last_activity=max(candidate.modified, first_saved or 0),
            path=candidate.path,
            source=Source(candidate, first_saved),
        )


def _project_dir(directory: str | None) -> str | None:
    return absolute_or_none(of_uri(directory) or directory) if directory else None


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: what the index tells is known from `unite`; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Continue's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    contents: Contents | None = None
    try:
        contents = read(summary.path, Contents(), records.add_all, can_grow=False)
    except OSError as error:
        files.failed(summary.path, error, report)
    count = contents.messages if contents is not None else None
    contents = contents or Contents()
    return Details(
        titles=(contents.titles.get("title"), contents.titles.get("first prompt")),
        models=tuple(contents.models),
        created=source.created,
        size_bytes=source.candidate.size,
        message_count=count,
        # `cn --resume` opens only the newest session; by its id one is opened as a copy.
        resume_command=resume.command(summary.project_dir, ("cn", "--fork", summary.uuid)),
        extra={"mode": contents.mode, "last_activity_source": "mtime"},
    )
