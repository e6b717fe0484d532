"""The person's desktop, through the host that carries contract 1's methods out."""

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
