"""Reads recipes: files with steps, each a tool and its parameters, which may refer to results of earlier steps.

`{"$ref": "find1.elementRefs.0"}` stands for that part of the result of step `find1`. The whole recipe is checked
before the first step runs; errors name the step and the field.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handrail.kernel import strict_json
from handrail.ports.errors import Failure, InvalidParams, NotFound

REF = "$ref"
MAX_STEPS = 1_000
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_STEP_MEMBERS = frozenset({"id", "op", "params", "continueOnError"})
_MISSING = object()


class BrokenRecipe(InvalidParams):
    """The recipe is invalid, so no step was run."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a recipe. Without an `id` of its own it is named by its number, such as `step3`."""

    id: str
    op: str
    params: dict[str, Any]
    continues_on_error: bool = False


Check = Callable[[str, Any], None]
"""Checks a tool's parameters. NotFound for an unknown tool; InvalidParams with `details["fieldErrors"]`."""


def read_recipe(data: bytes, tool_of: Callable[[str], str], check: Check) -> Sequence[Step]:
    """Reads and checks a recipe. `tool_of` returns the tool that an `op` means, or raises NotFound."""
    try:
        value = strict_json.decode(data)
    except Failure as error:
        raise BrokenRecipe(f"The recipe is not JSON: {error.message}", **error.details) from None
    if not isinstance(value, dict):
        raise BrokenRecipe('A recipe is an object: {"steps": [{"op": …, "params": {…}}]}.')
    _refuse_unknown_members(value, frozenset({"steps"}), "the recipe")
    rows = value.get("steps")
    if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_STEPS:
        raise BrokenRecipe(f"`steps` must be a list of 1 to {MAX_STEPS} steps.", field="steps")
    steps: list[Step] = []
    for number, row in enumerate(rows, 1):
        step = _step(number, row, tool_of)
        where = f"step {number} ({step.id})"
        if any(step.id == earlier.id for earlier in steps):
            raise BrokenRecipe(f"{where}: the id is already used.", step=number, field="id")
        _check_references(step, number, where, {earlier.id for earlier in steps})
        _check_params(step, number, where, check)
        steps.append(step)
    return steps


def fill_in(step: Step, results: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parameters with every reference replaced. NotFound if the result has no such part."""

    def fill(value: Any) -> Any:
        if isinstance(value, list):
            return [fill(item) for item in value]
        if not isinstance(value, dict):
            return value
        if REF in value:
            return _resolve(value[REF], results)
        return {name: fill(member) for name, member in value.items()}

    filled: dict[str, Any] = fill(step.params)
    return filled


def _step(number: int, row: Any, tool_of: Callable[[str], str]) -> Step:
    if not isinstance(row, dict):
        raise BrokenRecipe(f"step {number}: must be an object.", step=number)
    _refuse_unknown_members(row, _STEP_MEMBERS, f"step {number}", step=number)
    id, op, params = row.get("id", f"step{number}"), row.get("op"), row.get("params", {})
    continues = row.get("continueOnError", False)
    for name, is_valid, requirement in (
        ("id", isinstance(id, str) and _ID.fullmatch(id) is not None, "must be a name of letters, digits, _ and -"),
        ("op", isinstance(op, str), "must name a tool, such as desktop_find"),
        ("params", isinstance(params, dict), "must be an object"),
        ("continueOnError", isinstance(continues, bool), "must be true or false"),
    ):
        if not is_valid:
            raise BrokenRecipe(f"step {number}: `{name}` {requirement}.", step=number, field=name)
    try:
        return Step(id, tool_of(str(op)), params, continues)
    except NotFound as error:
        message = f"step {number} ({id}): op: {error.message}"
        raise BrokenRecipe(message, hint=error.hint, step=number, field="op") from None


def _check_references(step: Step, number: int, where: str, earlier_ids: set[str]) -> None:
    for path, reference in _references(step.params):
        field = f"params.{path}"
        if not isinstance(reference, str) or not all(reference.split(".")):
            message = f'{where}: {field}: a reference is {{"$ref": "stepId.member.0"}} and nothing else.'
            raise BrokenRecipe(message, step=number, field=field)
        if (first := reference.split(".")[0]) not in earlier_ids:
            raise BrokenRecipe(f"{where}: {field}: no earlier step is named {first!r}.", step=number, field=field)


def _check_params(step: Step, number: int, where: str, check: Check) -> None:
    """Checks the parameters, ignoring errors at or around references, whose values aren't known yet."""
    reference_paths = [path for path, _ in _references(step.params)]
    try:
        check(step.op, step.params)
    except InvalidParams as error:
        errors = error.details.get("fieldErrors") or [{"field": "", "message": error.message}]
        remaining = [one for one in errors if not any(_overlaps(one["field"], path) for path in reference_paths)]
        if remaining:
            first = remaining[0]
            field = ".".join(part for part in ("params", first["field"]) if part)
            raise BrokenRecipe(f"{where}: {field}: {first['message']}", step=number, field=field) from None


def _overlaps(field: str, path: str) -> bool:
    """Returns whether the field is at the path, inside it or around it."""
    return field == "" or f"{field}.".startswith(f"{path}.") or f"{path}.".startswith(f"{field}.")


def _references(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the path of each reference and what it refers to; None if the object has other members beside `$ref`."""
    if isinstance(value, dict):
        if REF in value:
            yield path, value[REF] if len(value) == 1 else None
            return
        members: Iterator[tuple[Any, Any]] = iter(value.items())
    elif isinstance(value, list):
        members = iter(enumerate(value))
    else:
        return
    for name, member in members:
        yield from _references(member, f"{path}.{name}" if path else str(name))


def _resolve(reference: str, results: Mapping[str, Any]) -> Any:
    id, *path = reference.split(".")
    if id not in results:
        raise NotFound(f"The step {id!r} gave no result that {reference!r} could refer to.", reference=reference)
    value = results[id]
    for name in path:
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and (member := value.get(name, _MISSING)) is not _MISSING:
            value = member
        else:
            raise NotFound(
                f"The result of step {id!r} has nothing at {reference!r}: no {name!r} there.", reference=reference
            )
    return value


def _refuse_unknown_members(value: Mapping[str, Any], allowed: frozenset[str], where: str, **details: Any) -> None:
    for name in value:
        if name not in allowed:
            message = f"{where}: `{name}` is unknown; it has only {', '.join(sorted(allowed))}."
            raise BrokenRecipe(message, field=name, **details)
