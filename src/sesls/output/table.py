"""The table for people: as wide as the terminal, or whole values in a pipe.

Columns stand in the order of their importance. On a narrow terminal the last ones go first, before the title gets
narrow; no row ever wraps. Where fields are named, each is a column, and wide ones share what room there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TextIO

import msgspec
from msgspec.structs import replace

from sesls.output import words
from sesls.output.terminal import shows_unicode
from sesls.output.widths import cut, cut_start, padded, width
from sesls.session import Session
from sesls.text import one_line

_GAP = 2
_WIDEST_PADDED = 220
_NARROWEST = 8
"""The least that a wide column of a named field may shrink to."""
_TITLE = "TITLE"
_DIRECTORY = "DIRECTORY"
_HOME = "HOME"
_ID = "ID"
_MESSAGES = "MSGS"
_DIM = {_DIRECTORY, _HOME, "MODELS", "SURFACE", _MESSAGES}
_PATHS = ("project_dir", "path", "home")
_NUMBERS = ("age_sec", "size_bytes", "message_count")
_OLD_SECONDS = 30 * 86_400
_PALETTE = ("cyan", "green", "yellow", "magenta", "blue", "bright_red")


class Line(NamedTuple):
    """One line of a table: a session and what stands before its title, or words alone in the place of the title."""

    session: Session | None
    before: str


class _Column(msgspec.Struct, frozen=True):
    heading: str
    cells: tuple[str, ...]
    least: int
    """The narrowest this column may get, in terminal cells."""
    good: int
    """The width it is to have before a column beyond directory and id is shown."""
    most: int
    """The widest it gets on a terminal."""
    is_path: bool = False
    """Whether its end is worth more than its start."""
    is_number: bool = False


class _Signs(msgspec.Struct, frozen=True):
    absent: str
    cut: str
    subagent: str
    encoding: str = "utf-8"


_UNICODE = _Signs("—", "…", "↳ ")
_ASCII = _Signs("-", "~", "> ")


def mark(session: Session, *, unicode: bool) -> str:
    """Return what stands before the title of a session that another one spawned."""
    return (_UNICODE if unicode else _ASCII).subagent if session.kind == "subagent" else ""


def lines(sessions: Sequence[Session], *, unicode: bool) -> list[Line]:
    """Return a line for each session."""
    return [Line(session, mark(session, unicode=unicode)) for session in sessions]


def write_plain(lines: Sequence[Line], stream: TextIO, *, fields: Sequence[str] | None = None) -> None:
    """Write the table with whole values, aligned: for a pipe or a file."""
    columns = _columns(lines, _signs(stream), home=None, fields=fields)
    widths = [min(max(map(width, (column.heading, *column.cells))), _WIDEST_PADDED) for column in columns]
    _write(list(zip(columns, widths, strict=True)), stream)


def write_fitted(
    lines: Sequence[Line], stream: TextIO, *, home: str, cells: int, fields: Sequence[str] | None = None
) -> Sequence[str]:
    """Write the table without colours, no row wider than so many cells; return the fields there was no room for."""
    columns = _drawn(lines, _signs(stream), home, cells, fields)
    _write(columns, stream)
    return () if fields is None else fields[len(columns) :]


def write_coloured(
    lines: Sequence[Line],
    stream: TextIO,
    *,
    home: str,
    cells: int,
    agents: Sequence[str],
    fields: Sequence[str] | None = None,
) -> Sequence[str]:
    """Write the same with colours, and return the same; the order of `agents` decides which agent gets which."""
    # Rich is imported for coloured terminals alone: it costs about 30 ms.
    from rich.console import Console
    from rich.text import Text

    columns = _drawn(lines, _signs(stream), home, cells, fields)
    console = Console(file=stream, force_terminal=True, highlight=False, legacy_windows=False)
    for line, row in zip((None, *lines), _rows(columns), strict=True):
        shown = Text()
        for (column, _), cell in zip(columns, row, strict=True):
            session = None if line is None else line.session
            shown.append(cell, "dim" if session is None else _style(column.heading, session, agents))
        console.print(shown, soft_wrap=True)
    return () if fields is None else fields[len(columns) :]


def _drawn(
    lines: Sequence[Line], signs: _Signs, home: str, cells: int, fields: Sequence[str] | None
) -> list[tuple[_Column, int]]:
    """Return the columns that fit, each with its width and its cells cut to that."""
    columns = _columns(lines, signs, home, fields)
    return _cut(_fitted(columns, cells) if fields is None else _shared(columns, cells), signs)


def _write(columns: Sequence[tuple[_Column, int]], stream: TextIO) -> None:
    stream.writelines("".join(row).rstrip() + "\n" for row in _rows(columns))


def _rows(columns: Sequence[tuple[_Column, int]]) -> Iterator[list[str]]:
    """Yield the heading and then each row, as cells that stand beside each other without anything between."""
    last = len(columns) - 1
    for cells in zip(*((cut(column.heading, most, ""), *column.cells) for column, most in columns), strict=True):
        row = []
        for place, ((column, cell_width), cell) in enumerate(zip(columns, cells, strict=True)):
            gap = "" if place == last else " " * _GAP
            row.append(padded(cell, cell_width, right=column.is_number) + gap)
        yield row


def _signs(stream: TextIO) -> _Signs:
    return replace(_UNICODE if shows_unicode(stream) else _ASCII, encoding=stream.encoding or "ascii")


def _columns(lines: Sequence[Line], signs: _Signs, home: str | None, fields: Sequence[str] | None) -> list[_Column]:
    """Return all columns; without a home directory, with whole values."""

    def cells(value: Callable[[Session], str], *, with_before: bool = False) -> tuple[str, ...]:
        shown = (
            (line.before if with_before else "") + ("" if line.session is None else value(line.session) or signs.absent)
            for line in lines
        )
        # What the stream cannot show becomes `?`, which may be wider: before anything is measured.
        return tuple(cell.encode(signs.encoding, "replace").decode(signs.encoding) for cell in shown)

    if fields is not None:
        return [_named(name, cells, home) for name in fields]
    sessions = [line.session for line in lines if line.session is not None]
    ids = words.short_ids([session.uuid for session in sessions])
    longest_id = max(map(len, ids.values()), default=0)
    columns = [
        _Column("AGE", cells(lambda session: words.age(session.age_sec)), 4, 4, 4),
        _Column("AGENT", cells(lambda session: one_line(session.agent)), 12, 12, 12),
        _Column(_TITLE, cells(lambda session: session.title or "", with_before=True), 32, 36, 200),
        _Column(_DIRECTORY, cells(lambda session: _path(session.project_dir, home)), 12, 24, 44, is_path=True),
        _Column(_ID, cells(lambda session: _id(session, ids, home)), longest_id, longest_id, longest_id),
        _Column("MODELS", cells(lambda session: _models(session, home)), 18, 18, 32),
        _Column("SURFACE", cells(lambda session: one_line(session.launch_surface or "")), 14, 14, 20),
        _Column(_MESSAGES, cells(_messages), 6, 6, 6, is_number=True),
    ]
    if any(session.home is not None for session in sessions):
        columns.insert(3, _Column(_HOME, cells(lambda session: _path(session.home, home)), 8, 16, 32, is_path=True))
    return columns


def _named(name: str, cells: Callable[[Callable[[Session], str]], tuple[str, ...]], home: str | None) -> _Column:
    """Return the column of a field."""
    from sesls.output import fields  # here: few tables name any

    def value(session: Session) -> str:
        found = fields.value(session, name)
        return _path(found, home) if name in _PATHS and isinstance(found, str) else fields.as_text(found, ",")

    is_path, is_number = name in _PATHS, name in _NUMBERS
    return _Column(name.upper(), cells(value), _NARROWEST, _NARROWEST, 0, is_path=is_path, is_number=is_number)


def _id(session: Session, ids: Mapping[str, str], home: str | None) -> str:
    return one_line(session.uuid if home is None else ids[session.uuid])


def _path(path: str | None, home: str | None) -> str:
    if path is None:
        return ""
    return one_line(path) if home is None else words.directory(path, home)


def _models(session: Session, home: str | None) -> str:
    models = [one_line(model) for model in session.models]
    if home is None or len(models) < 2:
        return ",".join(models)
    return f"{models[-1]} +{len(models) - 1}"


def _messages(session: Session) -> str:
    return "" if session.message_count is None else str(session.message_count)


def _shared(columns: Sequence[_Column], cells: int) -> list[tuple[_Column, int]]:
    """Return the columns that fit, the first at least; narrow ones get what they need, wide ones share the rest."""
    needs = [max(map(width, (column.heading, *column.cells))) for column in columns]
    kept = len(columns)
    while kept > 1 and sum(min(need, _NARROWEST) + _GAP for need in needs[:kept]) - _GAP > cells:
        kept -= 1
    room = cells - _GAP * (kept - 1)
    widths = [0] * kept
    for number, place in enumerate(sorted(range(kept), key=needs.__getitem__)):
        widths[place] = max(min(needs[place], room // (kept - number)), 1)
        room -= widths[place]
    return list(zip(columns[:kept], widths, strict=True))


def _fitted(columns: Sequence[_Column], cells: int) -> list[tuple[_Column, int]]:
    """Return the columns that fit, each with its width."""
    natural = {column.heading: min(max(map(width, (column.heading, *column.cells))), column.most) for column in columns}

    def needed(kept: Sequence[_Column], good: bool) -> int:
        least = (column.good if good else column.least for column in kept)
        wanted = sum(min(natural[column.heading], most) for column, most in zip(kept, least, strict=True))
        return wanted + _GAP * (len(kept) - 1)

    kept = list(columns[:3])
    for column in columns[3:]:
        if needed([*kept, column], good=column.heading not in (_DIRECTORY, _HOME, _ID)) > cells:
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
            replace(column, cells=tuple(_cut_cell(cell, most, signs, is_path=column.is_path) for cell in column.cells)),
            most,
        )
        for column, most in columns
    ]


def _cut_cell(cell: str, most: int, signs: _Signs, *, is_path: bool) -> str:
    if not is_path or width(cell) <= most:
        return cut(cell, most, signs.cut)
    # The end of a directory is worth more than its start, and whole names more than parts.
    end = cut_start(cell, most, signs.cut)
    boundary = end.find("/")
    return signs.cut + end[boundary:] if 1 < boundary < len(end) // 2 else end


def colour_of(agent: str, agents: Sequence[str]) -> str:
    """Return the colour of an agent, by its place among all; none for one that is not among them."""
    return _PALETTE[agents.index(agent) % len(_PALETTE)] if agent in agents else ""


def _style(heading: str, session: Session, agents: Sequence[str]) -> str:
    if heading == "AGE":
        if session.activity == "fresh":
            return "bold green"
        return "dim" if session.age_sec > _OLD_SECONDS else ""
    if heading == "AGENT":
        return colour_of(session.agent, agents)
    if heading == _TITLE:
        return "dim" if session.kind == "subagent" or session.title is None else ""
    return "dim" if heading in _DIM else ""
