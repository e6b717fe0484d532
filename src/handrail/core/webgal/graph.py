"""Which scene leads to which: the project's shape as data."""

from dataclasses import dataclass

from handrail.core.webgal.listing import Listing, Standing
from handrail.core.webgal.scene import Scene

ENTRY = "start.txt"


@dataclass(frozen=True, slots=True)
class Way:
    """`how` is the command; `is_missing`: there is no such scene."""

    source: str
    target: str
    how: str
    line: int
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    scenes: tuple[str, ...]
    ways: tuple[Way, ...]
    entry: str | None
    is_complete: bool
    """False where a scene's name is known only while the game runs."""

    def reachable(self) -> set[str]:
        onward: dict[str, list[str]] = {}
        for way in self.ways:
            onward.setdefault(way.source, []).append(way.target)
        reached: set[str] = set()
        waiting = [self.entry] if self.entry is not None else []
        while waiting:
            scene = waiting.pop()
            if scene not in reached:
                reached.add(scene)
                waiting += onward.get(scene, [])
        return reached

    def as_data(self) -> dict[str, object]:
        reached = self.reachable()
        return {
            "entry": self.entry,
            "scenes": [{"name": name, "reachable": name in reached} for name in self.scenes],
            "ways": [
                {"from": way.source, "to": way.target, "how": way.how, "line": way.line}
                | ({"missing": True} if way.is_missing else {})
                for way in self.ways
            ],
        }


def ways_of(name: str, scene: Scene, listing: Listing) -> tuple[Way, ...]:
    found = []
    for reference in scene.references:
        if reference.what == "scene":
            standing, path = listing.find("scene", reference.name)
            target = path.removeprefix("scene/")
            found.append(Way(name, target, reference.by, reference.line, standing is Standing.MISSING))
    return tuple(found)
