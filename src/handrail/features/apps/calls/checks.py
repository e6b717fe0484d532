"""Parameters before they leave and results after they arrive, against the schemas of the tool's descriptor."""

from collections.abc import Iterable, Mapping
from typing import Any

from handrail.features.apps.calls.schema_weight import expanded
from handrail.features.apps.model import App, AppTool
from handrail.kernel.validation import Validator
from handrail.ports.errors import BadAnswer, InvalidParams

_MOST_APPLIED = 100_000
"""A schema that leads back into itself in several ways is applied that much more often with each level of a value."""


class Checks:
    """Schemas are compiled when they are first needed, and again when the descriptor has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _ToolChecks] = {}

    def check_params(self, app: App, tool: AppTool, params: dict[str, Any]) -> None:
        """InvalidParams, naming each wrong field."""
        wrong = self._of(app, tool).params.faults(params)
        if wrong:
            raise InvalidParams(
                f"The parameters of {tool.name} are not valid: {_in_words(wrong)}",
                hint=f"apps_describe with app {app.id} and tool {tool.name} shows their schema.",
                fieldErrors=wrong,
            )

    def check_result(self, app: App, tool: AppTool, result: Any) -> None:
        """BadAnswer."""
        returns = self._of(app, tool).returns
        wrong = returns.faults(result) if returns is not None else []
        if wrong:
            # The message is on record, and what an app gives back is not for everybody: so it quotes nothing.
            fields = ", ".join(item["field"] or "the whole" for item in wrong)
            raise BadAnswer(
                f"What {tool.name} gave back does not fit the schema that {app.id} declares: {fields}",
                fieldErrors=wrong,
            )

    def _of(self, app: App, tool: AppTool) -> "_ToolChecks":
        known = self._known.get((app.id, tool.name))
        if known is None or known.tool is not tool:
            known = self._known[app.id, tool.name] = _ToolChecks(tool)
        return known


class _ToolChecks:
    def __init__(self, tool: AppTool) -> None:
        self.tool = tool
        self.params = _Check({**tool.parameters, "type": "object"})
        self.returns = None if tool.returns is None else _Check(tool.returns)


class _Check:
    """Whether a value fits can always be told; what is wrong with it, only where that takes a moment."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._validator = Validator(schema)
        self._expansion = expanded(schema)

    def faults(self, value: Any) -> list[dict[str, str]]:
        if self._validator.fits(value):
            return []
        schemas, returns = self._expansion
        if returns > 1 and schemas * returns ** _depth(value) > _MOST_APPLIED:
            return [{"field": "", "message": "does not fit its schema, which is too involved to tell where"}]
        return self._validator.faults(value)


def _depth(value: Any) -> int:
    levels, level = 0, [value]
    while level := [part for each in level for part in _inside(each)]:
        levels += 1
    return levels


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _in_words(wrong: list[dict[str, str]]) -> str:
    return "; ".join(f"{item['field']}: {item['message']}" if item["field"] else item["message"] for item in wrong)
