"""The gateway's part of `handrail doctor`. Starts no server."""

import shutil
from collections.abc import Iterator

from handrail.features.gateway.server_file import Entry, server_file
from handrail.kernel.checks import Check, CheckContext
from handrail.ports.errors import Failure


def checks(context: CheckContext) -> Iterator[Check]:
    try:
        entries = server_file(context.program.open_stores(context.state)).entries()
    except Failure as failure:
        yield Check("servers", False, failure.message, failure.hint, required=False)
        return
    problems = [problem for entry in entries.values() if (problem := _problem(entry)) is not None]
    if problems:
        fix = "`handrail servers list` shows them; `handrail servers accept NAME` reviews one."
        yield Check("servers", False, "; ".join(problems[:5]), fix, required=False)
        return
    yield Check("servers", True, f"{len(entries)} behind the gate", required=False)


def _problem(entry: Entry) -> str | None:
    server = entry.server
    if server.command and shutil.which(server.command[0]) is None:
        return f"{server.name}: {server.command[0]} isn't installed"
    if not entry.valid:
        return f"{server.name}: none of its tools are accepted"
    return None
