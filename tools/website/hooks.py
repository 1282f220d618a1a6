"""What the documentation site is made of besides the pages in `docs/`; named in `mkdocs.yml`.

* README, CHANGELOG and CONTRIBUTING are pages too, with their links led to where the site has them.
* The command line reference is made of the program.
* Pictures for light and for dark screens are HTML, whose links MkDocs leaves as they are: they are led from each page.
* The navigation may hold patterns (`formats/*.md`): each stands for the pages that no other entry names, by name.
  One that fits no page is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from command_reference import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_ROOT = Path(__file__).parents[2]
_OUTSIDE = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
_REFERENCE = "reference/commands.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside `docs/` and the generated one, then fill the patterns of the navigation."""
    for source, page in _OUTSIDE.items():
        text = (_ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=relinked(text)))
    files.append(File.generated(config, _REFERENCE, content=reference()))
    pages = [file.src_uri for file in files.documentation_pages()]
    config.nav = filled(config.nav or [], pages)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Return the text of a page with the links of its pictures as its address needs them."""
    return pictured(markdown, page.url)


def pictured(text: str, address: str) -> str:
    """Return text with the links of its pictures led from an address below the site's root."""
    up = "../" * address.count("/")
    return re.sub(r'(src(?:set)?=")(?:docs/)?(pictures/)', rf"\1{up}\2", text)


def relinked(text: str) -> str:
    """Return a page from the root of the repository with its links as the site has them."""
    text = re.sub(r"\]\(docs/", "](", text)
    for source, page in _OUTSIDE.items():
        text = text.replace(f"]({source})", f"]({page})")
    return text


def filled(nav: list[Any], pages: Iterable[str]) -> list[Any]:
    """Return a navigation with pages in the place of patterns, and without sections that are empty."""
    named = {entry for entry in _entries(nav) if "*" not in entry}
    rest = sorted(set(pages) - named)
    taken: set[str] = set()

    def fitting(pattern: str) -> list[Any]:
        found = [page for page in rest if fnmatchcase(page, pattern) and page not in taken]
        taken.update(found)
        return found

    def section(entries: list[Any]) -> list[Any]:
        filled: list[Any] = []
        for entry in entries:
            if isinstance(entry, str):
                filled += fitting(entry) if "*" in entry else [entry]
                continue
            ((title, below),) = entry.items()
            inside = section(below if isinstance(below, list) else [below])
            if inside:
                filled.append({title: inside if isinstance(below, list) or len(inside) > 1 else inside[0]})
        return filled

    return section(nav)


def _entries(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from _entries(below if isinstance(below, list) else [below])
