"""`sesls mcp` as a client starts it: lines of JSON in, lines of JSON out."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.command.run import SESLS, variables_of

HANDSHAKE = "2025-11-25"
_SECONDS = 60


class Server:
    """A running server and the client's end of it; when it is left, stdin closes and the server has to end."""

    def __init__(self, home: Path, *flags: str) -> None:
        self._process = subprocess.Popen(
            [SESLS, "mcp", *flags],
            env=variables_of(home),
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._numbers = itertools.count(1)
        self._limit = threading.Timer(_SECONDS, self._process.kill)
        self.status: int | None = None
        self.said = ""
        """What it wrote to stderr until it ended."""

    def __enter__(self) -> Server:
        self._limit.start()
        client = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
        self.introduction = self.ask("initialize", **client)["result"]
        self.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _, said = self._process.communicate()
        self._limit.cancel()
        self.status, self.said = self._process.returncode, said.decode()

    def write(self, line: bytes) -> None:
        """Send bytes, whatever they are."""
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def interrupt(self) -> int:
        """Interrupt the server as a terminal does, and return the status that it ends with."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(_SECONDS)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return the answer to it, which has to be the next line that comes."""
        number = next(self._numbers)
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert answer["id"] == number
        return answer

    def call(self, **arguments: Any) -> dict[str, Any]:
        """Call the tool and return its result."""
        result: dict[str, Any] = self.ask("tools/call", name="list_sessions", arguments=arguments)["result"]
        return result

    def page(self, **arguments: Any) -> dict[str, Any]:
        """Call the tool and return the page that it has to answer with."""
        result = self.call(**arguments)
        assert not result.get("isError"), result
        page: dict[str, Any] = result["structuredContent"]
        return page

    def refusal(self, **arguments: Any) -> str:
        """Call the tool and return the sentence by which it has to refuse."""
        result = self.call(**arguments)
        assert result["isError"] is True
        assert "structuredContent" not in result
        (content,) = result["content"]
        sentence: str = content["text"]
        return sentence
