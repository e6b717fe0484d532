"""What the tools of apps get: the catalogue of apps and a way to call them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

import msgspec

from handrail.features.apps.backends.catalogue import Catalogue
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import Checks
from handrail.features.apps.calls.consent import consent_to
from handrail.features.apps.calls.masking import has_secrets, masked
from handrail.features.apps.model import App, AppTool, HttpExecution, UnknownAppTool
from handrail.kernel.target import Target
from handrail.kernel.web_address import place_of_page
from handrail.ports.consents import ConsentRequest

AppId = Annotated[str, msgspec.Meta(description="Its id, such as com.example.mail: apps_list has them.")]


class _NamesApp(Protocol):
    @property
    def app(self) -> str: ...


def app_target(params: _NamesApp) -> Target:
    return Target(app=params.app)


def required_object(schema: dict[str, Any]) -> dict[str, Any]:
    """Refuses unknown members: a parameter of the app's tool in the wrong place would be lost silently."""
    return {**schema, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class Declared:
    """A tool and what follows from its descriptor alone, computed once and not at every call."""

    app: App
    tool: AppTool
    consent: ConsentRequest
    place: Target
    hides_params: bool
    hides_result: bool

    def shown_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """Without what its schema calls secret; the same object if there is nothing secret."""
        shown: dict[str, Any] = masked(params, self.tool.parameters) if self.hides_params else params
        return shown

    def shown_result(self, result: Any) -> Any:
        return masked(result, self.tool.returns) if self.hides_result else result


@dataclass(frozen=True, slots=True)
class Apps:
    catalogue: Catalogue
    checks: Checks
    caller: AppCaller
    disconnect: Callable[[], Awaitable[None]]
    program: Callable[[App], Awaitable[str]]
    """What answers for an app now: `ConsentRequest.program`."""
    _declared: dict[tuple[str, str], Declared] = field(default_factory=dict)

    def find(self, app: str, tool: str) -> Declared:
        """UnknownApp, BrokenDescriptor, UnknownAppTool."""
        found = self.catalogue.find(app)
        known = self._declared.get((app, tool))
        if known is None or known.app is not found:
            known = self._declared[app, tool] = _declared(found, tool_of(found, tool))
        return known


def tool_of(app: App, name: str) -> AppTool:
    tool = app.tool(name)
    if tool is None:
        names = ", ".join(tool.name for tool in app.tools[:30])
        raise UnknownAppTool(f"{app.id} has no tool {name[:300]!r}.", hint=f"It has: {names}.")
    return tool


def _declared(app: App, tool: AppTool) -> Declared:
    return Declared(
        app, tool, consent_to(app, tool), _place_of(app), has_secrets(tool.parameters), has_secrets(tool.returns)
    )


def _place_of(app: App) -> Target:
    """With the place of an HTTP app, because rules may name it."""
    execution = app.execution
    return Target(app=app.id, place=place_of_page(execution.base_url) if isinstance(execution, HttpExecution) else None)
