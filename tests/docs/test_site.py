"""The pages that the site is made of besides those in `docs/`."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer

from sesls.cli import COMMANDS, app
from tests.docs.pages import ROOT, pages

pytest.importorskip("mkdocs", reason="the extra docs is not here")

from command_reference import reference
from docstrings import listed
from hooks import filled, pictured, relinked


def test_the_reference_names_every_command_and_option() -> None:
    page = reference()
    headings = re.findall(r"^#+ (sesls.*)$", page, re.MULTILINE)
    group: Any = typer.main.get_command(app)
    context = group.context_class(group)
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}

    assert {f"sesls {name}" for name in COMMANDS} <= set(headings)
    for name, command in commands.items():
        section = page.split(f"## sesls {name}\n")[1].split("\n## ")[0]
        for option in (name for one in command.params for name in (*one.opts, *one.secondary_opts)):
            if option.startswith("-"):
                assert f"`{option}" in section


def test_the_reference_tells_values_and_defaults() -> None:
    page = reference()

    assert "| `--limit N`, `-n N` | `100` |" in page
    assert "| `--noise include|exclude|only` | `include` |" in page
    assert "| `--redact`, `--no-redact` | `--redact` |" in page
    assert "\n## sesls cache\n" in page
    assert "\n### sesls cache info\n" in page
    assert "sesls schema [COMMAND]" in page


def test_links_of_outside_pages_lead_to_where_the_site_has_them() -> None:
    text = "[a](docs/list.md#x) [b](CHANGELOG.md) [c](docs/formats/pi.md) [d](https://example.org/docs/)"

    assert relinked(text) == "[a](list.md#x) [b](changelog.md) [c](formats/pi.md) [d](https://example.org/docs/)"


@pytest.mark.parametrize(
    ("address", "way"), [("", "pictures/a.svg"), ("list/", "../pictures/a.svg"), ("tasks/jq/", "../../pictures/a.svg")]
)
def test_pictures_are_found_from_every_page(address: str, way: str) -> None:
    text = '<source srcset="{0}"><img alt="docs/pictures/" src="{0}">'

    for typed in ("docs/pictures/a.svg", "pictures/a.svg"):
        assert pictured(text.format(typed), address) == text.format(way)


def test_a_pattern_stands_for_the_pages_that_no_entry_names() -> None:
    nav = [{"Home": "index.md"}, {"Formats": ["formats/claude.md", "formats/*.md"]}, {"More": ["*.md"]}]

    assert filled(nav, ["index.md", "formats/pi.md", "z.md", "formats/claude.md", "formats/codex.md"]) == [
        {"Home": "index.md"},
        {"Formats": ["formats/claude.md", "formats/codex.md", "formats/pi.md"]},
        {"More": ["z.md"]},
    ]


def test_a_pattern_that_fits_no_page_is_left_out_with_its_section() -> None:
    nav = [{"Home": "index.md"}, {"Security": "security*.md"}, {"More": [{"Deeper": ["x/*.md"]}]}, "y*.md"]

    assert filled(nav, ["index.md"]) == [{"Home": "index.md"}]
    assert filled(nav, ["index.md", "security.md"])[1] == {"Security": "security.md"}


def test_arguments_that_have_a_line_each_are_a_list() -> None:
    assert listed("limit: how many; 0\nfor all.\nkind: of which.") == (
        "* `limit`: how many; 0\n  for all.\n* `kind`: of which."
    )
    assert listed("Returns: no argument\nhas a line.") != ""
    assert listed("Tells a thing.\nAnd more.") == "Tells a thing.\nAnd more."


def test_no_page_outside_docs_links_to_what_is_not_there() -> None:
    for page, text in pages().items():
        if "/" not in page:
            for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", text):
                assert (ROOT / target).exists(), f"{page} links to {target}"
