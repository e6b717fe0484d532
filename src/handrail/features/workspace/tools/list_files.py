"""list_files of contract 3 §1.1."""

import msgspec

from handrail.features.workspace.workspace import Workspace, canonical, path_target
from handrail.kernel.call import Call
from handrail.kernel.glob import matcher
from handrail.kernel.policy import OWN_NAMES
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Reply, Tool
from handrail.ports.errors import InputOutput, InvalidParams, NotFound, OutsideRoot
from handrail.ports.files import Entry
from handrail.ports.paths import fold_name
from handrail.ports.schemas import schema


class Params(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    globs: tuple[str, ...] = ()
    dirs_only: bool = False


class Result(msgspec.Struct, frozen=True):
    entries: list[str]


async def list_files(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Reply:
    """List a folder of the project (`.` is its root): its direct children, or with `globs` (`**/*.txt`) everything
    below that matches. Paths are relative to `path`. Closed entries are only counted; links aren't followed.
    """
    closed: list[str] = []
    if not params.globs:
        entries = workspace.files.entries(params.path, closed.append)
        return _reply(workspace, params, [(entry.name, entry) for entry in entries], closed)
    return await in_thread(call, lambda: _list_matching(workspace, call, params))


def _list_matching(workspace: Workspace, call: Call, params: Params) -> Reply:
    tests = [matcher(glob.removeprefix("./").rstrip("/")) for glob in params.globs]
    matching, closed = list[tuple[str, Entry]](), list[str]()
    for path, entry in workspace.files.walk(params.path, closed.append):
        call.checkpoint()
        if any(matches(path) for matches in tests):
            matching.append((path, entry))
    return _reply(workspace, params, matching, [path for path in closed if any(matches(path) for matches in tests)])


def _reply(workspace: Workspace, params: Params, found: list[tuple[str, Entry]], closed: list[str]) -> Reply:
    """The result has exactly the contract's form; a note beside it says how much is not listed."""
    base, policy = canonical(params.path), workspace.policy()
    prefix = "" if base == "." else base + "/"
    candidates = [(path, entry) for path, entry in found if entry.is_folder or not params.dirs_only]
    visible = [
        (path, entry) for path, entry in candidates if not policy.rules or policy.may_read("list_files", prefix + path)
    ]
    names = sorted(path + "/" if entry.is_folder else path for path, entry in visible)
    hidden_count = (
        len(candidates) - len(visible) + sum(fold_name(path.rpartition("/")[2]) not in OWN_NAMES for path in closed)
    )
    if not hidden_count:
        return Reply(Result(names))
    note = (
        "1 entry is closed and not listed."
        if hidden_count == 1
        else f"{hidden_count} entries are closed and not listed."
    )
    return Reply(Result(names), notes=(note,))


TOOL = Tool(
    name="list_files",
    title="List files",
    params=Params,
    input_schema=schema("webgal", "list_files.request"),
    output_schema=schema("webgal", "list_files.response"),
    errors=(OutsideRoot, NotFound, InputOutput, InvalidParams),
    is_idempotent=True,
    target=path_target,
    run=list_files,
)
