"""Runs an agent without a cage, if this machine can't make one and a person insists."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from handrail.features.cage.levels import probe_level
from handrail.features.cage.preparation import RunRequest
from handrail.ports.errors import InvalidParams, NotFound

_WARNING = (
    "handrail: cage none · {command} in {project} · NOTHING IS CONFINED: it can read and change all your files, "
    "reach the network and use your keys, and nothing asks you"
)


def run_uncaged(request: RunRequest, state: Path | None) -> NoReturn:
    """Replaces this process with the agent. InvalidParams if a cage can be made; PresenceNeeded without a person."""
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.kernel.approval import CommandApprover
    from handrail.kernel.visible import one_line

    if (confinement := probe_level()).level != "none":
        raise InvalidParams(
            f"A cage can be made here ({confinement.level}): --uncaged is for machines without one.",
            hint="Leave --uncaged out.",
        )
    project_parts = program().open_project(Path(request.project), state, CommandApprover())
    try:
        require_person(project_parts.stores, "Running an agent without a cage")
        project_parts.stores.presence.refuse_agents("Running an agent without a cage")
    finally:
        project_parts.close()
    project = os.path.realpath(request.project)
    print(_WARNING.format(command=one_line(request.command[0]), project=one_line(project)), file=sys.stderr, flush=True)
    os.chdir(project)
    try:
        os.execvp(request.command[0], request.command)
    except OSError:
        raise NotFound(
            f"Unknown command {request.command[0]!r}.", hint="Check its name, or give its whole path."
        ) from None
