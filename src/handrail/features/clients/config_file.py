"""Changes single values in another program's JSON or TOML file and leaves the rest as it is."""

import json
import os
import re
import stat
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from handrail.ports.atomic_file import replace_file
from handrail.ports.errors import Damaged, InputOutput

_INDENT = re.compile(r"\n([ \t]+)\S")


class ConfigFile:
    """A file in memory until it is saved. A link is followed, so that people's dotfiles stay links."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._real = Path(os.path.realpath(path))
        self.existed = self._real.exists()
        try:
            self._text = self._real.read_text(encoding="utf-8") if self.existed else ""
        except (OSError, UnicodeDecodeError) as error:
            raise InputOutput(f"{path} can't be read: {error}.") from None
        self._is_toml = path.suffix == ".toml"
        self.values: MutableMapping[str, Any] = self._parsed()

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
        parent = self.values
        for key in keys[:-1]:
            if not isinstance(parent.get(key), MutableMapping):
                if key in parent:
                    raise Damaged(f"{self.path}: `{key}` holds no table.", hint="Correct the file first.")
                parent[key] = self._new_table()
            parent = parent[key]
        parent[keys[-1]] = value

    def remove(self, keys: tuple[str, ...], parents_made: int = 0) -> None:
        """With `parents_made`, also that many of the tables around it, as long as they are empty."""
        for depth in range(len(keys), max(len(keys) - 1 - parents_made, 0), -1):
            parent: Any = self.values
            for key in keys[: depth - 1]:
                parent = parent[key]
            if depth < len(keys) and parent[keys[depth - 1]]:
                return
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

    def _parsed(self) -> MutableMapping[str, Any]:
        import tomlkit
        from tomlkit.exceptions import TOMLKitError

        try:
            if self._is_toml:
                return tomlkit.parse(self._text)
            parsed = json.loads(self._text) if self._text.strip() else {}
        except TOMLKitError as error:
            raise Damaged(f"{self.path} is no valid TOML: {error}.", hint="Correct the file first.") from None
        except ValueError as error:
            hint = "If it has comments, add the entry by hand: `handrail connect NAME --dry-run` shows it."
            raise Damaged(f"{self.path} is no plain JSON: {error}.", hint=hint) from None
        if not isinstance(parsed, dict):
            raise Damaged(f"{self.path} holds no JSON object.", hint="Correct the file first.")
        return parsed

    def _new_table(self) -> MutableMapping[str, Any]:
        import tomlkit

        return tomlkit.table(is_super_table=True) if self._is_toml else {}

    def _written(self) -> str:
        import tomlkit

        if self._is_toml:
            written = tomlkit.dumps(self.values)
            return written if self._text.endswith("\n\n") else re.sub(r"\n+\Z", "\n", written)
        indent = _INDENT.search(self._text)
        return json.dumps(self.values, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"
