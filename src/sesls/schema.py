"""The JSON Schema (2020-12) of every JSON that sesls prints: docs/json.md in a form that programs can check.

Objects are open: within one version a later sesls may say more; what is there keeps its name, its type and its meaning.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, get_args

from sesls.adapters import REGISTRY
from sesls.page import SCHEMA_VERSION
from sesls.session import State
from sesls.terms import Activity, Kind, Noise, Shape

Schema = dict[str, Any]

_INSTANT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"


def schema(shape: Shape = "list") -> Schema:
    """Return the schema of what a command prints with `--json`, as plain data."""
    root, definitions = {
        "list": (_page, (_session, _extra, _warning, _diagnostics, _scanned)),
        "show": (_session, (_extra,)),
        "agents": (_agents, (_warning,)),
        "diagnostics": (_diagnostics_alone, (_scanned, _warning)),
        "cache": (_cache, ()),
    }[shape]
    named = {definition.__name__[1:]: definition() for definition in definitions}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sesls:{shape}:{SCHEMA_VERSION}",
        "title": f"sesls {'cache info' if shape == 'cache' else shape} --json",
        **root(),
        **({"$defs": named} if named else {}),
    }


def _page() -> Schema:
    return _object(
        "One page of the sessions that match, newest first.",
        optional=("redactions", "warnings", "diagnostics"),
        schema_version={"const": SCHEMA_VERSION, "description": "The version of this shape."},
        sessions=_list("The sessions of this page.", _ref("session")),
        total=_number("How many sessions match, on all pages."),
        offset=_number("How many of the newest sessions were skipped."),
        limit=_number("How many sessions were asked for at most; 0 is no limit."),
        truncated={"type": "boolean", "description": "Whether more sessions follow after this page."},
        redactions={
            "type": "object",
            "description": "How many secrets of which type are masked on this page; only where there are any.",
            "additionalProperties": {"type": "integer", "minimum": 1},
            "minProperties": 1,
            "examples": [{"GITHUB_TOKEN": 1}],
        },
        warnings=_warnings(),
        diagnostics={**_ref("diagnostics"), "description": "Why there is nothing; only where total is 0."},
    )


def _session() -> Schema:
    return _object(
        "One session of a coding agent. What the agent's format does not record is null or empty, never a guess.",
        optional=("home", "extra"),
        uuid=_text("The id that the agent itself uses; not always a UUID."),
        agent=_text("The agent, as --agent takes it.", examples=list(REGISTRY)),
        title=_text_or_null("What the agent's own picker shows: one line, secrets masked."),
        kind=_word("agent, or subagent where another session spawned it.", get_args(Kind)),
        parent_uuid=_text_or_null("The session that spawned it; a fork has none."),
        project_dir=_text_or_null("The absolute directory it ran in, as the agent wrote it."),
        launch_surface=_text_or_null("The program it was started in, where the agent tells several apart."),
        models=_list("The models that answered, in the order of their first appearance.", {"type": "string"}),
        last_activity=_instant("The instant of the last record."),
        date=_instant("The same under its older name."),
        age_sec=_number("Whole seconds from then to the moment of the listing."),
        activity=_word("Whether that is recent; no claim that a process lives.", get_args(Activity)),
        created=_instant_or_null("The instant of the first record."),
        size_bytes=_number_or_null("The size of the file; null in a shared database."),
        message_count=_number_or_null("Messages of people and of the agent, without tool calls and their results."),
        path=_text("The file or database that holds the session."),
        home=_text("The home directory it lies in; only where homes were asked for."),
        resume_command=_text_or_null("The command that reopens it, quoted for a shell; null where there is none."),
        extra=_ref("extra"),
    )


def _extra() -> Schema:
    properties = {
        "agent_path": _text("Codex: the subagent's place in the tree of agents."),
        "agent_version": _text("The version of the agent: the last one for Claude and Qwen, else the one it notes."),
        "archived": {"const": True, "description": "It was archived."},
        "attached": {"const": True, "description": "Codex: a thread attached to another one."},
        "continued_in": _text("Claude: the session that goes on with this one."),
        "continues": _text("Hermes: the session that was compacted and went on as this one."),
        "copies": _list("Other places that hold the same session.", {"type": "string"}),
        "directories": _list("Gemini: all directories of the workspace, where it has several.", {"type": "string"}),
        "entrypoint": _text("Claude: how it was started, in Claude's own word."),
        "exit_code": {"type": "integer", "description": "Cline: how the process ended."},
        "forked_from": _text("The session it was forked from."),
        "format_version": {"type": "integer", "description": "The version of the file's format, as the file says."},
        "git_branch": _text("The git branch: the last one for Claude and Qwen, else the one the agent notes."),
        "hidden": {"const": True, "description": "The agent's own list leaves it out."},
        "interactive": {"type": "boolean", "description": "Cline: whether a person could answer."},
        "last_activity_source": {
            "const": "mtime",
            "description": "No record has a time: last_activity is the file's own.",
        },
        "mode": _text("The mode it ran in, in the agent's own word."),
        "model_provider": _text("Codex: who serves the model."),
        "nickname": _text("Codex: the subagent's name."),
        "pinned": {"const": True, "description": "Mistral Vibe: it was pinned."},
        "profile": _text("Hermes: the profile whose home it lies in."),
        "remote": {"const": True, "description": "Claude Desktop: it ran on another machine."},
        "repository": _text("Copilot: the repository, as Copilot names it."),
        "segments": _list("Codex: earlier files of the same thread.", {"type": "string"}),
        "session_kind": _text("What kind of session or process it was, in the agent's own word.", examples=["bg"]),
        "session_source": _text("Qwen: who created the session, where it was no person."),
        "session_type": _text("Claude Desktop: the kind of session, in Desktop's own word."),
        "source": {
            "description": "Where it was started from, as the agent wrote it.",
            "anyOf": [{"type": "string"}, {"type": "object"}],
        },
        "spawn_depth": {"type": "integer", "description": "How many sessions stand above a subagent."},
        "status": _text("Cline: how it stood when Cline last wrote."),
        "step_count": _number("Antigravity: the steps of the conversation."),
        "subagent_status": _text("Qwen: how the subagent stood when Qwen last wrote."),
        "subagents": _number("Copilot: how many subagents worked in the session."),
        "subagent_type": _text("The role that a subagent was spawned in."),
        "title_source": _text("Qwen: whether a person or Qwen gave the title.", examples=["manual", "auto"]),
        "tag": _text("Claude: the tag that a person gave it."),
        "team_name": _text("Claude: the team of agents it belongs to."),
        "thread_source": _text("Codex: who started the thread, in Codex's own word."),
        "transcript": {"const": "missing", "description": "Claude Desktop: only Desktop's record of it is left."},
        "worktree": _text("Claude: the git worktree that a subagent worked in."),
    }
    return {
        "type": "object",
        "description": "What only some agents have, texts with secrets masked; left out where there is nothing.",
        "properties": properties,
        "minProperties": 1,
    }


def _warning() -> Schema:
    return _object(
        "Something that exists and could not be read.",
        agent=_text("The agent whose place it is.", examples=list(REGISTRY)),
        path=_text("The file or folder."),
        problem=_text("What is wrong with it, in words."),
    )


def _warnings() -> Schema:
    return {
        **_list("What exists and could not be read; only where there is any.", _ref("warning")),
        "minItems": 1,
    }


def _diagnostics() -> Schema:
    return _object(
        "What was looked at, what it holds, and why the answer is what it is.",
        optional=("removed",),
        scanned=_list("Every agent, whatever the filters.", _ref("scanned")),
        corpus=_object(
            "All sessions of all agents, before any filter.",
            sessions=_number("How many."),
            date_min=_instant_or_null("The earliest last activity."),
            date_max=_instant_or_null("The newest last activity."),
        ),
        filters=_object(
            "The filters that can remove sessions.",
            optional=(
                *("agent", "kind", "noise", "project_dir", "here", "since", "until", "activity", "surface"),
                *("model", "branch", "title"),
            ),
            agent=_list("Only these agents.", {"type": "string"}),
            kind=_word("Only this kind.", get_args(Kind)),
            noise=_word("What happens to sessions that other sessions spawned.", get_args(Noise)),
            project_dir=_text("Only what ran in this absolute directory or below it."),
            here=_list("Only what ran in one of these absolute directories or below it.", {"type": "string"}),
            since=_instant("Only what was last active then or later."),
            until=_instant("Only what was last active then or before."),
            activity=_word("Only what is that recent.", get_args(Activity)),
            surface=_text("Only what was started from there: a pattern of the whole name."),
            model=_text("Only what this model answered in: a pattern of the whole name."),
            branch=_text("Only what ran on this git branch: a pattern of the whole name."),
            title=_text("Only what has this text in its title, secrets masked here."),
        ),
        removed={
            "type": "object",
            "description": "How many sessions each filter, in this order, removed of what the ones before it left.",
            "additionalProperties": {"type": "integer", "minimum": 0},
            "minProperties": 1,
            "examples": [{"agent": 7, "project_dir": 5}],
        },
        hints=_list("What the answer's cause may be, in words.", {"type": "string"}),
    )


def _diagnostics_alone() -> Schema:
    alone = _diagnostics()
    alone["properties"]["warnings"] = _warnings()
    return alone


def _scanned() -> Schema:
    return _object(
        "What was found of one agent.",
        optional=("home", "hint"),
        home=_text("The home directory that was looked through; only where homes were asked for."),
        agent=_text("The agent, as --agent takes it.", examples=list(REGISTRY)),
        sessions=_number("How many sessions it has, before any filter."),
        date_min=_instant_or_null("The earliest last activity."),
        date_max=_instant_or_null("The newest last activity."),
        source_found={"type": "boolean", "description": "Whether any of its places exists."},
        roots=_list(
            "The places where it may keep sessions.",
            _object(
                "A folder or a database.",
                path=_text("Where it is or would be."),
                state=_word("Whether it is there.", get_args(State)),
                sessions=_number("How many sessions it holds."),
            ),
        ),
        hint=_text("Why an agent that has a place here shows no session; only where there is a reason."),
    )


def _agents() -> Schema:
    return _object(
        "What there is to know of every agent.",
        optional=("warnings",),
        agents=_list(
            "Every agent that sesls knows, those of plug-ins last.",
            _object(
                "One agent.",
                optional=("plugin",),
                agent=_text("The agent, as --agent takes it.", examples=list(REGISTRY)),
                label=_text("Its name as people write it."),
                plugin=_text("The package and its version that brings the adapter; only where sesls itself does not."),
                versions=_text_or_null("The versions of the agent whose files are known, in words."),
                described=_or_null(
                    {
                        "type": "boolean",
                        "description": "Whether the adapter was written from descriptions and never met a real store.",
                    }
                ),
                sessions=_number("How many sessions it has."),
                date_max=_instant_or_null("The newest last activity."),
                roots=_list(
                    "The places where it may keep sessions.",
                    _object(
                        "A folder or a database.",
                        optional=("variables",),
                        path=_text("Where it is or would be."),
                        state=_word("Whether it is there.", get_args(State)),
                        sessions=_number("How many sessions it holds."),
                        variables={
                            **_list(
                                "The environment variables without which it would not be looked at; only where there"
                                " are any.",
                                {"type": "string"},
                            ),
                            "minItems": 1,
                        },
                    ),
                ),
            ),
        ),
        warnings=_warnings(),
    )


def _cache() -> Schema:
    return _object(
        "How much is remembered.",
        agents=_list(
            "The agents of which something is remembered.",
            _object(
                "How much is remembered of one agent.",
                agent=_text("The agent.", examples=list(REGISTRY)),
                size_bytes=_number("How many bytes."),
                changed=_instant("When that changed last."),
            ),
        ),
        size_bytes=_number("How many bytes in all."),
    )


def _object(description: str, optional: Collection[str] = (), **properties: Schema) -> Schema:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _list(description: str, items: Schema) -> Schema:
    return {"type": "array", "description": description, "items": items}


def _word(description: str, words: Collection[str]) -> Schema:
    return {"type": "string", "enum": list(words), "description": description}


def _text(description: str, **more: object) -> Schema:
    return {"type": "string", "description": description, **more}


def _text_or_null(description: str) -> Schema:
    return _or_null(_text(description))


def _number(description: str) -> Schema:
    return {"type": "integer", "minimum": 0, "description": description}


def _number_or_null(description: str) -> Schema:
    return _or_null(_number(description))


def _instant(description: str) -> Schema:
    description += " RFC 3339, UTC, with milliseconds."
    return {"type": "string", "format": "date-time", "pattern": _INSTANT, "description": description}


def _instant_or_null(description: str) -> Schema:
    return _or_null(_instant(description))


def _or_null(value: Schema) -> Schema:
    """Return the schema of what may be null, in the spelling that most programs know: no list of types."""
    return {"description": value.pop("description"), "anyOf": [value, {"type": "null"}]}


def _ref(definition: str) -> Schema:
    return {"$ref": f"#/$defs/{definition}"}
