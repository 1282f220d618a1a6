"""One session with all its fields: as lines for a pipe, framed on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TextIO

import msgspec

from sesls.output import words
from sesls.output.widths import padded, width
from sesls.session import Session
from sesls.text import one_line


class Field(NamedTuple):
    """A field as it is shown."""

    name: str
    value: str
    """Empty where the agent did not record it."""


def fields(session: Session, *, unicode: bool) -> list[Field]:
    """Return every field of a session, those of its extra last."""
    separator = " · " if unicode else ", "
    spawned = " of another session" if session.kind == "subagent" else ""
    found = {
        "title": session.title,
        "agent": session.agent,
        "id": session.uuid,
        "kind": session.kind + spawned,
        "parent": session.parent_uuid,
        "directory": session.project_dir,
        "surface": session.launch_surface,
        "models": ", ".join(session.models),
        "active": separator.join((_moment(session.last_activity), _ago(session.age_sec), session.activity)),
        "created": None if session.created is None else _moment(session.created),
        "messages": None if session.message_count is None else f"{session.message_count:,}",
        "size": None if session.size_bytes is None else _size(session.size_bytes, separator),
        "file": session.path,
        "resume": session.resume_command,
    }
    found |= {name if name not in found else f"extra.{name}": _value(value) for name, value in session.extra.items()}
    return [Field(one_line(name), one_line(value or "")) for name, value in found.items()]


def plain(fields: Sequence[Field], *, unicode: bool) -> Iterator[str]:
    """Yield a line for each field, with its whole value."""
    absent = "—" if unicode else "-"
    widest = max(width(field.name) for field in fields)
    return (f"{padded(field.name, widest)}  {field.value or absent}" for field in fields)


def draw(fields: Sequence[Field], stream: TextIO, *, cells: int, colour: str | None) -> None:
    """Draw a frame of so many cells around the fields, in the colour of the agent or without any."""
    from rich import box  # all here: a pipe needs none of it
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    named = {field.name: field.value for field in fields}
    console = Console(
        file=stream,
        width=cells,
        force_terminal=colour is not None,
        no_color=colour is None,
        highlight=False,
        legacy_windows=False,
    )
    absent = "-" if console.options.ascii_only else "—"
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for name, value in named.items():
        grid.add_row(Text(name, "dim"), Text(value or absent, _style(name, value)))
    heading = Text(f"{named['agent']} {named['id']}", f"bold {colour}" if colour else "")
    # Without sides: what is copied out of it has no strokes in it.
    console.print(Panel(grid, title=heading, title_align="left", border_style=colour or "", box=box.HORIZONTALS))


def _style(name: str, value: str) -> str:
    if not value:
        return "dim"
    return "bold" if name == "title" else ""


def _moment(instant: str) -> str:
    return f"{instant[:10]} {instant[11:19]} UTC"


def _ago(seconds: int) -> str:
    return words.age(seconds) + (" ago" if seconds else "")


def _size(count: int, separator: str) -> str:
    return f"{words.size(count)}{separator}{count:,} bytes" if count >= 1000 else words.size(count)


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return msgspec.json.encode(value).decode()
