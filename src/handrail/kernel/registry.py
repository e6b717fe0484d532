"""Which tools there are. A value that the composition builds, not a side effect of imports."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from handrail.kernel.call import Role
from handrail.kernel.dynamic_tools import DynamicTools
from handrail.kernel.feature import Feature, load
from handrail.kernel.json_schema import Validator
from handrail.kernel.tool import ResourceKind, Schema, Surface, Tool
from handrail.ports.errors import Declined, Disabled, InvalidParams, NotFound

_MOST_FOUND = 10_000

Listing = Literal["first", "all", "compact"]


class UnknownTool(NotFound):
    """No surface has a tool of that name."""


def surface_of(feature: Feature, port: Any = None) -> Surface:
    """The tools that a feature declares, with what they get. Without a port they can be described, not run."""
    return Surface(
        feature.name,
        load(feature.dialect),
        port,
        load(feature.tools) if feature.tools else (),
        load(feature.prompts) if feature.prompts else (),
        load(feature.resources) if feature.resources else (),
    )


class RegisteredTool:
    """A tool at its surface, ready to read parameters."""

    def __init__(self, tool: Tool[Any, Any], surface: Surface, is_enabled: bool, role: Role = "tool") -> None:
        self.tool = tool
        self.role = role
        self.surface = surface
        self.is_enabled = is_enabled
        self._validator: Validator | None = None

    def read_params(self, raw: Any) -> Any:
        """Typed parameters with defaults applied, or InvalidParams naming each wrong field."""
        if not isinstance(raw, dict):
            raise InvalidParams("The parameters must be a JSON object.")
        if self.tool.forwards_to is not None:
            return raw  # the other tool reads them
        if self.tool.normalize is not None:
            raw = self.tool.normalize(raw)
        if self._validator is None:
            self._validator = Validator(self.tool.input_schema)
        self._validator.check(raw)
        try:
            return msgspec.convert(_with_whole_numbers(raw, self.tool.input_schema), self.tool.params)
        except msgspec.ValidationError as error:
            raise InvalidParams(str(error)) from None


def _with_whole_numbers(raw: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """To JSON Schema 6.0 is an integer; to our types it becomes one here."""
    properties = schema.get("properties", {})
    return {
        name: int(value) if isinstance(value, float) and properties.get(name, {}).get("type") == "integer" else value
        for name, value in raw.items()
    }


class Registry:
    """`in_developer_mode` is asked at every look: a person may switch the mode while the program runs.

    `not_installed` says how to install what the surface of this name needs. `dynamic` are tools that are found while
    the program runs; declared ones come first, whatever their names. `listing` is what a client is shown at once: all
    tools, only those that find others, or these and the surfaces that are `listed_first`.
    """

    def __init__(
        self,
        surfaces: Sequence[Surface],
        enabled: Collection[str] | None = None,
        in_developer_mode: Callable[[], bool] = lambda: True,
        not_installed: Mapping[str, str] = MappingProxyType({}),
        dynamic: Sequence[DynamicTools] = (),
        listing: Listing = "all",
        listed_first: Callable[[str], bool] = lambda surface: True,
    ) -> None:
        self._dynamic = dynamic
        self._found: dict[str, RegisteredTool] = {}
        self._listing = listing
        self._listed_first = listed_first
        self._in_developer_mode = in_developer_mode
        self._not_installed = not_installed
        self._all = {surface.name: surface for surface in surfaces}
        self._tools: dict[str, RegisteredTool] = {}
        self._surfaces = [
            surface
            for surface in surfaces
            if surface.name not in not_installed and (enabled is None or surface.name in enabled)
        ]
        for surface in surfaces:
            resource_tools = [tool for kind in surface.resources for tool in (kind.listing, kind.reading)]
            roles: tuple[tuple[Role, Sequence[Tool[Any, Any]]], ...]
            roles = (("tool", surface.tools), ("prompt", surface.prompts), ("resource", resource_tools))
            for role, tools in roles:
                for tool in tools:
                    if tool.name in self._tools:
                        raise ValueError(f"two tools are named {tool.name}")
                    self._tools[tool.name] = RegisteredTool(tool, surface, surface in self._surfaces, role)

    def restricted_to(self, surfaces: Collection[str] | None, listing: Listing) -> "Registry":
        """The same, with the tools of these surfaces alone. InvalidParams."""
        for name in surfaces or ():
            if name not in self._all:
                raise InvalidParams(f"There is no surface named {name!r}.", hint=f"Known are: {', '.join(self._all)}.")
        enabled = {surface.name for surface in self._surfaces if surfaces is None or surface.name in surfaces}
        return Registry(
            list(self._all.values()),
            enabled,
            self._in_developer_mode,
            self._not_installed,
            [source for source in self._dynamic if source.surface.name in enabled],
            listing,
            self._listed_first,
        )

    def __iter__(self) -> Iterator[RegisteredTool]:
        """The tools that agents may call, in the order of declaration."""
        offered = [entry for entry in self._offered("tool") if entry.tool.is_for_agents and entry.tool.face is None]
        try:
            has_all = self._in_developer_mode()
        except Declined:  # a policy that can't be read opens nothing
            has_all = False
        return (entry for entry in offered if has_all or not entry.tool.is_for_developers)

    @property
    def listed(self) -> Iterator[RegisteredTool]:
        """Those of them that a client is shown at once."""
        if self._listing != "first":
            return self.full_list
        first = {surface.name for surface in self._surfaces if self._listed_first(surface.name)}
        return (entry for entry in self if entry.tool.finds_tools or entry.surface.name in first)

    @property
    def full_list(self) -> Iterator[RegisteredTool]:
        """All that do something themselves; of a compact list those that find them."""
        return (entry for entry in self if entry.tool.finds_tools is (self._listing == "compact"))

    @property
    def prompts(self) -> Sequence[RegisteredTool]:
        return self._offered("prompt")

    @property
    def resources(self) -> Sequence[ResourceKind]:
        declared = [kind for surface in self._surfaces for kind in surface.resources]
        return [*declared, *(kind for source in self._dynamic for kind in source.resources())]

    def on_change(self, changed: Callable[[], None]) -> None:
        """`changed` is called when there are other tools than before."""
        for source in self._dynamic:
            source.on_change(changed)

    def _offered(self, role: Role) -> list[RegisteredTool]:
        declared = [entry for entry in self._tools.values() if entry.is_enabled and entry.role == role]
        return [*declared, *self._found_now(role)]

    def _found_now(self, role: Role) -> Iterator[RegisteredTool]:
        for source in self._dynamic:
            for tool in source.tools() if role == "tool" else source.prompts() if role == "prompt" else ():
                if tool.name not in self._tools:
                    yield self._registered(tool, source.surface, role)

    def _registered(self, tool: Tool[Any, Any], surface: Surface, role: Role) -> RegisteredTool:
        """The same entry as long as it is the same tool: its schema is compiled once."""
        known = self._found.get(tool.name)
        if known is None or known.tool is not tool:
            if len(self._found) >= _MOST_FOUND:
                self._found.clear()
            known = self._found[tool.name] = RegisteredTool(tool, surface, True, role)
        return known

    def _find_dynamic(self, name: str) -> RegisteredTool | None:
        for source in self._dynamic:
            if (tool := source.find(name)) is not None:
                return self._registered(tool, source.surface, "tool")
            if (prompt := next((each for each in source.prompts() if each.name == name), None)) is not None:
                return self._registered(prompt, source.surface, "prompt")
            for kind in source.resources():
                for part in (kind.listing, kind.reading):
                    if part.name == name:
                        return self._registered(part, source.surface, "resource")
        return None

    def find(self, name: str) -> RegisteredTool:
        entry = self._tools.get(name) or self._find_dynamic(name)
        if entry is None:
            known = (*self._tools.values(), *self._found_now("tool"))
            tools = [each.tool.listed_name for each in known if each.role == "tool"]
            near = get_close_matches(name, tools, n=3)
            hint = f"Did you mean {', '.join(near)}?" if near else "`handrail tools` lists them all."
            raise UnknownTool(f"There is no tool named {name!r}.", hint=hint)
        return entry

    def find_enabled(self, name: str) -> RegisteredTool:
        entry = self.find(name)
        self.check_enabled(entry)
        return entry

    def check_enabled(self, entry: RegisteredTool) -> None:
        """Disabled."""
        name = entry.tool.name
        if (how := self._not_installed.get(entry.surface.name)) is not None:
            raise Disabled(f"The tool {name} isn't installed.", hint=how, tool=name)
        if not entry.is_enabled:
            raise Disabled(
                f"The tool {name} is switched off here.",
                hint=f"Start handrail with --tools that include {entry.surface.name}, if no setting switches it off.",
                tool=name,
            )
        if entry.tool.is_for_developers and not self._in_developer_mode():
            raise Disabled(
                f"The tool {name} works in developer mode alone.",
                hint='It takes "mode": "developer" in .handrail/policy.json, and a person\'s `handrail policy trust`.',
                tool=name,
            )

    def catalogue(self) -> dict[str, Any]:
        """Every tool for agents, as `handrail tools --json` and `GET /api/tools` show it."""
        return {"tools": [_described(entry.tool, entry.surface.name) for entry in self]}


def _described(tool: Tool[Any, Any], surface: str) -> dict[str, Any]:
    return {
        "name": tool.listed_name,
        "title": tool.title,
        "description": tool.description,
        "surface": surface,
        "effect": tool.strongest_effect.value,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "deadlineMs": tool.deadline_ms,
        "idempotent": tool.is_idempotent,
    }
