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
    """List a folder of the project (`.` is its root), sorted, paths relative to `path`; folders end in `/`. Without
    `globs` the direct children, with `globs` (`**/*.txt`) everything below that matches. Closed entries (.git,
    node_modules, secret files …) and those you may not read are only counted; links are not followed.
    """
    closed: list[str] = []
    if not params.globs:
        entries = workspace.files.entries(params.path, closed.append)
        return _reply(workspace, params, [(entry.name, entry) for entry in entries], closed)
    return await in_thread(call, lambda: _below(workspace, call, params))


def _below(workspace: Workspace, call: Call, params: Params) -> Reply:
    tests = [matcher(glob.removeprefix("./").rstrip("/")) for glob in params.globs]
    found, closed = list[tuple[str, Entry]](), list[str]()
    for path, entry in workspace.files.walk(params.path, closed.append):
        call.checkpoint()
        if any(matches(path) for matches in tests):
            found.append((path, entry))
    return _reply(workspace, params, found, [path for path in closed if any(matches(path) for matches in tests)])


def _reply(workspace: Workspace, params: Params, found: list[tuple[str, Entry]], closed: list[str]) -> Reply:
    """The result is the contract's to the letter; what is left out is said beside it."""
    base, policy = canonical(params.path), workspace.policy()
    prefix = "" if base == "." else base + "/"
    wanted = [(path, entry) for path, entry in found if entry.is_folder or not params.dirs_only]
    shown = [
        (path, entry) for path, entry in wanted if not policy.rules or policy.may_read("list_files", prefix + path)
    ]
    entries = sorted(path + "/" if entry.is_folder else path for path, entry in shown)
    left_out = len(wanted) - len(shown) + sum(fold_name(path.rpartition("/")[2]) not in OWN_NAMES for path in closed)
    if not left_out:
        return Reply(Result(entries))
    said = "1 entry is closed and not listed." if left_out == 1 else f"{left_out} entries are closed and not listed."
    return Reply(Result(entries), notes=(said,))


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
