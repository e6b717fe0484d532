"""Recipes: what is wrong is told before the first step, and references bring what earlier steps gave."""

import json
from typing import Any

import pytest

from handrail.features.desktop.recipes import BrokenRecipe, Step, fill_in, read_recipe
from handrail.kernel.json_schema import Validator
from handrail.ports.errors import InvalidParams, NotFound

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["target"],
    "properties": {
        "target": {"type": "object", "properties": {"elementRef": {"type": "object"}, "limit": {"type": "integer"}}},
        "text": {"type": "string"},
    },
}


def tool_of(op: str) -> str:
    if op not in ("find", "click"):
        raise NotFound(f"There is no tool named {op!r}.", hint="Did you mean find?")
    return f"desktop_{op}"


def check(tool: str, params: Any) -> None:
    if tool == "desktop_click":
        Validator(SCHEMA).check(params)


def read(*steps: Any) -> Any:
    return read_recipe(json.dumps({"steps": steps}).encode(), tool_of, check)


FIND = {"id": "find1", "op": "find"}
REFERRING = {"op": "click", "params": {"target": {"elementRef": {"$ref": "find1.elementRefs.0"}}}}


def test_steps_are_read_and_named_by_their_number() -> None:
    assert read(FIND, REFERRING) == [
        Step("find1", "desktop_find", {}),
        Step("step2", "desktop_click", REFERRING["params"]),  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    ("steps", "step", "field"),
    [
        ([{"op": "fly"}], 1, "op"),
        ([FIND, {"op": 3}], 2, "op"),
        ([{"op": "find", "param": {}}], 1, "param"),
        ([{"op": "find", "params": []}], 1, "params"),
        ([{"op": "find", "id": "a.b"}], 1, "id"),
        ([FIND, FIND], 2, "id"),
        ([{"op": "find", "continueOnError": 1}], 1, "continueOnError"),
        ([REFERRING, FIND], 1, "params.target.elementRef"),
        ([FIND, {"op": "click", "params": {"target": {"$ref": "find1..x"}}}], 2, "params.target"),
        ([FIND, {"op": "click", "params": {"target": {"$ref": "find1.x", "limit": 1}}}], 2, "params.target"),
        ([{"op": "click", "params": {}}], 1, "params.target"),
        ([{"op": "click", "params": {"target": {"limit": "3"}}}], 1, "params.target.limit"),
        ([FIND, {"op": "click", "params": {"target": {"$ref": "find1.x"}, "text": 1}}], 2, "params.text"),
        ([FIND, {"op": "click", "params": {"target": {"$ref": "find1.x"}, "txt": "a"}}], 2, "params.txt"),
        (["find"], 1, None),
        ([], None, "steps"),
    ],
)
def test_what_is_wrong_is_told_with_its_step_and_field(steps: list[Any], step: int | None, field: str | None) -> None:
    with pytest.raises(BrokenRecipe) as wrong:
        read(*steps)
    assert (wrong.value.details.get("step"), wrong.value.details.get("field")) == (step, field)
    assert step is None or f"step {step}" in wrong.value.message


@pytest.mark.parametrize("data", [b"", b"[]", b'{"steps": [], "steps": []}', b'{"stepz": []}', b"\xff"])
def test_what_is_no_recipe_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidParams):
        read_recipe(data, tool_of, check)


def test_a_reference_brings_a_part_of_an_earlier_result() -> None:
    step = Step("s", "desktop_click", {"target": {"elementRef": {"$ref": "f.refs.1"}}, "all": [{"$ref": "f"}]})
    results = {"f": {"refs": [1, {"id": "e:2"}]}}
    assert fill_in(step, results) == {"target": {"elementRef": {"id": "e:2"}}, "all": [results["f"]]}


@pytest.mark.parametrize("named", ["f.refs.2", "f.refs.x", "f.other", "f.refs.0.x", "failed.x", "f.refs.-1"])
def test_an_unknown_part_number_is_named_in_the_error(named: str) -> None:
    with pytest.raises(NotFound, match=named.replace(".", r"\.")):
        fill_in(Step("s", "x", {"a": {"$ref": named}}), {"f": {"refs": [1, 2]}})
