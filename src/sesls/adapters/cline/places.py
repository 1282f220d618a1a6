"""Where Cline keeps its sessions.

    <sessions>/<id>/<id>.json                    what is said of a session (3.x)
    <sessions>/<id>/<id>.messages.json           its messages
    <sessions>/<id>/<name>.messages.json         those of a subagent or of a teammate's task
    <data>/tasks/<id>/ui_messages.json           a task: a session of the command line 2.x and of the extension
    <data>/state/taskHistory.json                what is said of all tasks

The database of 3.x (`<data>/db/sessions.db`) repeats what the files of sessions say.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
SESSIONS = "sessions"
TASKS = "data directory with tasks"
EXTENSION = "extension's storage"

# Roles of candidates.
MANIFEST = "manifest"
MESSAGES = "messages"
CHILD_MESSAGES = "messages of a child"
TASK = "task"
INDEX = "index of tasks"

_MESSAGES_END = ".messages.json"
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server")
_EXTENSION = ("User", "globalStorage", "saoudrizwan.claude-dev")
# The extension's first name for a task's messages.
_TASK_NAMES = ("ui_messages.json", "claude_messages.json")


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the folders of the command line, the same on every system, and the extension's in every editor."""
    home = environment.directory("CLINE_DIR") or environment.in_home(".cline")
    data = environment.directory("CLINE_DATA_DIR") or os.path.join(home, "data")
    sessions = environment.directory("CLINE_SESSION_DATA_DIR") or os.path.join(data, "sessions")
    editors = [os.path.join(config, editor) for config in environment.config_homes() for editor in _EDITORS]
    editors += [environment.in_home(server, "data") for server in _SERVERS]
    return (
        Store(sessions, SESSIONS),
        Store(data, TASKS),
        *(Store(os.path.join(editor, *_EXTENSION), EXTENSION) for editor in editors),
    )


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that tell of sessions."""
    if store.role == SESSIONS:
        for folder in files.folders(store.path, report):
            for entry in files.entries(folder.path, report):
                if (role := _role(entry.name, folder.name)) is not None:
                    yield from files.candidates([entry], role, store, report)
        return
    for folder in files.folders(os.path.join(store.path, "tasks"), report):
        named = {entry.name: entry for entry in files.entries(folder.path, report)}
        messages = [named[name] for name in _TASK_NAMES if name in named]
        yield from files.candidates(messages[:1], TASK, store, report)
    state = files.entries(os.path.join(store.path, "state"), report)
    yield from files.candidates((entry for entry in state if entry.name == "taskHistory.json"), INDEX, store, report)


def _role(name: str, folder: str) -> str | None:
    if name == f"{folder}.json":
        return MANIFEST
    if name == folder + _MESSAGES_END:
        return MESSAGES
    # A name that starts with a dot is another program's: macOS puts `._name` beside every file it copies.
    is_child = name.endswith(_MESSAGES_END) and not name.startswith((".", f"{folder}."))
    return CHILD_MESSAGES if is_child else None


def folder_name(path: str) -> str:
    """Return the name of the folder of a file: the id of the session, or of the session that spawned it."""
    return os.path.basename(os.path.dirname(path))


def child_name(path: str) -> str:
    """Return what the file of a child's messages is called: the agent."""
    return os.path.basename(path)[: -len(_MESSAGES_END)]


def index(candidate: Candidate) -> str:
    """Return where the index of the tasks in the same store is."""
    return os.path.join(candidate.store.path, "state", "taskHistory.json")
