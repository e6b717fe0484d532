"""`handrail webgal lsp`: the language server for editors, over stdin and stdout."""

from pathlib import Path

import click

from handrail.faces.cli.output import log_to_stderr
from handrail.faces.cli.parameters import state_option

EPILOG = """\b
Example, for Neovim 0.11 and newer:
  vim.lsp.config("webgal", { cmd = { "handrail", "webgal", "lsp" }, filetypes = { "webgal" } })
  vim.lsp.enable("webgal")

\b
docs/webgal.md tells how to set up VS Code. HANDRAIL_LANG=en makes the messages English."""


@click.command(epilog=EPILOG)
@click.option("--project", type=Path, metavar="DIR", help="The project's folder, if not what the editor has open.")
@click.option("--stdio", is_flag=True, help="Over stdin and stdout, as always; some editors say so.")
@state_option
def lsp(project: Path | None, stdio: bool, state: Path | None) -> None:
    """Serve an editor: problems while you write, completion, definitions, names.

    The editor starts this command and talks to it. It reads the project and writes nothing.
    """
    from handrail.faces.cli.program import program
    from handrail.faces.cli.running import run
    from handrail.features.webgal.editor_project import serve_editor

    log_to_stderr()
    raise SystemExit(run(serve_editor(project.absolute() if project is not None else None, program(), state)))
