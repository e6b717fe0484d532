"""Doctor's checks: browsers, and what is needed to control them."""

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
    found = chromium_program()
    fix = None if found else "`handrail extension launch` needs the package chromium; your own Chrome needs nothing."
    return Check("Chromium", found is not None, found or "not found", fix, required=False)


def _browsers(stores: Stores) -> Check:
    try:
        names = connected_browsers(stores)
    except Failure as failure:
        return Check("browsers", True, f"none connected: {failure.message}", required=False)
    if names:
        return Check("browsers", True, f"connected: {', '.join(names)}", required=False)
    fix = "`handrail extension launch` starts one; `handrail extension pair` lets your own in."
    return Check("browsers", False, "none connected", fix, required=False)
