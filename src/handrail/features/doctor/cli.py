"""`handrail doctor`: what works on this machine, what is missing, how to get it."""

from pathlib import Path

import click

from handrail.faces.cli.output import one_line, print_json, say
from handrail.faces.cli.parameters import json_option, project_option, state_option

EPILOG = "Exit status: 0 when everything that handrail needs is there, otherwise 1."


@click.command(epilog=EPILOG)
@json_option
@project_option
@state_option
def doctor(as_json: bool, project: Path, state: Path | None) -> None:
    """Tell what works here and what is missing."""
    from handrail.faces.cli.program import program
    from handrail.features.doctor.report import report

    found = report(program(), project, state)
    if as_json:
        print_json(found)
    else:
        for check in found["checks"]:
            mark = "ok     " if check["ok"] else "MISSING" if check["required"] else "note   "
            say(f"{mark}  {check['name']}: {one_line(check['detail'])}")
            if check["fix"] is not None:
                say(f"         {one_line(check['fix'])}")
    if not found["ok"]:
        raise SystemExit(1)
