"""Runs `handrail run` without importing click if its options are simple, which halves the time until the agent starts.

Anything else, including help and invalid options, is left to the command itself (`run.py`).
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
    """Returns the exit status, or None if the click command has to parse these words."""
    once: dict[str, str] = {}
    many: dict[str, list[str]] = {name: [] for name in _MANY}
    remaining = list(words)
    while remaining and remaining[0] != "--":
        if len(remaining) < 2 or remaining[1].startswith("-"):
            return None
        name, value, remaining = remaining[0], remaining[1], remaining[2:]
        if name in _ONCE and name not in once:
            once[name] = value
        elif name in _MANY:
            many[name].append(value)
        else:
            return None
    if len(remaining) < 2 or once.get("--client", "claude") not in _CLIENTS:
        return None
    import gc

    from handrail.features.cage.git_identity import start_early

    gc.disable()  # until the agent has started: imported modules are never garbage
    start_early()
    from handrail.features.cage.cli.launcher import run_in_cage
    from handrail.features.cage.preparation import RunRequest
    from handrail.ports.errors import Failure

    request = RunRequest(
        tuple(remaining[1:]), once.get("--project", "."), once.get("--client"), many["--mount"], many["--env"]
    )
    try:
        return run_in_cage(request, once.get("--state"), (), open_program)
    except Failure as failure:
        from handrail.faces.cli.output import complain

        complain(failure)
        return 1
    except OSError as error:
        print(f"handrail: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        return 1
