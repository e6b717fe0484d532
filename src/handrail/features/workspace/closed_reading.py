"""Files that a caller may change but not read: no answer to it says what they hold."""

from collections.abc import Iterator
from contextlib import contextmanager

from handrail.features.workspace.change import look
from handrail.features.workspace.workspace import Workspace, text_of
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, Declined, NotFound
from handrail.ports.policy import Decision

_READER = "read_file"


def may_see(workspace: Workspace, call: Call, path: str, passed: Decision = Decision.ALLOW) -> bool:
    """Whether `read_file` would tell this caller the content; `passed` is what the call has passed already."""
    verdict = workspace.policy().decide(_READER, Effect.READ, Target(path=path), call.caller.agent)
    return verdict.decision <= passed


def text_to_change(workspace: Workspace, call: Call, path: str, revealing: str) -> tuple[str, bytes]:
    """The name and content of a file that is changed by what it holds.

    `revealing` is what an answer would tell about it. NotFound, BadEncoding; Declined if the caller may not read it.
    """
    name, before = look(workspace, path)
    if not may_see(workspace, call, name):
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
def telling_nothing(path: str, *, is_seen: bool) -> Iterator[None]:
    """Refusals without the file's hashes and numbers of lines, where its content may not be seen."""
    try:
        yield
    except Conflict as conflict:
        if is_seen or "currentHash" not in conflict.details:
            raise
        raise Conflict(conflict.message, hint="Make a new dry run and write that.", path=path) from None
    except Declined as declined:
        if is_seen or "changedLines" not in declined.details:
            raise
        said = f"More lines of {path} would change than the policy allows at once (batchMaxLines)."
        limit = declined.details["batchMaxLines"]
        raise Declined(said, hint=declined.hint, path=path, batchMaxLines=limit) from None
