"""The person's desktop, through the host that carries contract 1's methods out."""

from collections.abc import Callable

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host_port import DesktopHost
from handrail.features.desktop.tools import (
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
from handrail.kernel.policy import Policy
from handrail.kernel.tool import Surface
from handrail.ports.files import Folder

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
