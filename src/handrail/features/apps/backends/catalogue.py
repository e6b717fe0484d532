"""The descriptors on this machine: of one id, the first of three places decides; a broken one hides only itself.

Nothing is watched, because looking is as quick: a list looks at every file's status, a call at that of the one that
counts and of what could take its place. So a change is seen at the next question, on every kind of file system.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from handrail.features.apps.backends.descriptor_file import DescriptorFile
from handrail.features.apps.calls.conditions import BrokenDescriptor, UnknownApp
from handrail.features.apps.descriptors.descriptor import broken, problems_of
from handrail.features.apps.model import App, ListedApp, Problem

_FILE = "aai.json"
_SHARED = "/usr/share/applications/aai"


def usual_places(home: Path) -> tuple[Path, tuple[Path, ...]]:
    """A folder of folders named by app id, and folders of descriptors, in the order in which they count."""
    return home / ".aai", (home / ".local/share/applications/aai", Path(_SHARED))


class Catalogue:
    def __init__(self, own: Path, shared: Iterable[Path]) -> None:
        self._own = str(own)
        self._shared = [str(folder) for folder in shared]
        self._files: dict[str, DescriptorFile] = {}
        self._apps: dict[str, ListedApp] = {}
        self._by_id: dict[str, DescriptorFile] = {}
        self._twice: list[Problem] = []
        self._shared_as_seen: list[int] = []

    def apps(self) -> Sequence[ListedApp]:
        self._look()
        return list(self._apps.values())

    def find(self, id: str) -> App:
        file = self._by_id.get(id)
        if file is None or not self._still_counts(file, id):
            self._look()
            file = self._by_id.get(id)
        if file is None:
            raise self._unknown(id)
        found = file.whole()
        if isinstance(found, BrokenDescriptor):
            raise broken(problems_of(found))
        return found

    def problems(self) -> Sequence[Problem]:
        self._look()
        wholes = [file.whole() for file in self._files.values()]
        failures = [whole for whole in wholes if isinstance(whole, BrokenDescriptor)]
        return [*(problem for failure in failures for problem in problems_of(failure)), *self._twice]

    def _still_counts(self, file: DescriptorFile, id: str) -> bool:
        """It is as it was, and nothing has come that would count before it."""
        if not file.is_as_seen():
            return False
        own = f"{self._own}/{id}/{_FILE}"
        return file.path == own or (not os.path.exists(own) and self._shared_changes() == self._shared_as_seen)

    def _shared_changes(self) -> list[int]:
        return [_changed_at(folder) for folder in self._shared]

    def _look(self) -> None:
        self._shared_as_seen = self._shared_changes()
        before, self._files = self._files, {}
        for path, id in self._paths():
            file = before.get(path) or DescriptorFile(path, id)
            try:
                file.refresh()
            except (FileNotFoundError, NotADirectoryError):
                continue
            self._files[path] = file
        self._sort()

    def _paths(self) -> Iterator[tuple[str, str | None]]:
        yield from ((f"{self._own}/{name}/{_FILE}", name) for name in _names_in(self._own))
        for folder in self._shared:
            yield from ((f"{folder}/{name}", None) for name in _names_in(folder) if name.endswith(".json"))

    def _sort(self) -> None:
        apps: dict[str, ListedApp] = {}
        self._by_id, self._twice = {}, []
        for file in self._files.values():
            app = file.listed()
            if isinstance(app, BrokenDescriptor):
                continue
            if (first := apps.get(app.id)) is not None:
                self._twice.append(Problem(file.path, "app.id", f"{app.id} is also in {first.source}, which counts"))
                continue
            apps[app.id] = app
            self._by_id[app.id] = file
        self._apps = dict(sorted(apps.items()))

    def _unknown(self, id: str) -> UnknownApp:
        for file in self._files.values():
            found = file.listed()
            if isinstance(found, BrokenDescriptor) and os.path.basename(os.path.dirname(file.path)) == id:
                return broken(problems_of(found))
        near = get_close_matches(id, self._apps, n=3)
        hint = f"Did you mean {', '.join(near)}?" if near else "apps_list shows those that there are."
        return UnknownApp(f"There is no app {id[:300]!r}.", hint=hint)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _changed_at(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
