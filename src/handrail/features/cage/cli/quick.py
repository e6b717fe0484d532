"""`handrail run` in its plain form, without loading click: an agent starts in half the time.

Whatever isn't plain, help and mistakes included, is left to the command itself (`run.py`).
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from handrail.kernel.program import Program

_ONCE = ("--project", "--state", "--client")
_MANY = ("--mount", "--env")
_CLIENTS = ("claude", "codex", "gemini")


def run(words: Sequence[str], open_program: Callable[[], Program]) -> int | None:
    """The exit status; None where the command itself has to read these words."""
    once: dict[str, str] = {}
    many: dict[str, list[str]] = {name: [] for name in _MANY}
    left = list(words)
    while left and left[0] != "--":
        if len(left) < 2 or left[1].startswith("-"):
            return None
        name, value, left = left[0], left[1], left[2:]
        if name in _ONCE and name not in once:
            once[name] = value
        elif name in _MANY:
            many[name].append(value)
        else:
            return None
    if len(left) < 2 or once.get("--client", "claude") not in _CLIENTS:
        return None
    import gc

    from handrail.features.cage.git_identity import ask_early

    gc.disable()  # until the agent has started: what is loaded stays
    ask_early()
    from handrail.features.cage.cli.launcher import run_in_cage
    from handrail.features.cage.preparation import Wanted
    from handrail.ports.errors import Failure

    wanted = Wanted(tuple(left[1:]), once.get("--project", "."), once.get("--client"), many["--mount"], many["--env"])
    try:
        return run_in_cage(wanted, once.get("--state"), (), open_program)
    except Failure as failure:
        from handrail.faces.cli.output import complain

        complain(failure)
        return 1
    except OSError as error:
        print(f"handrail: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        return 1
