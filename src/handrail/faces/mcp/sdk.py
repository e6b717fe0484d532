"""The server half of the official MCP SDK, imported without its client half.

`import mcp` runs package files that import the SDK's clients and its high-level server, which takes 300 ms and isn't
used here. While this module imports what it needs, both packages are in `sys.modules` with their paths but haven't
run; afterwards they are removed, so that any other `import mcp` gets the real ones. `importlib.util.LazyLoader` can't
do this: importing a submodule reads its package's `__path__`, which loads the package.
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
def _garbage_collector_paused() -> Iterator[None]:
    """Collecting garbage while thousands of model classes are created frees nothing and takes a fifth of the import."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


with _package_files_unexecuted(), _garbage_collector_paused():
    import mcp_types as types
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
    from mcp.shared.exceptions import MCPError

__all__ = [
    "AccessToken",
    "AuthenticatedUser",
    "InMemorySubscriptionBus",
    "ListenHandler",
    "MCPError",
    "Server",
    "ServerRequestContext",
    "StreamableHTTPSessionManager",
    "ToolsListChanged",
    "types",
]
