"""Resolves symbolic links: an agent's may only be taken if they stay inside the project."""

from collections.abc import Callable, Mapping

from handrail.features.review.agent_entries import AgentEntry
from handrail.ports.errors import Conflict
from handrail.ports.files import Folder

_MAX_LINKS = 40
LinkAt = Callable[[str], str | None]
"""Returns the target of the link at a path; None if there is no link."""


class LinkTargets:
    def __init__(self, project: Folder, entries: Mapping[str, AgentEntry]) -> None:
        self._project, self._entries = project, entries

    def check(self, path: str, target: str) -> None:
        """Checks a link with and without the agent's other links, which may be taken or not.

        Raises Conflict or OutsideRoot.
        """
        for link_at in (self._agent_link, self._project_link):
            place, is_circular = _follow(path, target, link_at)
            if place is None:
                where = "leads in a circle" if is_circular else "leads out of the project"
                raise Conflict(f"it is a link to {target!r}, which {where}", path=path)
            self._project.parse(place)

    def _agent_link(self, path: str) -> str | None:
        entry = self._entries.get(path)
        return self._project_link(path) if entry is None else entry.link or None

    def _project_link(self, path: str) -> str | None:
        status = self._project.status(path)
        return self._project.link_target(path) if status is not None and status.kind == "link" else None


def resolve_link(path: str, target: str, link_at: LinkAt) -> str | None:
    """Resolves a link like the kernel does. None if it leads out of the project or in a circle."""
    return _follow(path, target, link_at)[0]


def _follow(path: str, target: str, link_at: LinkAt) -> tuple[str | None, bool]:
    """Where the link leads (None: nowhere in the project), and whether it leads in a circle."""
    place, pending, links = path.split("/")[:-1], target.split("/"), 0
    if target.startswith("/"):
        return None, False
    while pending:
        name = pending.pop(0)
        if name == "..":
            if not place:
                return None, False
            place.pop()
        elif name not in ("", "."):
            place.append(name)
            if (leads := link_at("/".join(place))) is not None:
                links += 1
                if links > _MAX_LINKS or leads.startswith("/"):
                    return None, links > _MAX_LINKS
                place.pop()
                pending = leads.split("/") + pending
    return "/".join(place), False
