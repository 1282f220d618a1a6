"""`workspace.yaml`, which says where a session runs and what it is called.

Copilot writes one mapping of plain values in any order: plain, in single or double quotes, or as a block. Nothing
else of YAML is read, so no library is needed. Seen in Copilot CLI 1.0.45 (quotes doubly) and 1.0.102 (singly).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sesls.formats import files

_LARGEST = 64 << 10
_KEY = re.compile(r"([A-Za-z_][\w-]*):(?:[ \t]+(.*))?")
_BLOCK = re.compile(r"([|>])([1-9]?)[+-]?([1-9]?)(?:[ \t]+#.*)?")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPED = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


def read(path: str) -> dict[str, str]:
    """Return the values of a `workspace.yaml` as text; none where it is not there. Raises OSError.

    What is no value, like `null`, is left out.
    """
    try:
        data = files.content(path, _LARGEST)
    except OSError as error:
        if files.is_absence(error):
            return {}
        raise
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return {key: value for key, raw in _members(text) if (value := _value(raw)) is not None}


def _members(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every key at the left edge with its value: the rest of its line and the lines below it."""
    key, lines = "", list[str]()
    for line in re.split(r"\r\n|\n|\r", text):
        if not line or line[0] in " \t":
            lines.append(line)
        elif (match := _KEY.fullmatch(line)) is not None:
            if key:
                yield key, lines
            key, lines = match[1], [match[2] or ""]
    if key:
        yield key, lines


def _value(lines: list[str]) -> str | None:
    first = lines[0].strip()
    if (block := _BLOCK.fullmatch(first)) is not None:
        return _block(lines[1:], is_folded=block[1] == ">", indent=int(block[2] or block[3] or 0))
    folded = _folded(lines)
    if first.startswith('"'):
        double = _DOUBLE.match(_folded(lines, escape="\\"))
        return _unescaped(double[1]) if double is not None else None
    if first.startswith("'"):
        single = _SINGLE.match(folded)
        return single[1].replace("''", "'") if single is not None else None
    plain = re.sub(r"(?:^|[ \t])#.*", "", folded).strip()
    return None if plain in ("", "~", "null", "Null", "NULL") else plain


def _folded(lines: list[str], escape: str = "") -> str:
    """Return a value of several lines as one: a line's end is a space, empty lines are ends of lines."""
    text, ends = lines[0].strip(), 0
    for line in lines[1:]:
        if not line.strip():
            ends += 1
        elif escape and text.endswith(escape) and not text.endswith(2 * escape) and not ends:
            text = text[:-1] + line.strip()
        else:
            text, ends = text + ("\n" * ends or " ") + line.strip(), 0
    return text


def _block(lines: list[str], *, is_folded: bool, indent: int) -> str:
    """Return a block of lines without their indentation."""
    if not indent:
        indent = next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), 0)
    inner = [line[indent:] for line in lines]
    return (_folded(inner) if is_folded else "\n".join(inner)).strip("\n") if inner else ""


def _unescaped(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code is None:
            return _ESCAPED.get(match[4], match[4])
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else "\ufffd"

    return _SURROGATES.sub(_joined, _ESCAPE.sub(replaced, text))


def _joined(pair: re.Match[str]) -> str:
    """Return the character that two halves of a surrogate pair stand for."""
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")
