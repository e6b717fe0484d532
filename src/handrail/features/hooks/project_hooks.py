"""What a project's native tools share: path rules, handrail's own processes and ports, and how changes are shown."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from handrail.features.hooks.path_scope import PathScope
from handrail.ports.errors import Failure
from handrail.ports.own_servers import find_own_ports

if TYPE_CHECKING:
    from handrail.features.workspace.offers import Changes
    from handrail.kernel.project import Project

UnifiedDiff = Callable[[str, bytes | None, bytes | None], str]


_MOST_REMEMBERED = 2000


@dataclass(eq=False)
class Hooks:
    project: Project
    agent_folders: tuple[str, ...] = ()
    """Folders of the state directory that belong to an agent in a narrow cage."""
    is_in_cage: bool = False
    """In a cage, the client's changes don't reach the project."""
    _allowed: OrderedDict[tuple[str, str], tuple[str, dict[str, str]]] = field(default_factory=OrderedDict)

    def remember(self, identity: str, id: str, execution: str, expected: dict[str, str]) -> None:
        """Remembers which execution allowed the client's call `id`, and what its files should contain afterwards."""
        self._allowed[identity, id] = (execution, expected)
        while len(self._allowed) > _MOST_REMEMBERED:
            self._allowed.popitem(last=False)

    def recall(self, identity: str, id: str) -> tuple[str, dict[str, str]] | None:
        return self._allowed.pop((identity, id), None)

    @property
    def scope(self) -> PathScope:
        policy = self.project.policy.latest()
        return PathScope(
            self.project.policy.project,
            os.path.realpath(self.project.stores.path),
            policy.limits.forbidden_dirs,
            self.agent_folders,
            policy.reading_limits("native_shell", "native_read"),
        )

    @cached_property
    def ripgrep(self) -> str:
        path: str = self.project.offer("workspace", "ripgrep")
        return path

    @cached_property
    def unified(self) -> UnifiedDiff:
        unified: UnifiedDiff = self.project.offer("workspace", "unified")
        return unified

    @cached_property
    def changes(self) -> Changes:
        changes: Changes = self.project.offer("workspace", "changes")
        return changes

    def own_ports(self) -> frozenset[int]:
        return find_own_ports()

    def own_pids(self) -> frozenset[int]:
        """This process and the server's, if that is another one."""
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
