"""The table for people: as wide as the terminal, or whole values in a pipe.

Columns stand in the order of their importance. On a narrow terminal the last ones go first, before the title gets
narrow; no row ever wraps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TextIO

from sesls.output import words
from sesls.output.terminal import shows_unicode
from sesls.session import Session
from sesls.text import one_line

_GAP = 2
_TITLE = "TITLE"
_DIRECTORY = "DIRECTORY"
_ID = "ID"
_MESSAGES = "MSGS"
_OLD_SECONDS = 30 * 86_400
_PALETTE = ("cyan", "green", "yellow", "magenta", "blue", "bright_red")


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    cells: tuple[str, ...]
    least: int
    """The narrowest this column may get, in terminal cells."""
    good: int
    """The width it is to have before a column beyond directory and id is shown."""
    most: int
    """The widest it gets on a terminal."""


@dataclass(frozen=True, slots=True)
class _Signs:
    absent: str
    cut: str
    subagent: str


_UNICODE = _Signs("—", "…", "↳ ")
_ASCII = _Signs("-", "~", "> ")


def write_lines(sessions: Sequence[Session], stream: TextIO) -> None:
    """Write the table with whole values, aligned: for a pipe or a file."""
    from rich.cells import cell_len

    columns = _columns(sessions, _UNICODE if shows_unicode(stream) else _ASCII, home=None)
    widths = [max(map(cell_len, (column.heading, *column.cells))) for column in columns]
    for cells in zip(*((column.heading, *column.cells) for column in columns), strict=True):
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True))
        stream.write((" " * _GAP).join(padded).rstrip() + "\n")


def write_table(sessions: Sequence[Session], stream: TextIO, *, home: str, agents: Sequence[str], colour: bool) -> None:
    """Write the table for the terminal that a stream is; `agents` in their order decide the colours."""
    # Rich is imported for terminals alone: it costs about 40 ms.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream, highlight=False, no_color=not colour, legacy_windows=False)
    signs = _UNICODE if shows_unicode(stream) else _ASCII
    columns = _fitted(_columns(sessions, signs, home), console.width)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_edge=False)
    for column, width in columns:
        justify: Literal["left", "right"] = "right" if column.heading == _MESSAGES else "left"
        table.add_column(Text(column.heading), width=width, no_wrap=True, justify=justify)
    for row, session in enumerate(sessions):
        table.add_row(
            *(
                Text(
                    _cut(column.cells[row], width, signs, from_left=column.heading == _DIRECTORY),
                    style=_style(column.heading, session, agents),
                    no_wrap=True,
                    overflow="crop",
                )
                for column, width in columns
            )
        )
    console.print(table, soft_wrap=False, crop=True)


def _columns(sessions: Sequence[Session], signs: _Signs, home: str | None) -> list[_Column]:
    """Return all columns; without a home directory, ids and directories in full."""
    ids = words.short_ids([session.uuid for session in sessions])

    def column(heading: str, cells: Sequence[str], least: int, good: int, most: int) -> _Column:
        return _Column(heading, tuple(cell or signs.absent for cell in cells), least, good, most)

    return [
        column("AGE", [words.age(session.age_sec) for session in sessions], 4, 4, 4),
        column("AGENT", [one_line(session.agent) for session in sessions], 12, 12, 12),
        column(_TITLE, [_title(session, signs) for session in sessions], 32, 36, 200),
        column(_DIRECTORY, [_directory(session, home) for session in sessions], 12, 24, 44),
        column(_ID, [_id(session, ids, home) for session in sessions], 40, 40, 40),
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


def _fitted(columns: Sequence[_Column], width: int) -> list[tuple[_Column, int]]:
    """Return the columns that fit, each with its width in terminal cells."""
    from rich.cells import cell_len

    natural = {
        column.heading: min(max(map(cell_len, (column.heading, *column.cells))), column.most) for column in columns
    }

    def needed(kept: Sequence[_Column], good: bool) -> int:
        least = (column.good if good else column.least for column in kept)
        wanted = sum(min(natural[column.heading], width) for column, width in zip(kept, least, strict=True))
        return wanted + _GAP * (len(kept) - 1)

    kept = list(columns[:3])
    for column in columns[3:]:
        if needed([*kept, column], good=column.heading not in (_DIRECTORY, _ID)) > width:
            break
        kept.append(column)
    widths = {column.heading: min(natural[column.heading], column.least) for column in kept}
    spare = width - sum(widths.values()) - _GAP * (len(widths) - 1)
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


def _cut(cell: str, width: int, signs: _Signs, *, from_left: bool) -> str:
    """Return a cell's text of at most `width` terminal cells; of a directory the end is worth more."""
    from rich.cells import cell_len

    if cell_len(cell) <= width:
        return cell
    kept = cell[::-1] if from_left else cell
    while kept and cell_len(kept) > width - 1:
        kept = kept[: len(kept) - max(1, (cell_len(kept) - width) // 2)]
    if not from_left:
        return kept.rstrip() + signs.cut
    end = kept[::-1]
    boundary = end.find("/")
    return signs.cut + (end[boundary:] if 0 < boundary < len(end) // 2 else end)


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
