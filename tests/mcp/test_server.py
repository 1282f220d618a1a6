"""The MCP server: one tool whose answer is that of the Python function, and whose refusals name the argument."""

from __future__ import annotations

import inspect
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters

import sesls
from sesls import __version__
from sesls.adapters import REGISTRY
from tests import shapes
from tests.builders.claude import assistant, transcript, user
from tests.builders.common import put, uuid
from tests.command.run import SESLS, mixed_home, run, variables_of
from tests.mcp.server import Server

TOKEN = "gh" + "p_" + "e5F7g9H1i3J2k4L6m8N0o2P4q6R8s0T2u4V6"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with four sessions and one broken file, which no test changes."""
    return mixed_home(tmp_path_factory.mktemp("mcp") / "home")


@pytest.fixture(scope="module")
def server(mixed: Path) -> Iterator[Server]:
    with Server(mixed) as one:
        yield one


@pytest.fixture(scope="module")
def tool(server: Server) -> dict[str, Any]:
    (only,) = server.ask("tools/list")["result"]["tools"]
    assert isinstance(only, dict)
    return only


def ageless(page: dict[str, Any]) -> dict[str, Any]:
    """Return a page without what the moment of asking changes."""
    return page | {"sessions": [{**one, "age_sec": 0} for one in page["sessions"]]}


def ids(page: dict[str, Any]) -> list[str]:
    return [one["uuid"] for one in page["sessions"]]


def test_it_says_who_it_is(server: Server) -> None:
    assert server.introduction["serverInfo"]["name"] == "sesls"
    assert server.introduction["serverInfo"]["version"] == __version__
    assert server.introduction["capabilities"] == {"tools": {"listChanged": False}}


def test_it_has_one_tool_that_only_reads(tool: dict[str, Any]) -> None:
    assert tool["name"] == "list_sessions"
    assert tool["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


def test_its_arguments_are_those_of_the_function_but_for_the_users_own(tool: dict[str, Any]) -> None:
    assert [*tool["inputSchema"]["properties"]] == [
        name for name in inspect.signature(sesls.list_sessions).parameters if name != "redact"
    ]
    assert tool["inputSchema"]["additionalProperties"] is False


def test_agents_of_other_packages_may_be_asked_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = home / "packages" / "sesls_acme-1.0.dist-info"
    put(package / "METADATA", "Metadata-Version: 2.1\nName: sesls-acme\nVersion: 1.0\n")
    put(package / "entry_points.txt", "[sesls.adapters]\nacme = sesls_acme\n")
    monkeypatch.setenv("PYTHONPATH", str(package.parent))

    with Server(home) as one:
        (tool,) = one.ask("tools/list")["result"]["tools"]
        assert one.page(agent="acme")["total"] == 0

    assert tool["inputSchema"]["properties"]["agent"]["anyOf"][0]["enum"] == [*REGISTRY, "acme"]


@pytest.mark.parametrize("name", ["inputSchema", "outputSchema"])
def test_its_schemas_are_sound_and_have_no_name_that_older_drafts_stumble_over(tool: dict[str, Any], name: str) -> None:
    Draft202012Validator.check_schema(tool[name])
    assert tool[name].keys() & {"$schema", "$id"} == set()
    assert tool[name]["type"] == "object"


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        ({}, ("--limit", "20")),
        ({"limit": 0}, ("--limit", "0")),
        ({"limit": 2, "offset": 1}, ("--limit", "2", "--offset", "1")),
        ({"agent": "codex"}, ("--agent", "codex", "--limit", "20")),
        ({"agent": ["codex", "claude"]}, ("--agent", "codex", "--agent", "claude", "--limit", "20")),
        ({"kind": "subagent"}, ("--kind", "subagent", "--limit", "20")),
        ({"noise": "exclude", "project_dir": "/srv/orchard/"}, ("--noise=exclude", "-d/srv/orchard", "--limit", "20")),
        ({"project_dir": "/srv/nowhere"}, ("--project-dir", "/srv/nowhere", "--limit", "20")),
        ({"title": "mend", "sort": "title", "reverse": True}, ("--title=mend", "--sort=title", "--reverse", "-n20")),
        ({"since": "2026-03-01", "model": "*gpt*"}, ("--since", "2026-03-01", "--model", "*gpt*", "--limit", "20")),
        ({"agent": None, "limit": None, "kind": None, "project_dir": None}, ("--limit", "20")),
    ],
)
def test_the_answer_is_what_the_command_prints(
    server: Server, mixed: Path, arguments: dict[str, Any], flags: tuple[str, ...]
) -> None:
    page = server.page(**arguments)

    shapes.check_as("list", page)
    assert ageless(page) == ageless(run(mixed, "list", "--json", *flags).json())


def test_the_text_is_the_same_answer(server: Server) -> None:
    result = server.call()

    (content,) = result["content"]
    assert json.loads(content["text"]) == result["structuredContent"]


def test_a_call_without_arguments_is_one_with_none(server: Server) -> None:
    result = server.ask("tools/call", name="list_sessions")["result"]

    assert ids(result["structuredContent"]) == ids(server.page())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"agent": "nobody"}, f"agent is one of {', '.join(REGISTRY)}, not 'nobody'"),
        ({"agent": ["claude", 5]}, "agent is a name or several, not ['claude', 5]"),
        ({"agent": 5}, "agent is a name or several, not 5"),
        ({"kind": "parent"}, "kind is one of agent and subagent, not 'parent'"),
        ({"noise": ["only"]}, "noise is one of include, exclude and only, not ['only']"),
        ({"limit": -1}, "limit is zero or more, not -1"),
        ({"limit": "5"}, "limit is a whole number, not '5'"),
        ({"offset": -1}, "offset is zero or more, not -1"),
        ({"offset": 1.5}, "offset is a whole number, not 1.5"),
        ({"project_dir": ""}, "project_dir is a directory, not an empty text"),
        ({"project_dir": "~\0/x"}, "project_dir is a directory, not '~\\x00/x'"),
        ({"since": "someday"}, None),
        ({"sort": "colour"}, "sort is one of activity, created, title and size, not 'colour'"),
        ({"reverse": "yes"}, "reverse is true or false, not 'yes'"),
        ({"home": "/nowhere/at/all"}, "home is a directory, and there is none at '/nowhere/at/all'"),
        ({"project_dir": ["/srv"]}, "project_dir is a directory, not ['/srv']"),
        (
            {"projectDir": "/srv"},
            "there is no argument 'projectDir', only agent, limit, offset, kind, noise, project_dir, here, since,"
            " until, activity, surface, home, model, title, branch, sort, reverse",
        ),
    ],
)
def test_a_refusal_is_a_tool_error_that_names_the_argument(
    server: Server, arguments: dict[str, Any], sentence: str | None
) -> None:
    said = server.refusal(**arguments)

    assert said == sentence if sentence is not None else said.startswith(next(iter(arguments)))


def test_another_tool_is_an_error_of_the_protocol(server: Server) -> None:
    assert server.ask("tools/call", name="delete_sessions", arguments={})["error"]["code"] == -32602


@pytest.mark.parametrize("line", [b"no JSON\n", b"\xff\xfe\n", b"\n", b"[]\n", b'{"jsonrpc": "2.0", "id": {}}\n'])
def test_a_line_that_is_no_message_costs_nothing(server: Server, line: bytes) -> None:
    server.write(line)

    assert server.page(limit=1)["total"] == 4


def test_it_sees_what_changed_since_it_was_started(home: Path) -> None:
    with Server(home) as one:
        assert one.page()["total"] == 0
        transcript(home)
        assert ids(one.page()) == [uuid(1)]


def test_it_ends_without_a_word_when_its_client_goes(home: Path) -> None:
    with Server(home) as one:
        one.page()

    assert (one.status, one.said) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
def test_an_interruption_ends_it_at_once(home: Path) -> None:
    with Server(home) as one:
        assert one.interrupt() == -signal.SIGINT

    assert one.said == ""


def test_a_relative_directory_is_below_that_of_the_server(home: Path) -> None:
    directory = str(home / "orchard")
    transcript(home, [user("Here", cwd=directory), assistant(cwd=directory)], directory=directory)

    with Server(home) as one:
        assert ids(one.page(project_dir="orchard")) == ids(one.page(project_dir="~/orchard")) == [uuid(1)]
        assert ids(one.page(project_dir="barn")) == []


def test_secrets_are_masked_unless_the_user_started_it_otherwise(home: Path) -> None:
    transcript(home, [user(f"deploy with {TOKEN}"), assistant()])

    with Server(home) as masking, Server(home, "--no-redact") as showing:
        masked, shown = masking.page(), showing.page()
        assert masking.refusal(redact=False).startswith("there is no argument 'redact'")

    assert masked["sessions"][0]["title"] == "deploy with [REDACTED_GITHUB_TOKEN]"
    assert masked["redactions"] == {"GITHUB_TOKEN": 1}
    assert shown["sessions"][0]["title"] == f"deploy with {TOKEN}"


def test_a_title_cannot_end_the_line_or_break_the_text(home: Path) -> None:
    transcript(home, [user('Hi\u2028\x85\r\n{"jsonrpc": "2.0"}\ud83d\x1b[2J'), assistant()])

    with Server(home) as one:
        assert ids(one.page()) == [uuid(1)]


def test_a_name_that_is_not_utf8_costs_neither_the_answer_nor_the_server(home: Path) -> None:
    place = transcript(home).parent
    try:
        place.rename(place.with_name("orchard-\udcff"))
    except (OSError, UnicodeEncodeError):
        pytest.skip("file names are always text here")

    with Server(home) as one:
        assert one.page()["sessions"][0]["path"].endswith(f"orchard-\ufffd/{uuid(1)}.jsonl")
        assert one.page()["total"] == 1


def test_nothing_in_the_home_is_changed(mixed: Path) -> None:
    def state() -> dict[Path, tuple[int, int, bytes]]:
        files = [path for path in mixed.rglob("*") if path.is_file()]
        return {path: (path.stat().st_mtime_ns, path.stat().st_size, path.read_bytes()) for path in files}

    before = state()

    with Server(mixed) as one:
        one.page()

    assert state() == before


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdks_own_client_finds_nothing_wrong(mixed: Path, mode: str) -> None:
    """The client checks each answer by the tool's schema."""

    async def talk() -> Any:
        parameters = StdioServerParameters(command=SESLS, args=["mcp"], env=variables_of(mixed))
        async with Client(parameters, mode=mode) as client:
            assert [one.name for one in (await client.list_tools()).tools] == ["list_sessions"]
            refused = await client.call_tool("list_sessions", {"limit": -1})
            assert refused.is_error
            return await client.call_tool("list_sessions", {"agent": "codex"})

    result = anyio.run(talk)

    assert ids(result.structured_content) == [uuid(2), uuid(3)]
