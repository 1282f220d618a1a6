"""The versions of the protocol: which one is spoken, and how this agent introduces itself in it.

Version 1 is stable; version 2 is the draft whose schema the TypeScript SDK 2.4.0 (November 2026) carries.
"""

from __future__ import annotations

from typing import Literal

from sesls import __version__
from sesls.acp.parameters import wrong
from sesls.acp.wire import Message, ProtocolError

Version = Literal[1, 2]

UNSUPPORTED_VERSION = -32022
_SUPPORTED: tuple[Version, ...] = (1, 2)
_INFO = {"name": "sesls", "title": "sesls", "version": __version__}


def negotiated(params: Message) -> Version:
    """Return the newest version that both sides speak. Raises ProtocolError where there is none.

    What a client of a newer version than ours says besides its number need not make sense to us, nor what a client
    of version 1 says of itself, which is optional there.
    """
    requested = params.get("protocolVersion")
    if isinstance(requested, bool) or not isinstance(requested, int) or requested < 0:
        raise wrong("protocolVersion is a whole number")
    if requested == 0:
        data = {"requested": requested, "supported": list(_SUPPORTED)}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    if requested == 2:
        info = params.get("info")
        if not isinstance(info, dict) or not all(isinstance(info.get(name), str) for name in ("name", "version")):
            raise wrong("info has a name and a version")
    return 1 if requested == 1 else 2


def introduction(version: Version) -> Message:
    """Return the answer to `initialize`.

    Only what sesls does is promised: in version 1 listing, in version 2 the seven methods that every agent with
    sessions has. Additional directories are not, since a new session would have to take them.
    """
    if version == 1:
        capabilities = {"loadSession": False, "sessionCapabilities": {"list": {}}}
        return {"protocolVersion": 1, "agentCapabilities": capabilities, "agentInfo": _INFO, "authMethods": []}
    return {"protocolVersion": 2, "capabilities": {"session": {}}, "info": _INFO, "authMethods": []}
