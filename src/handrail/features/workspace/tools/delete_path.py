"""delete_path: removes a file or a folder; undo brings all of it back."""

from handrail.features.workspace.acts import (
    ActParams,
    Result,
    below,
    check_located,
    check_size,
    done,
    dry_run,
    effect,
    files_of,
    planned,
    target_of,
)
from handrail.features.workspace.change import Step, removal_of
from handrail.features.workspace.workspace import Workspace, path_target
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge


class Params(ActParams, frozen=True, kw_only=True):
    recursive: bool = False


async def delete_path(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Delete a file or folder. A folder that isn't empty needs `recursive`. A person can undo it."""
    if preview is None:
        return await in_thread(call, lambda: dry_run(workspace, _steps(workspace, call, params)))
    return await done(workspace, call, preview)


async def preview(workspace: Workspace, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _planned(workspace, call, params))


def _planned(workspace: Workspace, call: Call, params: Params) -> Preview:
    steps = _steps(workspace, call, params)
    path, is_folder = steps[-1].path, len(steps) != 1 or not files_of(steps)
    what = f"the folder {quoted_line(path)}" if is_folder else quoted_line(path)
    held = f" with {files_of(steps)} files" if is_folder and len(steps) > 1 else ""
    return planned(workspace, steps, f"Delete {what}{held}", CallSubject(path, "folder" if is_folder else ""))


def _steps(workspace: Workspace, call: Call, params: Params) -> list[Step]:
    check_size(workspace, call.located)
    steps = removal_of(workspace, params.path, is_recursive=params.recursive)
    check_located(call, steps)
    return steps


async def locate(workspace: Workspace, call: Call, params: Params) -> Target:
    """Of a folder, everything in it: a rule may speak of any of these."""
    first, *held = call.located = await in_thread(call, lambda: below(workspace, params.path))
    inner = target_of((effect(params), path) for path in held)
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
