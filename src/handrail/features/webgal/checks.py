"""Doctor's checks of the preview: the engine and the browser."""

from collections.abc import Iterator

from handrail.features.webgal.engines import describe_engine
from handrail.kernel.checks import Check, CheckContext, attempt, first_line
from handrail.kernel.feature import load


def checks(context: CheckContext) -> Iterator[Check]:
    open_folder = context.program.machine.open_folder
    yield attempt(
        "WebGAL engine", lambda: describe_engine(open_folder, context.folder), "Run `make setup`.", required=False
    )
    yield _preview_browser()


def _preview_browser() -> Check:
    def look() -> str:
        program = load("handrail.features.browser.launching:preview_program")()
        if program is None:
            raise FileNotFoundError("no Chromium was found")
        return f"{first_line(program, '--version')} at {program}"

    fix = "preview_scene and browser_action need it, without a window: install the package chromium."
    return attempt("browser for previews", look, fix, required=False)
