"""An AI client: how to find it, and what to write to its configuration."""

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVER = "handrail"
"""The name of our entry in every client's configuration."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A value in a configuration file; `keys` lead to it. With `is_item`, it is added to the list there.

    Without keys, the value is the text of the whole file, which is a program if `is_executable`. Anything that somebody
    else wrote there is a conflict, unless the edit `replaces` it.
    """

    file: Path
    keys: tuple[str, ...]
    value: Any
    is_item: bool = False
    is_executable: bool = False
    replaces: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        return (str(self.file), *self.keys)

    @property
    def name(self) -> str:
        return f"{self.file}: {'.'.join(self.keys)}" if self.keys else str(self.file)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a client starts `handrail mcp`. Without a project, it serves the client's working directory."""

    command: str
    state: Path
    project: str | None = None

    @property
    def arguments(self) -> list[str]:
        project = [] if self.project is None else ["--project", self.project]
        return ["mcp", "--state", str(self.state), *project]


@dataclass(frozen=True, slots=True)
class UserFolders:
    """The folders in which clients keep their configuration."""

    folder: Path
    config: Path

    @classmethod
    def of_user(cls) -> "UserFolders":
        folder = Path(os.path.expanduser("~"))
        return cls(folder, Path(os.environ.get("XDG_CONFIG_HOME") or folder / ".config"))


@dataclass(frozen=True, slots=True)
class Client:
    """`edits` gets the user's folders and how to start handrail; its first edit is the server's entry.

    `install_traces` are files that exist if the client is installed. `workspace` is a placeholder that the client
    replaces by the open folder; a client that `needs_project` starts its servers elsewhere and has no placeholder.
    `is_tested` means that our tests ran the client itself; otherwise its configuration follows its documentation.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    install_traces: Callable[[UserFolders], Sequence[Path]]
    edits: Callable[[UserFolders, Launch], Sequence[Edit]]
    workspace: str | None = None
    needs_project: bool = False
    is_tested: bool = False
    note: str = ""

    def is_installed(self, home: UserFolders) -> bool:
        return any(shutil.which(program) for program in self.programs) or any(
            trace.exists() for trace in self.install_traces(home)
        )

    def project(self, folder: Path) -> str | None:
        """The value of `--project` in this client's configuration."""
        return str(folder) if self.needs_project else self.workspace
