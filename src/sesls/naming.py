"""Which sessions a person may mean who types the start of an id, an agent and an id, or a file."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from sesls.paths import expanded
from sesls.session import Summary


def meant(summaries: Iterable[Summary], name: str, agents: Collection[str], cwd: str, home: str) -> list[Summary]:
    """Return the sessions that a name may mean, in their order; none for a blank one. Blanks around it do not count.

    A whole id wins over longer ones that begin with it, and an id over `agent:id`. What holds a `/` may also be the
    file that holds a session, relative to `cwd`, or to `home` where it begins with `~`.
    """
    name = name.strip()
    if not name:
        return []
    agent, _, rest = name.partition(":")
    path = os.path.normpath(os.path.join(cwd, expanded(name, home))) if os.sep in name else None
    whole, of_agent, starts, files = [], [], [], []
    for summary in summaries:
        is_of_agent = agent in agents and summary.agent == agent
        if summary.uuid == name:
            whole.append(summary)
        elif is_of_agent and summary.uuid == rest:
            of_agent.append(summary)
        elif summary.uuid.startswith(name) or (is_of_agent and summary.uuid.startswith(rest)):
            starts.append(summary)
        elif summary.path == path:
            files.append(summary)
    return whole or of_agent or starts or files
