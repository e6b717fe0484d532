"""Keeps the content of files that a caller may change but not read out of its answers."""

from collections.abc import Iterator
from contextlib import contextmanager

from handrail.features.workspace.change import read_current
from handrail.features.workspace.workspace import Workspace, text_of
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, Declined, NotFound
from handrail.ports.policy import Decision

_READER = "read_file"


def may_read(workspace: Workspace, call: Call, path: str, passed: Decision = Decision.ALLOW) -> bool:
    """Returns whether `read_file` would show the content to this caller.

    `passed` is the decision that the call has already passed.
    """
    verdict = workspace.policy().decide(_READER, Effect.READ, Target(path=path), call.caller.agent)
    return verdict.decision <= passed


def read_to_change(workspace: Workspace, call: Call, path: str, revealing: str) -> tuple[str, bytes]:
    """Returns the path and content of a file whose change depends on what it contains.

    `revealing` is what an answer would reveal. Raises NotFound, BadEncoding, or Declined if the caller may not read it.
    """
    name, before = read_current(workspace, path)
    if not may_read(workspace, call, name):
        raise Declined(
            f"{name} can't be read without asking, and {revealing} would reveal its content.",
            hint="Write the whole file with write_to_file, or read it with read_file where that asks a person.",
            path=name,
            reason="policy",
        )
    if before is None:
        raise NotFound(f"File not found: {name}", hint="list_files shows what there is.", path=name)
    text_of(before, name)
    return name, before


@contextmanager
def redacted_errors(path: str, *, is_readable: bool) -> Iterator[None]:
    """Removes the file's hashes and line counts from errors if the caller may not see its content."""
    try:
        yield
    except Conflict as conflict:
        if is_readable or "currentHash" not in conflict.details:
            raise
        raise Conflict(conflict.message, hint="Make a new dry run and write that.", path=path) from None
    except Declined as declined:
        if is_readable or "changedLines" not in declined.details:
            raise
        message = f"More lines of {path} would change than the policy allows at once (batchMaxLines)."
        limit = declined.details["batchMaxLines"]
        raise Declined(message, hint=declined.hint, path=path, batchMaxLines=limit) from None
