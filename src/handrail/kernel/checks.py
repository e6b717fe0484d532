"""Checks of the setup, for `handrail doctor`: whether something works, and how to fix it if not."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from handrail.kernel.program import Program
from handrail.ports.errors import Failure


class CheckContext(NamedTuple):
    """What a check looks at: this program, a project's folder and a state directory."""

    program: Program
    folder: Path
    state: Path | None


class Check(NamedTuple):
    """`required`: handrail doesn't work without it. Otherwise there is a slower or simpler replacement."""

    name: str
    ok: bool
    detail: str
    fix: str | None = None
    required: bool = True


def attempt(name: str, look: Callable[[], str], fix: str, *, required: bool = True) -> Check:
    try:
        return Check(name, True, look(), required=required)
    except Failure as failure:
        return Check(name, False, failure.message, failure.hint or fix, required)
    except (OSError, subprocess.SubprocessError) as error:
        return Check(name, False, str(error), fix, required)


def first_line(program: str, option: str) -> str:
    printed = subprocess.run(
        [program, option], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10, check=True
    )
    return printed.stdout.partition("\n")[0].strip()
