"""What `handrail doctor` says about hooks: whether commands can be read, and whether the server answers at once."""

import socket
from collections.abc import Iterator
from pathlib import Path

from handrail.features.hooks.shell.reading import read_command
from handrail.kernel.checks import Check, CheckContext, attempt
from handrail.ports.unix_socket import socket_address

_SOCKET = "local.sock"
_SECONDS = 2.0


def checks(context: CheckContext) -> Iterator[Check]:
    yield attempt("shell parser", _parser, "Install handrail again: it brings tree-sitter-bash along.")
    stores = context.program.open_stores(context.state)
    try:
        yield attempt("hooks", lambda: _answers(stores.path), "Start `handrail up`.", required=False)
    finally:
        stores.close()


def _parser() -> str:
    reading = read_command("cd /tmp && ls | wc -l", "/")
    if not reading.is_plain or [program.name for program in reading.programs] != ["cd", "ls", "wc"]:
        raise OSError("tree-sitter-bash reads a simple command in another way")
    return "tree-sitter-bash"


def _answers(state: Path) -> str:
    """Without a server hooks work too, each with a second for loading everything."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trying, socket_address(state / _SOCKET) as address:
            trying.settimeout(_SECONDS)
            trying.connect(address)
    except OSError:
        raise OSError("clients' hooks take about a second each while handrail isn't running") from None
    return f"the server answers at {state / _SOCKET}"
