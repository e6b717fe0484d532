"""The tools for the files of one project: list, read, search, change, undo."""

from handrail.features.workspace.tools import (
    get_runtime_info,
    list_files,
    list_snapshots,
    read_file,
    replace_in_file,
    restore_snapshot,
    search_files,
    undo_write,
    write_to_file,
)

TOOLS = (
    list_files.TOOL,
    read_file.TOOL,
    write_to_file.TOOL,
    replace_in_file.TOOL,
    search_files.TOOL,
    list_snapshots.TOOL,
    restore_snapshot.TOOL,
    get_runtime_info.TOOL,
    undo_write.TOOL,
)
