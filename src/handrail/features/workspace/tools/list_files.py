"""list_files of contract 3 §1.1."""

import msgspec

from handrail.features.workspace.workspace import Workspace, canonical, path_target
from handrail.kernel.call import Call
from handrail.kernel.glob import matcher
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import InputOutput, InvalidParams, NotFound, OutsideRoot
from handrail.ports.files import Entry
from handrail.ports.schemas import schema


class Params(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    globs: tuple[str, ...] = ()
    dirs_only: bool = False


class Result(msgspec.Struct, frozen=True):
    entries: list[str]


async def list_files(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """List a folder of the project. Entries are relative to `path`, sorted, folders end in `/`.
    Without `globs` the direct children; with `globs` (such as `**/*.txt`) everything below that matches.
    Use `.` for the project's root. Closed folders (.git, node_modules …) are left out; links are shown, never followed.
    """
    if not params.globs:
        return Result(
            _sorted(workspace, params, [(entry.name, entry) for entry in workspace.files.entries(params.path)])
        )
    return await in_thread(call, lambda: _below(workspace, call, params))


def _below(workspace: Workspace, call: Call, params: Params) -> Result:
    tests = [matcher(glob.removeprefix("./").rstrip("/")) for glob in params.globs]
    found = []
    for path, entry in workspace.files.walk(params.path):
        call.checkpoint()
        if any(matches(path) for matches in tests):
            found.append((path, entry))
    return Result(_sorted(workspace, params, found))


def _sorted(workspace: Workspace, params: Params, found: list[tuple[str, Entry]]) -> list[str]:
    base = canonical(params.path)
    prefix = "" if base == "." else base + "/"
    policy = workspace.policy()
    return sorted(
        path + "/" if entry.is_folder else path
        for path, entry in found
        if (entry.is_folder or not params.dirs_only)
        and (not policy.rules or policy.may_read("list_files", prefix + path))
    )


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
