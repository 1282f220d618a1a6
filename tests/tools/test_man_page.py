"""The manual page says what `--help` says, is up to date, and is sound roff."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from sesls import __version__, cli

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "man" / "sesls.1"


def shown() -> str:
    """Return the page as a terminal shows it, on one line."""
    if shutil.which("groff") is None:
        pytest.skip("groff is not here")
    command = ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u", str(PAGE)]
    done = subprocess.run(command, capture_output=True, timeout=30, check=True)
    assert done.stderr == b""
    return " ".join(done.stdout.decode().replace("\u2010\n", "").split())


def test_it_is_up_to_date() -> None:
    page = runpy.run_path(str(ROOT / "tools" / "man_page.py"))["page"]()

    assert page == PAGE.read_text(encoding="ascii"), "python tools/man_page.py"


def test_groff_accepts_it_and_shows_it_all() -> None:
    text = shown()

    for name in cli.COMMANDS:
        assert f"sesls {name} [OPTIONS]" in text or name == "cache"
    assert "sesls cache clear [OPTIONS]" in text
    assert "-d, --project-dir PATH" in text
    assert "Only sessions that ran in this directory or below it." in text
    assert "CODEX_HOME" in text
    assert "130 interrupted" in text
    assert "jq -r '.sessions[].title'" in text
    assert __version__ in text


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not here")
def test_man_accepts_it() -> None:
    command = ["man", "--warnings=w", "-l", str(PAGE)]
    done = subprocess.run(
        command, capture_output=True, timeout=30, check=False, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"SESLS(1)" in done.stdout


def test_an_installation_brings_it() -> None:
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]

    assert targets["wheel"]["shared-data"] == {"docs/man/sesls.1": "share/man/man1/sesls.1"}
