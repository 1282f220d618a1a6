"""Docstrings as Markdown: where each argument of a function has a line, the lines are a list."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_ARGUMENT = re.compile(r"([a-z_]+): (?=\S)")


class ArgumentLists(Extension):
    """Rewrites the docstrings of all objects."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = "\n\n".join(map(listed, obj.docstring.value.split("\n\n")))


def listed(paragraph: str) -> str:
    """Return a paragraph as a list if it begins with an argument; a line without one goes on with the line before."""
    if not _ARGUMENT.match(paragraph):
        return paragraph
    lines = paragraph.splitlines()
    return "\n".join(_ARGUMENT.sub(r"* `\1`: ", line) if _ARGUMENT.match(line) else f"  {line}" for line in lines)
