"""make_folder: an empty folder, with those above it that are missing."""

from handrail.features.workspace.acts import ActParams, Result, done, dry_run, effect, planned
from handrail.features.workspace.change import FolderChange, file_name
from handrail.features.workspace.workspace import Workspace, path_target
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams, OutsideRoot


async def make_folder(workspace: Workspace, call: Call, params: ActParams, preview: Preview | None) -> Result:
    """Create a folder and any missing parents. An existing folder is left as it is: no `changes`."""
    if preview is None:
        return await in_thread(call, lambda: dry_run(workspace, _steps(workspace, params)))
    return await done(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: ActParams) -> Preview | NoChange:
    return await in_thread(call, lambda: _planned(workspace, params))


def _planned(workspace: Workspace, params: ActParams) -> Preview | NoChange:
    steps = _steps(workspace, params)
    if not steps:
        return NoChange(Result(applied=True, changes=[]))
    path = steps[0].path
    return planned(workspace, steps, f"Make the folder {quoted_line(path)}", CallSubject(path, "folder"))


def _steps(workspace: Workspace, params: ActParams) -> list[FolderChange]:
    path = file_name(params.path)
    found = workspace.files.status(path)
    if found is None:
        return [FolderChange(path, is_made=True)]
    if found.kind != "folder":
        raise Conflict(f"{path} exists already, and isn't a folder.", hint="Choose another name.", path=path)
    return []


TOOL = Tool(
    name="make_folder",
    title="Make a folder",
    params=ActParams,
    input_schema=schema_of(ActParams),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, Conflict, InputOutput, Declined, InvalidParams),
    target=path_target,
    preview=preview,
    run=make_folder,
)
