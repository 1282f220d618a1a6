"""oh-my-pi's sessions, out of session files and where they lie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sesls.adapters import resume
from sesls.adapters.interface import Finding, Reader
from sesls.adapters.omp import places
from sesls.adapters.pi_family import lineage, sessions, transcript
from sesls.adapters.pi_family.lineage import File
from sesls.adapters.pi_family.sessions import Source
from sesls.adapters.pi_family.transcript import Ends
from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Details, Summary

AGENT = "omp"


def summarise(candidate: Candidate) -> Ends | None:
    """Return what one file tells; see `Adapter.summarise`."""
    return transcript.read_ends(candidate.path, "oh-my-pi" if candidate.role == places.SHARED_SESSION else None)


def unite(findings: Sequence[Finding], environment: Environment, report: files.Report) -> Iterator[Summary]:
    """Yield oh-my-pi's sessions, each once; see `Adapter.unite`. One in which nobody said anything is none.

    oh-my-pi's own list goes by the file's time, which a new title and the end of the program move too; this one by
    what was last said.
    """
    everything: list[File] = []
    found: dict[str, list[File]] = defaultdict(list)
    for candidate, ends in findings:
        assert isinstance(ends, Ends)
        everything.append((candidate, ends))
        if ends.has_turns:
            found[ends.id].append((candidate, ends))
    ids = lineage.known_ids(everything)
    for copies in found.values():
        yield sessions.summary(AGENT, copies, ids)


def hints(summaries: Sequence[Summary], environment: Environment, report: files.Report) -> None:
    """Return nothing: all that tells of a session stands in its own file; see `Adapter.hints`."""


def details(summary: Summary, hints: None, environment: Environment, report: files.Report, read: Reader) -> Details:
    """Return the details of one of oh-my-pi's sessions; see `Adapter.details`."""
    source = summary.source
    assert isinstance(source, Source)
    contents = transcript.contents(summary.path, report, read)
    told = {} if contents is None else contents.titles
    titles = (source.ends.titles.get("title"), told.get("summary"), told.get("first prompt"))
    return sessions.details(source, contents, titles, _resume(summary))


def _resume(summary: Summary) -> str | None:
    if summary.kind == "subagent":
        return None
    return resume.command(summary.project_dir, ("omp", f"--resume={summary.uuid}"))
