"""Changes single values in another program's JSON or TOML file and leaves the rest as it is, comments included."""

import os
import re
import stat
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from handrail.features.clients.json_text import JsonText
from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged, InputOutput

_BOM = "\ufeff"
"""Which some editors write, and most programs skip."""


def text_of(path: Path) -> str | None:
    """None where there is nothing. InputOutput."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputOutput(f"{path} isn't a file.", hint="Move it away, and try again.")
            return file.read().decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputOutput(f"{path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputOutput(f"{path} isn't UTF-8 text.", hint="Correct the file first.") from None


class ConfigFile:
    """A file in memory until it is saved. A link is followed, so that people's dotfiles stay links."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._real = Path(os.path.realpath(path))
        self.existed = self._real.exists()
        self._text = text_of(path) or ""
        self._is_toml = path.suffix == ".toml"
        self._json: JsonText | None = None
        self._toml: MutableMapping[str, Any] = {}
        self._parse()

    @property
    def values(self) -> MutableMapping[str, Any]:
        found: MutableMapping[str, Any] = self._toml if self._json is None else self._json.value
        return found

    def get(self, keys: tuple[str, ...]) -> Any:
        """The value, or None."""
        found: Any = self.values
        for key in keys:
            if not isinstance(found, MutableMapping) or key not in found:
                return None
            found = found[key]
        return found.unwrap() if hasattr(found, "unwrap") else found

    def set(self, keys: tuple[str, ...], value: Any) -> None:
        """Missing parents are made."""
        if self._json is not None:
            try:
                self._json.set(keys, value)
            except ValueError as error:
                raise Damaged(f"{self.path}: {error}.", hint="Correct the file first.") from None
            return
        parent = self._toml
        for key in keys[:-1]:
            if not isinstance(parent.get(key), MutableMapping):
                if key in parent:
                    raise Damaged(f"{self.path}: `{key}` isn't a table.", hint="Correct the file first.")
                parent[key] = _new_table()
            parent = parent[key]
        parent[keys[-1]] = value

    def add_item(self, keys: tuple[str, ...], item: Any) -> None:
        """To the list there, which is made where it is missing."""
        now = self.get(keys)
        if isinstance(now, list) and self._json is not None:
            self._json.append(keys, item)
        elif now is None or isinstance(now, list):
            self.set(keys, [*(now or []), item])
        else:
            raise Damaged(f"{self.path}: `{'.'.join(keys)}` isn't a list.", hint="Correct the file first.")

    def replace_item(self, keys: tuple[str, ...], old: Any, new: Any) -> None:
        """In its place: the position of an entry may have a meaning."""
        items = self.get(keys)
        if self._json is not None:
            self._json.set((*keys, items.index(old)), new)
        else:
            self.set(keys, [new if each == old else each for each in items])

    def remove_item(self, keys: tuple[str, ...], item: Any) -> None:
        now = self.get(keys)
        if self._json is not None:
            self._json.remove((*keys, now.index(item)))
        else:
            self.set(keys, [each for each in now if each != item])

    def remove(self, keys: tuple[str, ...], parents_made: int = 0) -> None:
        """With `parents_made`, also that many of the tables around it that are then empty."""
        for depth in range(len(keys), max(len(keys) - 1 - parents_made, 0), -1):
            if depth < len(keys) and self.get(keys[:depth]):
                return
            if self._json is not None:
                self._json.remove(keys[:depth])
                continue
            parent: Any = self._toml
            for key in keys[: depth - 1]:
                parent = parent[key]
            del parent[keys[depth - 1]]

    def missing_parents(self, keys: tuple[str, ...]) -> int:
        return sum(self.get(keys[:depth]) is None for depth in range(1, len(keys)))

    def save(self) -> None:
        """A file that did not exist and would be empty is not made."""
        try:
            if not self.values and not self.existed:
                return
            mode = stat.S_IMODE(self._real.stat().st_mode) if self.existed else 0o600
            self._real.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._real, self._written().encode(), mode)
        except OSError as error:
            raise InputOutput(f"{self.path} can't be written: {error.strerror}.") from None

    def delete(self) -> None:
        self._real.unlink(missing_ok=True)

    def _parse(self) -> None:
        import tomlkit
        from tomlkit.exceptions import TOMLKitError

        try:
            if self._is_toml:
                self._toml = tomlkit.parse(self._text.removeprefix(_BOM))
                return
            self._json = JsonText(self._text)
        except TOMLKitError as error:
            raise Damaged(f"{self.path} isn't valid TOML: {error}.", hint="Correct the file first.") from None
        except ValueError as error:
            raise Damaged(f"{self.path} isn't valid JSON: {error}.", hint="Correct the file first.") from None
        if not isinstance(self._json.value, dict):
            raise Damaged(f"{self.path} doesn't hold a JSON object.", hint="Correct the file first.")

    def _written(self) -> str:
        import tomlkit

        if self._json is not None:
            return self._json.text
        written = (_BOM if self._text.startswith(_BOM) else "") + tomlkit.dumps(self._toml)
        return written if self._text.endswith("\n\n") else re.sub(r"\n+\Z", "\n", written)


def _new_table() -> MutableMapping[str, Any]:
    import tomlkit

    return tomlkit.table(is_super_table=True)
