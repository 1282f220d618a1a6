"""One client: which version is spoken with it, what it asks, which sessions it has seen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

from sesls.acp import parameters, versions, viewer
from sesls.acp.listing import Listing
from sesls.acp.sessions import session_info
from sesls.acp.versions import Version
from sesls.acp.wire import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Message,
    ProtocolError,
    Reply,
    Request,
    error,
    notification,
    request,
    result,
)
from sesls.output import terminal
from sesls.output.json import line as encoded
from sesls.paths import normal
from sesls.session import Session

NOT_FOUND = -32002

Method = Callable[[Message], Reply]


class Connection:
    """What is known of one client. Nothing that it sends raises anything."""

    def __init__(self, listing: Listing, *, watch: bool = False) -> None:
        self._listing = listing
        self._watch = watch
        self._version: Version | None = None
        self._has_asked = False
        """Whether the version can no longer be negotiated anew."""
        self._views: dict[str, str] = {}
        """The sessions that were opened with this agent itself, and their directories."""
        self._shown: dict[str, Message] = {}
        """The sessions that the client has seen, as it has seen them; kept only to tell it what changes."""
        self._closed: set[str] = set()
        """The sessions of which the client wants to hear no more."""
        self._methods: Mapping[Version, Mapping[str, Method]] = {
            1: {"session/list": self._list, "session/new": self._new, "session/prompt": self._prompt},
            2: {
                "session/list": self._list,
                "session/new": self._new,
                "session/prompt": self._prompt,
                "session/resume": self._resume,
                "session/close": self._close,
            },
        }

    def answers(self, line: bytes) -> list[bytes]:
        """Return what is to be written in answer to a line: often one message, sometimes none or several."""
        asked: Request | None = None
        try:
            asked = request(line, may_be_null=self._version == 1)
            if asked is None:
                return []
            reply = self._reply(asked)
            return [encoded(one) for one in (*reply.before, result(asked.id, reply.result), *reply.after)]
        except ProtocolError as refusal:
            return [encoded(error(refusal.request_id if asked is None else asked.id, refusal))]
        except Exception as failure:  # one request must never cost the others
            _complain(failure)
            internal = ProtocolError(INTERNAL_ERROR, "Internal error")
            return [encoded(error(None if asked is None else asked.id, internal))]

    def updates(self) -> list[bytes]:
        """Return a notification for each session that the client has seen otherwise than it is now."""
        try:
            current = self._listing.sessions(self._shown.keys()) if self._shown else {}
            return [update for one in current.items() for update in self._changes(*one)]
        except Exception as failure:  # the next look may succeed
            _complain(failure)
            return []

    def end(self) -> None:
        """Keep for later listings what this one learnt."""
        self._listing.save()

    def _reply(self, asked: Request) -> Reply:
        if asked.method == "initialize":
            return self._initialize(parameters.fields(asked.params))
        if self._version is None:
            raise ProtocolError(INVALID_REQUEST, "Invalid request: initialize comes first")
        self._has_asked = True
        method = self._methods[self._version].get(asked.method)
        if method is None:
            raise ProtocolError(METHOD_NOT_FOUND, "Method not found", {"method": asked.method})
        return method(parameters.fields(asked.params))

    def _initialize(self, params: Message) -> Reply:
        if self._has_asked:
            raise ProtocolError(INVALID_REQUEST, "Invalid request: initialize comes before all others")
        self._version = versions.negotiated(params)
        return Reply(versions.introduction(self._version))

    def _list(self, params: Message) -> Reply:
        directory = parameters.directory_or_none(params)
        answer = self._listing.page(directory, parameters.text_or_none(params, "cursor"))
        if self._watch:
            self._shown |= {one["sessionId"]: one for one in answer["sessions"]}
        return Reply(answer)

    def _new(self, params: Message) -> Reply:
        directory = parameters.directory(params)
        parameters.servers(params)
        session_id = f"sesls:{os.urandom(8).hex()}"
        self._views[session_id] = directory
        return Reply({"sessionId": session_id})

    def _prompt(self, params: Message) -> Reply:
        assert self._version is not None
        session_id = parameters.text(params, "sessionId")
        prompt = parameters.prompt(params)
        directory = self._views.get(session_id)
        if directory is not None:
            text = viewer.overview(*self._listing.newest(directory, viewer.SHOWN), directory)
        else:
            text = viewer.reopening(self._listed(session_id))
        return viewer.turn(self._version, session_id, prompt, text)

    def _resume(self, params: Message) -> Reply:
        session_id = parameters.text(params, "sessionId")
        directory = parameters.directory(params)
        parameters.servers(params)
        parameters.replay(params)
        own = self._views.get(session_id)
        if own is None:
            own = session_info(session_id, self._listed(session_id))["cwd"]
        if normal(directory) != normal(own):
            raise parameters.wrong("cwd is another one than the session's")
        self._closed.discard(session_id)
        return viewer.resumption(session_id)

    def _close(self, params: Message) -> Reply:
        session_id = parameters.text(params, "sessionId")
        self._views.pop(session_id, None)
        self._closed.add(session_id)
        return Reply({})

    def _listed(self, session_id: str) -> Session:
        session = self._listing.sessions([session_id]).get(session_id)
        if session is None:
            raise ProtocolError(NOT_FOUND, "Session not found", {"sessionId": session_id})
        return session

    def _changes(self, session_id: str, session: Session) -> Iterator[bytes]:
        """Yield the notification of what changed in a session, if anything did, and take it for seen."""
        seen, now = self._shown[session_id], session_info(session_id, session)
        changed = {name: now.get(name) for name in ("title", "updatedAt", "_meta") if seen.get(name) != now.get(name)}
        if changed and session_id not in self._closed:
            update = {"sessionUpdate": "session_info_update", **changed}
            yield encoded(notification("session/update", {"sessionId": session_id, "update": update}))
        self._shown[session_id] = now


def _complain(failure: Exception) -> None:
    terminal.say(f"sesls: unexpected {type(failure).__name__}: {failure}")
