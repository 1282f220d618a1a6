"""Antigravity's conversations, out of databases, encrypted files, logs, artifacts and what the indexes say of them."""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from sesls.adapters import resume
from sesls.adapters.antigravity import database, index, log, places
from sesls.adapters.antigravity.database import Trajectory
from sesls.adapters.antigravity.index import Entry, Index
from sesls.adapters.interface import Finding, Reader
from sesls.environment import Environment
from sesls.formats import files, jsonl
from sesls.instants import Instant, instant
from sesls.paths import absolute_or_none, of_uri
from sesls.session import Candidate, Details, Summary

AGENT = "antigravity"

_SMALL_FILE = 1 << 20
_ARTIFACT_START = 64 << 10
# A field in the text form of a protocol buffer. Texts are taken whole, so that nothing in them looks like a field.
_FIELD = re.compile(r"""(?<!\w)(\w++)\s*+:\s*+("(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'|[^\s"'{}]++)""", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_HEADING = re.compile(r"^# +(\S.*)$", re.MULTILINE)
_HEX_ID = re.compile(r"[0-9a-f]{32}", re.IGNORECASE)
# What people write first, by what it is most often about.
_ARTIFACTS = ("task.md", "implementation_plan.md", "walkthrough.md")


class _Descriptor(msgspec.Struct, rename="camel"):
    type_name: str | None = None
    role: str | None = None


class _Note(msgspec.Struct, rename="camel"):
    subagent_descriptor: _Descriptor | None = None


class _ArtifactMetadata(msgspec.Struct, rename="camel"):
    updated_at: str | None = None


class _AcpMetadata(msgspec.Struct):
    cwd: str | None = None


_NOTE = msgspec.json.Decoder(_Note)
_ARTIFACT_METADATA = msgspec.json.Decoder(_ArtifactMetadata)
_ACP_METADATA = msgspec.json.Decoder(_AcpMetadata)


class Facts(msgspec.Struct, frozen=True):
    """What the first reading of one file tells."""

    trajectory: Trajectory | None = None
    log: log.Ends | None = None
    artifact_activity: Instant | None = None
    acp_dir: str | None = None
    titles: dict[str, str] = msgspec.field(default_factory=dict)
    """What people and agents wrote: `role` and `type` of a subagent, `branch`."""

    @property
    def last_activity(self) -> Instant | None:
        """The latest moment that the file itself records."""
        moments = (
            self.trajectory.last_activity if self.trajectory is not None else None,
            self.log.last_activity if self.log is not None else None,
        )
        return max(filter(None, moments), default=None)


class Source(msgspec.Struct, frozen=True):
    """What `details` needs to know of a conversation: all its files, the best one first, and what indexes say."""

    files: tuple[tuple[Candidate, Facts], ...]
    entries: tuple[Entry, ...]
    note: dict[str, str]
    first_prompt: str | None
    has_own_time: bool


def summarise(candidate: Candidate) -> Facts:
    """Return what one file tells; see `Adapter.summarise`."""
    if candidate.role == places.DATABASE:
        acp = jsonl.small(candidate.path.removesuffix(".db") + ".meta", _ACP_METADATA)
        trajectory, titles = database.read_trajectory(candidate.path)
        return Facts(trajectory=trajectory, acp_dir=acp.cwd if acp is not None else None, titles=titles)
    if candidate.role == places.LOG:
        return Facts(log=log.read_ends(candidate.path))
    if candidate.role == places.ARTIFACT:
        return Facts(artifact_activity=_artifact_activity(os.path.dirname(candidate.path)))
    if candidate.role == places.SUBAGENT_NOTE:
        note = jsonl.small(candidate.path, _NOTE)
        descriptor = (note.subagent_descriptor if note is not None else None) or _Descriptor()
        texts = {"role": descriptor.role, "type": descriptor.type_name}
        return Facts(titles={name: text for name, text in texts.items() if text is not None})
    return Facts()


def _artifact_activity(folder: str) -> Instant | None:
    """Return when an artifact was last written, as the files beside the artifacts say."""
    entries = files.entries(folder, files.ignore)
    sides = (jsonl.small(entry.path, _ARTIFACT_METADATA) for entry in entries if entry.name.endswith(".metadata.json"))
    return max(filter(None, (instant(side.updated_at) for side in sides if side is not None)), default=None)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Antigravity's conversations, each once; see `Adapter.unite`."""
    found: dict[str, list[tuple[Candidate, Facts]]] = defaultdict(list)
    notes: dict[str, tuple[str, dict[str, str]]] = {}
    for candidate, facts in findings:
        assert isinstance(facts, Facts)
        conversation = places.conversation_id(candidate)
        if candidate.role == places.SUBAGENT_NOTE:
            notes[conversation] = (places.noting_id(candidate), facts.titles)
        else:
            found[conversation].append((candidate, facts))
    known = index.read(environment, report) if found else Index()
    for conversation, own in found.items():
        yield _conversation(conversation, own, notes.get(conversation, (None, {})), known)


def _conversation(
    conversation: str,
    own: list[tuple[Candidate, Facts]],
    noted: tuple[str | None, dict[str, str]],
    known: Index,
) -> Summary:
    own.sort(key=_preference(own))
    candidate, _ = own[0]
    entries = known.entries.get(conversation, [])
    trajectory = next((facts.trajectory for _, facts in own if facts.trajectory is not None), None)
    parents = _parents(own, entries, noted[0])
    parent = next((one for one in parents if one and one != conversation), None)
    is_subagent = parent is not None or (trajectory is not None and trajectory.source == database.SOURCE_SUBAGENT)
    recorded = [facts.last_activity for _, facts in own] + [entry.last_activity for entry in entries]
    artifacts = [facts.artifact_activity for _, facts in own]
    moments = list(filter(None, recorded)) or list(filter(None, artifacts))
    return Summary(
        agent=AGENT,
        uuid=conversation,
        kind="subagent" if is_subagent else "agent",
        parent_uuid=parent,
        project_dir=_project_dir(conversation, own, entries, known),
        launch_surface=_surface(conversation, candidate, trajectory, entries),
        last_activity=max(moments, default=None) or max(file.modified for file, _ in own),
        path=candidate.path,
        source=Source(
            tuple(own), tuple(entries), noted[1], known.first_prompts.get(conversation), has_own_time=bool(moments)
        ),
    )


_ORDER = (places.DATABASE, places.ENCRYPTED, places.LOG, places.ARTIFACT)


def _preference(
    own: Iterable[tuple[Candidate, Facts]],
) -> Callable[[tuple[Candidate, Facts]], tuple[bool, int, int, str]]:
    """Sort databases first, then the files of the root in which there was activity last."""
    newest: dict[str, int] = defaultdict(int)
    for candidate, facts in own:
        activity = facts.last_activity or facts.artifact_activity or candidate.modified
        newest[candidate.store.path] = max(newest[candidate.store.path], activity)

    def key(file: tuple[Candidate, Facts]) -> tuple[bool, int, int, str]:
        candidate, _ = file
        order = _ORDER.index(candidate.role)
        return candidate.role != places.DATABASE, -newest[candidate.store.path], order, candidate.path

    return key


def _parents(
    own: Sequence[tuple[Candidate, Facts]], entries: Iterable[Entry], noting: str | None
) -> tuple[str | None, ...]:
    trajectories = [facts.trajectory for _, facts in own if facts.trajectory is not None]
    return (
        *(trajectory.parent_id for trajectory in trajectories),
        *(entry.parent_id for entry in entries),
        noting,
        *(trajectory.sender for trajectory in trajectories),
        *(facts.log.sender for _, facts in own if facts.log is not None),
    )


def _project_dir(
    conversation: str, own: Sequence[tuple[Candidate, Facts]], entries: Sequence[Entry], known: Index
) -> str | None:
    """Return where a conversation ran: where it was started, else its workspace, else its project's folder."""
    trajectories = [facts.trajectory for _, facts in own if facts.trajectory is not None]
    launched = (known.launch_dirs.get(conversation), known.last_dirs.get(conversation))
    acp = (facts.acp_dir for _, facts in own)
    workspaces = [uri for trajectory in trajectories for uri in trajectory.workspaces]
    workspaces += [uri for entry in entries for uri in entry.workspaces]
    projects = [trajectory.project_id for trajectory in trajectories] + [entry.project_id for entry in entries]
    folders = [known.projects.get(project) for project in projects if project is not None]
    everything = (*launched, *acp, *map(of_uri, workspaces), *(of_uri(uri) for uri in folders if uri))
    return next((place for path in everything if (place := absolute_or_none(path)) is not None), None)


def _surface(conversation: str, candidate: Candidate, trajectory: Trajectory | None, entries: Iterable[Entry]) -> str:
    """Return the product by its root; the shared one is the IDE's unless the store proves another."""
    if candidate.store.role != places.SHARED:
        return candidate.store.role
    source = trajectory.source if trajectory is not None else None
    if source == database.SOURCE_SDK or _HEX_ID.fullmatch(conversation):
        return "antigravity-sdk"
    if source == database.SOURCE_HUB or any(entry.is_desktop for entry in entries):
        return "antigravity-desktop"
    return places.IDE


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: what the indexes tell is known from `unite`; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Antigravity's conversations; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    candidate, facts = source.files[0]
    trajectory = facts.trajectory
    steps, lines = _contents(source, report)
    annotation = _annotation(source)
    created = [
        trajectory.created if trajectory is not None else None,
        *(entry.created for entry in source.entries),
        *(one.log.created for _, one in source.files if one.log is not None),
    ]
    extra = _extra(summary, source, steps, annotation)
    return Details(
        titles=_titles(summary, source, steps, lines, annotation),
        models=tuple(steps.models or lines.models),
        created=next(filter(None, created), None),
        size_bytes=candidate.size,
        message_count=steps.messages if steps.messages is not None else lines.messages if lines.lines else None,
        resume_command=_resume(summary, candidate),
        extra=extra,
    )


def _contents(source: Source, report: files.Report) -> tuple[database.Contents, log.Contents]:
    steps, lines = database.Contents(), log.Contents()
    for candidate, _ in source.files:
        try:
            if candidate.role == places.DATABASE and not steps.steps:
                steps = database.read_contents(candidate.path)
            elif candidate.role == places.LOG and not lines.lines:
                lines = log.read_contents(candidate.path)
        except OSError as error:
            files.failed(candidate.path, error, report)
        except ValueError as error:
            report(candidate.path, str(error))
    return steps, lines


def _annotation(source: Source) -> dict[str, str]:
    """Return the fields of the text that holds the title a person gave, and whether a conversation was archived."""
    for candidate, _ in source.files:
        name = f"{places.conversation_id(candidate)}.pbtxt"
        try:
            content = files.content(os.path.join(candidate.store.path, "annotations", name), _SMALL_FILE)
        except OSError:
            continue
        return dict(_FIELD.findall(content.decode("utf-8", "replace"))[::-1])
    return {}


def _titles(
    summary: Summary, source: Source, steps: database.Contents, lines: log.Contents, annotation: dict[str, str]
) -> tuple[str | None, ...]:
    role = source.files[0][1].titles.get("role") or source.note.get("role")
    return (
        _unquoted(annotation.get("title", "")),
        *(entry.user_title for entry in source.entries),
        role if summary.kind == "subagent" else None,
        *(entry.listed_title for entry in source.entries),
        *(entry.title for entry in source.entries),
        lines.first_request,
        steps.first_request,
        source.first_prompt,
        lines.task,
        steps.task,
        *(entry.preview for entry in source.entries),
        None if lines.lines else _heading(source),
    )


def _unquoted(text: str) -> str | None:
    """Return a quoted text without its quotes and escapes, which are bytes of UTF-8 or characters."""
    if not text.startswith(('"', "'")):
        return None
    data = b"".join(
        piece.encode("utf-8", "replace") if isinstance(piece, str) else bytes([piece]) for piece in _pieces(text[1:-1])
    )
    return data.decode("utf-8", "replace")


def _pieces(text: str) -> Iterator[str | int]:
    end = 0
    for match in _ESCAPED.finditer(text):
        yield text[end : match.start()]
        octal, digits, short, long, other = match.groups()
        if octal or digits:
            yield int(octal, 8) & 0xFF if octal else int(digits, 16)
        elif short or long:
            code = int(short or long, 16)
            yield chr(code) if code <= sys.maxunicode else "\ufffd"
        else:
            yield {"n": "\n", "t": "\t", "r": "\r"}.get(other, other)
        end = match.end()
    yield text[end:]


def _heading(source: Source) -> str | None:
    """Return the first heading of an artifact."""
    for candidate, _ in source.files:
        if candidate.role != places.ARTIFACT:
            continue
        folder = places.brain_folder(candidate)
        for path in dict.fromkeys([*(os.path.join(folder, name) for name in _ARTIFACTS), candidate.path]):
            try:
                text = files.content(path, _ARTIFACT_START).decode("utf-8", "replace")
            except OSError:
                continue
            if (heading := _HEADING.search(text)) is not None:
                return heading[1]
    return None


def _resume(summary: Summary, candidate: Candidate) -> str | None:
    # An id that `agy` does not find in its own databases makes it begin a new conversation.
    if summary.kind == "subagent" or candidate.role != places.DATABASE or candidate.store.role != places.CLI:
        return None
    return resume.command(summary.project_dir, ("agy", "--conversation", summary.uuid))


def _extra(summary: Summary, source: Source, steps: database.Contents, annotation: dict[str, str]) -> dict[str, object]:
    trajectory = source.files[0][1].trajectory
    forks = (steps.forked_from, *(entry.forked_from for entry in source.entries))
    archived = annotation.get("archived") == "true" or any(entry.is_archived for entry in source.entries)
    own_root, titles = source.files[0][0].store, source.files[0][1].titles
    return {
        "archived": archived or None,
        "hidden": (trajectory.is_hidden if trajectory is not None else False) or None,
        "forked_from": next(filter(None, forks), None),
        "git_branch": titles.get("branch"),
        "subagent_type": titles.get("type") or source.note.get("type"),
        "step_count": steps.steps or None,
        "copies": [candidate.path for candidate, _ in source.files if candidate.store != own_root] or None,
        "last_activity_source": None if source.has_own_time else "mtime",
    }
