"""The registry of tools. It is built explicitly and not by side effects of imports."""

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

_MAX_DYNAMIC_ENTRIES = 10_000

Listing = Literal["first", "all", "compact"]


class UnknownTool(NotFound):
    """There is no tool with this name."""


def surface_of(feature: Feature, port: Any = None) -> Surface:
    """A feature's tools and the port that they get. Without a port they can be described but not run."""
    return Surface(
        feature.name,
        load(feature.dialect),
        port,
        load(feature.tools) if feature.tools else (),
        load(feature.prompts) if feature.prompts else (),
        load(feature.resources) if feature.resources else (),
    )


class RegisteredTool:
    """A tool with its surface, ready to read parameters."""

    def __init__(self, tool: Tool[Any, Any], surface: Surface, is_enabled: bool, role: Role = "tool") -> None:
        self.tool = tool
        self.role = role
        self.surface = surface
        self.is_enabled = is_enabled
        self._validator: Validator | None = None

    def read_params(self, raw: Any) -> Any:
        """The typed parameters with defaults. InvalidParams names each wrong field."""
        if not isinstance(raw, dict):
            raise InvalidParams("The parameters must be a JSON object.")
        if self.tool.forwards_to is not None:
            return raw  # the tool that it forwards to reads them
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
    """Converts 6.0 to 6: to JSON Schema it is an integer, to our types it isn't."""
    properties = schema.get("properties", {})
    return {
        name: int(value) if isinstance(value, float) and properties.get(name, {}).get("type") == "integer" else value
        for name, value in raw.items()
    }


class Registry:
    """`in_developer_mode` is called each time, because a person may switch the mode while the program runs.

    `not_installed` says, by the surface's name, how to install what it needs. `dynamic` are tools that are found while
    the program runs; declared tools take precedence. `listing` is what a client is shown first: all tools, only those
    that find others, or these and the surfaces that are `listed_first`.
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
        self._dynamic_entries: dict[str, RegisteredTool] = {}
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
        """A registry with only the tools of these surfaces. InvalidParams."""
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
        """The tools that agents may call, in order of declaration."""
        offered = [entry for entry in self._offered("tool") if entry.tool.is_for_agents and entry.tool.face is None]
        try:
            has_all = self._in_developer_mode()
        except Declined:  # an invalid policy allows nothing
            has_all = False
        return (entry for entry in offered if has_all or not entry.tool.is_for_developers)

    @property
    def listed(self) -> Iterator[RegisteredTool]:
        """The tools in the first list that a client gets."""
        if self._listing != "first":
            return self.full_list
        first = {surface.name for surface in self._surfaces if self._listed_first(surface.name)}
        return (entry for entry in self if entry.tool.finds_tools or entry.surface.name in first)

    @property
    def full_list(self) -> Iterator[RegisteredTool]:
        """All tools except those that find others; in a compact list only those."""
        return (entry for entry in self if entry.tool.finds_tools is (self._listing == "compact"))

    @property
    def prompts(self) -> Sequence[RegisteredTool]:
        return self._offered("prompt")

    @property
    def resources(self) -> Sequence[ResourceKind]:
        declared = [kind for surface in self._surfaces for kind in surface.resources]
        return [*declared, *(kind for source in self._dynamic for kind in source.resources())]

    def on_change(self, changed: Callable[[], None]) -> None:
        """`changed` is called when the list of tools changes."""
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
        """Returns the same entry while it is the same tool, so that its schema is compiled once."""
        entry = self._dynamic_entries.get(tool.name)
        if entry is None or entry.tool is not tool:
            if len(self._dynamic_entries) >= _MAX_DYNAMIC_ENTRIES:
                self._dynamic_entries.clear()
            entry = self._dynamic_entries[tool.name] = RegisteredTool(tool, surface, True, role)
        return entry

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
            entries = (*self._tools.values(), *self._found_now("tool"))
            tools = [each.tool.listed_name for each in entries if each.role == "tool"]
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
                f"The tool {name} works only in developer mode.",
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
