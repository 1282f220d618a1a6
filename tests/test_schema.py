"""The schema says what is printed: the same beside the documentation, sound, and strict enough to notice."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sesls.page import SCHEMA_VERSION
from sesls.schema import Schema, schema
from sesls.session import Session
from sesls.terms import Shape
from tests import shapes
from tests.command.run import run

DOCS = Path(__file__).parents[1] / "docs"
GOLDEN = Path(__file__).parent / "golden"
PAGE = json.loads((GOLDEN / "list-1.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("shape", shapes.SHAPES)
def test_it_is_printed_as_it_is_kept_beside_the_documentation(home: Path, shape: str) -> None:
    kept = DOCS / "schema" / f"{shape}-{SCHEMA_VERSION}.json"

    assert run(home, "schema", shape).text == kept.read_text(encoding="utf-8")


def test_it_is_that_of_the_list_where_none_is_named(home: Path) -> None:
    assert run(home, "schema").text == run(home, "schema", "list").text


def test_another_name_is_bad_usage(home: Path) -> None:
    done = run(home, "schema", "pages")

    assert (done.status, done.output) == (2, b"")
    assert "'list', 'show', 'agents', 'diagnostics', 'cache'" in done.said


@pytest.mark.parametrize("shape", shapes.SHAPES)
def test_it_is_sound_and_named_by_its_version(shape: Shape) -> None:
    Draft202012Validator.check_schema(schema(shape))
    assert schema(shape)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema(shape)["$id"] == f"urn:sesls:{shape}:{SCHEMA_VERSION}"


@pytest.mark.parametrize("shape", shapes.SHAPES)
def test_every_field_is_described(shape: Shape) -> None:
    names = [name for name, field in fields(schema(shape)) if not ("description" in field or "$ref" in field)]

    assert names == []


@pytest.mark.parametrize("shape", shapes.SHAPES)
def test_it_is_open_to_what_later_versions_add(shape: Shape) -> None:
    assert '"additionalProperties":false' not in json.dumps(schema(shape), separators=(",", ":"))
    assert not shapes.validator(shape).is_valid({"news": 1})


def test_it_tells_of_every_field_of_a_session_in_their_order() -> None:
    assert [*schema()["$defs"]["session"]["properties"]] == [*Session.__struct_fields__]


def test_its_extras_are_those_of_the_documentation() -> None:
    text = (DOCS / "json.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### Extra, .*?\n(.*?)(?=^#)", text, re.MULTILINE | re.DOTALL)
    words = re.sub(r"\(.*?\)", "", " ".join(sections), flags=re.DOTALL)

    assert set(re.findall(r"`(\w+)`", words)) == schema()["$defs"]["extra"]["properties"].keys()


def set_at(value: Any, path: str, new: object) -> Any:
    """Return a copy of a value with another one at a path of keys and places."""
    changed = inner = copy.deepcopy(value)
    *way, last = (int(step) if step.isdecimal() else step for step in path.split("."))
    for step in way:
        inner = inner[step]
    inner[last] = new
    return changed


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("schema_version", 2),
        ("total", -1),
        ("total", None),
        ("truncated", 0),
        ("redactions", {"GITHUB_TOKEN": 0}),
        ("redactions", {}),
        ("warnings", []),
        ("warnings.0.problem", None),
        ("diagnostics", {}),
        ("sessions.0.uuid", None),
        ("sessions.0.kind", "parent"),
        ("sessions.0.activity", "old"),
        ("sessions.0.models", None),
        ("sessions.0.last_activity", "2026-03-10T09:00:30Z"),
        ("sessions.0.created", 1),
        ("sessions.0.age_sec", 1.5),
        ("sessions.0.extra", {}),
        ("sessions.0.extra.archived", False),
        ("sessions.0.extra.news", "x"),
        ("sessions.0.news", "x"),
        ("news", "x"),
    ],
)
def test_what_is_not_of_the_shape_is_noticed(path: str, wrong: object) -> None:
    shapes.check(PAGE)

    with pytest.raises(AssertionError):
        shapes.check(set_at(PAGE, path, wrong))


@pytest.mark.parametrize("key", [key for key in PAGE["sessions"][0] if key != "extra"])
def test_no_field_of_a_session_may_be_missing(key: str) -> None:
    page = copy.deepcopy(PAGE)
    del page["sessions"][0][key]

    with pytest.raises(AssertionError, match=f"'{key}' is a required property"):
        shapes.check(page)


def fields(value: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield every field of every object in a schema, with its name."""
    for inner in value.values():
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, dict):
                yield from fields(one)
    if isinstance(value.get("properties"), dict):
        yield from value["properties"].items()
