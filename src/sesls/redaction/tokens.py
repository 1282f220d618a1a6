"""Secrets found by their shape: every long run of token characters is asked for a prefix of the table.

A run is looked at once. Where a prefix may begin is known without search (at the start of the run, after `-`, `_`, `.`
and the like), and the two characters there choose the few shapes to try, so the size of the table does not matter.
Edges are ASCII: a key that is glued to a Chinese word is a key, one inside a longer ASCII word is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from sesls.redaction.looks import is_plain, unwordly, varied
from sesls.redaction.shapes import GLUED, LANDMARKS, PREFIXED, Shape
from sesls.redaction.spans import Span

_LONG = 15  # the shortest prefix and body, what is shorter is only looked at in the end of a text
_RUN = re.compile(rf"(?a:\b[\w.~+/-]{{{_LONG},}})")  # a word boundary is found faster than such a character
_LETTERS_AND_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RUN_CHARACTERS = _LETTERS_AND_DIGITS + "+-./_~"
_TELLING = re.compile(r"[a-z][A-Z0-9]|[0-9][A-Za-z]|[A-Z][0-9]|[A-Z]{16}")  # no token is without this
_BEFORE_ESCAPES = frozenset("\\%[;")
_SHORTEST_CUT = 8  # a prefix of three characters and most of what a body needs

_RANDOM = 8  # unwordly characters of a body that is whole, …
_RANDOM_GLUED = 12  # … of one whose prefix is in the middle of a word, …
_RANDOM_CUT = 4  # … and of what is left of one at the end of a text

Idle = dict[tuple[re.Pattern[str], int], int]
"""Up to where it is idle to try a pattern and a demand again: it matched as far in vain, so every part of that will."""


def _by_first_two() -> dict[str, list[tuple[str, Shape]]]:
    table: dict[str, list[tuple[str, Shape]]] = {}
    for shape in PREFIXED:
        for prefix in shape.prefixes.split():
            table.setdefault(prefix[:2], []).append((prefix, shape))
    for candidates in table.values():
        candidates.sort(key=lambda candidate: -len(candidate[0]))
    return table


def _counts_in_words(prefix: str) -> bool:
    return len(prefix) > 5 or prefix in GLUED


def _by_head() -> dict[str, list[tuple[str, Shape, int]]]:
    """Return the prefixes that count inside words, by the three characters up to their first `-`, `_`, `.` or `~`."""
    table: dict[str, list[tuple[str, Shape, int]]] = {}
    for shapes in _SHAPES.values():
        for prefix, shape in shapes:
            head = len(prefix) - len(prefix.lstrip(_LETTERS_AND_DIGITS)) + 1
            if head <= len(prefix) and shape.kind and _counts_in_words(prefix):
                table.setdefault(prefix[:head][-3:], []).append((prefix, shape, head))
    return table


_SHAPES = _by_first_two()
_HEADS = _by_head()
_BARE = tuple(
    (prefix, shape)
    for shapes in _SHAPES.values()
    for prefix, shape in shapes
    if _counts_in_words(prefix) and not shape.sure and prefix.isalnum()
)


@cache
def _edge() -> re.Pattern[str]:
    # Two characters that may begin a prefix, or one that ends a prefix and is not followed by such.
    return re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9_.-]|(?<=[A-Za-z0-9])[_.~-](?![A-Za-z0-9])")


@cache
def _escape() -> re.Pattern[str]:
    escapes = r"(?<=\\)(?:[nrt]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})|(?<=%)[0-9A-Fa-f]{2}|(?<=[\[;])[0-9]{1,2}m"
    return re.compile(escapes)


@cache
def _body(shape: Shape) -> re.Pattern[str]:
    return re.compile(f"(?:{shape.form or f'[{shape.alphabet}]{{{shape.least},}}'})(?![A-Za-z0-9])")


@cache
def _rest(shape: Shape) -> re.Pattern[str]:
    return re.compile(f"[{shape.alphabet}]{{6,}}")


@cache
def _next_line(shape: Shape) -> re.Pattern[str]:
    return re.compile(rf"\r?\n[ \t]*([{shape.alphabet}]{{10,}})")


@cache
def _landmark(form: str) -> re.Pattern[str]:
    return re.compile(form)


def telling_runs(text: str) -> list[tuple[int, int]]:
    """Return the long runs of token characters in text that may hold a token, as starts and ends."""
    return [run.span() for run in _RUN.finditer(text) if _TELLING.search(run.group())]


def find(text: str, runs: Sequence[tuple[int, int]], ends: bool) -> list[Span]:
    """Return the tokens in text, whose telling runs are given; where it `ends`, its agent may have cut the last one."""
    spans: list[Span] = []
    finish = len(text.rstrip(" \t\r\n….")) if ends else -1
    idle: Idle = {}
    for start, end in runs:
        spans += _in_run(text, start, end, finish, idle)
    if (start := _short_last_run(text, finish)) >= 0:
        spans += _in_run(text, start, finish, finish, idle)
        runs = [*runs, (start, start + _LONG)]
    if runs:
        for prefix, shape in _BARE:
            if prefix in text:
                spans += _stuck(prefix, shape, text)
        spans += _with_landmarks(text, max(end - start for start, end in runs))
    return spans


def _short_last_run(text: str, finish: int) -> int:
    """Return where the last run begins if it is short but may be the beginning of a token, or -1."""
    last = text[max(0, finish - _SHORTEST_CUT) : max(0, finish)]
    if " " in last or (last.islower() and last.isalpha()):
        return -1
    end = text[max(0, finish - _LONG) : max(0, finish)]
    run = end[len(end.rstrip(_RUN_CHARACTERS)) :]
    return finish - len(run) if _SHORTEST_CUT <= len(run) < _LONG and _TELLING.search(run) else -1


def _in_run(text: str, start: int, stop: int, finish: int, idle: Idle) -> list[Span]:
    """Return the tokens in a run: those that begin at its edges, and those whose prefix is stuck to a word."""
    spans: list[Span] = []
    done = 0
    if start and text[start - 1] in _BEFORE_ESCAPES and (escape := _escape().match(text, start)):
        done = _at(text, escape.end(), finish, idle, spans)
    for match in _edge().finditer(text, start, stop):
        first = match.group()
        edge = match.start() if len(first) == 2 else match.end()
        if edge < done:
            continue
        if first in _SHAPES:
            done = _at(text, edge, finish, idle, spans)
        if edge > done and (heads := _HEADS.get(text[edge - 3 : edge])):
            done = max(done, _inside(text, edge, heads, idle, spans))
    return spans


def _at(text: str, edge: int, finish: int, idle: Idle, spans: list[Span]) -> int:
    """Add the token that begins at an edge and return where it ends, or 0."""
    for prefix, shape in _SHAPES.get(text[edge : edge + 2], ()):
        if not text.startswith(prefix, edge) or (shape.alone and edge and text[edge - 1] in "_.-"):
            continue
        body = edge + len(prefix)
        end = _whole(shape, text, body, _RANDOM, idle)
        if end := end or _beginning(shape, len(prefix) > 4 or prefix in GLUED, text, body, finish, idle):
            if shape.kind:
                spans.append((edge, end, shape.kind))
            return end
    return 0


def _inside(text: str, edge: int, heads: list[tuple[str, Shape, int]], idle: Idle, spans: list[Span]) -> int:
    """Add the token whose prefix has its first separator before an edge and a letter before itself."""
    for prefix, shape, head in heads:
        start = edge - head
        if start <= 0 or not text.startswith(prefix, start) or not text[start - 1].isalnum():
            continue
        if end := _whole(shape, text, start + len(prefix), _RANDOM_GLUED, idle):
            spans.append((start, end, shape.kind))
            return end
    return 0


def _whole(shape: Shape, text: str, start: int, least: int, idle: Idle) -> int:
    """Return where a token ends whose body begins at `start`, or 0."""
    pattern = _body(shape)
    body = pattern.match(text, start) if start >= idle.get((pattern, least), 0) else None
    if body is None:
        return 0
    if varied(body.group()) if shape.sure else _random(body.group(), least):
        return _unwrapped(shape, text, body.end())
    idle[pattern, least] = body.end()
    return 0


def _beginning(shape: Shape, distinctive: bool, text: str, start: int, finish: int, idle: Idle) -> int:
    """Return where a token ends of which only the beginning is there: at the end of the text or of a line; or 0."""
    if not shape.alphabet or not shape.kind:
        return 0
    pattern = _rest(shape)
    rest = pattern.match(text, start) if start >= idle.get((pattern, distinctive), 0) else None
    if rest is None:
        return 0
    idle[pattern, distinctive] = end = rest.end()
    at_end = end >= finish >= 0
    if not (at_end or text[end : end + 1] in ("\r", "\n")) or not _like_a_beginning(shape, distinctive, rest.group()):
        return 0
    whole = _unwrapped(shape, text, end)
    return whole if whole > end or at_end else 0


def _like_a_beginning(shape: Shape, distinctive: bool, rest: str) -> bool:
    if shape.sure:
        return varied(rest) and not rest.isalpha() and not rest.isdigit()
    return unwordly(rest) >= _RANDOM_CUT or (distinctive and not is_plain(rest))


def _random(body: str, least: int) -> bool:
    return unwordly(body) >= least and varied(body)


def _unwrapped(shape: Shape, text: str, end: int) -> int:
    """Return where a token ends that a line break at `end` may have split."""
    while shape.alphabet and text[end : end + 1] in ("\r", "\n"):
        line = _next_line(shape).match(text, end)
        if not line or not _random(line.group(1), _RANDOM) or _begins_token(text, line.start(1)):
            break
        end = line.end()
    return end


def _begins_token(text: str, start: int) -> bool:
    return any(text.startswith(prefix, start) for prefix, _ in _SHAPES.get(text[start : start + 2], ()))


def _stuck(prefix: str, shape: Shape, text: str) -> list[Span]:
    """Return the tokens whose prefix is stuck to a word and has no separator to find it by."""
    spans: list[Span] = []
    idle: Idle = {}
    end = 0
    for found in re.finditer(f"(?<=[A-Za-z0-9]){prefix}", text):
        if found.start() >= end and (end := _whole(shape, text, found.end(), _RANDOM_GLUED, idle)):
            spans.append((found.start(), end, shape.kind))
    return spans


def _with_landmarks(text: str, longest: int) -> list[Span]:
    """Return the tokens that carry a literal, in a text whose longest run is as long."""
    return [
        (match.start(), match.end(), landmark.kind)
        for landmark in LANDMARKS
        if longest >= landmark.run and landmark.literal in text
        for match in _landmark(landmark.form).finditer(text)
        if varied(match.group()) and not is_plain(match.group())
    ]
