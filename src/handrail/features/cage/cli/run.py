"""`handrail run`: an agent in a cage."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.parameters import OneOf, WholeNumber, state_option
from handrail.faces.cli.program import program

if TYPE_CHECKING:
    from handrail.kernel.program import Program

EPILOG = """\b
Examples:
  handrail run -- claude
  handrail run --client codex -- npx codex exec "Fix the tests"
  handrail run --mount ~/data --env DATABASE_URL -- make test"""


@click.command(epilog=EPILOG, context_settings={"ignore_unknown_options": False})
@click.argument("command", nargs=-1, required=True, metavar="COMMAND...", help="What to run, after --.")
@click.option("--project", type=Path, default=Path(), metavar="DIR", help="Project folder [current directory].")
@state_option
@click.option(
    "--client",
    type=OneOf("claude", "codex", "gemini"),
    metavar="<claude|codex|gemini>",
    help="The client's settings and model [from the command's name].",
)
@click.option("--mount", "mounts", multiple=True, metavar="DIR[:rw]", help="Show another folder, read-only unless :rw.")
@click.option("--env", "names", multiple=True, metavar="NAME", help="Pass a variable on.")
@click.option(
    "--publish", "ports", multiple=True, type=WholeNumber(min=1, max=65535), metavar="PORT",
    help="Forward a port that the agent opens to your browser.",
)  # fmt: skip
@click.option("--parent", type=WholeNumber(min=1), hidden=True, help="End when this process, which started it, ends.")
@click.option("--uncaged", is_flag=True, help="Run it even if no cage can be made. NOTHING is confined.")
def run(
    command: tuple[str, ...],
    project: Path,
    state: Path | None,
    client: str | None,
    mounts: tuple[str, ...],
    names: tuple[str, ...],
    ports: tuple[int, ...],
    parent: int | None,
    uncaged: bool,
) -> None:
    """Run an agent in a cage.

    It reads and writes the project freely, in an overlay: your files stay as they are until you
    review its changes. It sees the system's programs and an empty home folder, and nothing else of yours.
    Each host that it connects to needs your approval.
    """
    from handrail.features.cage.cli.launcher import run_in_cage
    from handrail.features.cage.preparation import RunRequest

    if parent is not None:
        from handrail.features.cage.namespace import end_with_parent

        end_with_parent(parent)
    context = click.get_current_context()

    def open_program() -> "Program":
        with context.scope(cleanup=False):
            return program()

    request = RunRequest(command, str(project), client, mounts, names)
    if uncaged:
        from handrail.features.cage.cli.uncaged import run_uncaged

        run_uncaged(request, state)
    raise SystemExit(run_in_cage(request, None if state is None else str(state), ports, open_program))
