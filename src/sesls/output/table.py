"""The table for people: as wide as the terminal, or whole values in a pipe.

Columns stand in the order of their importance. On a narrow terminal the last ones go first, before the title gets
narrow; no row ever wraps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

import msgspec
from msgspec.structs import replace

from sesls.output import words
from sesls.output.terminal import shows_unicode
from sesls.output.widths import cut, cut_start, padded, width
from sesls.session import Session
from sesls.text import one_line

_GAP = 2
_WIDEST_PADDED = 220
_TITLE = "TITLE"
_DIRECTORY = "DIRECTORY"
_ID = "ID"
_MESSAGES = "MSGS"
_OLD_SECONDS = 30 * 86_400
_PALETTE = ("cyan", "green", "yellow", "magenta", "blue", "bright_red")


class _Column(msgspec.Struct, frozen=True):
    heading: str
    cells: tuple[str, ...]
    least: int
    """The narrowest this column may get, in terminal cells."""
    good: int
    """The width it is to have before a column beyond directory and id is shown."""
    most: int
    """The widest it gets on a terminal."""


class _Signs(msgspec.Struct, frozen=True):
    absent: str
    cut: str
    subagent: str
    encoding: str = "utf-8"


_UNICODE = _Signs("—", "…", "↳ ")
_ASCII = _Signs("-", "~", "> ")


def write_plain(sessions: Sequence[Session], stream: TextIO) -> None:
    """Write the table with whole values, aligned: for a pipe or a file."""
    columns = _columns(sessions, _signs(stream), home=None)
    widths = [min(max(map(width, (column.heading, *column.cells))), _WIDEST_PADDED) for column in columns]
    _write(list(zip(columns, widths, strict=True)), stream)


def write_fitted(sessions: Sequence[Session], stream: TextIO, *, home: str, cells: int) -> None:
    """Write the table without colours, so that no row is wider than so many cells."""
    signs = _signs(stream)
    _write(_cut(_fitted(_columns(sessions, signs, home), cells), signs), stream)


def write_coloured(
    sessions: Sequence[Session], stream: TextIO, *, home: str, cells: int, agents: Sequence[str]
) -> None:
    """Write the same with colours; the order of `agents` decides which agent gets which."""
    # Rich is imported for coloured terminals alone: it costs about 30 ms.
    from rich.console import Console
    from rich.text import Text

    signs = _signs(stream)
    columns = _cut(_fitted(_columns(sessions, signs, home), cells), signs)
    console = Console(file=stream, force_terminal=True, highlight=False, legacy_windows=False)
    rows: list[Session | None] = [None, *sessions]
    for session, row in zip(rows, _rows(columns), strict=True):
        line = Text()
        for (column, _), cell in zip(columns, row, strict=True):
            line.append(cell, "dim" if session is None else _style(column.heading, session, agents))
        console.print(line, soft_wrap=True)


def _write(columns: Sequence[tuple[_Column, int]], stream: TextIO) -> None:
    stream.writelines("".join(row).rstrip() + "\n" for row in _rows(columns))


def _rows(columns: Sequence[tuple[_Column, int]]) -> Iterator[list[str]]:
    """Yield the heading and then each row, as cells that stand beside each other without anything between."""
    last = len(columns) - 1
    for cells in zip(*((cut(column.heading, most, ""), *column.cells) for column, most in columns), strict=True):
        row = []
        for place, ((column, cell_width), cell) in enumerate(zip(columns, cells, strict=True)):
            gap = "" if place == last else " " * _GAP
            row.append(padded(cell, cell_width, right=column.heading == _MESSAGES) + gap)
        yield row


def _signs(stream: TextIO) -> _Signs:
    return replace(_UNICODE if shows_unicode(stream) else _ASCII, encoding=stream.encoding or "ascii")


def _columns(sessions: Sequence[Session], signs: _Signs, home: str | None) -> list[_Column]:
    """Return all columns; without a home directory, ids and directories in full."""
    ids = words.short_ids([session.uuid for session in sessions])

    longest_id = max(map(len, ids.values()), default=0)

    def column(heading: str, cells: Sequence[str], least: int, good: int, most: int) -> _Column:
        # What the stream cannot show becomes `?`, which may be wider: before anything is measured.
        shown = (cell.encode(signs.encoding, "replace").decode(signs.encoding) for cell in cells)
        return _Column(heading, tuple(cell or signs.absent for cell in shown), least, good, most)

    return [
        column("AGE", [words.age(session.age_sec) for session in sessions], 4, 4, 4),
        column("AGENT", [one_line(session.agent) for session in sessions], 12, 12, 12),
        column(_TITLE, [_title(session, signs) for session in sessions], 32, 36, 200),
        column(_DIRECTORY, [_directory(session, home) for session in sessions], 12, 24, 44),
        column(_ID, [_id(session, ids, home) for session in sessions], longest_id, longest_id, longest_id),
        column("MODELS", [_models(session, home) for session in sessions], 18, 18, 32),
        column("SURFACE", [one_line(session.launch_surface or "") for session in sessions], 14, 14, 20),
        column(_MESSAGES, [_messages(session) for session in sessions], 6, 6, 6),
    ]


def _id(session: Session, ids: Mapping[str, str], home: str | None) -> str:
    return one_line(session.uuid if home is None else ids[session.uuid])


def _title(session: Session, signs: _Signs) -> str:
    mark = signs.subagent if session.kind == "subagent" else ""
    return mark + (session.title or signs.absent)


def _directory(session: Session, home: str | None) -> str:
    if session.project_dir is None:
        return ""
    return one_line(session.project_dir) if home is None else words.directory(session.project_dir, home)


def _models(session: Session, home: str | None) -> str:
    models = [one_line(model) for model in session.models]
    if home is None or len(models) < 2:
        return ",".join(models)
    return f"{models[-1]} +{len(models) - 1}"


def _messages(session: Session) -> str:
    return "" if session.message_count is None else str(session.message_count)


def _fitted(columns: Sequence[_Column], cells: int) -> list[tuple[_Column, int]]:
    """Return the columns that fit, each with its width."""
    natural = {column.heading: min(max(map(width, (column.heading, *column.cells))), column.most) for column in columns}

    def needed(kept: Sequence[_Column], good: bool) -> int:
        least = (column.good if good else column.least for column in kept)
        wanted = sum(min(natural[column.heading], most) for column, most in zip(kept, least, strict=True))
        return wanted + _GAP * (len(kept) - 1)

    kept = list(columns[:3])
    for column in columns[3:]:
        if needed([*kept, column], good=column.heading not in (_DIRECTORY, _ID)) > cells:
            break
        kept.append(column)
    widths = {column.heading: min(natural[column.heading], column.least) for column in kept}
    spare = cells - sum(widths.values()) - _GAP * (len(widths) - 1)
    if spare < 0:
        widths[_TITLE] = max(widths[_TITLE] + spare, 1)
    # What is left makes every column good in the order of importance, and then as wide as its cells.
    goals = [(column.heading, min(natural[column.heading], column.good)) for column in kept]
    goals += [(column.heading, natural[column.heading]) for column in (*kept[3:], *kept[:3])]
    for heading, goal in goals:
        more = max(min(goal - widths[heading], spare), 0)
        widths[heading] += more
        spare -= more
    return [(column, widths[column.heading]) for column in kept]


def _cut(columns: Sequence[tuple[_Column, int]], signs: _Signs) -> list[tuple[_Column, int]]:
    """Return the columns with every cell cut to its column's width."""
    return [
        (
            replace(column, cells=tuple(_cut_cell(column.heading, cell, most, signs) for cell in column.cells)),
            most,
        )
        for column, most in columns
    ]


def _cut_cell(heading: str, cell: str, most: int, signs: _Signs) -> str:
    if heading != _DIRECTORY or width(cell) <= most:
        return cut(cell, most, signs.cut)
    # The end of a directory is worth more than its start, and whole names more than parts.
    end = cut_start(cell, most, signs.cut)
    boundary = end.find("/")
    return signs.cut + end[boundary:] if 1 < boundary < len(end) // 2 else end


def _style(heading: str, session: Session, agents: Sequence[str]) -> str:
    if heading == "AGE":
        if session.activity == "fresh":
            return "bold green"
        return "dim" if session.age_sec > _OLD_SECONDS else ""
    if heading == "AGENT" and session.agent in agents:
        return _PALETTE[agents.index(session.agent) % len(_PALETTE)]
    if heading == _TITLE:
        return "dim" if session.kind == "subagent" or session.title is None else ""
    return "" if heading == "ID" else "dim"
