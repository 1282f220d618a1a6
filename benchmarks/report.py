"""Tables, and their place in docs/benchmarks.md: between two comments that name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown, its columns aligned."""
    rows = [tuple(head), *map(tuple, lines)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"

    return "\n".join([line(rows[0]), line(["-" * width for width in widths]), *map(line, rows[1:])])


def write(name: str, text: str) -> None:
    """Put a text between the two comments of that name. Raises ValueError where the page has none."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"{PAGE} has no place for {name}")
    PAGE.write_text(pattern.sub(lambda _: f"{begin}\n{text}\n{end}", page), encoding="utf-8")
