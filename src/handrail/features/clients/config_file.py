"""Changes single values in another program's JSON or TOML file and keeps the rest, including comments."""

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
"""A byte order mark: some editors write it, and most programs skip it."""


def read_text(path: Path) -> str | None:
    """None if there is no file. InputOutput."""
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
    """A file in memory until it is saved. Links are followed, so that people's dotfiles stay links."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._real = Path(os.path.realpath(path))
        self.existed = self._real.exists()
        self._text = read_text(path) or ""
        self._is_toml = path.suffix == ".toml"
        self._json: JsonText | None = None
        self._toml: MutableMapping[str, Any] = {}
        self._parse()

    @property
    def values(self) -> MutableMapping[str, Any]:
        values: MutableMapping[str, Any] = self._toml if self._json is None else self._json.value
        return values

    def get(self, keys: tuple[str, ...]) -> Any:
        """The value, or None."""
        value: Any = self.values
        for key in keys:
            if not isinstance(value, MutableMapping) or key not in value:
                return None
            value = value[key]
        return value.unwrap() if hasattr(value, "unwrap") else value

    def set(self, keys: tuple[str, ...], value: Any) -> None:
        """Creates missing parents."""
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
        """Adds it to the list, which is created if it is missing."""
        current = self.get(keys)
        if isinstance(current, list) and self._json is not None:
            self._json.append(keys, item)
        elif current is None or isinstance(current, list):
            self.set(keys, [*(current or []), item])
        else:
            raise Damaged(f"{self.path}: `{'.'.join(keys)}` isn't a list.", hint="Correct the file first.")

    def replace_item(self, keys: tuple[str, ...], old: Any, new: Any) -> None:
        """Keeps the position, which may have a meaning."""
        items = self.get(keys)
        if self._json is not None:
            self._json.set((*keys, items.index(old)), new)
        else:
            self.set(keys, [new if each == old else each for each in items])

    def remove_item(self, keys: tuple[str, ...], item: Any) -> None:
        current = self.get(keys)
        if self._json is not None:
            self._json.remove((*keys, current.index(item)))
        else:
            self.set(keys, [each for each in current if each != item])

    def remove(self, keys: tuple[str, ...], parents_made: int = 0) -> None:
        """Also removes up to `parents_made` tables around it that are empty afterwards."""
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
            replace_file(self._real, self._serialize().encode(), mode)
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
            raise Damaged(f"{self.path} doesn't contain a JSON object.", hint="Correct the file first.")

    def _serialize(self) -> str:
        import tomlkit

        if self._json is not None:
            return self._json.text
        text = (_BOM if self._text.startswith(_BOM) else "") + tomlkit.dumps(self._toml)
        return text if self._text.endswith("\n\n") else re.sub(r"\n+\Z", "\n", text)


def _new_table() -> MutableMapping[str, Any]:
    import tomlkit

    return tomlkit.table(is_super_table=True)
