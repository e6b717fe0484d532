"""A recipe: a file of steps, each a tool and its parameters, which may refer to results of earlier steps. Pure.

`{"$ref": "find1.elementRefs.0"}` stands for that part of the result of step `find1`. The recipe is checked before the
first step; errors name the step and the field.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handrail.kernel import strict_json
from handrail.ports.errors import Failure, InvalidParams, NotFound

REF = "$ref"
MOST_STEPS = 1_000
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_STEP_MEMBERS = frozenset({"id", "op", "params", "continueOnError"})
_ABSENT = object()


class BrokenRecipe(InvalidParams):
    """A recipe that can't be run; nothing of it was."""


@dataclass(frozen=True, slots=True)
class Step:
    """`id` is its own or its number, as `step3`."""

    id: str
    op: str
    params: dict[str, Any]
    continues_on_error: bool = False


Check = Callable[[str, Any], None]
"""Whether a tool of that name takes these parameters: NotFound, or InvalidParams with `details["fieldErrors"]`."""


def read_recipe(data: bytes, tool_of: Callable[[str], str], check: Check) -> Sequence[Step]:
    """`tool_of` gives the tool that an `op` means, or raises NotFound."""
    try:
        value = strict_json.decode(data)
    except Failure as error:
        raise BrokenRecipe(f"The recipe is not JSON: {error.message}", **error.details) from None
    if not isinstance(value, dict):
        raise BrokenRecipe('A recipe is an object: {"steps": [{"op": …, "params": {…}}]}.')
    _refuse_strangers(value, frozenset({"steps"}), "the recipe")
    rows = value.get("steps")
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_STEPS:
        raise BrokenRecipe(f"`steps` must be a list of 1 to {MOST_STEPS} steps.", field="steps")
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


def filled_in(step: Step, results: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with every reference replaced; NotFound for a part that the result does not have."""

    def fill(value: Any) -> Any:
        if isinstance(value, list):
            return [fill(item) for item in value]
        if not isinstance(value, dict):
            return value
        if REF in value:
            return _part(value[REF], results)
        return {name: fill(member) for name, member in value.items()}

    filled: dict[str, Any] = fill(step.params)
    return filled


def _step(number: int, row: Any, tool_of: Callable[[str], str]) -> Step:
    if not isinstance(row, dict):
        raise BrokenRecipe(f"step {number}: must be an object.", step=number)
    _refuse_strangers(row, _STEP_MEMBERS, f"step {number}", step=number)
    id, op, params = row.get("id", f"step{number}"), row.get("op"), row.get("params", {})
    goes_on = row.get("continueOnError", False)
    for name, is_good, must in (
        ("id", isinstance(id, str) and _ID.fullmatch(id) is not None, "must be a name of letters, digits, _ and -"),
        ("op", isinstance(op, str), "must name a tool, such as desktop_find"),
        ("params", isinstance(params, dict), "must be an object"),
        ("continueOnError", isinstance(goes_on, bool), "must be true or false"),
    ):
        if not is_good:
            raise BrokenRecipe(f"step {number}: `{name}` {must}.", step=number, field=name)
    try:
        return Step(id, tool_of(str(op)), params, goes_on)
    except NotFound as unknown:
        message = f"step {number} ({id}): op: {unknown.message}"
        raise BrokenRecipe(message, hint=unknown.hint, step=number, field="op") from None


def _check_references(step: Step, number: int, where: str, known: set[str]) -> None:
    for path, named in _references(step.params):
        field = f"params.{path}"
        if not isinstance(named, str) or not all(named.split(".")):
            message = f'{where}: {field}: a reference is {{"$ref": "stepId.member.0"}} and nothing else.'
            raise BrokenRecipe(message, step=number, field=field)
        if (first := named.split(".")[0]) not in known:
            raise BrokenRecipe(f"{where}: {field}: no earlier step is named {first!r}.", step=number, field=field)


def _check_params(step: Step, number: int, where: str, check: Check) -> None:
    """The value of a reference is not known yet, so errors at its place or around it are ignored here."""
    unknown = [path for path, _ in _references(step.params)]
    try:
        check(step.op, step.params)
    except InvalidParams as wrong:
        told = wrong.details.get("fieldErrors") or [{"field": "", "message": wrong.message}]
        certain = [one for one in told if not any(_is_about(one["field"], path) for path in unknown)]
        if certain:
            first = certain[0]
            field = ".".join(part for part in ("params", first["field"]) if part)
            raise BrokenRecipe(f"{where}: {field}: {first['message']}", step=number, field=field) from None


def _is_about(field: str, path: str) -> bool:
    """At the reference, inside of it, or in an object that holds it."""
    return field == "" or f"{field}.".startswith(f"{path}.") or f"{path}.".startswith(f"{field}.")


def _references(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The path of each reference and what it names; None for an object with other members beside `$ref`."""
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


def _part(named: str, results: Mapping[str, Any]) -> Any:
    id, *path = named.split(".")
    if id not in results:
        raise NotFound(f"The step {id!r} gave no result that {named!r} could refer to.", reference=named)
    value = results[id]
    for name in path:
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and (member := value.get(name, _ABSENT)) is not _ABSENT:
            value = member
        else:
            raise NotFound(f"The result of step {id!r} has nothing at {named!r}: no {name!r} there.", reference=named)
    return value


def _refuse_strangers(value: Mapping[str, Any], known: frozenset[str], where: str, **details: Any) -> None:
    for name in value:
        if name not in known:
            message = f"{where}: `{name}` is none of its members: {', '.join(sorted(known))}."
            raise BrokenRecipe(message, field=name, **details)
