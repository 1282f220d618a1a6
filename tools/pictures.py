"""The pictures of the documentation: what `sesls demo` shows, light and dark, as SVG.

    python tools/pictures.py

writes docs/pictures/ anew. A test tells when that is due.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from rich import terminal_theme
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from sesls import demo
from sesls.adapters import known
from sesls.clock import Clock
from sesls.instants import instant
from sesls.output import notes, panel, table, tree
from sesls.page import Page
from sesls.query import Query

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
_NOW = instant("2026-11-30T12:00:00Z") or 0
_CELLS = 112
_THEMES = {"dark": terminal_theme.DIMMED_MONOKAI, "light": terminal_theme.DEFAULT_TERMINAL_THEME}


def pictures() -> Iterator[tuple[str, str]]:
    """Yield each picture's file name and content."""
    page = demo.page(Clock(_NOW))
    for name, command, shown in (
        ("list", "sesls", _list(page)),
        ("tree", "sesls list --format tree", _tree(page)),
        ("show", f"sesls show {page.sessions[0].uuid[:8]}", _show(page)),
    ):
        for theme in _THEMES:
            yield f"{name}-{theme}.svg", _svg(f"{name}-{theme}", command, shown, theme)


def _list(page: Page) -> str:
    below = "".join(f"\x1b[2m{line}\x1b[0m\n" for line in notes.below(page, Query()))
    return _table(table.lines(page.sessions, unicode=True)) + below


def _tree(page: Page) -> str:
    return _table(tree.lines(page.sessions, unicode=True))


def _table(lines: list[table.Line]) -> str:
    stream = _stream()
    table.write_coloured(lines, stream, home=demo.HOME, cells=_CELLS, agents=known())
    return _written(stream)


def _show(page: Page) -> str:
    session = page.sessions[0]
    stream = _stream()
    fields = panel.fields(session, unicode=True)
    panel.draw(fields, stream, cells=_CELLS, colour=table.colour_of(session.agent, known()))
    return _written(stream)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _svg(name: str, command: str, shown: str, theme: str) -> str:
    console = Console(record=True, width=_CELLS, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(shown.rstrip("\n")))
    # Without the font from elsewhere: whoever looks at a picture loads the picture.
    svg_format = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    svg = console.export_svg(title=f"$ {command}", theme=_THEMES[theme], code_format=svg_format, unique_id=name)
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines())


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in pictures():
        (FOLDER / name).write_text(content, encoding="utf-8")
