"""The person's desktop, through the host that carries contract 1's methods out."""

from collections.abc import Callable

from handrail.contract.desktop_host import DesktopHost
from handrail.contract.files import Folder
from handrail.contract.tool import Surface
from handrail.core.policy import Policy
from handrail.surfaces.desktop import (
    desktop_abort,
    desktop_click,
    desktop_dismiss_modal,
    desktop_doctor,
    desktop_find,
    desktop_health,
    desktop_highlight,
    desktop_hotkey,
    desktop_list_modals,
    desktop_observe,
    desktop_type_text,
    desktop_wait_until,
)
from handrail.surfaces.desktop.desktop import Desktop

TOOLS = (
    desktop_observe.TOOL,
    desktop_find.TOOL,
    desktop_click.TOOL,
    desktop_type_text.TOOL,
    desktop_hotkey.TOOL,
    desktop_wait_until.TOOL,
    desktop_list_modals.TOOL,
    desktop_dismiss_modal.TOOL,
    desktop_highlight.TOOL,
    desktop_abort.TOOL,
    desktop_health.TOOL,
    desktop_doctor.TOOL,
)


def surface(
    host: DesktopHost | None,
    files: Folder | None = None,
    executor: Callable[[], str] = str,
    policy: Callable[[], Policy] | None = None,
) -> Surface:
    """Without a host the tools can be described, not run."""
    if host is None or files is None or policy is None:
        return Surface("desktop", "desktop", None, TOOLS)
    return Surface("desktop", "desktop", Desktop(host, files, executor, policy), TOOLS)
