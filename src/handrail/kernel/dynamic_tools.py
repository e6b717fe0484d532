"""Tools that a feature finds while the program runs, such as those of apps and of other MCP servers."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from handrail.kernel.tool import ResourceKind, Surface, Tool


class DynamicTools(Protocol):
    """The current tools. A tool stays the same object until something about it changes."""

    @property
    def surface(self) -> Surface:
        """The port and the dialect that these tools share; it contains no tools itself."""
        ...

    def tools(self) -> Sequence[Tool[Any, Any]]: ...

    def prompts(self) -> Sequence[Tool[Any, Any]]: ...

    def resources(self) -> Sequence[ResourceKind]: ...

    def find(self, name: str) -> Tool[Any, Any] | None:
        """A tool by its name or alias, also one that a client may know from an earlier list."""
        ...

    def on_change(self, changed: Callable[[], None]) -> None:
        """`changed` is called on the event loop when the list of tools changes."""
        ...
