"""Plans removals, copies and moves of files and folders as the steps that they consist of."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from handrail.features.workspace.change import (
    ABSENT,
    FOLDER,
    Change,
    FolderChange,
    Move,
    Step,
    content_hash,
    file_name,
    read_current,
    states_of,
)
from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import Conflict, InvalidParams, NotFound
from handrail.ports.files import Status


def plan_removal(workspace: Workspace, path: str, *, is_recursive: bool) -> list[Step]:
    """Plans to remove a file, or a folder with everything in it, deepest first."""
    name = file_name(path)
    status = _existing_status(workspace, name)
    if status.kind != "folder":
        return [_file_removal(workspace, name, status.mode)]
    if not is_recursive and workspace.files.names(name):
        raise Conflict(f"{name} isn't empty.", hint="Set `recursive` to remove its contents as well.", path=name)
    files: list[Step] = []
    folders: list[Step] = [FolderChange(name, is_made=False, mode=status.mode)]
    for path_inside in folder_contents(workspace, name):
        inner = workspace.files.status(path_inside)
        if inner is None:
            raise Conflict(f"{path_inside} was removed during the call.", path=path_inside)
        if inner.kind == "folder":
            folders.append(FolderChange(path_inside, is_made=False, mode=inner.mode))
        else:
            files.append(_file_removal(workspace, path_inside, inner.mode))
    deepest_first = sorted(folders, key=lambda step: -len(PurePosixPath(step.path).parts))
    return [*sorted(files, key=lambda step: step.path), *deepest_first]


def folder_contents(workspace: Workspace, folder: str) -> list[str]:
    """Lists everything below a folder. Raises Conflict if it has links or entries that handrail can't handle."""
    paths = []
    pending = [folder]
    while pending:
        current = pending.pop()
        entries = workspace.files.entries(current)
        for hidden in sorted(set(workspace.files.names(current)) - {entry.name for entry in entries}):
            if workspace.files.is_temporary(hidden):
                raise Conflict(f"Another call writes in {current}.", hint="Repeat the call.", path=current)
            workspace.files.status(f"{current}/{hidden}")  # raises the reason why it is closed
            raise Conflict(f"{current} contains {hidden!r}, which handrail can't handle.", path=current)
        for entry in entries:
            path = f"{current}/{entry.name}"
            paths.append(path)
            if entry.is_link:
                raise Conflict(f"{path} is a symbolic link; handrail leaves links alone.", path=path)
            if entry.is_folder:
                pending.append(path)
    return paths


def _file_removal(workspace: Workspace, path: str, mode: int) -> Change:
    _, before = read_current(workspace, path)
    return Change(path, before, None, before_mode=mode)


def plan_copy(workspace: Workspace, path: str, to: str) -> list[Step]:
    """Plans to copy a file or a whole folder, with modes. Raises Conflict if the new path exists."""
    source, target = _two_names(path, to, "copied")
    status = _existing_status(workspace, source)
    _check_absent(workspace, target)
    if status.kind != "folder":
        return [_file_copy(workspace, source, target, status.mode)]
    steps: list[Step] = [FolderChange(target, is_made=True, mode=status.mode)]
    for path_inside in sorted(folder_contents(workspace, source)):  # a folder comes before what it holds
        status = _existing_status(workspace, path_inside)
        name = target + path_inside[len(source) :]
        if status.kind == "folder":
            steps.append(FolderChange(name, is_made=True, mode=status.mode))
        else:
            steps.append(_file_copy(workspace, path_inside, name, status.mode))
    return steps


def _file_copy(workspace: Workspace, path: str, to: str, mode: int) -> Change:
    workspace.files.parse(to)
    return Change(to, None, read_current(workspace, path)[1], after_mode=mode)


def plan_move(workspace: Workspace, path: str, to: str) -> Move:
    """Plans to move a file or a whole folder. Raises Conflict if the new path exists."""
    source, target = _two_names(path, to, "moved")
    status = _existing_status(workspace, source)
    _check_absent(workspace, target)
    if status.kind == "folder":
        for path_inside in folder_contents(workspace, source):
            workspace.files.parse(target + path_inside[len(source) :])  # a name may be closed there that isn't here
        return Move(source, target, FOLDER)
    return Move(source, target, content_hash(read_current(workspace, source)[1]))


def _two_names(path: str, to: str, verb: str) -> tuple[str, str]:
    source, target = file_name(path), file_name(to)
    if target == source or target.startswith(source + "/"):
        raise InvalidParams(f"{source} can't be {verb} into itself.", path=source)
    return source, target


def _existing_status(workspace: Workspace, path: str) -> Status:
    status = workspace.files.status(path)
    if status is None:
        raise NotFound(f"File not found: {path}", hint="list_files shows what there is.", path=path)
    return status


def _check_absent(workspace: Workspace, target: str) -> None:
    if workspace.files.status(target) is not None:
        raise Conflict(f"{target} exists already.", hint="Choose another name, or remove it first.", path=target)


def add_parent_folders(workspace: Workspace, steps: Sequence[Step]) -> list[Step]:
    """Adds a step for every missing parent folder of what is created, so that undo removes it again."""
    complete: list[Step] = []
    created = {step.path for step in steps if isinstance(step, FolderChange) and step.is_made}
    for step in steps:
        target = step.to if isinstance(step, Move) else step.path
        is_new = isinstance(step, Move) or states_of(step)[0] == ABSENT
        for parent in reversed(PurePosixPath(target).parents[:-1]) if is_new else ():
            if str(parent) not in created and workspace.files.status(str(parent)) is None:
                created.add(str(parent))
                complete.append(FolderChange(str(parent), is_made=True))
        complete.append(step)
    return complete
