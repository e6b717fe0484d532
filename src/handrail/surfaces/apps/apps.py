"""The port of this surface: which apps there are, and the way to them."""

from dataclasses import dataclass

from handrail.contract.apps import App, AppCatalogue, AppTool, HttpExecution
from handrail.contract.target import Target
from handrail.core.apps.checks import Checks
from handrail.core.apps.conditions import UnknownAppTool
from handrail.core.apps.switchboard import Switchboard
from handrail.core.web_address import host_of_page


@dataclass(frozen=True, slots=True)
class Apps:
    catalogue: AppCatalogue
    checks: Checks
    switchboard: Switchboard

    def find(self, app: str, tool: str) -> tuple[App, AppTool]:
        """UnknownApp, BrokenDescriptor, UnknownAppTool."""
        found = self.catalogue.find(app)
        return found, tool_of(found, tool)


def tool_of(app: App, name: str) -> AppTool:
    tool = app.tool(name)
    if tool is None:
        names = ", ".join(tool.name for tool in app.tools[:30])
        raise UnknownAppTool(f"{app.id} has no tool {name[:300]!r}.", hint=f"It has: {names}.")
    return tool


def place_of(app: App) -> Target:
    """The host as well, where the call leaves this machine or could: rules may name it."""
    execution = app.execution
    return Target(app=app.id, host=host_of_page(execution.base_url) if isinstance(execution, HttpExecution) else None)
