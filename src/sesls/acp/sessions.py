"""A session in the protocol's words: its id, and what is told of it."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

from sesls.acp.wire import Message
from sesls.output.json import without_surrogates
from sesls.session import Session, Summary


def session_ids(summaries: Sequence[Summary]) -> list[str]:
    """Return the id of each session of some agents: `claude:<uuid>`, and another one for every session.

    An agent may have several with the same uuid: the short ids of Claude's older subagents (2.1.2) are unique only
    within a session, Pi's (1.6) only within a directory, and stores get copied. Of those, the first by path has the
    plain id, and every other one adds a mark made of its path, so that hardly an id changes when others come and go.
    """
    plain: list[str] = [without_surrogates(f"{summary.agent}:{summary.uuid}") for summary in summaries]
    same: dict[str, list[int]] = defaultdict(list)
    for place, session_id in enumerate(plain):
        same[session_id].append(place)
    ids, taken = list(plain), set(plain)
    for session_id, places in same.items():
        for place in sorted(places, key=lambda place: summaries[place].path)[1:]:
            path = summaries[place].path.encode("utf-8", "surrogatepass")
            marked = f"{session_id}~{zlib.crc32(path):08x}"
            ids[place] = next(one for one in _numbered(marked) if one not in taken)
            taken.add(ids[place])
    return ids


def _numbered(marked: str) -> Iterator[str]:
    """Yield a text and, for what even a path does not tell apart, the same with a number."""
    yield marked
    yield from (f"{marked}~{number}" for number in count(2))


def session_info(session_id: str, session: Session) -> Message:
    """Return a session as the protocol's `SessionInfo`, with what the protocol has no word for in `_meta.sesls`.

    Age and activity are left out: they change while nothing happens.
    """
    own: Message = {
        "agent": session.agent,
        "uuid": session.uuid,
        "kind": session.kind,
        "parent_uuid": session.parent_uuid,
        "launch_surface": session.launch_surface,
        "models": session.models,
        "created": session.created,
        "size_bytes": session.size_bytes,
        "message_count": session.message_count,
        "path": session.path,
        "resume_command": session.resume_command,
    }
    if session.extra:
        own["extra"] = session.extra
    answer: Message = {"sessionId": session_id, "cwd": without_surrogates(session.project_dir)}
    if session.title is not None:
        answer["title"] = session.title
    return answer | {"updatedAt": session.last_activity, "_meta": {"sesls": own}}
