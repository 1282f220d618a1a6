"""Where oh-my-pi keeps its sessions.

    <agent directory>/sessions/<directory>/<time>_<id>.jsonl     a session
    …/<time>_<id>/<task>.jsonl                                   one that it spawned
    …/<time>_<id>/<task>/<task>.<inner task>.jsonl               one that this one spawned
    <configuration>/profiles/<name>/agent/sessions/…             the same of a profile
    $XDG_DATA_HOME/omp/[profiles/<name>/]sessions/…              where they lie once moved there

Names of directories are not reversible (`-work-orchard`, `-tmp-x`, `--srv-orchard--`, 17.2 also with a hash), so they
are never decoded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sesls.adapters.pi import places as pi
from sesls.environment import Environment
from sesls.formats import files
from sesls.session import Candidate, Store

# Roles of stores.
SESSIONS = "sessions"
SHARED = "sessions shared with Pi"
"""PI_CODING_AGENT_DIR moves Pi's sessions to the same place."""
PROFILES = "profiles"

# Roles of candidates: the whole file decides, or the directory does.
SESSION = "session"
SHARED_SESSION = "session of oh-my-pi or Pi"


def stores(environment: Environment) -> tuple[Store, ...]:
    """Return the session directories of the agent directory and of all profiles, whichever is the current one."""
    configuration = environment.in_home((environment.value("PI_CONFIG_DIR") or ".omp").lstrip("/"))
    data = os.path.join(environment.data_home(), "omp")
    defaults = (os.path.join(configuration, "agent", "sessions"), os.path.join(data, "sessions"))
    moved = environment.value("PI_CODING_AGENT_DIR")
    own = (os.path.join(environment.in_cwd(moved), "sessions"),) if moved is not None else ()
    # A named profile's agent directory is its own, whatever that variable says.
    if not own or _has_profile(environment):
        own = (*own, *defaults)
    others = {_identity(store.path) for store in pi.stores(environment)}
    return (
        *(Store(path, SHARED if _identity(path) in others else SESSIONS) for path in dict.fromkeys(own)),
        *(Store(os.path.join(root, "profiles"), PROFILES) for root in (configuration, data)),
    )


def _identity(path: str) -> object:
    found = files.status(path)
    return (found.st_dev, found.st_ino) if found is not None and found.st_ino else path


def _has_profile(environment: Environment) -> bool:
    name = environment.value("OMP_PROFILE")
    if name is None and "OMP_PROFILE" not in environment.variables:
        name = environment.value("PI_PROFILE")
    return name not in (None, "default")


def find(store: Store, report: files.Report) -> Iterator[Candidate]:
    """Yield the files of a store that may be sessions."""
    roots = [store.path]
    if store.role == PROFILES:
        profiles = [entry.path for entry in files.folders(store.path, report)]
        roots = [os.path.join(path, *parts) for path in profiles for parts in (("agent", "sessions"), ("sessions",))]
    role = SHARED_SESSION if store.role == SHARED else SESSION
    for root in roots:
        entries = (entry for entry in files.tree(root, report) if entry.name.endswith(".jsonl"))
        yield from files.candidates(entries, role, store, report)
