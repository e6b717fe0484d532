"""A client's own tool call, in one form for all clients: the parameters of the gate's native tools."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType


class Edit(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Replaces `old` with `new`, the first time or everywhere."""

    old: str
    new: str
    is_everywhere: bool = False


class FileChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A change of one file: its new content, edits, its removal, or a hunk that only the client can apply."""

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
    """Determined by handrail, not sent by the client."""
    is_input: bool = False
    """Whether it is input for a program that is already running."""
    options: dict[str, Any] = {}
    """The client's other options, for example to leave its sandbox."""


class Change(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    files: tuple[FileChange, ...]


class Read(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """With `is_search`, everything below may be read."""

    path: str
    is_search: bool = False
    is_listing: bool = False
    glob: str | None = None
    """Names that a search includes even if they are hidden or ignored."""
    reads_ignored: bool = False
    """Whether the search may read any ignored file."""


class Fetch(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    url: str


class Mcp(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    server: str
    tool: str
    arguments: dict[str, Any] = {}


class Other(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Any other tool. `is_harmless` means that it is known to affect only the client."""

    tool: str
    input: dict[str, Any] = {}
    is_harmless: bool = False


class Outcome(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A client's report after it ran a tool; `of` is the execution that allowed it, if known."""

    tool: str
    of: str | None = None
    report: str = ""
    paths: tuple[str, ...] = ()
    expected: dict[str, str] = {}
    """The SHA-256 that each file should have."""


class Allowed(msgspec.Struct, frozen=True, rename="camel"):
    """The result of a native call in the audit: handrail allowed it, and the client carries it out."""

    decision: str = "allowed"
    carried_out_by: str = "the client"
    expected: dict[str, str] | UnsetType = UNSET
    """The SHA-256 that each changed file should have afterwards; left out if only the client can know."""


ALLOWED = Allowed()

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
