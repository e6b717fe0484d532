"""What the tools of apps get: the catalogue of apps, and the means to call them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

import msgspec

from handrail.features.apps.backends.catalogue import Catalogue
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.calls.consent import consent_to
from handrail.features.apps.calls.masking import has_secrets, mask
from handrail.features.apps.model import App, AppTool, HttpExecution, UnknownAppTool
from handrail.kernel.target import Target
from handrail.kernel.web_address import place_of_page
from handrail.ports.consents import ConsentRequest

AppId = Annotated[str, msgspec.Meta(description="Its id, such as com.example.mail: apps_list has them.")]


class _HasApp(Protocol):
    @property
    def app(self) -> str: ...


def app_target(params: _HasApp) -> Target:
    return Target(app=params.app)


def closed_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Refuses unknown members: otherwise a parameter of the app's tool in the wrong place would be lost silently."""
    return {**schema, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool and everything that follows from its descriptor, computed once instead of at every call."""

    app: App
    tool: AppTool
    consent: ConsentRequest
    place: Target
    hides_params: bool
    hides_result: bool

    def shown_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """Without the values that its schema marks as secret; the same object if there are none."""
        params_shown: dict[str, Any] = mask(params, self.tool.parameters) if self.hides_params else params
        return params_shown

    def shown_result(self, result: Any) -> Any:
        return mask(result, self.tool.returns) if self.hides_result else result


@dataclass(frozen=True, slots=True)
class Apps:
    catalogue: Catalogue
    checks: SchemaChecks
    caller: AppCaller
    disconnect: Callable[[], Awaitable[None]]
    program: Callable[[App], Awaitable[str]]
    """Identifies what answers for an app now: `ConsentRequest.program`."""
    _cache: dict[tuple[str, str], DeclaredTool] = field(default_factory=dict)

    def find(self, app: str, tool: str) -> DeclaredTool:
        """UnknownApp, BrokenDescriptor, UnknownAppTool."""
        declared_app = self.catalogue.find(app)
        declared = self._cache.get((app, tool))
        if declared is None or declared.app is not declared_app:
            declared = self._cache[app, tool] = _declare(declared_app, find_tool(declared_app, tool))
        return declared


def find_tool(app: App, name: str) -> AppTool:
    tool = app.tool(name)
    if tool is None:
        names = ", ".join(tool.name for tool in app.tools[:30])
        raise UnknownAppTool(f"{app.id} has no tool {name[:300]!r}.", hint=f"It has: {names}.")
    return tool


def _declare(app: App, tool: AppTool) -> DeclaredTool:
    return DeclaredTool(
        app, tool, consent_to(app, tool), _target(app), has_secrets(tool.parameters), has_secrets(tool.returns)
    )


def _target(app: App) -> Target:
    """Includes the place of an HTTP app, because rules may name it."""
    execution = app.execution
    return Target(app=app.id, place=place_of_page(execution.base_url) if isinstance(execution, HttpExecution) else None)
