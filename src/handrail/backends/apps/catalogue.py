"""The descriptors on this machine: of one id, the first of three places decides; a broken one hides only itself."""

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from handrail.backends.apps.descriptor_file import DescriptorFile
from handrail.backends.apps.folder_watch import FolderWatch
from handrail.contract.apps import App, ListedApp, Problem
from handrail.core.apps.conditions import BrokenDescriptor, UnknownApp
from handrail.core.apps.descriptor import broken, problems_of

_FILE = "aai.json"
_SHARED = "/usr/share/applications/aai"


def usual_places(home: Path) -> tuple[Path, tuple[Path, ...]]:
    """A folder of folders named by app id, and folders of descriptors, in the order in which they count."""
    return home / ".aai", (home / ".local/share/applications/aai", Path(_SHARED))


class Catalogue:
    def __init__(self, own: Path, shared: Iterable[Path]) -> None:
        self._own = str(own)
        self._shared = [str(folder) for folder in shared]
        self._watch = FolderWatch()
        self._files: dict[str, DescriptorFile] = {}
        self._apps: dict[str, ListedApp] = {}
        self._by_id: dict[str, DescriptorFile] = {}
        self._twice: list[Problem] = []
        self._is_read = False

    def apps(self) -> Sequence[ListedApp]:
        self._refresh()
        return list(self._apps.values())

    def find(self, id: str) -> App:
        self._refresh()
        file = self._by_id.get(id)
        if file is not None and not file.is_as_seen():
            # A link into another folder changes without a word from this one.
            self._read()
            file = self._by_id.get(id)
        if file is None:
            raise self._unknown(id)
        found = file.whole()
        if isinstance(found, BrokenDescriptor):
            self._is_read = False
            raise broken(problems_of(found))
        return found

    def problems(self) -> Sequence[Problem]:
        self._refresh()
        wholes = [file.whole() for file in self._files.values()]
        failures = [whole for whole in wholes if isinstance(whole, BrokenDescriptor)]
        self._is_read = not failures  # a list that was made before this look may still have them
        return [*(problem for failure in failures for problem in problems_of(failure)), *self._twice]

    def close(self) -> None:
        self._watch.close()

    def _refresh(self) -> None:
        if not self._is_read or self._watch.has_changed():
            self._read()

    def _read(self) -> None:
        self._is_read = True
        own = sorted(_names_in(self._own))
        self._watch.watch([*_standing_for(self._own), *(f"{self._own}/{name}" for name in own)])
        for folder in self._shared:
            self._watch.watch(_standing_for(folder))
        before, self._files = self._files, {}
        for path, id in self._paths(own):
            file = before.get(path) or DescriptorFile(path, id)
            try:
                file.refresh()
            except (FileNotFoundError, NotADirectoryError):
                continue
            self._files[path] = file
        self._sort()

    def _paths(self, own: Iterable[str]) -> Iterator[tuple[str, str | None]]:
        yield from ((f"{self._own}/{name}/{_FILE}", name) for name in own)
        for folder in self._shared:
            yield from ((f"{folder}/{name}", None) for name in sorted(_names_in(folder)) if name.endswith(".json"))

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
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError:
        return []


def _standing_for(folder: str) -> list[str]:
    """Itself, or where it is not there yet the nearest folder in which it would appear."""
    while not os.path.isdir(folder) and folder != "/":
        folder = os.path.dirname(folder)
    return [folder]
