"""The hooks' part of `handrail doctor`: whether shell commands can be parsed, and whether the server responds."""

import socket
from collections.abc import Iterator
from pathlib import Path

from handrail.features.hooks.shell.analysis import analyze_command
from handrail.kernel.checks import Check, CheckContext, attempt
from handrail.ports.unix_socket import socket_address

_SOCKET = "local.sock"
_TIMEOUT_SECONDS = 2.0


def checks(context: CheckContext) -> Iterator[Check]:
    yield attempt("shell parser", _check_parser, "Reinstall handrail, which includes tree-sitter-bash.")
    stores = context.program.open_stores(context.state)
    try:
        yield attempt("hooks", lambda: _check_server(stores.path), "Start `handrail up`.", required=False)
    finally:
        stores.close()


def _check_parser() -> str:
    result = analyze_command("cd /tmp && ls | wc -l", "/")
    if not result.is_plain or [program.name for program in result.programs] != ["cd", "ls", "wc"]:
        raise OSError("tree-sitter-bash parses a simple command differently than expected")
    return "tree-sitter-bash"


def _check_server(state: Path) -> str:
    """Hooks also work without a server, but take about a second each to import everything."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, socket_address(state / _SOCKET) as address:
            client.settimeout(_TIMEOUT_SECONDS)
            client.connect(address)
    except OSError:
        raise OSError("clients' hooks take about a second each while handrail isn't running") from None
    return f"the server answers at {state / _SOCKET}"
