"""Places in a text that hold a secret, and what becomes of those that overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Span = tuple[int, int, str]
"""Start, end and kind of a secret."""

# What wins where secrets overlap: a key in a block, then whose it is, then how it was passed, then only that it is one.
_VAGUENESS = {"PRIVATE_KEY": 0, "BASIC_AUTH": 2, "BEARER_TOKEN": 2, "URL_CREDENTIALS": 2, "GENERIC_SECRET": 3}


def merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield disjoint spans in order; those that overlap become one, of the most telling kind."""
    current: Span | None = None
    for span in sorted(spans):
        if current is None or span[0] >= current[1]:
            if current is not None:
                yield current
            current = span
        else:
            kind = min(current[2], span[2], key=lambda kind: _VAGUENESS.get(kind, 1))
            current = (current[0], max(current[1], span[1]), kind)
    if current is not None:
        yield current
