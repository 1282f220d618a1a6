"""Where Claude Code and Claude Desktop keep sessions, and which files there may be some.

A config root holds `projects/<slug>/`, one folder for each directory that Claude was started in:

    <uuid>.jsonl                                 a session; the name is its id
    agent-<id>.jsonl                             a subagent (2.0 to 2.1.0)
    <uuid>/subagents/**/agent-<id>.jsonl         a subagent (from 2.1.2), workflows' ones deeper
    <uuid>/custom-title.json, archived.json      what people said of the session (2.1.3xx)

Desktop keeps a record beside each of its sessions, and for Cowork a private config root below each record.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.paths import is_windows_path
from sesls.session import Candidate, Store

# Roles of stores.
PROJECTS = "projects"
CODE_RECORDS = "records of the Code tab"
COWORK = "Cowork"

# Roles of candidates.
SESSION = "session"
SESSION_WITH_FOLDER = "session with a folder beside it"
SESSIONS = (SESSION, SESSION_WITH_FOLDER)
FLAT_SUBAGENT = "subagent beside its session"
SUBAGENT = "subagent"
RECORD = "desktop record"

_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_SUBAGENT_FILE = re.compile(r"agent-(.+)\.jsonl", re.DOTALL)
_RECORD_FILE = re.compile(r"local_(?!ditto_).+\.json", re.DOTALL)
# `agent/` holds records like the folder above it; `local_ditto_…` are helpers of Desktop's own.
_HELPER = re.compile(r"agent\Z|local_ditto_")


def config_roots(environment: Environment) -> tuple[str, ...]:
    """Return Claude Code's config directories: those named, or its own, and that of 1.0.30, which followed XDG."""
    xdg = environment.directory("XDG_CONFIG_HOME") or environment.in_home(".config")
    roots = _named_roots(environment) or [environment.in_home(".claude")]
    roots += [os.path.join(xdg, "claude"), environment.in_home(".config", "claude")]
    return tuple(dict.fromkeys(map(os.path.normpath, roots)))


def _named_roots(environment: Environment) -> list[str]:
    """Return the directories that the variable names: one, or several with commas between them.

    No Claude build takes a list, but other readers of its files do.
    """
    own = environment.directory("CLAUDE_CONFIG_DIR")
    if own is None or "," not in own or files.status(own) is not None:
        return [own] if own is not None else []
    parts = (part.strip() for part in (environment.value("CLAUDE_CONFIG_DIR") or "").split(","))
    return [environment.in_cwd(part) for part in parts if part]


def root_in_force(environment: Environment) -> str | None:
    """Return the config directory that `claude` uses when it is started from any directory, if there is one."""
    value = environment.value("CLAUDE_CONFIG_DIR")
    if value is None:
        return environment.in_home(".claude")
    return os.path.normpath(value) if os.path.isabs(value) and len(_named_roots(environment)) == 1 else None


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the project folders of every config root, and Desktop's folders of every operating system."""
    places = [Store(os.path.join(root, "projects"), PROJECTS) for root in config_roots(environment)]
    for app in _desktop_dirs(environment):
        places.append(Store(os.path.join(app, "claude-code-sessions"), CODE_RECORDS))
        places.append(Store(os.path.join(app, "local-agent-mode-sessions"), COWORK))
    return tuple(places)


def _desktop_dirs(environment: Environment) -> list[str]:
    homes = list(environment.config_homes())
    packaged = ["Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming"]
    homes += [os.path.join(home, *packaged) for home in environment.local_data_homes()]
    # `Claude-3p` is the build for other providers of the models.
    return [os.path.join(home, name) for home in homes for name in ("Claude", "Claude-3p")]


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the transcripts and Desktop records of a store."""
    if store.role == PROJECTS:
        yield from _transcripts(store.path, store, report)
        return
    for account in files.folders(store.path, report):
        for organisation in files.folders(account.path, report):
            yield from _records(organisation.path, store, report)
            if store.role == COWORK:
                yield from _records(os.path.join(organisation.path, "agent"), store, report)


def _records(folder: str, store: Store, report: files.Report) -> Iterator[Candidate]:
    for entry in files.entries(folder, report):
        if _RECORD_FILE.fullmatch(entry.name):
            yield from files.candidates([entry], RECORD, store, report)
        elif store.role == COWORK and not _HELPER.match(entry.name) and files.is_folder(entry, report):
            yield from _transcripts(os.path.join(entry.path, ".claude", "projects"), store, report)


def _transcripts(projects: str, store: Store, report: files.Report) -> Iterator[Candidate]:
    visited: set[tuple[int, int]] = set()
    if not files.first_visit(projects, visited, report):
        return
    for project in files.folders(projects, report):
        if not files.first_visit(project.path, visited, report):
            continue
        found = files.entries(project.path, report)
        side_folders = {one.name for one in found if _UUID.fullmatch(one.name) and files.is_folder(one, report)}
        for entry in found:
            if (role := _role(entry.name, side_folders)) is not None:
                yield from files.candidates([entry], role, store, report)
            elif entry.name in side_folders:
                below = files.tree(os.path.join(entry.path, "subagents"), report, visited)
                subagents = (file for file in below if _SUBAGENT_FILE.fullmatch(file.name))
                yield from files.candidates(subagents, SUBAGENT, store, report)


def _role(name: str, side_folders: Collection[str]) -> str | None:
    if not name.endswith(".jsonl"):
        return None
    if _UUID.fullmatch(name[:-6]):
        return SESSION_WITH_FOLDER if name[:-6] in side_folders else SESSION
    return FLAT_SUBAGENT if _SUBAGENT_FILE.fullmatch(name) else None


def session_id(path: str) -> str:
    """Return the id of the session in a file. The name is the id: forks of 2.0 keep the source's id inside."""
    return os.path.basename(path)[: -len(".jsonl")]


def agent_id(path: str) -> str:
    """Return the id of the subagent in a file: `agent-<id>.jsonl`."""
    return session_id(path)[len("agent-") :]


def root_id(path: str) -> str:
    """Return the id of the session that a file below `<uuid>/subagents/` belongs to."""
    return os.path.basename(path[: path.rindex(f"{os.sep}subagents{os.sep}")])


def side_folder(path: str) -> str:
    """Return the folder of a session: `<uuid>` beside `<uuid>.jsonl`."""
    return path[: -len(".jsonl")]


def project_folder(candidate: Candidate) -> str:
    """Return the name of the project folder that a transcript lies in."""
    path = candidate.path
    if candidate.role == SUBAGENT:
        path = path[: path.rindex(f"{os.sep}subagents{os.sep}")]
    return os.path.basename(os.path.dirname(path))


def may_be_slug(folder: str) -> bool:
    """Tell whether a folder's name can be that of an absolute directory; a variable can give it any other name."""
    return folder.startswith("-") or folder[1:3] == "--"


def slug(directory: str) -> str:
    """Return the name of a directory's project folder, before it is cut: not reversible."""
    # JavaScript replaces every UTF-16 unit, so a character beyond the first plane gives two dashes.
    return re.sub(r"[^a-zA-Z0-9]", "-", re.sub(r"[\U00010000-\U0010ffff]", "--", directory))


def is_slug_of(folder: str, directory: str) -> bool:
    """Tell whether a project folder's name is that of a directory.

    Names over 200 characters are cut and get a hash, which differs between builds: the cut part decides.
    """
    name = slug(directory)
    if is_windows_path(directory):
        folder, name = folder[:1].lower() + folder[1:], name[:1].lower() + name[1:]
    return folder == name or (len(name) > 200 and folder.startswith(name[:200] + "-"))
