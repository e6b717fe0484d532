"""What the desktop's host says of this session."""

from collections.abc import Iterator

from handrail.features.desktop.opening import desktop_checkup
from handrail.features.desktop.settings import DesktopSettings
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.settings import load_one
from handrail.ports.errors import Failure


def checks(context: CheckContext) -> Iterator[Check]:
    stores = context.program.open_stores(context.state)
    try:
        is_on = load_one(DesktopSettings, stores.path).desktop
        found = desktop_checkup(str(context.folder.resolve()), stores, is_on=is_on)
    except Failure as failure:
        yield Check("desktop", False, failure.message, failure.hint, required=False)
        return
    ok = found["healthy"]
    detail = [f"can be seen and acted on, {found['session']}"] if ok else []
    fixes = dict.fromkeys(issue["fix"] for issue in found["fixes"] if issue["fix"])
    detail += dict.fromkeys(found["issues"])
    yield Check("desktop", ok, " ".join(detail), " ".join(fixes) or None, required=False)
