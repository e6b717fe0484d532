"""delete_path: deletes a file or a folder. Undo restores all of it."""

from handrail.features.workspace.change import Step
from handrail.features.workspace.path_changes import (
    PathParams,
    Result,
    apply_preview,
    check_located,
    check_size,
    combined_target,
    count_files,
    dry_run_result,
    effect,
    make_preview,
    tree_paths,
)
from handrail.features.workspace.plans import plan_removal
from handrail.features.workspace.workspace import Workspace, path_target
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge


class Params(PathParams, frozen=True, kw_only=True):
    recursive: bool = False


async def delete_path(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Delete a file or folder. A folder that isn't empty needs `recursive`. A person can undo it."""
    if preview is None:
        return await in_thread(call, lambda: dry_run_result(workspace, _steps(workspace, call, params)))
    return await apply_preview(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(workspace, call, params))


def _plan(workspace: Workspace, call: Call, params: Params) -> Preview:
    steps = _steps(workspace, call, params)
    path, is_folder = steps[-1].path, len(steps) != 1 or not count_files(steps)
    object_name = f"the folder {quoted_line(path)}" if is_folder else quoted_line(path)
    contents = f" with {count_files(steps)} files" if is_folder and len(steps) > 1 else ""
    return make_preview(
        workspace, steps, f"Delete {object_name}{contents}", CallSubject(path, "folder" if is_folder else "")
    )


def _steps(workspace: Workspace, call: Call, params: Params) -> list[Step]:
    check_size(workspace, call.located)
    steps = plan_removal(workspace, params.path, is_recursive=params.recursive)
    check_located(call, steps)
    return steps


async def locate(workspace: Workspace, call: Call, params: Params) -> Target:
    """For a folder, rules apply to everything in it."""
    first, *contents = call.located = await in_thread(call, lambda: tree_paths(workspace, params.path))
    inner = combined_target((effect(params), path) for path in contents)
    return Target(path=first, steps=inner.steps)


TOOL = Tool(
    name="delete_path",
    title="Delete a file or folder",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    effect=effect,
    errors=(OutsideRoot, NotFound, Conflict, InputOutput, Declined, InvalidParams, TooLarge),
    target=path_target,
    locate=locate,
    preview=preview,
    run=delete_path,
)
