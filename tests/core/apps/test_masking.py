"""What a schema calls secret is kept nowhere."""

from typing import Any

import pytest

from handrail.contract.prompts import MASK
from handrail.core.apps.masking import masked

SECRET = {"type": "string", "writeOnly": True}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ({"a": "x", "b": "y"}, {"properties": {"a": SECRET}}, {"a": MASK, "b": "y"}),
        ({"a": "x"}, {"properties": {"a": {"format": "password"}}}, {"a": MASK}),
        ({"a": {"b": ["x"]}}, {"properties": {"a": {"properties": {"b": {"items": SECRET}}}}}, {"a": {"b": [MASK]}}),
        ({"a": "x"}, {"additionalProperties": SECRET}, {"a": MASK}),
        ({"a": "x"}, {"anyOf": [{"properties": {"a": SECRET}}]}, {"a": MASK}),
        ("x", SECRET, MASK),
    ],
)  # fmt: skip
def test_secrets_are_masked_wherever_they_stand(value: Any, schema: Any, expected: Any) -> None:
    assert masked(value, schema) == expected


@pytest.mark.parametrize("schema", [None, {}, True, {"properties": {"b": SECRET}}, {"properties": 7}])
def test_a_value_without_a_secret_is_itself(schema: Any) -> None:
    value = {"a": ["x", {"c": 1}]}
    assert masked(value, schema) is value
