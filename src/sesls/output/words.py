"""Small values in words: ages, directories, counts, ids."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from sesls.paths import is_windows_path
from sesls.text import one_line

_SHORTEST_ID = 8
_UNITS = (
    ("y", 31_536_000),
    ("mo", 2_592_000),
    ("w", 604_800),
    ("d", 86_400),
    ("h", 3_600),
    ("m", 60),
    ("s", 1),
)


def age(seconds: int) -> str:
    """Return an age in its largest whole unit: `3d`; `now` below one second."""
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return "now"


def directory(path: str, home: str) -> str:
    """Return a directory on one line, `~` for home."""
    is_windows = is_windows_path(home)
    home = home.rstrip("/\\" if is_windows else "/")
    start, rest = path[: len(home)], path[len(home) :]
    if is_windows:  # any case, any slash
        home, start = (one.lower().replace("/", "\\") for one in (home, start))
    if home and start == home and (not rest or rest[0] == "/" or (is_windows and rest[0] == "\\")):
        path = "~" + rest
    return one_line(path)


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 session`, `2,724 sessions`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """Return a number of bytes in its largest fitting unit: `1.6 MB`."""
    for unit, worth in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= worth:
            return f"{count / worth:.1f} {unit}"
    return f"{count} B"


def joined(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: `a, b and c`."""
    return ", ".join(words[:-1]) + f" and {words[-1]}" if len(words) > 1 else "".join(words)


def short_ids(ids: Collection[str]) -> dict[str, str]:
    """Return for each id its shortest prefix, of eight characters at least, that no other one begins with."""
    ordered = sorted(set(ids))
    shared = [0, *(_common(one, other) for one, other in pairwise(ordered)), 0]
    return {
        one: one[: max(_SHORTEST_ID, before + 1, after + 1)]
        for one, before, after in zip(ordered, shared, shared[1:], strict=False)
    }


def _common(one: str, other: str) -> int:
    length = min(len(one), len(other))
    return next((place for place in range(length) if one[place] != other[place]), length)
