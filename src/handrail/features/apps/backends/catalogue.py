"""The descriptors on this machine, read again when they have changed."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from handrail.features.apps.descriptors.descriptor import MAX_BYTES, broken, listed, problems_of, read
from handrail.features.apps.model import App, BrokenDescriptor, ListedApp, Problem, UnknownApp

Sight = tuple[int, int, int, int]
"""Device, inode, size and time of the last change."""


class DescriptorFile:
    """`expected_id` is the name of its folder, where that must be its app's id."""

    def __init__(self, path: str, expected_id: str | None) -> None:
        self.path = path
        self._expected_id = expected_id
        self._seen: Sight | None = None
        self._text = b""
        self._listed: ListedApp | BrokenDescriptor | None = None
        self._whole: App | BrokenDescriptor | None = None

    def refresh(self) -> None:
        """FileNotFoundError or NotADirectoryError if it is gone."""
        if self._seen is not None and self.is_as_seen():
            return
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            raise
        except OSError as error:
            self._refuse(f"can't be opened: {error.strerror}")
            return
        try:
            status = os.fstat(descriptor)
            sight = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            self._seen, self._listed, self._whole = sight, None, None
            if (reason := _unfit(status)) is not None:
                self._refuse(reason)
                return
            self._text = os.read(descriptor, status.st_size + 1)
        except OSError as error:
            self._refuse(f"can't be read: {error.strerror}")
        finally:
            os.close(descriptor)

    def is_as_seen(self) -> bool:
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) == self._seen

    def listed(self) -> ListedApp | BrokenDescriptor:
        """Also broken if reading the whole descriptor has shown a problem."""
        if isinstance(self._whole, BrokenDescriptor):
            return self._whole
        if self._listed is None:
            try:
                found = listed(self._text, self.path)
                self._listed = self._misplaced(found.id) or found
            except BrokenDescriptor as failure:
                self._listed = failure
        return self._listed

    def whole(self) -> App | BrokenDescriptor:
        if self._whole is None:
            try:
                found = read(self._text, self.path)
                self._whole = self._misplaced(found.id) or found
            except BrokenDescriptor as failure:
                self._whole = failure
        return self._whole

    def _misplaced(self, id: str) -> BrokenDescriptor | None:
        if self._expected_id is None or self._expected_id == id:
            return None
        return broken([Problem(self.path, "app.id", f"is {id}, and its folder is called {self._expected_id[:100]!r}")])

    def _refuse(self, reason: str) -> None:
        self._listed = self._whole = broken([Problem(self.path, "", reason)])


def _unfit(status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "isn't a regular file"
    if status.st_size > MAX_BYTES:
        return f"has more than {MAX_BYTES} bytes"
    if status.st_uid not in (os.getuid(), 0):
        return "belongs to another user"
    return None


_FILE = "aai.json"
_SHARED = "/usr/share/applications/aai"


def usual_places(home: Path) -> tuple[Path, tuple[Path, ...]]:
    """A folder of folders named by app id, and folders of descriptors, by precedence."""
    return home / ".aai", (home / ".local/share/applications/aai", Path(_SHARED))


class Catalogue:
    """Which apps there are. Changes are seen at the next call."""

    def __init__(self, own: Path, shared: Iterable[Path]) -> None:
        self._own = str(own)
        self._shared = [str(folder) for folder in shared]
        self._files: dict[str, DescriptorFile] = {}
        self._apps: dict[str, ListedApp] = {}
        self._by_id: dict[str, DescriptorFile] = {}
        self._twice: list[Problem] = []
        self._shared_as_seen: list[int] = []

    def apps(self) -> Sequence[ListedApp]:
        """By id, without those that are hidden by a problem."""
        self._look()
        return list(self._apps.values())

    def find(self, id: str) -> App:
        """Checked as a whole. UnknownApp, BrokenDescriptor."""
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

    def is_sound(self, id: str) -> bool:
        """Whether the app's whole descriptor can be used; if not, `apps` leaves it out from now on."""
        try:
            self.find(id)
        except UnknownApp:
            return False
        return True

    def problems(self) -> Sequence[Problem]:
        """Of all descriptors, each checked as a whole."""
        self._look()
        wholes = [file.whole() for file in self._files.values()]
        failures = [whole for whole in wholes if isinstance(whole, BrokenDescriptor)]
        return [*(problem for failure in failures for problem in problems_of(failure)), *self._twice]

    def _still_counts(self, file: DescriptorFile, id: str) -> bool:
        """It is unchanged, and there is no new descriptor that takes precedence."""
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
        hint = (
            f"Did you mean {', '.join(near)}?"
            if near
            else "apps_list, or `handrail apps list`, shows the apps on this machine."
        )
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
