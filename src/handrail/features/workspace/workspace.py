"""What the workspace tools share: the project's files and handrail's own files beside them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from handrail.features.workspace.dry_runs import DryRuns
from handrail.features.workspace.idempotency import Idempotency
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
    idempotency: Idempotency
    now: Callable[[], datetime]
    tools: Callable[[], Sequence[Tool[Any, Any]]]
    """Those that an agent may call now."""
    review: Callable[[str, bytes], None]
    """Refuses a content that the policy does not want written there: NotClean."""

    def hide_from_git(self) -> None:
        """Keeps handrail's files out of the project's history."""
        if self.own.mode(_GIT_IGNORE) is None:
            with _nothing_in_the_way():
                self.own.write(_GIT_IGNORE, b"*\n", is_durable=False)

    @contextmanager
    def lock(self, on_wait: Callable[[], None] = lambda: None, patience: float = _LOCK_TIMEOUT) -> Iterator[None]:
        """Held while the project is changed, across processes."""
        with ExitStack() as held:
            with _nothing_in_the_way():
                held.enter_context(self.own.lock("lock", patience, on_wait))
            yield


@contextmanager
def _nothing_in_the_way() -> Iterator[None]:
    """Missing folders are created, so NotFound here means that a file is in the way."""
    try:
        yield
    except NotFound as blocked:
        raise InputOutput(f"handrail can't keep its records: {blocked.message}", **blocked.details) from None


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
    """The one spelling of a path: no `./`, no double or trailing slash; `.` is the root."""
    return "/".join(parse_path(path)) or "."


class AboutPath(Protocol):
    """Parameters with one path."""

    @property
    def path(self) -> str: ...


def path_target(params: AboutPath) -> Target:
    return Target(path=canonical(params.path))
