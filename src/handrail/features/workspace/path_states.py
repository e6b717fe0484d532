"""The state of each path: on disk, or as it will be after some steps are applied or reverted."""

from pathlib import PurePosixPath

from handrail.features.workspace.change import ABSENT, FOLDER, state_now
from handrail.features.workspace.intent import IntentStep
from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import Failure


class PathStates:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._planned: dict[str, str] = {}
        self._moves: list[tuple[str, str]] = []

    def set(self, path: str, state: str) -> None:
        self._planned[path] = state

    def is_at(self, path: str, state: str) -> bool:
        """Returns whether the path is in this state. False for closed or unreadable paths."""
        if (planned := self._planned.get(path)) is not None:
            return planned == state or (not _have_modes(planned, state) and _content(planned) == _content(state))
        place = self.on_disk(path)
        if place is None:
            return state == ABSENT
        try:
            return state_now(self._workspace, place, with_mode=":" in state) == state
        except Failure:
            return False

    def is_empty(self, folder: str) -> bool:
        """Returns whether nothing will be left in the folder."""
        place = self.on_disk(folder)
        status = None if place is None else self._workspace.files.status(place)
        names = self._workspace.files.names(place) if place and status and status.kind == "folder" else []
        inside = {f"{folder}/{name}" for name in names}
        inside |= {path for path in self._planned if path.startswith(folder + "/")}
        return all(self._planned.get(path) == ABSENT for path in inside)

    def on_disk(self, path: str) -> str | None:
        """Returns where the path is on disk now, before the moves; None if they leave nothing there."""
        for old, new in reversed(self._moves):
            if is_below(path, new):
                path = old + path[len(new) :]
            elif is_below(path, old):
                return None
        return path

    def is_below_file(self, path: str) -> bool:
        """Returns whether the path can't be created because something other than a folder will be above it."""
        for parent in map(str, PurePosixPath(path).parents[:-1]):
            planned, place = self._planned.get(parent), self.on_disk(parent)
            if planned in (FOLDER, ABSENT):
                kind = None if planned == ABSENT else "folder"
            else:
                status = None if place is None else self._workspace.files.status(place)
                kind = None if status is None else status.kind
            if kind is not None:
                return kind != "folder"
        return False

    def is_before(self, step: IntentStep) -> bool:
        return self.is_at(step.path, step.base) and (step.to is None or self.is_at(step.to, ABSENT))

    def is_after(self, step: IntentStep) -> bool:
        return self.is_at(step.path, step.after) and (step.to is None or self.is_at(step.to, step.base))

    def apply(self, step: IntentStep) -> None:
        """Continues as if the step had been applied."""
        if step.to is not None:
            self._move(step.path, step.to)
        self.set(step.path, step.after)

    def revert(self, step: IntentStep) -> None:
        """Continues as if the step had been reverted."""
        if step.to is not None:
            self._move(step.to, step.path)
            self.set(step.to, ABSENT)
        self.set(step.path, step.base)

    def _move(self, old: str, new: str) -> None:
        for path in [planned for planned in self._planned if is_below(planned, new)]:
            self._planned.pop(path)
        for path in [planned for planned in self._planned if is_below(planned, old)]:
            self._planned[new + path[len(old) :]] = self._planned.pop(path)
        self._moves.append((old, new))


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _have_modes(first: str, second: str) -> bool:
    return ":" in first and ":" in second


def _content(state: str) -> str:
    return state.partition(":")[0]
