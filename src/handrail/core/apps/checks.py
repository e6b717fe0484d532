"""Parameters before they leave and results after they arrive, against the schemas of the tool's descriptor."""

from typing import Any

from handrail.contract.apps import App, AppTool
from handrail.contract.errors import BadAnswer, InvalidParams
from handrail.core.validation import Validator


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
        self.params = Validator({**tool.parameters, "type": "object"})
        self.returns = None if tool.returns is None else Validator(tool.returns)


def _in_words(wrong: list[dict[str, str]]) -> str:
    return "; ".join(f"{item['field']}: {item['message']}" if item["field"] else item["message"] for item in wrong)
