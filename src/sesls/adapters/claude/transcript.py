"""One transcript file: first its two ends, later all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from sesls.adapters.claude import places, prompts
from sesls.adapters.claude.rows import ENVELOPE, ROW, TURNS, Envelope, Row
from sesls.formats import jsonl
from sesls.instants import Instant, instant, latest
from sesls.session import Candidate
from sesls.text import is_visible, once

_WINDOW = 16 << 10
"""How much of each end of a transcript the first reading takes, where that is enough, in bytes."""

_RELOCATED = re.compile(rb"relocatedCwd")
_HEAD_LIMIT = 64 << 20
_ANSWERS_REMEMBERED = 4096

Title = Literal["custom", "ai", "summary", "last prompt", "first prompt", "command"]
"""Where a title stands."""


class Ends(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What both ends of a transcript tell."""

    has_turns: bool
    """A file without `user` or `assistant` rows is no session; its summaries may name other sessions."""
    session_id: str | None
    """From the last row that has one: a subagent's first row may name an aborted session (2.0)."""
    project_dir: str | None
    entrypoint: str | None
    last_activity: Instant | None
    titles: dict[str, str] | None
    """Of chains of rows, in this file or in others, by the uuid of the last row."""


def read_ends(candidate: Candidate) -> Ends | None:
    """Return what both ends of a transcript tell, or None for a file of no bytes.

    Raises ValueError when there are bytes but no rows.
    """
    with jsonl.opened(candidate.path) as file:
        if file.size <= 2 * _WINDOW:
            rows = list(jsonl.all_records(file, ENVELOPE))
        else:
            rows = _head(file, places.project_folder(candidate))
            if any(row.is_turn for row in rows):
                rows += jsonl.tail(file, ENVELOPE, _WINDOW, _is_timed_turn)
        if not rows:
            if file.size:
                raise ValueError("holds no readable record")
            return None
        has_turns = any(row.is_turn for row in rows)
        return Ends(
            has_turns=has_turns,
            session_id=once(next((row.session_id for row in reversed(rows) if row.session_id), None)),
            project_dir=once(_project_dir(file, candidate, rows)) if has_turns else None,
            entrypoint=once(next((row.entrypoint for row in rows if row.entrypoint), None)),
            last_activity=latest(row.timestamp for row in rows if row.is_turn and row.timestamp is not None),
            titles={
                row.leaf_uuid: row.summary for row in rows if row.type == "summary" and row.leaf_uuid and row.summary
            }
            or None,
        )


def _head(file: jsonl.File, folder: str) -> list[Envelope]:
    """Return the first rows: up to a turn that says where and from what the session was started.

    Older builds never wrote some of that, so the piece of the file that holds a turn is the last one read.
    """
    rows: list[Envelope] = []
    has_turn = has_place = has_entrypoint = False

    def pieces() -> Iterator[bytes]:
        for piece in jsonl.blocks(file, _WINDOW, end=_HEAD_LIMIT):
            yield piece
            if has_turn:
                return

    for row in jsonl.records(jsonl.lines(pieces()), ENVELOPE):
        rows.append(row)
        has_turn = has_turn or row.is_turn
        has_place = has_place or (row.cwd is not None and places.is_slug_of(folder, row.cwd))
        has_entrypoint = has_entrypoint or row.entrypoint is not None
        if has_turn and has_place and has_entrypoint:
            break
    return rows


def _is_timed_turn(row: Envelope) -> bool:
    return row.is_turn and instant(row.timestamp) is not None


def _project_dir(file: jsonl.File, candidate: Candidate, rows: list[Envelope]) -> str | None:
    """Return the directory a transcript belongs to.

    `/cd` and worktrees move the file and write `relocated` (2.1.3xx), while a `cd` in a shell only changes the
    cwd of later rows; so the folder's name decides between the cwds, and nothing is decoded from that name.
    """
    folder = places.project_folder(candidate)
    known = [row.cwd for row in rows if row.cwd]
    moves = [row.relocated_cwd for row in rows if row.relocated_cwd]
    is_whole = file.size <= 2 * _WINDOW
    if moves and (is_whole or places.is_slug_of(folder, moves[-1])):
        return moves[-1]
    fitting = None if moves else next((cwd for cwd in dict.fromkeys(known) if places.is_slug_of(folder, cwd)), None)
    if fitting is not None:
        return fitting
    if candidate.role in places.SESSIONS and not is_whole and places.may_be_slug(folder):
        # Neither end fits the folder's name: the move may stand anywhere between them.
        between = jsonl.records(jsonl.lines_with(jsonl.blocks(file), _RELOCATED), ENVELOPE)
        moves += [row.relocated_cwd for row in between if row.relocated_cwd]
    return moves[-1] if moves else next(iter(known), None)


