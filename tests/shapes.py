"""Whether JSON is what its schema says, with nothing beside it that no schema tells of."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from sesls.schema import Schema, schema
from sesls.terms import Shape

SHAPES: tuple[Shape, ...] = get_args(Shape)
_TOLD_BY: dict[str, Shape] = {
    "sessions": "list",
    "uuid": "show",
    "scanned": "diagnostics",
    "size_bytes": "cache",
    "agents": "agents",
}


def check(value: Any) -> None:
    """Fail where a value that sesls printed as JSON is none of the documented shapes."""
    shape = next((shape for key, shape in _TOLD_BY.items() if key in value), None)
    assert shape is not None, f"no shape has these keys: {[*value]}"
    check_as(shape, value)


def check_as(shape: Shape, value: Any) -> None:
    """Fail where a value is not of a shape, or says something that the schema does not tell of."""
    if error := best_match(validator(shape).iter_errors(value)):
        raise AssertionError(f"{error.json_path}: {error.message[:500]}")


@cache
def validator(shape: Shape) -> Draft202012Validator:
    """Return a validator by a shape's schema that allows no other keys than those it tells of."""
    return Draft202012Validator(closed(schema(shape)))


def closed(value: Any) -> Any:
    """Return a schema with every object in it closed: the published one lets later versions say more."""
    if isinstance(value, list):
        return [closed(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner: Schema = {key: closed(item) for key, item in value.items()}
    return {"additionalProperties": False, **inner} if isinstance(inner.get("properties"), dict) else inner
