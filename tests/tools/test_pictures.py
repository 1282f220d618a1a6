"""The pictures show what sesls shows, and nothing in them comes from elsewhere."""

from __future__ import annotations

import html
import re
import runpy
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
NAMES = sorted(path.name for path in FOLDER.iterdir())


@cache
def made() -> dict[str, str]:
    return dict(runpy.run_path(str(ROOT / "tools" / "pictures.py"))["pictures"]())


def texts(svg: str) -> list[str]:
    """Return the words of a picture; how Rich places them may differ between its versions."""
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_all_are_there_light_and_dark() -> None:
    assert sorted(made()) == NAMES
    assert {name.replace("dark", "light") for name in NAMES} == {name for name in NAMES if "light" in name}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_up_to_date(name: str) -> None:
    assert texts((FOLDER / name).read_text(encoding="utf-8")) == texts(made()[name]), "python tools/pictures.py"


@pytest.mark.parametrize("name", NAMES)
def test_it_loads_nothing(name: str) -> None:
    svg = re.sub(r"<!--.*?-->", "", (FOLDER / name).read_text(encoding="utf-8"))

    assert set(re.findall(r"https?://[^\"')\s]+", svg)) == {"http://www.w3.org/2000/svg"}
    assert "<script" not in svg


@pytest.mark.parametrize("page", ["README.md", "docs/list.md"])
def test_pages_show_pictures_that_are_there(page: str) -> None:
    path = ROOT / page
    shown = re.findall(r"(?:src|srcset)=\"([^\"]+\.svg)\"", path.read_text(encoding="utf-8"))

    assert shown != []
    assert [name for name in shown if not (path.parent / name).is_file()] == []
