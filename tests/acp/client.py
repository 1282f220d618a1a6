"""A client of the agent: over pipes, as editors do it, or within this process."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from sesls.acp.connection import Connection
from sesls.acp.listing import PAGE_SIZE, Listing
from sesls.query import Query
from tests.command.run import SESLS, variables_of
from tests.conftest import environment_of

Message = dict[str, Any]

SECONDS = 20


def initialize(version: object) -> Message:
    """Return the parameters with which a client of a version introduces itself."""
    if version == 1:
        return {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return {"protocolVersion": version, "capabilities": {}, "info": {"name": "test", "version": "1"}}


def asking(method: str, params: object = ..., request_id: object = 1) -> bytes:
    """Return a request as a line."""
    given = {} if params is ... else {"params": params}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, **given}).encode() + b"\n"


class Talk:
    """A connection within this process, of a version that was agreed on."""

    def __init__(
        self, home: Path, version: int | None = 1, *, size: int = PAGE_SIZE, watch: bool = False, **fields: Any
    ) -> None:
        cache = home.parent / "cache"
        listing = Listing(Query(limit=0, **fields), environment_of(home, cache=cache), size=size)
        self.connection = Connection(listing, watch=watch)
        if version is not None:
            assert self.result("initialize", initialize(version))["protocolVersion"] == version

    def say(self, line: bytes) -> list[Message]:
        """Return all that comes in answer to a line."""
        answers = self.connection.answers(line)
        assert all(answer.endswith(b"\n") and answer.count(b"\n") == 1 for answer in answers)
        return [json.loads(answer) for answer in answers]

    def ask(self, method: str, params: object = ...) -> Message:
        """Return the one answer to a request; the notifications around it are left out."""
        (answer,) = (one for one in self.say(asking(method, params)) if "id" in one)
        return answer

    def result(self, method: str, params: object = ...) -> Message:
        """Return what a request gives."""
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        return dict(answer["result"])

    def error(self, method: str, params: object = ...) -> Message:
        """Return why a request is refused."""
        answer = self.ask(method, params)
        assert "result" not in answer, answer
        return dict(answer["error"])

    def code(self, method: str, params: object = ...) -> int:
        """Return the code with which a request is refused."""
        return int(self.error(method, params)["code"])

    def pages(self, **params: object) -> list[list[Message]]:
        """Return the sessions of all pages."""
        pages, cursor = [], None
        while True:
            answer = self.result("session/list", params | ({} if cursor is None else {"cursor": cursor}))
            pages.append(answer["sessions"])
            cursor = answer.get("nextCursor")
            if cursor is None:
                return pages

    def sessions(self, **params: object) -> list[Message]:
        """Return the sessions of all pages as one list."""
        return [session for page in self.pages(**params) for session in page]

    def updates(self) -> list[Message]:
        """Return what changed in the sessions that were shown."""
        return [json.loads(update)["params"] for update in self.connection.updates()]


class Client:
    """The command `sesls acp` at the other end of two pipes."""

    def __init__(self, home: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [SESLS, "acp", *arguments],
            env=variables_of(home, variables),
            cwd=home.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._number = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def next(self, seconds: float = SECONDS) -> Message | None:
        """Return the next message; None at the end. Raises queue.Empty when none comes."""
        line = self._lines.get(timeout=seconds)
        return None if line is None else dict(json.loads(line))

    def ask(self, method: str, params: object = ...) -> Message:
        """Return the answer to a request; notifications before it are left out."""
        self._number += 1
        self.write(asking(method, params, self._number))
        until = time.monotonic() + SECONDS
        while (message := self.next(until - time.monotonic())) is not None:
            if message.get("id") == self._number:
                return message
        raise AssertionError("no answer: it ended")

    def started(self, version: int = 1) -> Client:
        """Agree on a version, and return this client."""
        assert self.ask("initialize", initialize(version))["result"]["protocolVersion"] == version
        return self

    def close(self) -> tuple[int, list[Message], str]:
        """End the input; return the exit status, what still came on stdout, and what was said on stderr."""
        assert self._process.stdin is not None
        assert self._process.stderr is not None
        self._process.stdin.close()
        left: list[Message] = []
        while (message := self.next()) is not None:
            left.append(message)
        said = self._process.stderr.read().decode()
        return self._process.wait(SECONDS), left, said


def ids(sessions: Iterable[Message]) -> list[str]:
    """Return the ids of sessions."""
    return [str(session["sessionId"]) for session in sessions]
