"""The manual page, made of what `--help` says and of two tables of docs/list.md.

    python tools/man_page.py

writes docs/man/sesls.1 anew. A test tells when that is due.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer
from typer._click import Command, Context

from sesls import __version__, cli, usage

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "man" / "sesls.1"
_LIST = ROOT / "docs" / "list.md"

_DESCRIPTION = """\
Coding agents keep their sessions as files. sesls reads those files, changes none of them, and lists the sessions of all
agents as one: what was worked on, where, when, with which models, and the command that reopens it. Secrets that were
pasted into prompts are masked. What an agent does not record is shown as absent, never guessed.

Without a command, sesls lists the newest 100 sessions.

The answer goes to standard output; warnings and everything else that is said about it go to standard error.
"""


def page() -> str:
    """Return the manual page as roff."""
    command = typer.main.get_command(cli.app)
    context = command.make_context("sesls", [], resilient_parsing=True)
    return "\n".join((*_head(command, context), *_commands(command, context), *_foot(command))) + "\n"


def _head(command: Command, context: Context) -> Iterator[str]:
    yield f'.TH SESLS 1 "" "sesls {__version__}" "User Commands"'
    yield ".SH NAME"
    yield "sesls \\- " + _text((command.help or "").rstrip("."))
    yield ".SH SYNOPSIS"
    yield ".B sesls"
    yield _text(_usage(command, context))
    yield ".SH DESCRIPTION"
    for paragraph in _DESCRIPTION.split("\n\n"):
        yield ".PP"
        yield _text(" ".join(paragraph.split()))
    yield from _sections(command, context, ".SH")


def _commands(command: Command, context: Context) -> Iterator[str]:
    yield ".SH COMMANDS IN FULL"
    for one, inner in _below(command, context):
        yield f".SS {_text(inner.command_path)}"
        yield f".B {_text(inner.command_path)}"
        yield _text(_usage(one, inner))
        yield ".PP"
        yield _text(" ".join((one.help or "").split()))
        yield from _sections(one, inner, ".PP")


def _below(command: Command, context: Context) -> Iterator[tuple[Command, Context]]:
    """Yield the commands of a command, and theirs, each after the one it belongs to."""
    if not isinstance(command, usage.Group):
        return
    for name in command.list_commands(context):
        one = command.get_command(context, name)
        assert one is not None
        inner = one.make_context(name, [], parent=context, resilient_parsing=True)
        yield one, inner
        yield from _below(one, inner)


def _foot(command: Command) -> Iterator[str]:
    for heading, title in (("Exit status", "EXIT STATUS"), ("Variables", "ENVIRONMENT")):
        yield f".SH {title}"
        for word, meaning in _table(heading):
            yield from _item(word, meaning)
    yield ".SH EXAMPLES"
    yield from _example((command.epilog or "").splitlines())
    yield ".SH SEE ALSO"
    yield _text("Every command takes --help. The JSON is described by sesls schema.")


def _sections(command: Command, context: Context, level: str) -> Iterator[str]:
    for heading, rows in usage.sections(command, context):
        yield f".SH {heading.upper()}" if level == ".SH" else f".PP\n.I {_text(heading)}"
        for word, meaning in rows:
            yield from _item(word, meaning)
    if command.epilog and level != ".SH":
        yield ".PP\n.I Examples"
        yield from _example(command.epilog.splitlines())


def _item(word: str, meaning: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_text(word)}"
    yield _text(" ".join(meaning.split()))


def _example(lines: list[str]) -> Iterator[str]:
    yield ".PP\n.RS 4\n.nf"
    yield from map(_text, lines)
    yield ".fi\n.RE"


def _usage(command: Command, context: Context) -> str:
    return " ".join(command.collect_usage_pieces(context))


def _table(heading: str) -> Iterator[tuple[str, str]]:
    """Yield the rows of the table below a heading of docs/list.md."""
    section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", _LIST.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", section[1], re.MULTILINE)
    yield from ((word.replace("`", ""), meaning.replace("`", "")) for word, meaning in rows[1:])


def _text(text: str) -> str:
    """Return text as roff shows it as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(character if character.isascii() else f"\\[u{ord(character):04X}]" for character in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="ascii")
