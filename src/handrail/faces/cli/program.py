"""The program that the running command belongs to."""

import click

from handrail.kernel.program import Program


def program() -> Program:
    found: Program = click.get_current_context().find_root().command.program  # type: ignore[attr-defined]
    return found
