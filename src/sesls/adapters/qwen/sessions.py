"""Qwen Code's sessions, out of the files that tell of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.qwen import places, transcript
from sesls.adapters.qwen.transcript import Contents, Ends
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "qwen"

File = tuple[Candidate, Ends]


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: its file, and what both ends of it tell."""

    candidate: Candidate
    ends: Ends
    copies: tuple[str, ...]


class _Meta(msgspec.Struct, rename="camel"):
    """`agent-<id>.meta.json`: what is known of a subagent."""

    agent_type: str | None = None
    description: str | None = None
    parent_session_id: str | None = None
    parent_agent_id: str | None = None
    """The subagent that spawned it, where it was none of the session's own."""
    model: str | None = None
    """Its records name none."""
    status: str | None = None
    depth: int | None = None


_META = msgspec.json.Decoder(_Meta)


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells; see `Adapter.summarise`."""
    is_old = candidate.role == places.CONVERSATION
    return transcript.read_old_ends(candidate.path) if is_old else transcript.read_ends(candidate.path)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Qwen Code's sessions, each once; see `Adapter.unite`. A subagent's id is unique within its session."""
    sessions: dict[tuple[str, str | None], list[File]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        # A session's name is its id, whatever its records say: a fork's may be those of its source.
        identity = None if candidate.role in (places.SESSION, places.ARCHIVED) else ends.id
        parent = places.parent_id(candidate.path) if candidate.role == places.SUBAGENT else None
        sessions[identity or places.id_in_name(candidate.path), parent].append((candidate, ends))
    for (identity, parent), copies in sessions.items():
        yield _session(identity, parent, copies)


def _session(identity: str, parent: str | None, copies: list[File]) -> Summary:
    copies.sort(key=lambda file: (-_activity(file), file[0].role == places.ARCHIVED, file[0].path))
    candidate, ends = copies[0]
    parent = parent or ends.spawner
    return Summary(
        agent=AGENT,
        uuid=identity,
        kind="agent" if parent is None else "subagent",
        parent_uuid=parent,
        project_dir=absolute_or_none(ends.cwd),
        launch_surface=None,
        last_activity=_activity(copies[0]),
        path=candidate.path,
        source=Source(candidate, ends, tuple(copy.path for copy, _ in copies[1:])),
    )


def _activity(file: File) -> Instant:
    candidate, ends = file
    return candidate.last_activity(ends.last_activity)


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own files; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Qwen Code's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    contents = _contents(source.candidate, read, report)
    count = contents.messages if contents is not None else None
    contents = contents or Contents()
    role = source.candidate.role
    meta = _Meta()
    if role == places.SUBAGENT:
        meta = jsonl.small(summary.path.removesuffix(".jsonl") + ".meta.json", _META) or meta
    return Details(
        titles=(
            meta.description,
            contents.titles.get("custom"),
            contents.titles.get("first prompt"),
            contents.titles.get("goal"),
        ),
        parent_uuid=meta.parent_agent_id or meta.parent_session_id,
        models=tuple(contents.models) or ((meta.model,) if meta.model else ()),
        created=contents.created,
        size_bytes=source.candidate.size,
        message_count=count,
        resume_command=_resume(summary, source.candidate, environment),
        extra={
            **contents.facts,
            "git_branch": contents.titles.get("git branch"),
            "archived": role == places.ARCHIVED or None,
            "subagent_type": meta.agent_type,
            "subagent_status": meta.status,
            "spawn_depth": meta.depth,
            "copies": list(source.copies) or None,
            "last_activity_source": "mtime" if source.ends.last_activity is None else None,
        },
    )


def _contents(candidate: Candidate, read: Reader, report: files.Report) -> Contents | None:
    is_old = candidate.role == places.CONVERSATION
    add = transcript.add_conversation if is_old else transcript.add_records
    try:
        return read(candidate.path, Contents(), add, can_grow=not is_old)
    except OSError as error:
        files.failed(candidate.path, error, report)
    except ValueError as error:  # damaged since the first reading
        report(candidate.path, str(error))
    return None


def _resume(summary: Summary, candidate: Candidate, environment: Environment) -> str | None:
    # It refuses archived sessions, those of other directories, and those of old builds (0.24).
    if candidate.role != places.SESSION or summary.project_dir is None:
        return None
    words: tuple[str, ...] = ("qwen", "--resume", summary.uuid)
    if not places.is_in_force(candidate.store, environment):
        words = ("env", f"QWEN_RUNTIME_DIR={places.base_of(candidate.store)}", *words)
    return resume.command(summary.project_dir, words)
