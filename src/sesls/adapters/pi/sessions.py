"""Pi's sessions, out of session files and where they lie."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.pi_family import lineage, sessions, transcript
from sesls.adapters.pi_family.lineage import File
from sesls.adapters.pi_family.sessions import Source
from sesls.adapters.pi_family.transcript import Ends
from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Details, Summary

AGENT = "pi"

# Folders in which extensions keep the sessions they spawn.
_SPAWNED_FOLDERS = frozenset({"subagents", "subagent-sessions"})


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells; see `Adapter.summarise`."""
    return transcript.read_ends(candidate.path, "pi")


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield Pi's sessions, each once; see `Adapter.unite`. An id is unique within a directory only."""
    everything: list[File] = []
    found: dict[tuple[str, str | None, str], list[File]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        everything.append((candidate, ends))
        found[os.path.dirname(candidate.path), ends.cwd, ends.id].append((candidate, ends))
    ids = lineage.known_ids(everything)
    for copies in found.values():
        yield sessions.summary(AGENT, copies, ids, _is_in_spawned_folder)


def _is_in_spawned_folder(candidate: Candidate) -> bool:
    below = os.path.relpath(os.path.dirname(candidate.path), os.path.dirname(candidate.store.path))
    return not _SPAWNED_FOLDERS.isdisjoint(below.split(os.sep))


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own file; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of Pi's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    contents = transcript.contents(summary.path, report, read)
    told = {} if contents is None else contents.titles
    return sessions.details(source, contents, (told.get("name"), told.get("first prompt")), _resume(summary))


def _resume(summary: Summary) -> str | None:
    if summary.kind == "subagent":
        return None
    # By path: an id from another directory makes Pi ask, or wait for ever where nobody can answer.
    return resume.command(summary.project_dir, ("pi", "--session", os.path.abspath(summary.path)))
