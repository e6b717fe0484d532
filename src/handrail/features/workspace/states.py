"""What is at each path: as the disk has it, or as it will be once earlier steps are done or taken back."""

from handrail.features.workspace.change import ABSENT, state_now
from handrail.features.workspace.intent import IntentStep
from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import Failure


class States:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[str, str] = {}
        self._moves: list[tuple[str, str]] = []

    def set(self, path: str, state: str) -> None:
        self._known[path] = state

    def is_at(self, path: str, wanted: str) -> bool:
        """False where a link, a closed place or something unreadable is."""
        if (known := self._known.get(path)) is not None:
            return known == wanted or (not _have_modes(known, wanted) and _content(known) == _content(wanted))
        place = self.on_disk(path)
        if place is None:
            return wanted == ABSENT
        try:
            return state_now(self._workspace, place, with_mode=":" in wanted) == wanted
        except Failure:
            return False

    def is_free(self, folder: str) -> bool:
        """Whether nothing is left in it by then."""
        place = self.on_disk(folder)
        names = [] if place is None else self._workspace.files.names(place)
        inside = {f"{folder}/{name}" for name in names}
        inside |= {path for path in self._known if path.startswith(folder + "/")}
        return all(self._known.get(path) == ABSENT for path in inside)

    def on_disk(self, path: str) -> str | None:
        """Where it is now, before the moves; None if they have left nothing there."""
        for old, new in reversed(self._moves):
            if _is_below(path, new):
                path = old + path[len(new) :]
            elif _is_below(path, old):
                return None
        return path

    def is_before(self, step: IntentStep) -> bool:
        return self.is_at(step.path, step.base) and (step.to is None or self.is_at(step.to, ABSENT))

    def is_after(self, step: IntentStep) -> bool:
        return self.is_at(step.path, step.after) and (step.to is None or self.is_at(step.to, step.base))

    def do(self, step: IntentStep) -> None:
        """From here on, as if the step had been done."""
        if step.to is not None:
            self._move(step.path, step.to)
        self.set(step.path, step.after)

    def take_back(self, step: IntentStep) -> None:
        """From here on, as if the step had not been done."""
        if step.to is not None:
            self._move(step.to, step.path)
            self.set(step.to, ABSENT)
        self.set(step.path, step.base)

    def _move(self, old: str, new: str) -> None:
        for path in [known for known in self._known if _is_below(known, old)]:
            self._known[new + path[len(old) :]] = self._known.pop(path)
        self._known.pop(new, None)
        self._moves.append((old, new))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _have_modes(first: str, second: str) -> bool:
    return ":" in first and ":" in second


def _content(state: str) -> str:
    return state.partition(":")[0]
