"""A client's own tool call, in one form for all clients: what the gate's native tools get."""

from typing import Any, Literal

import msgspec


class Edit(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`old` is replaced by `new`, at its first place or everywhere."""

    old: str
    new: str
    is_everywhere: bool = False


class FileChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One file: its whole new content, edits in it, its removal, or a hunk that only the client can place."""

    path: str
    content: str | None = None
    edits: tuple[Edit, ...] = ()
    is_removed: bool = False
    patch: str | None = None
    moved_to: str | None = None


class Shell(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    command: str
    cwd: str
    only_reads: bool = False
    """Found by handrail, not said by the client."""
    is_input: bool = False
    """Text for a program that runs already."""
    options: dict[str, Any] = {}
    """What else the client passes, such as that its sandbox is to be left."""


class Change(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    files: tuple[FileChange, ...]


class Read(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`is_search`: everything below may be read."""

    path: str
    is_search: bool = False
    is_listing: bool = False
    glob: str | None = None
    """Names that a search takes in although they are hidden or ignored."""


class Fetch(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    url: str


class Mcp(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    server: str
    tool: str
    arguments: dict[str, Any] = {}


class Other(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A tool that fits nowhere else. `is_harmless`: it is known to stay within the client."""

    tool: str
    input: dict[str, Any] = {}
    is_harmless: bool = False


class Outcome(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a client reports after it ran a tool: `of` is the execution that allowed it, where that is known."""

    tool: str
    of: str | None = None
    report: str = ""
    paths: tuple[str, ...] = ()
    expected: dict[str, str] = {}
    """What each file was to hold, as SHA-256."""


Native = Shell | Change | Read | Fetch | Mcp | Other
Kind = Literal["shell", "change", "read", "fetch", "mcp", "other"]

TOOL_OF: dict[type, str] = {
    Shell: "native_shell",
    Change: "native_edit",
    Read: "native_read",
    Fetch: "native_fetch",
    Mcp: "native_mcp",
    Other: "native_other",
    Outcome: "native_outcome",
}
