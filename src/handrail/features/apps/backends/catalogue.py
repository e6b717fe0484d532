"""Finds the descriptors on this machine, and reads them again when they change."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from handrail.features.apps.descriptors.descriptor import MAX_BYTES, broken, problems_of, read, read_listing
from handrail.features.apps.model import App, BrokenDescriptor, ListedApp, Problem, UnknownApp

FileStamp = tuple[int, int, int, int]
"""Device, inode, size and time of the last change."""


class DescriptorFile:
    """`expected_id` is the name of the folder, where that must be the app's id."""

    def __init__(self, path: str, expected_id: str | None) -> None:
        self.path = path
        self._expected_id = expected_id
        self._stamp: FileStamp | None = None
        self._text = b""
        self._listing: ListedApp | BrokenDescriptor | None = None
        self._app: App | BrokenDescriptor | None = None

    def refresh(self) -> None:
        """Reads the file if it has changed. FileNotFoundError or NotADirectoryError if it is gone."""
        if self._stamp is not None and self.is_unchanged():
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
            stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            self._stamp, self._listing, self._app = stamp, None, None
            if (reason := _reason_to_refuse(status)) is not None:
                self._refuse(reason)
                return
            self._text = os.read(descriptor, status.st_size + 1)
        except OSError as error:
            self._refuse(f"can't be read: {error.strerror}")
        finally:
            os.close(descriptor)

    def is_unchanged(self) -> bool:
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) == self._stamp

    def listing(self) -> ListedApp | BrokenDescriptor:
        """Also broken if a full check has shown a problem."""
        if isinstance(self._app, BrokenDescriptor):
            return self._app
        if self._listing is None:
            try:
                listed = read_listing(self._text, self.path)
                self._listing = self._check_folder(listed.id) or listed
            except BrokenDescriptor as failure:
                self._listing = failure
        return self._listing

    def app(self) -> App | BrokenDescriptor:
        if self._app is None:
            try:
                app = read(self._text, self.path)
                self._app = self._check_folder(app.id) or app
            except BrokenDescriptor as failure:
                self._app = failure
        return self._app

    def _check_folder(self, id: str) -> BrokenDescriptor | None:
        if self._expected_id is None or self._expected_id == id:
            return None
        return broken([Problem(self.path, "app.id", f"is {id}, and its folder is called {self._expected_id[:100]!r}")])

    def _refuse(self, reason: str) -> None:
        self._listing = self._app = broken([Problem(self.path, "", reason)])


def _reason_to_refuse(status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "isn't a regular file"
    if status.st_size > MAX_BYTES:
        return f"has more than {MAX_BYTES} bytes"
    if status.st_uid not in (os.getuid(), 0):
        return "belongs to another user"
    return None


_FILE = "aai.json"
_SHARED = "/usr/share/applications/aai"


def default_folders(home: Path) -> tuple[Path, tuple[Path, ...]]:
    """The person's own folder, with a folder per app id, and shared folders of descriptors, by precedence."""
    return home / ".aai", (home / ".local/share/applications/aai", Path(_SHARED))


class Catalogue:
    """The apps on this machine. Changes are noticed at the next call."""

    def __init__(self, own: Path, shared: Iterable[Path]) -> None:
        self._own = str(own)
        self._shared = [str(folder) for folder in shared]
        self._files: dict[str, DescriptorFile] = {}
        self._apps: dict[str, ListedApp] = {}
        self._by_id: dict[str, DescriptorFile] = {}
        self._duplicates: list[Problem] = []
        self._shared_stamps: list[int] = []

    def apps(self) -> Sequence[ListedApp]:
        """By id, without apps that are hidden by a problem."""
        self._refresh()
        return list(self._apps.values())

    def find(self, id: str) -> App:
        """Checks the whole descriptor. UnknownApp, BrokenDescriptor."""
        file = self._by_id.get(id)
        if file is None or not self._is_current(file, id):
            self._refresh()
            file = self._by_id.get(id)
        if file is None:
            raise self._unknown(id)
        app = file.app()
        if isinstance(app, BrokenDescriptor):
            raise broken(problems_of(app))
        return app

    def is_valid_app(self, id: str) -> bool:
        """Whether the whole descriptor can be used; if not, `apps` leaves it out from now on."""
        try:
            self.find(id)
        except UnknownApp:
            return False
        return True

    def problems(self) -> Sequence[Problem]:
        """The problems of all descriptors, each checked completely."""
        self._refresh()
        apps = [file.app() for file in self._files.values()]
        failures = [app for app in apps if isinstance(app, BrokenDescriptor)]
        return [*(problem for failure in failures for problem in problems_of(failure)), *self._duplicates]

    def _is_current(self, file: DescriptorFile, id: str) -> bool:
        """Whether the file is unchanged and no new descriptor takes precedence."""
        if not file.is_unchanged():
            return False
        own = f"{self._own}/{id}/{_FILE}"
        return file.path == own or (not os.path.exists(own) and self._current_shared_stamps() == self._shared_stamps)

    def _current_shared_stamps(self) -> list[int]:
        return [_modified_at(folder) for folder in self._shared]

    def _refresh(self) -> None:
        self._shared_stamps = self._current_shared_stamps()
        before, self._files = self._files, {}
        for path, id in self._paths():
            file = before.get(path) or DescriptorFile(path, id)
            try:
                file.refresh()
            except (FileNotFoundError, NotADirectoryError):
                continue
            self._files[path] = file
        self._index()

    def _paths(self) -> Iterator[tuple[str, str | None]]:
        yield from ((f"{self._own}/{name}/{_FILE}", name) for name in _names_in(self._own))
        for folder in self._shared:
            yield from ((f"{folder}/{name}", None) for name in _names_in(folder) if name.endswith(".json"))

    def _index(self) -> None:
        apps: dict[str, ListedApp] = {}
        self._by_id, self._duplicates = {}, []
        for file in self._files.values():
            app = file.listing()
            if isinstance(app, BrokenDescriptor):
                continue
            if (first := apps.get(app.id)) is not None:
                reason = f"{app.id} is also in {first.source}, which takes precedence"
                self._duplicates.append(Problem(file.path, "app.id", reason))
                continue
            apps[app.id] = app
            self._by_id[app.id] = file
        self._apps = dict(sorted(apps.items()))

    def _unknown(self, id: str) -> UnknownApp:
        for file in self._files.values():
            listing = file.listing()
            if isinstance(listing, BrokenDescriptor) and os.path.basename(os.path.dirname(file.path)) == id:
                return broken(problems_of(listing))
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


def _modified_at(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