class Contents(msgspec.Struct):
    """What all rows of a transcript tell."""

    titles: dict[Title, str] = msgspec.field(default_factory=dict)
    prompted_at: Instant | None = None
    """When a person last said something."""
    models: dict[str, None] = msgspec.field(default_factory=dict)
    created: Instant | None = None
    prompts: int = 0
    answers: int = 0
    answer_ids: dict[str, None] = msgspec.field(default_factory=dict)
    """Of the last answers: one is written in several rows."""
    facts: dict[str, str | None] = msgspec.field(default_factory=dict)
    """What only Claude has, under the name it gets in `extra`."""

    @property
    def message_count(self) -> int:
        """How many messages there are: what people said, and answers, each counted once."""
        return self.prompts + self.answers


def add_rows(contents: Contents, path: str, offset: int, *, summaries: Mapping[str, str], is_subagent: bool) -> None:
    """Add what the rows of a transcript tell from an offset on.

    `summaries` are titles by the uuid of the row that ends their chain. Raises OSError.
    """
    with jsonl.opened(path) as file:
        for row in jsonl.all_records(file, ROW, offset):
            if contents.created is None and row.timestamp is not None:
                contents.created = instant(row.timestamp)
            if row.type not in TURNS:
                _add_note(contents, row)
                continue
            _add_facts(contents.facts, row)
            if row.type == "assistant" and row.message is not None:
                _add_model(contents.models, row.message.model)
            if row.is_sidechain and not is_subagent:
                continue
            if row.type == "assistant" and row.message is not None:
                _add_answer(contents, row.message.id or row.uuid)
            elif prompts.may_be_prompt(row):
                _add_prompt(contents, row)
            if row.uuid is not None and row.uuid in summaries:
                contents.titles["summary"] = summaries[row.uuid]


def _add_model(models: dict[str, None], model: str | None) -> None:
    if model and model != "<synthetic>":
        models[model] = None


def _add_prompt(contents: Contents, row: Row) -> None:
    texts = prompts.texts(row.message)
    said = next(filter(None, map(prompts.spoken, texts)), None)
    command = next(filter(None, map(prompts.slash_command, texts)), None)
    if said is not None:
        contents.titles.setdefault("first prompt", said)
    if command is not None:
        contents.titles.setdefault("command", command)
    if said is not None or command is not None or not texts:
        contents.prompts += 1
        contents.prompted_at = max(instant(row.timestamp) or 0, contents.prompted_at or 0) or None


def _add_answer(contents: Contents, answer: str | None) -> None:
    if answer is None or answer not in contents.answer_ids:
        contents.answers += 1
    if answer is not None:
        contents.answer_ids[answer] = None
        if len(contents.answer_ids) > _ANSWERS_REMEMBERED:
            contents.answer_ids = dict.fromkeys(list(contents.answer_ids)[_ANSWERS_REMEMBERED // 2 :])


def _add_facts(facts: dict[str, str | None], row: Row) -> None:
    """Note the first entrypoint and fork, and the latest of everything else."""
    if row.forked_from is not None and row.forked_from.session_id:
        facts.setdefault("forked_from", row.forked_from.session_id)
    if row.entrypoint:
        facts.setdefault("entrypoint", row.entrypoint)
    if row.version:
        facts["agent_version"] = row.version
    if row.git_branch:
        facts["git_branch"] = row.git_branch
    if row.session_kind:
        facts["session_kind"] = row.session_kind
    if row.team_name:
        facts["team_name"] = row.team_name


def _add_note(contents: Contents, row: Row) -> None:
    if row.type == "custom-title":
        _set_title(contents, "custom", row.custom_title)
    elif row.type == "ai-title":
        _set_title(contents, "ai", row.ai_title)
    elif row.type == "last-prompt":
        _set_title(contents, "last prompt", prompts.spoken(row.last_prompt) if row.last_prompt else None)
    elif row.type == "tag" and row.tag is not None:
        contents.facts["tag"] = row.tag or None
    elif row.type == "continued-in" and row.continued_in_session_id:
        contents.facts["continued_in"] = row.continued_in_session_id


def _set_title(contents: Contents, kind: Title, title: str | None) -> None:
    if title and is_visible(title):
        contents.titles[kind] = title
