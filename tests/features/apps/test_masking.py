"""Values that a schema marks as secret are never stored."""

from typing import Any

import pytest

from handrail.features.apps.calls.masking import mask
from handrail.ports.prompts import MASK

SECRET = {"type": "string", "writeOnly": True}

HOLDER = {"type": "object", "properties": {"b": SECRET}}
LOOP: dict[str, Any] = {"allOf": [{"$ref": "#"}], "properties": {"b": {"$ref": "#"}, "c": SECRET}}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ({"a": "x", "b": "y"}, {"properties": {"a": SECRET}}, {"a": MASK, "b": "y"}),
        ({"a": "x"}, {"properties": {"a": {"format": "password"}}}, {"a": MASK}),
        ({"a": {"b": ["x"]}}, {"properties": {"a": {"properties": {"b": {"items": SECRET}}}}}, {"a": {"b": [MASK]}}),
        ({"a": "x"}, {"additionalProperties": SECRET}, {"a": MASK}),
        ({"a": "x"}, {"anyOf": [{"properties": {"a": SECRET}}]}, {"a": MASK}),
        ("x", SECRET, MASK),
        ({"a": {"b": "x"}}, {"properties": {"a": {"$ref": "#/$defs/~1"}}, "$defs": {"/": HOLDER}}, {"a": {"b": MASK}}),
        ("x", {"$ref": "#/$defs/0", "$defs": {"0": {"$ref": "#/$defs/1"}, "1": SECRET}}, MASK),
        ({"p1": "x", "q": "y"}, {"patternProperties": {"^p": SECRET}}, {"p1": MASK, "q": "y"}),
        (["x", "y"], {"prefixItems": [SECRET]}, [MASK, "y"]),
        (["x", "y"], {"items": [{}, SECRET]}, ["x", MASK]),
        (["x", "y"], {"items": [{}], "additionalItems": SECRET}, ["x", MASK]),
        (["x"], {"contains": SECRET}, [MASK]),
        ({"b": "x"}, {"if": {}, "then": HOLDER}, {"b": MASK}),
        ({"b": "x"}, {"if": {}, "else": HOLDER}, {"b": MASK}),
        ({"b": "x"}, {"if": HOLDER}, {"b": MASK}),
        ({"a": 1, "b": "x"}, {"dependentSchemas": {"a": HOLDER}}, {"a": 1, "b": MASK}),
        ({"b": {"b": {"c": "x"}}}, LOOP, {"b": {"b": {"c": MASK}}}),
        (["x"], {"items": {"$ref": "#there"}, "$defs": {"a": {"$anchor": "there", **SECRET}}}, [MASK]),
        ({"b": "x"}, {"unevaluatedProperties": SECRET}, {"b": MASK}),
        ({"b": "{}"}, {"properties": {"b": {"contentSchema": HOLDER}}}, {"b": MASK}),
    ],
)  # fmt: skip
def test_secrets_are_masked_at_any_place(value: Any, schema: Any, expected: Any) -> None:
    assert mask(value, schema) == expected


@pytest.mark.parametrize("schema", [None, {}, True, {"properties": {"b": SECRET}}, {"properties": 7}])
def test_a_value_without_secrets_is_returned_unchanged(schema: Any) -> None:
    value = {"a": ["x", {"c": 1}]}
    assert mask(value, schema) is value
