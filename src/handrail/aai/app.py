"""An app with its tools, its descriptor in `~/.aai` and its D-Bus activation file."""

import difflib
import json
import logging
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec

from handrail.aai.command_line import own_command, run
from handrail.aai.envelope import INTERNAL_ERROR, UNKNOWN_TOOL, AppError, BadRequest, failure, read_request, success
from handrail.aai.tool import Tool, declare
from handrail.ports.atomic_file import replace_file


def descriptor_path(app_id: str) -> Path:
    return Path.home() / ".aai" / app_id / "aai.json"


def activation_path(app_id: str) -> Path:
    data = os.environ.get("XDG_DATA_HOME") or ""
    # The XDG specification requires ignoring relative paths.
    home = Path(data) if os.path.isabs(data) else Path.home() / ".local" / "share"
    return home / "dbus-1" / "services" / f"{app_id}.service"


def activation_text(app_id: str, command: Sequence[str]) -> str:
    """The activation file's text. The bus decodes the file's escapes, then splits `Exec` like a shell."""
    if any(not word.isprintable() for word in command):
        raise ValueError(f"{shlex.join(command)}: a command with control characters can't stand in an activation file.")
    line = shlex.join(command).replace("\\", "\\\\")
    return f"[D-BUS Service]\nName={app_id}\nExec={line}\n"


def write_whole(path: Path, text: str) -> None:
    """Writes the file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(), 0o666)


def remove(path: Path) -> bool:
    """Returns whether the file existed."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


SCHEMA_VERSION = "1.0"
_ID = re.compile(r"[a-z0-9]+(\.[a-z0-9]+)+")
_LONGEST_BUS_NAME = 255

F = TypeVar("F", bound=Callable[..., Any])
logger = logging.getLogger(__name__)


class App:
    """Declare it, put `@app.tool` above functions, end the module with `app.run()`."""

    Error = AppError

    def __init__(self, id: str, *, name: str, description: str, version: str | None = None) -> None:
        if not _ID.fullmatch(id):
            raise ValueError(f"{id!r} isn't an app id: two or more parts of a-z and 0-9, such as com.example.notes.")
        if not name.strip() or not description.strip():
            raise ValueError(f"{id} needs a name and a description: people and agents choose apps by them.")
        self.id = id
        self.name = name
        self.description = description
        self.version = version
        self._tools: dict[str, Tool] = {}

    @overload
    def tool(self, function: F, /) -> F: ...

    @overload
    def tool(
        self, *, name: str | None = None, idempotent: bool = False, examples: Sequence[Mapping[str, Any]] = ()
    ) -> Callable[[F], F]: ...

    def tool(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        idempotent: bool = False,
        examples: Sequence[Mapping[str, Any]] = (),
    ) -> Callable[..., Any]:
        """Makes a typed function a tool; the function itself is unchanged.

        `idempotent` means that calling it twice is the same as once, so that the gateway may retry. `examples` are
        parameters that agents are shown and `handrail apps check` tries.
        """

        def put(function: F) -> F:
            tool = declare(function, name=name, idempotent=idempotent, examples=examples)
            if tool.name in self._tools:
                raise TypeError(f"{self.id} has two tools with the name {tool.name}.")
            self._tools[tool.name] = tool
            return function

        return put if function is None else put(function)

    def describe(self, *, stdio: Sequence[str] | None = None) -> dict[str, Any]:
        """The descriptor. `stdio` is the command of an app that is served over stdio."""
        app = {"id": self.id, "name": self.name, "description": self.description}
        if self.version is not None:
            app["version"] = self.version
        execution: dict[str, Any] = {"type": "ipc"}
        if stdio is not None:
            execution = {"type": "stdio", "command": stdio[0], "args": list(stdio[1:])}
        return {
            "schema_version": SCHEMA_VERSION,
            "app": app,
            "execution": execution,
            "tools": [tool.describe() for tool in self._tools.values()],
        }

    async def answer(self, request: str | bytes) -> str:
        """The reply to a request, both as JSON. Never raises, not even if a tool fails."""
        request_id = ""
        try:
            call = read_request(request)
            request_id = call.request_id
            tool = self._find(call.tool)
            arguments = tool.read(call.params)
        except BadRequest as refused:
            return failure(refused.request_id, refused.code, refused.message)
        except AppError as refused:
            return failure(request_id, refused.code, refused.message)
        try:
            return success(request_id, await tool.call(arguments))
        except AppError as raised:
            return failure(request_id, raised.code, raised.message)
        except msgspec.ValidationError as error:
            logger.error("%s: the result does not fit the return type: %s", tool.name, error)
        except (Exception, SystemExit):
            logger.exception("%s failed", tool.name)
        # The traceback only goes to the vendor's log, because it would reveal details of the machine to the caller.
        return failure(request_id, INTERNAL_ERROR, f"The tool {tool.name} failed inside the app.")

    def run(self, argv: Sequence[str] | None = None, *, idle: float | None = None) -> None:
        """The app's command line: serves on D-Bus, or runs the command in the arguments.

        With `idle`, a service without requests ends after so many seconds; the bus starts it again.
        """
        run(self, sys.argv[1:] if argv is None else argv, idle=idle)

    def install(self, *, stdio: bool = False, command: Sequence[str] | None = None) -> list[Path]:
        """Writes the descriptor and, for D-Bus, the activation file; says which. `command` is this program."""
        command = list(command) if command is not None else own_command()
        descriptor = self.describe(stdio=[*command, "--stdio"] if stdio else None)
        activation = activation_path(self.id)
        files = [descriptor_path(self.id)]
        if not stdio:
            self.check_bus_name()
            write_whole(activation, activation_text(self.id, command))
            files.append(activation)
        else:
            remove(activation)  # from an earlier installation; the bus must not start it
        write_whole(files[0], json.dumps(descriptor, ensure_ascii=False, indent=2) + "\n")
        return files

    def uninstall(self) -> list[Path]:
        """Removes what `install` wrote, and says what was there."""
        descriptor = descriptor_path(self.id)
        removed = [path for path in (descriptor, activation_path(self.id)) if remove(path)]
        if descriptor.parent.is_dir() and not any(descriptor.parent.iterdir()):
            descriptor.parent.rmdir()
        return removed

    def check_bus_name(self) -> None:
        """Raises ValueError if the id can't be a bus name, which has one more rule than the contract."""
        if any(part[0].isdigit() for part in self.id.split(".")) or len(self.id) > _LONGEST_BUS_NAME:
            raise ValueError(
                f"{self.id} can't be a name on D-Bus, where no part begins with a digit: choose another id, or --stdio."
            )

    def _find(self, name: str) -> Tool:
        if name in self._tools:
            return self._tools[name]
        near = difflib.get_close_matches(name, self._tools, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(self._tools) or 'none'}."
        raise AppError(UNKNOWN_TOOL, f"{self.id} has no tool {name!r}: {hint}")
