"""Cursor's sessions: chats and transcripts united by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from sesls.adapters import resume
from sesls.adapters.cursor import places, transcript
from sesls.adapters.cursor.store import read_store
from sesls.adapters.cursor.transcript import Contents
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant, from_file_time, instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "cursor"

# The file that holds a session, before those that only tell of it.
_ORDER = (places.STORE, places.TRANSCRIPT, places.SPAWNED, places.SIDECAR)
_DEFAULT_NAME = "New Agent"
# The choice to let Cursor choose, which is no model.
_NO_MODELS = frozenset({"", "auto", "default"})


class _Sidecar(msgspec.Struct, rename="camel"):
    """A `meta.json`."""

    title: str | None = None
    cwd: str | None = None
    created_at_ms: float | None = None
    updated_at_ms: float | None = None
    has_conversation: bool | None = None
    is_subagent: bool | None = None


_SIDECARS = msgspec.json.Decoder(_Sidecar)


class Facts(msgspec.Struct, frozen=True):
    """What one file tells of its session."""

    has_conversation: bool = True
    is_subagent: bool = False
    cwd: str | None = None
    created: Instant | None = None
    last_activity: Instant | None = None
    written: Instant | None = None
    """When the file was last written, its log of changes included, where the candidate's own time does not tell."""
    model: str | None = None
    titles: dict[Literal["title", "name"], str] = msgspec.field(default_factory=dict)


File = tuple[Candidate, Facts]


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a session: the files that tell of it, that which holds it first."""

    files: tuple[File, ...]
    is_timed: bool


def summarise(candidate: Candidate) -> Facts | None:
    """Return what one file tells; see `Adapter.summarise`."""
    if candidate.role == places.STORE:
        return _store(candidate)
    if candidate.role == places.SIDECAR:
        return _sidecar(candidate)
    if transcript.is_transcript(candidate.path):
        return Facts(is_subagent=candidate.role == places.SPAWNED)
    if candidate.size:
        raise ValueError("holds no readable record")
    return None


def _store(candidate: Candidate) -> Facts | None:
    found = read_store(candidate.path)
    if found is None:
        return None
    meta, workspaces = found
    log = files.status(candidate.path + "-wal")
    return Facts(
        # One may have been used in several workspaces; the folder's name proves which one it lies with.
        cwd=next((path for path in workspaces if places.is_hash_of(candidate, path)), None),
        created=instant(meta.created_at),
        written=from_file_time(log.st_mtime_ns) if log is not None and log.st_size else None,
        model=None if (meta.last_used_model or "") in _NO_MODELS else meta.last_used_model,
        titles={"name": meta.name} if meta.name else {},
    )


def _sidecar(candidate: Candidate) -> Facts:
    sidecar = jsonl.whole_file(candidate.path, _SIDECARS)
    if sidecar is None:
        raise ValueError("is no readable record of a session")
    return Facts(
        has_conversation=sidecar.has_conversation is True,
        is_subagent=sidecar.is_subagent is True,
        cwd=sidecar.cwd,
        created=instant(sidecar.created_at_ms),
        last_activity=instant(sidecar.updated_at_ms),
        titles={"title": sidecar.title} if sidecar.title else {},
    )


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Cursor's sessions, each once; see `Adapter.unite`. A chat in which nothing was said yet is none."""
    found: dict[str, list[File]] = defaultdict(list)
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        found[places.session_id(candidate)].append((candidate, facts))
    for session, own in found.items():
        if any(facts.has_conversation for _, facts in own):
            own.sort(key=lambda file: (_ORDER.index(file[0].role), -_written(file), file[0].path))
            yield _session(session, own)


def _written(file: File) -> Instant:
    candidate, facts = file
    return max(candidate.modified, facts.written or 0)


def _session(session: str, own: Sequence[File]) -> Summary:
    parent = next((parent for candidate, _ in own if (parent := places.parent_id(candidate)) is not None), None)
    directories = (absolute_or_none(facts.cwd) for candidate, facts in own)
    moments = [facts.last_activity for _, facts in own if facts.last_activity is not None]
    return Summary(
        agent=AGENT,
        uuid=session,
        kind="subagent" if any(facts.is_subagent for _, facts in own) else "agent",
        parent_uuid=parent,
        project_dir=next(filter(None, directories), None),
        launch_surface=None,
        last_activity=max(moments) if moments else max(map(_written, own)),
        path=own[0][0].path,
        source=Source(tuple(own), is_timed=bool(moments)),
    )


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session is in its own files; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Cursor's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    main = source.files[0][0]
    contents = _contents(source, report, read)
    titles = {kind: title for _, facts in reversed(source.files) for kind, title in facts.titles.items()}
    name = titles.get("name")
    return Details(
        titles=(
            titles.get("title"),
            None if name == _DEFAULT_NAME else name,
            contents.titles.get("first prompt") if contents is not None else None,
            name,
        ),
        models=tuple(dict.fromkeys(facts.model for _, facts in source.files if facts.model)),
        created=next((facts.created for _, facts in source.files if facts.created is not None), None),
        size_bytes=main.size,
        message_count=contents.messages if contents is not None else None,
        resume_command=_resume(summary, main),
        extra={
            "copies": [one.path for one, _ in source.files[1:] if one.role == main.role] or None,
            "last_activity_source": None if source.is_timed else "mtime",
        },
    )


def _contents(source: Source, report: files.Report, read: Reader) -> Contents | None:
    """Return what a session's transcript tells, that of JSON lines before that in plain text; None without one."""
    paths = [one.path for one, _ in source.files if one.role in (places.TRANSCRIPT, places.SPAWNED)]
    path = next(iter(sorted(paths, key=lambda path: path.endswith(".txt"))), None)
    if path is None:
        return None
    try:
        # A prompt in plain text may go on in what is added.
        return read(path, Contents(), transcript.add_lines, can_grow=not path.endswith(".txt"))
    except OSError as error:
        files.failed(path, error, report)
        return None


def _resume(summary: Summary, main: Candidate) -> str | None:
    # A transcript alone is the IDE's, or that of a chat that is gone; chats are opened from their directory.
    if summary.kind == "subagent" or main.role != places.STORE or summary.project_dir is None:
        return None
    return resume.command(summary.project_dir, ("cursor-agent", "--resume", summary.uuid))
