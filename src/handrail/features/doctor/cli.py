"""`handrail doctor` and `handrail features`: checks this machine, and manages features of other packages."""

from pathlib import Path

import click

from handrail.faces.cli.output import columns, complain, one_line, print_json, say
from handrail.faces.cli.parameters import OneOf, json_option, project_option, state_option

EPILOG = (
    "Lists each part with its state and, if something is missing, the command that installs it. "
    "Exit status: 0 if everything that handrail needs is there, otherwise 1."
)


@click.command(epilog=EPILOG)
@json_option
@project_option
@state_option
def doctor(as_json: bool, project: Path, state: Path | None) -> None:
    """Check your setup."""
    from handrail.faces.cli.program import program
    from handrail.features.doctor.report import report

    result = report(program(), project, state)
    if as_json:
        print_json(result)
    else:
        for check in result["checks"]:
            mark = "ok     " if check["ok"] else "MISSING" if check["required"] else "note   "
            say(f"{mark}  {check['name']}: {one_line(check['detail'])}")
            if check["fix"] is not None:
                say(f"         {one_line(check['fix'])}")
    if not result["ok"]:
        raise SystemExit(1)


FEATURES_EPILOG = """\b
Examples:
  handrail features                   list features
  handrail features enable clock      use a feature from another package
  handrail features disable clock"""


@click.command(epilog=FEATURES_EPILOG)
@click.argument("action", type=OneOf("list", "enable", "disable"), default="list", help="What to do.  [default: list]")
@click.argument("name", default="", metavar="[NAME]", help="Which feature.")
@json_option
def features(action: str, name: str, as_json: bool) -> None:
    """List features, and enable those of other packages.

    A feature of another package runs inside handrail, with all of your rights. It stays off until you enable it.
    """
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.features.doctor import other_packages

    stores = program().open_stores(None)
    if action == "enable":
        other_packages.check_is_external(name)
        require_person(stores, "Enabling a feature")
    if action != "list":
        other_packages.switch_feature(stores, name, is_on=action == "enable")
    remaining = [feature for feature in program().features if action != "disable" or feature.name != name]
    if action == "disable" and (fault := other_packages.settings_fault(stores, remaining)) is not None:
        complain(fault)
    rows = other_packages.list_features(stores, remaining)
    if as_json:
        print_json({"features": [row._asdict() for row in rows]})
        return
    for line in columns([(row.name, row.state, row.package, row.title) for row in rows]):
        say(line)
