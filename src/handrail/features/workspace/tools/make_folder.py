"""make_folder: creates an empty folder and its missing parents."""

from handrail.features.workspace.change import FolderChange, file_name
from handrail.features.workspace.path_changes import (
    PathParams,
    Result,
    apply_preview,
    dry_run_result,
    effect,
    make_preview,
)
from handrail.features.workspace.workspace import Workspace, path_target
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams, OutsideRoot


async def make_folder(workspace: Workspace, call: Call, params: PathParams, preview: Preview | None) -> Result:
    """Create a folder and any missing parents. An existing folder is left as it is: no `changes`."""
    if preview is None:
        return await in_thread(call, lambda: dry_run_result(workspace, _steps(workspace, params)))
    return await apply_preview(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: PathParams) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, params))


def _plan(workspace: Workspace, params: PathParams) -> Preview | NoChange:
    steps = _steps(workspace, params)
    if not steps:
        return NoChange(Result(applied=True, changes=[]))
    path = steps[0].path
    return make_preview(workspace, steps, f"Make the folder {quoted_line(path)}", CallSubject(path, "folder"))


def _steps(workspace: Workspace, params: PathParams) -> list[FolderChange]:
    path = file_name(params.path)
    status = workspace.files.status(path)
    if status is None:
        return [FolderChange(path, is_made=True)]
    if status.kind != "folder":
        raise Conflict(f"{path} already exists and isn't a folder.", hint="Choose another name.", path=path)
    return []


TOOL = Tool(
    name="make_folder",
    title="Make a folder",
    params=PathParams,
    input_schema=schema_of(PathParams),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, Conflict, InputOutput, Declined, InvalidParams),
    target=path_target,
    preview=preview,
    run=make_folder,
)
