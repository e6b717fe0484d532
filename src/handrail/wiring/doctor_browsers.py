"""Browsers and what is needed to steer them; and what shows a game."""

from pathlib import Path

from handrail.kernel.checks import Check, attempt, first_line
from handrail.ports.errors import Failure


def extension() -> Check:
    from handrail.wiring import extension_folder

    return attempt("extension", lambda: str(extension_folder()), "Run `make setup`.", required=False)


def chromium() -> Check:
    from handrail.wiring import chromium_program

    found = chromium_program()
    fix = None if found else "`handrail extension launch` needs the package chromium; your own Chrome needs nothing."
    return Check("Chromium", found is not None, found or "not found", fix, required=False)


def browsers(state: Path | None) -> Check:
    from handrail.wiring import connected_browsers

    try:
        names = connected_browsers(state)
    except Failure as failure:
        return Check("browsers", True, f"none connected: {failure.message}", required=False)
    if names:
        return Check("browsers", True, f"connected: {', '.join(names)}", required=False)
    fix = "`handrail extension launch` starts one; `handrail extension pair` lets your own in."
    return Check("browsers", False, "none connected", fix, required=False)


def engine(project: Path) -> Check:
    from handrail.wiring import describe_engine

    return attempt("WebGAL engine", lambda: describe_engine(project), "Run `make setup`.", required=False)


def preview_browser() -> Check:
    from handrail.wiring import preview_program

    def look() -> str:
        program = preview_program()
        if program is None:
            raise FileNotFoundError("no Chromium was found")
        return f"{first_line(program, '--version')} at {program}"

    fix = "preview_scene and browser_action need it, without a window: install the package chromium."
    return attempt("browser for previews", look, fix, required=False)
