"""`handrail report`: exports everything that was done for a task as one page."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import columns, local_time, print_json, say
from handrail.faces.cli.parameters import json_option, limit_option, project_option, state_option

if TYPE_CHECKING:
    from handrail.features.history.story import TaskSummary
    from handrail.kernel.project import Project

EPILOG = """\b
Examples:
  handrail report                              the tasks of this project
  handrail report 01J9Z3 -o tax-form.html      one of them, for someone else to look at"""


@click.command(epilog=EPILOG)
@click.argument("task", required=False, help="The task's id; without one, the tasks are listed.")
@click.option("--all", "is_whole", is_flag=True, help="Every call in this project, with a task or without.")
@click.option("-o", "--output", type=Path, metavar="FILE", help="Where to write the page.  [default: TASK.html]")
@click.option("--force", is_flag=True, help="Overwrite a file that isn't a report.")
@project_option
@state_option
@json_option
@limit_option
def report(
    task: str | None,
    is_whole: bool,
    output: Path | None,
    force: bool,
    project: Path,
    state: Path | None,
    as_json: bool,
    limit: int,
) -> None:
    """Export a task as an HTML report.

    The page opens in any browser, without handrail and without a network: every step with its diff, its pictures
    and who allowed it, in order. It checks every file against the hash in the audit, and every line of the audit
    against its seal. A file that isn't a report is not overwritten without --force.
    """
    from handrail.faces.cli.program import program
    from handrail.kernel.approval import NoApprover

    if task is not None and is_whole:
        raise click.UsageError("Name a task, or --all, but not both.")
    opened = program().open_project(project, state, NoApprover())
    try:
        if task is None and not is_whole:
            _list(opened, limit, as_json=as_json)
        else:
            file = output or Path(f"{_file_name(task or 'handrail')}.html")
            _write(opened, task, file, as_json=as_json, force=force)
    finally:
        opened.close()


def _list(opened: "Project", limit: int, *, as_json: bool) -> None:
    from handrail.features.history.reporting import task_summaries

    summaries = task_summaries(opened)[:limit]
    if as_json:
        print_json({"tasks": [_summary(each) for each in summaries]})
        return
    for line in columns([(each.task, local_time(each.last), f"{len(each.executions)} calls") for each in summaries]):
        say(line)
    if not summaries:
        say("No calls with a task in this project yet. Use --all to report every call.")


def _summary(task: "TaskSummary") -> dict[str, Any]:
    calls, callers = len(task.executions), sorted(task.callers)
    return {"task": task.task, "first": task.first, "last": task.last, "calls": calls, "callers": callers}


def _write(opened: "Project", task: str | None, output: Path, *, as_json: bool, force: bool) -> None:
    from handrail.features.history.reporting import write_report

    story = write_report(opened, task, output, force=force)
    missing = [f"{file.name} of {step.execution_id}" for step in story.steps for file in step.files if file.lack]
    if as_json:
        result = {
            "report": str(output.absolute()),
            "steps": len(story.steps),
            "lacking": missing,
            "damage": story.damage,
        }
        print_json(result)
        return
    for trouble in (*(f"Not in the report: {lack}." for lack in missing), story.damage):
        if trouble is not None:
            click.echo(f"handrail: {trouble}", err=True)
    say(str(output.absolute()))


def _file_name(task: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in task)[:80] or "report"
