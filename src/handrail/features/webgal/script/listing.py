"""Which files a game has, and which file a name in a script leads to in a browser."""

import posixpath
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from urllib.parse import unquote

from handrail.features.webgal.script.engine import Engine
from handrail.features.webgal.script.similar_names import Names, distance

_SHORTEST_GUESS = 3
_FAR = 4


class FileStatus(Enum):
    EXISTS = "exists"
    UNKNOWN = "unknown"
    OTHER_CASE = "other case"
    OTHER_FORM = "other form"
    """The same letters in another Unicode form (NFC, NFD), which is another name for a web server."""
    MISSING = "missing"


@dataclass(frozen=True)
class Listing:
    """Paths relative to the game's folder, and the links among them, which are not followed."""

    paths: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    @classmethod
    def of(cls, paths: Iterable[str], links: Iterable[str] = ()) -> "Listing":
        return cls(tuple(sorted(paths)), tuple(sorted(links)))

    @cached_property
    def _by_composed(self) -> dict[str, str]:
        """The real paths by their composed forms."""
        return {_composed(path): path for path in self.paths}

    @cached_property
    def _by_case(self) -> dict[str, str]:
        return {_composed(path).casefold(): path for path in reversed(self.paths)}

    @cached_property
    def _filled(self) -> frozenset[str]:
        return frozenset(
            path.partition("/")[0]
            for path in self.paths
            if "/" in path and not posixpath.basename(path).startswith(".")
        ) | frozenset(link.partition("/")[0] for link in self.links)

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """The names in each of the game's folders, relative to it."""
        names: dict[str, list[str]] = {}
        for path in self.paths:
            folder, slash, name = path.partition("/")
            if slash:
                names.setdefault(folder, []).append(name)
        return names

    def has_files_in(self, folder: str) -> bool:
        return folder in self._filled

    def find(self, folder: str, name: str) -> tuple[FileStatus, str]:
        """Returns the path that a name leads to, and whether it exists."""
        result = self._cache.get((folder, name))
        if result is None:
            result = self._cache[folder, name] = self._look_up(folder, name)
        return result

    @cached_property
    def _cache(self) -> dict[tuple[str, str], tuple[FileStatus, str]]:
        return {}

    def _look_up(self, folder: str, name: str) -> tuple[FileStatus, str]:
        if self._by_composed.get(plain := f"{folder}/{name}") == plain:
            return FileStatus.EXISTS, plain
        candidates = [path for spelling in _spellings(name) if (path := _path(folder, spelling))]
        paths = list(map(_composed, candidates))
        for candidate, path in zip(candidates, paths, strict=True):
            if (real := self._by_composed.get(path)) is not None:
                return (FileStatus.EXISTS if real in (candidate, plain) else FileStatus.OTHER_FORM), real
            if path.startswith("..") or any(path == link or path.startswith(link + "/") for link in self.links):
                return FileStatus.UNKNOWN, path
        for path in paths:
            if (real := self._by_case.get(path.casefold())) is not None:
                return FileStatus.OTHER_CASE, real
        return FileStatus.MISSING, paths[0] if paths else folder

    def near(self, folder: str, name: str) -> list[str]:
        """Returns similar names, spelled as they would be written there."""
        subfolder, base = posixpath.split(name.replace("\\", "/"))
        similar = self._named.get((folder, base.casefold())) or self._named.get((folder, _stem(base)))
        # Very short names are all similar.
        if not similar and folder in self.by_folder and len(_stem(base)) >= _SHORTEST_GUESS:
            bases, names = self._guesses(folder)
            similar = [other for near in names.nearest_cached(base) for other in bases[near]]
        if similar and len(similar) > 1 and subfolder:
            similar = sorted(similar, key=lambda other: _apart(subfolder, posixpath.dirname(other)))
        return (similar or [f"../{path}" for path in self._elsewhere.get(base, ())])[:3]

    def _guesses(self, folder: str) -> tuple[dict[str, list[str]], Names]:
        """Returns the names of a folder by their last path components."""
        if folder not in self._guessing:
            bases: dict[str, list[str]] = {}
            for other in self.by_folder[folder]:
                bases.setdefault(posixpath.basename(other), []).append(other)
            self._guessing[folder] = (bases, Names(bases))
        return self._guessing[folder]

    @cached_property
    def _guessing(self) -> dict[str, tuple[dict[str, list[str]], Names]]:
        return {}

    @cached_property
    def _named(self) -> dict[tuple[str, str], list[str]]:
        """Names by folder and last path component, with and without the extension."""
        by_name: dict[tuple[str, str], list[str]] = {}
        for folder, names in self.by_folder.items():
            for name in names:
                base = posixpath.basename(name)
                for key in {base.casefold(), _stem(base)}:
                    by_name.setdefault((folder, key), []).append(name)
        return by_name

    @cached_property
    def _elsewhere(self) -> dict[str, list[str]]:
        by_base: dict[str, list[str]] = {}
        for path in self.paths:
            if "/" in path:
                by_base.setdefault(posixpath.basename(path), []).append(path)
        return by_base


@dataclass(frozen=True)
class GameAssets:
    """What belongs to the game besides its scenes. `folder` is the game's folder with a trailing slash."""

    listing: Listing = field(default_factory=Listing)
    folder: str = "game/"
    animations: frozenset[str] | None = None
    animation_files: tuple[tuple[str, str], ...] = ()
    """The game's own animations: path and text."""
    characters: frozenset[str] = frozenset()
    engine: Engine | None = None
    config: str | None = None
    mentions: str = ""
    """The text of style sheets and templates, which may mention files."""
    parts: frozenset[str] = frozenset()
    """Files that belong to a model and are used only by it."""
    models: frozenset[str] = frozenset()


def _apart(place: str, other: str) -> int:
    """Returns the distance between two folder names."""
    return distance(place.casefold(), other.casefold(), _FAR)


def _stem(base: str) -> str:
    return posixpath.splitext(base)[0].casefold()


def _spellings(name: str) -> list[str]:
    """Returns the name as written, and as a browser requests it: without query and fragment, percent-decoded."""
    plain = name.partition("?")[0]
    return list(dict.fromkeys((name, plain, unquote(plain), unquote(plain.partition("#")[0]))))


def _path(folder: str, name: str) -> str:
    return posixpath.normpath(f"{folder}/{name}".replace("\\", "/").rstrip(" "))


def _composed(path: str) -> str:
    return path if path.isascii() else unicodedata.normalize("NFC", path)
