"""Codex's sessions, out of rollouts, names and the state database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sesls.adapters import resume
from sesls.adapters.codex import places, rollout, state
from sesls.adapters.codex.records import Payload
from sesls.adapters.codex.rollout import Contents, Ends
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files
from sesls.instants import Instant
from sesls.paths import absolute_or_none
from sesls.session import Candidate, Details, Summary

AGENT = "codex"


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a thread: its files, the one in use first."""

    files: tuple[tuple[Candidate, Ends], ...]
    """Each segment once; a segment is a later file of the same thread (from about 0.162)."""
    copies: tuple[str, ...]


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells; see `Adapter.summarise`."""
    return rollout.read_ends(candidate.path)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Codex's threads, each once; see `Adapter.unite`."""
    threads: dict[str, list[tuple[Candidate, Ends]]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        threads[ends.thread_id].append((candidate, ends))
    directories = state.directories(environment, report) if threads else {}
    for thread, own in threads.items():
        yield _thread(thread, own, directories.get(thread))


def _thread(thread: str, own: list[tuple[Candidate, Ends]], known_dir: str | None) -> Summary:
    own.sort(key=_preference)
    segments: dict[str | None, tuple[Candidate, Ends]] = {}
    for candidate, ends in own:
        segments.setdefault(ends.segment_id, (candidate, ends))
    chosen = tuple(segments.values())
    candidate, ends = chosen[0]
    header = ends.header
    directories = (known_dir, ends.settings_cwd, header.cwd, ends.other_cwd)
    used = {file.path for file, _ in chosen}
    return Summary(
        agent=AGENT,
        uuid=thread,
        kind="subagent" if _is_subagent(header) else "agent",
        parent_uuid=_parent(header),
        project_dir=next(filter(None, map(absolute_or_none, directories)), None),
        launch_surface=header.originator,
        last_activity=_activity(candidate, ends),
        path=candidate.path,
        source=Source(chosen, tuple(file.path for file, _ in own if file.path not in used)),
    )


def _preference(file: tuple[Candidate, Ends]) -> tuple[int, bool, bool, str]:
    """Sort the file in use first: the newest, and of equals the active and the plain one."""
    candidate, ends = file
    return (
        -_activity(candidate, ends),
        candidate.role == places.ARCHIVED,
        candidate.path.endswith(places.COMPRESSED),
        candidate.path,
    )


def _activity(candidate: Candidate, ends: Ends) -> Instant:
    return candidate.last_activity(ends.last_activity)


def _is_subagent(header: Payload) -> bool:
    """Tell whether a thread was spawned: its source is an object with one of two keys (from 0.58)."""
    return isinstance(header.source, dict) and bool(header.source.keys() & {"subagent", "internal"})


def _spawn(header: Payload) -> dict[str, Any]:
    """Return what the source of a spawned thread says of its spawning (from 0.90)."""
    value: Any = header.source
    for key in ("subagent", "thread_spawn"):
        value = value.get(key) if isinstance(value, dict) else None
    spawn = value if isinstance(value, dict) else {}
    # What has another type than Codex gives it says nothing.
    return {key: item for key, item in spawn.items() if type(item) is (int if key == "depth" else str)}


def _parent(header: Payload) -> str | None:
    # A field of its own from about 0.140. A fork's `forked_from_id` is no parent.
    parent = header.parent_thread_id or _spawn(header).get("parent_thread_id")
    return parent if isinstance(parent, str) and _is_subagent(header) else None


class Hints(msgspec.Struct, frozen=True):
    """What the index of names and the state database tell of threads, by their ids."""

    names: Mapping[str, str]
    rows: Mapping[str, state.Thread]
    parents: Mapping[str, str]


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> Hints:
    """Return what stands beside the rollouts of some threads; see `Adapter.hints`."""
    ids = [summary.uuid for summary in summaries]
    return Hints(
        names=state.index_names(ids, environment, report),
        rows=state.threads(ids, environment, report),
        parents=state.parents(ids, environment, report),
    )


def details(summary: Summary, hints: Hints, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Codex's threads; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    chain = _chain(source)
    found = [_read(candidate, ends, report, read) for candidate, ends in chain]
    contents = [one or Contents() for one in found]
    candidate, ends = source.files[0]
    header = ends.header
    is_archived = candidate.role == places.ARCHIVED
    continues_another = header.history_base is not None
    starts = [one.created for _, one in source.files if one.created is not None]
    return Details(
        titles=_titles(header, hints.names.get(summary.uuid), hints.rows.get(summary.uuid), contents),
        parent_uuid=hints.parents.get(summary.uuid)
        if summary.kind == "subagent" and summary.parent_uuid is None
        else None,
        models=tuple(dict.fromkeys(model for one in contents for model in one.models)),
        created=min(starts, default=None),
        size_bytes=candidate.size,
        message_count=None if continues_another or found[-1] is None else contents[-1].message_count,
        resume_command=_resume(summary, is_archived) if summary.kind == "agent" and _can_resume(ends) else None,
        extra=_extra(header, source, is_archived, ends),
    )


def _chain(source: Source) -> list[tuple[Candidate, Ends]]:
    """Return the files that make up a thread as it stands now, the oldest first.

    A segment names the one it continues; without that it replaced the thread's first turn.
    """
    by_id = {ends.segment_id or ends.thread_id: (candidate, ends) for candidate, ends in source.files}
    chain = [source.files[0]]
    del by_id[chain[0][1].segment_id or chain[0][1].thread_id]
    while (base := chain[-1][1].header.history_base) is not None:
        earlier = by_id.pop(base.thread_id or "", None)
        if earlier is None:
            break
        chain.append(earlier)
    chain.reverse()
    return chain


def _read(candidate: Candidate, ends: Ends, report: files.Report, read: Reader) -> Contents | None:
    try:
        return rollout.read_contents(candidate.path, ends.header.subagent_history_start_ordinal or 0, read)
    except OSError as error:
        files.failed(candidate.path, error, report)
        return None


def _titles(
    header: Payload, index_name: str | None, row: state.Thread | None, contents: Sequence[Contents]
) -> tuple[str | None, ...]:
    """Return a thread's titles as Codex shows them: its name, else what was asked for first."""
    spawn = _spawn(header)
    agent_path = header.agent_path or spawn.get("agent_path")
    task = agent_path.rpartition("/")[2] if isinstance(agent_path, str) else None
    nickname = header.agent_nickname or spawn.get("agent_nickname")
    return (
        _name(header, row),
        index_name,
        contents[-1].titles.get("name"),
        # A fork's preview is what its source was asked for.
        row.preview if row is not None and header.forked_from_id is not None else None,
        *(one.request for one in contents),
        task,
        nickname if isinstance(nickname, str) else None,
    )


def _name(header: Payload, row: state.Thread | None) -> str | None:
    """Return the name that the database holds.

    A paginated thread has a column for it; a legacy one's title is its first message until it gets a name.
    """
    if row is None:
        return None
    if row.name or header.history_mode == "paginated":
        return row.name or None
    if row.title is None or row.first_user_message is None or row.title.strip() == row.first_user_message.strip():
        return None
    return row.title.strip() or None


def _can_resume(ends: Ends) -> bool:
    """Tell whether Codex reads the rollout: not a bare one, nor a save, nor one that lost its header."""
    return ends.is_wrapped and ends.header.id is not None


def _resume(summary: Summary, is_archived: bool) -> str | None:
    steps = [("codex", "unarchive", summary.uuid)] if is_archived else []
    return resume.command(summary.project_dir, *steps, ("codex", "resume", summary.uuid))


def _extra(header: Payload, source: Source, is_archived: bool, ends: Ends) -> dict[str, object]:
    spawn = _spawn(header)
    return {
        "archived": is_archived or None,
        "forked_from": header.forked_from_id if not _is_subagent(header) else None,
        "source": header.source if isinstance(header.source, str | dict) else None,
        "thread_source": header.thread_source,
        "model_provider": header.model_provider,
        "agent_version": header.cli_version,
        "git_branch": header.git.branch if header.git is not None else None,
        "subagent_type": header.agent_role or spawn.get("agent_role") or spawn.get("agent_type"),
        "nickname": header.agent_nickname or spawn.get("agent_nickname"),
        "agent_path": header.agent_path or spawn.get("agent_path"),
        "spawn_depth": spawn.get("depth"),
        "attached": header.attached_thread or None,
        "segments": [file.path for file, _ in source.files[1:]] or None,
        "copies": list(source.copies) or None,
        "last_activity_source": "mtime" if ends.last_activity is None else None,
    }
