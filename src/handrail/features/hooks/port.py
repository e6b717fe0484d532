"""What the native tools of a project share: where paths lead, what is handrail's own, and how changes are shown."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from handrail.features.hooks.path_place import Ground
from handrail.ports.errors import Failure
from handrail.ports.own_servers import find_own_ports

if TYPE_CHECKING:
    from handrail.features.workspace.offers import Changes
    from handrail.kernel.project import Project

Unified = Callable[[str, bytes | None, bytes | None], str]


_MOST_REMEMBERED = 2000


@dataclass(eq=False)
class Hooks:
    project: Project
    given: tuple[str, ...] = ()
    """Folders of the state directory that are an agent's own: those of a narrow cage."""
    is_in_cage: bool = False
    """The client's files are its own then, and nothing of the project is changed."""
    _allowed: OrderedDict[tuple[str, str], tuple[str, dict[str, str]]] = field(default_factory=OrderedDict)

    def remember(self, identity: str, id: str, execution: str, expected: dict[str, str]) -> None:
        """Which execution allowed what the client calls by `id`, and what its files are to hold afterwards."""
        self._allowed[identity, id] = (execution, expected)
        while len(self._allowed) > _MOST_REMEMBERED:
            self._allowed.popitem(last=False)

    def recall(self, identity: str, id: str) -> tuple[str, dict[str, str]] | None:
        return self._allowed.pop((identity, id), None)

    @property
    def ground(self) -> Ground:
        closed = self.project.policy.latest().limits.forbidden_dirs
        return Ground(self.project.policy.project, os.path.realpath(self.project.stores.path), closed, self.given)

    @cached_property
    def ripgrep(self) -> str:
        path: str = self.project.offer("workspace", "ripgrep")
        return path

    @cached_property
    def unified(self) -> Unified:
        found: Unified = self.project.offer("workspace", "unified")
        return found

    @cached_property
    def changes(self) -> Changes:
        found: Changes = self.project.offer("workspace", "changes")
        return found

    def own_ports(self) -> frozenset[int]:
        return find_own_ports()

    def own_pids(self) -> frozenset[int]:
        """This process and the server's, where that is another one."""
        server = self.project.stores.running_server()
        return frozenset({os.getpid(), *([server.pid] if server is not None and server.is_running else [])})

    def is_own_tool(self, name: str) -> bool:
        try:
            entry = self.project.registry.find_enabled(name)
        except Failure:
            return False
        return entry.role == "tool" and entry.tool.is_for_agents and entry.tool.face is None


def open_hooks(project: Project) -> Hooks:
    return Hooks(project)
