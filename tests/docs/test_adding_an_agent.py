"""The adapter of docs/adding-an-agent.md, installed as a real package and listed with."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.builders import pi
from tests.command.run import imported_by, run

PAGE = (Path(__file__).parents[2] / "docs" / "adding-an-agent.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSION, PROJECT, ADAPTER, TESTS = (code for _, code in FENCE.findall(PAGE))
ENTRY_POINTS = "[sesls.adapters]\nacme = sesls_acme\n"


def wheel(folder: Path, files: dict[str, str], *, name: str = "sesls_acme") -> Path:
    """Return a wheel with some files, as a build of the project would be."""
    about = f"{name}-1.0.dist-info"
    files = {
        **files,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).decode().rstrip('=')},\n"
        for path, content in files.items()
    )
    place = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(place, "w") as archive:
        for path, content in {**files, f"{about}/RECORD": record + f"{about}/RECORD,,\n"}.items():
            archive.writestr(path, content)
    return place


def install(folder: Path, files: dict[str, str], entry_points: str = ENTRY_POINTS) -> dict[str, str]:
    """Install a package with an adapter, and return the variables with which sesls finds it."""
    built = wheel(folder, {**files, "sesls_acme-1.0.dist-info/entry_points.txt": entry_points})
    site = folder / "site"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        str(site),
        str(built),
    ]
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL, timeout=60)
    return {"PYTHONPATH": str(site)}


@pytest.fixture
def acme(home: Path) -> Path:
    """A home with one session of Acme and one of Pi."""
    store = home / ".acme" / "sessions"
    store.mkdir(parents=True)
    (store / "a1.jsonl").write_text(SESSION)
    pi.session(home, number=1)
    return home


def test_the_entry_point_is_the_one_in_the_project(tmp_path: Path) -> None:
    assert '[project.entry-points."sesls.adapters"]\nacme = "sesls_acme"\n' in PROJECT


def test_it_is_listed_with(acme: Path, tmp_path: Path) -> None:
    variables = install(tmp_path, {"sesls_acme.py": ADAPTER})
    sessions = run(acme, "list", "--json", variables=variables).json()["sessions"]

    own = next(session for session in sessions if session["agent"] == "acme")
    assert {session["agent"] for session in sessions} == {"acme", "pi"}
    assert {name: own[name] for name in ("uuid", "title", "project_dir", "models", "message_count", "created")} == {
        "uuid": "a1",
        "title": "Count the pears",
        "project_dir": "/srv/shop",
        "models": ["acme-2"],
        "message_count": 2,
        "created": "2026-11-30T08:00:00.000Z",
    }
    assert own["resume_command"] == "cd /srv/shop && acme --resume a1"


def test_it_can_be_asked_for_alone_and_is_diagnosed(acme: Path, tmp_path: Path) -> None:
    variables = install(tmp_path, {"sesls_acme.py": ADAPTER})

    assert run(acme, "list", "--agent", "acme", "--json", variables=variables).json()["total"] == 1
    scanned = run(acme, "diagnostics", "--json", variables=variables).json()["scanned"]
    assert [item["agent"] for item in scanned][-1] == "acme"


def test_an_agent_nobody_installed_is_none(acme: Path) -> None:
    done = run(acme, "list", "--agent", "acme")

    assert done.status == 2
    assert "acme" in done.said


def test_it_is_completed(acme: Path, tmp_path: Path) -> None:
    typed = {"_SESLS_COMPLETE": "complete_bash", "COMP_WORDS": "sesls list --agent ac", "COMP_CWORD": "3"}

    assert run(acme, variables=install(tmp_path, {"sesls_acme.py": ADAPTER}) | typed).text.split() == ["acme"]


def test_without_a_store_it_is_imported_once(home: Path, tmp_path: Path) -> None:
    variables = install(tmp_path, {"sesls_acme.py": ADAPTER}) | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    age = 3600 * 10**9
    for path in (home, tmp_path / "site"):
        stat = path.stat()
        os.utime(path, ns=(stat.st_atime_ns - age, stat.st_mtime_ns - age))
    first, second = (imported_by(home, "list", "--json", variables=variables)[1] for _ in range(2))

    assert "sesls_acme" in first
    assert "sesls_acme" not in second


@pytest.mark.parametrize(
    "broken", ["import nothing_of_the_kind", "raise SystemExit(3)", "x = (", "LABEL = 'Acme'", "print('loud'); 1 / 0"]
)
def test_a_broken_one_costs_one_warning(acme: Path, tmp_path: Path, broken: str) -> None:
    done = run(acme, "list", "--json", variables=install(tmp_path, {"sesls_acme.py": broken}))
    answer = done.json()

    assert (done.status, answer["total"]) == (0, 1)
    assert [(warning["agent"], warning["path"]) for warning in answer["warnings"]] == [("acme", "sesls_acme 1.0")]


def test_names_that_are_no_word_or_taken_are_left_out(acme: Path, tmp_path: Path) -> None:
    entry_points = "[sesls.adapters]\npi = sesls_acme\nAc me = sesls_acme\n../acme = sesls_acme\n"
    variables = install(tmp_path, {"sesls_acme.py": ADAPTER}, entry_points)
    answer = run(acme, "list", "--json", variables=variables).json()

    assert {session["agent"] for session in answer["sessions"]} == {"pi"}
    assert "warnings" not in answer


def test_its_own_tests_pass(tmp_path: Path) -> None:
    variables = install(tmp_path, {"sesls_acme.py": ADAPTER})
    test = tmp_path / "own" / "test_acme.py"
    test.parent.mkdir()
    test.write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    done = subprocess.run(
        command, env=os.environ | variables, cwd=test.parent, capture_output=True, text=True, check=False, timeout=400
    )

    assert done.returncode == 0, done.stdout
    assert re.search(r"\d+ passed", done.stdout)
    assert "skipped" not in done.stdout


def test_the_session_of_the_page_is_json_lines() -> None:
    assert [json.loads(line)["type"] for line in SESSION.splitlines()] == ["start", "user", "answer"]
