"""An agent without a cage, where none can be made and a person insists."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from handrail.features.cage.levels import tried_level
from handrail.features.cage.preparation import Wanted
from handrail.ports.errors import InvalidParams, NotFound

_WARNING = (
    "handrail: cage none · {command} in {project} · NOTHING IS CONFINED: it can read and change all your files, "
    "reach the network and use your keys, and nothing asks you"
)


def run_uncaged(wanted: Wanted, state: Path | None) -> NoReturn:
    """Becomes the agent. InvalidParams where a cage can be made; PresenceNeeded where no person insists."""
    from handrail.faces.cli.presence import need_person
    from handrail.faces.cli.program import program
    from handrail.kernel.approval import CommandApprover

    if (found := tried_level()).level != "none":
        raise InvalidParams(
            f"A cage can be made here ({found.level}): --uncaged is for machines without one.",
            hint="Leave --uncaged out.",
        )
    opened = program().open_project(Path(wanted.project), state, CommandApprover())
    try:
        need_person(opened.stores, "Running an agent without a cage")
        opened.stores.presence.refuse_agents("Running an agent without a cage")
    finally:
        opened.close()
    project = os.path.realpath(wanted.project)
    print(_WARNING.format(command=wanted.command[0], project=project), file=sys.stderr, flush=True)
    os.chdir(project)
    try:
        os.execvp(wanted.command[0], wanted.command)
    except OSError:
        raise NotFound(
            f"Unknown command {wanted.command[0]!r}.", hint="Check its name, or give its whole path."
        ) from None
