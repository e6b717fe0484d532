"""The server half of the official MCP SDK, imported without its client half.

`import mcp` executes package files that pull in the SDK's clients and its high-level server:
half of its start-up time, and none of it is used here. While this module imports what it needs,
the two packages stand in `sys.modules` with their paths but unexecuted; afterwards they are taken
out again, so that anybody else's `import mcp` gets the real ones.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec

_UNEXECUTED = ("mcp", "mcp.server")


@contextmanager
def _package_files_unexecuted() -> Iterator[None]:
    ours = [name for name in _UNEXECUTED if name not in sys.modules]
    for name in ours:
        spec = find_spec(name)
        assert spec is not None
        sys.modules[name] = module_from_spec(spec)
    try:
        yield
    finally:
        for name in ours:
            del sys.modules[name]


@contextmanager
def _garbage_collector_at_rest() -> Iterator[None]:
    """Building thousands of model classes frees nothing; collecting meanwhile costs a fifth of the import."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


with _package_files_unexecuted(), _garbage_collector_at_rest():
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.exceptions import MCPError
    from mcp.shared.message import SessionMessage

__all__ = [
    "MCPError",
    "Server",
    "ServerRequestContext",
    "SessionMessage",
    "StreamableHTTPSessionManager",
    "TransportSecuritySettings",
    "types",
]
