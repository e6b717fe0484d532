"""The setup check for browsers and for what controls them."""

from collections.abc import Iterator

from handrail.features.browser.launching import chromium_program, connected_browsers, extension_folder
from handrail.kernel.checks import Check, CheckContext, attempt
from handrail.ports.errors import Failure
from handrail.ports.stores import Stores


def checks(context: CheckContext) -> Iterator[Check]:
    yield attempt("extension", lambda: str(extension_folder()), "Run `make setup`.", required=False)
    yield _chromium()
    yield _browsers(context.program.open_stores(context.state))


def _chromium() -> Check:
    program = chromium_program()
    fix = None if program else "`handrail extension launch` needs the package chromium; your own Chrome needs nothing."
    return Check("Chromium", program is not None, program or "not found", fix, required=False)


def _browsers(stores: Stores) -> Check:
    try:
        names = connected_browsers(stores)
    except Failure as failure:
        return Check("browsers", True, f"none connected: {failure.message}", required=False)
    if names:
        return Check("browsers", True, f"connected: {', '.join(names)}", required=False)
    fix = "Start one with `handrail extension launch`, or pair your own with `handrail extension pair`."
    return Check("browsers", False, "none connected", fix, required=False)
