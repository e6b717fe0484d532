"""Where symbolic links lead: an agent's may be taken only if they stay in the project, however they are resolved."""

from collections.abc import Callable, Mapping

from handrail.features.review.agent_entries import AgentEntry
from handrail.ports.errors import Conflict
from handrail.ports.files import Folder

_MOST_LINKS = 40
LinkAt = Callable[[str], str | None]
"""Where the link at a path leads; None if there is no link."""


class LinkTargets:
    def __init__(self, project: Folder, entries: Mapping[str, AgentEntry]) -> None:
        self._project, self._entries = project, entries

    def check(self, path: str, target: str) -> None:
        """With the agent's other links and without them: nobody knows which will be taken. Conflict, OutsideRoot."""
        for link_at in (self._agents, self._persons):
            place = resolved(path, target, link_at)
            if place is None:
                raise Conflict(f"it is a link to {target!r}, which leads out of the project", path=path)
            self._project.parse(place)

    def _agents(self, path: str) -> str | None:
        entry = self._entries.get(path)
        return self._persons(path) if entry is None else entry.link or None

    def _persons(self, path: str) -> str | None:
        status = self._project.status(path)
        return self._project.link_target(path) if status is not None and status.kind == "link" else None


def resolved(path: str, target: str, link_at: LinkAt) -> str | None:
    """As the kernel resolves it, as a path of the project; None if it leaves the project or turns in circles."""
    place, pending, links = path.split("/")[:-1], target.split("/"), 0
    if target.startswith("/"):
        return None
    while pending:
        name = pending.pop(0)
        if name == "..":
            if not place:
                return None
            place.pop()
        elif name not in ("", "."):
            place.append(name)
            if (leads := link_at("/".join(place))) is not None:
                links += 1
                if links > _MOST_LINKS or leads.startswith("/"):
                    return None
                place.pop()
                pending = leads.split("/") + pending
    return "/".join(place)
