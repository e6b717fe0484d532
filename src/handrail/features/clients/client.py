"""What handrail knows about an AI client: how to find it, and what to write into its configuration."""

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
    """A value in a configuration file; `keys` lead to it. With `is_item`, it is added to the list found there.

    Without keys, the value is the text of the whole file, which is a program where `is_executable` says so. What
    somebody else wrote there is a conflict, unless it `replaces` that.
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
    """How a client starts `handrail mcp`. Without a project, it serves the folder that the client starts it in."""

    command: str
    state: Path
    project: str | None = None

    @property
    def arguments(self) -> list[str]:
        project = [] if self.project is None else ["--project", self.project]
        return ["mcp", "--state", str(self.state), *project]


@dataclass(frozen=True, slots=True)
class Home:
    """The folders in which clients keep their configuration."""

    folder: Path
    config: Path

    @classmethod
    def of_user(cls) -> "Home":
        folder = Path(os.path.expanduser("~"))
        return cls(folder, Path(os.environ.get("XDG_CONFIG_HOME") or folder / ".config"))


@dataclass(frozen=True, slots=True)
class Client:
    """`edits` gets the user's folders and how to start handrail; its first edit is the server's entry.

    `traces` are files that show that the client is installed. `workspace` is what the client replaces by the folder
    that it works on; a client that `needs_project` starts its servers somewhere else and has no such placeholder.
    `is_tested` says whether our tests or trials ran the client itself, or its configuration follows its documentation.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    traces: Callable[[Home], Sequence[Path]]
    edits: Callable[[Home, Launch], Sequence[Edit]]
    workspace: str | None = None
    needs_project: bool = False
    is_tested: bool = False
    note: str = ""

    def is_found(self, home: Home) -> bool:
        return any(shutil.which(program) for program in self.programs) or any(
            trace.exists() for trace in self.traces(home)
        )

    def project(self, folder: Path) -> str | None:
        """What `--project` gets in this client's configuration."""
        return str(folder) if self.needs_project else self.workspace
