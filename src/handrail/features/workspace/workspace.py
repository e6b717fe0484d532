"""What the workspace tools share: the project's files, and handrail's own files beside them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from handrail.features.workspace.dry_runs import DryRuns
from handrail.features.workspace.idempotency import IdempotencyKeys
from handrail.features.workspace.snapshots import Snapshots
from handrail.kernel.policy import Policy
from handrail.kernel.target import Target
from handrail.kernel.tool import Tool
from handrail.ports.errors import BadEncoding, InputOutput, NotFound
from handrail.ports.files import Folder
from handrail.ports.paths import parse_path

AGENT_FOLDER = ".webgal_agent"
_LOCK_TIMEOUT = 10.0
_GIT_IGNORE = ".gitignore"


@dataclass(frozen=True, slots=True)
class Workspace:
    files: Folder
    own: Folder
    policy: Callable[[], Policy]
    snapshots: Snapshots
    dry_runs: DryRuns
    idempotency: IdempotencyKeys
    now: Callable[[], datetime]
    tools: Callable[[], Sequence[Tool[Any, Any]]]
    """The tools that an agent may call now."""
    review: Callable[[str, bytes], None]
    """Raises NotClean if the policy doesn't allow this content to be written there."""

    def hide_from_git(self) -> None:
        """Keeps handrail's files out of the project's git history."""
        if self.own.mode(_GIT_IGNORE) is None:
            with _blocked_as_io_error():
                self.own.write(_GIT_IGNORE, b"*\n", is_durable=False)

    @contextmanager
    def lock(self, on_wait: Callable[[], None] = lambda: None, patience: float = _LOCK_TIMEOUT) -> Iterator[None]:
        """Locks the project for a change, across processes."""
        with ExitStack() as stack:
            with _blocked_as_io_error():
                stack.enter_context(self.own.lock("lock", patience, on_wait))
            yield


@contextmanager
def _blocked_as_io_error() -> Iterator[None]:
    """Missing folders are created, so NotFound means that a file is in the way."""
    try:
        yield
    except NotFound as error:
        raise InputOutput(f"handrail can't keep its records: {error.message}", **error.details) from None


def check_text(data: bytes, path: str) -> None:
    if not data.isascii():
        text_of(data, path)


def text_of(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadEncoding(
            f"Not UTF-8 text: {path} (byte {error.start}).",
            hint="Only UTF-8 text files can be read and changed.",
            path=path,
        ) from None


def canonical(path: str) -> str:
    """Returns the only spelling of a path: no `./`, no double or trailing slash; `.` is the root."""
    return "/".join(parse_path(path)) or "."


class HasPath(Protocol):
    """Parameters with one path."""

    @property
    def path(self) -> str: ...


def path_target(params: HasPath) -> Target:
    return Target(path=canonical(params.path))
