"""The person's browser, through the extension that carries contract 2's actions out."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.tools import (
    browser_click,
    browser_console,
    browser_debugger_attach,
    browser_debugger_detach,
    browser_dom_index,
    browser_find_text,
    browser_get_html,
    browser_go_back,
    browser_go_forward,
    browser_hover,
    browser_navigate,
    browser_press_key,
    browser_readability_extract,
    browser_reload,
    browser_requests,
    browser_screenshot,
    browser_scroll,
    browser_select_option,
    browser_tab_close,
    browser_tab_open,
    browser_tab_switch,
    browser_tabs,
    browser_type,
    browser_upload,
    browser_wait_for,
    browser_wait_for_loaded,
    browser_xpath_scan,
    task_group_update,
    task_start,
    task_stop,
)
from handrail.kernel.tool import Surface
from handrail.ports.browser import Bus
from handrail.ports.files import Folder

TOOLS = (
    task_start.TOOL,
    browser_navigate.TOOL,
    browser_dom_index.TOOL,
    browser_readability_extract.TOOL,
    browser_screenshot.TOOL,
    browser_find_text.TOOL,
    browser_click.TOOL,
    browser_type.TOOL,
    browser_press_key.TOOL,
    browser_select_option.TOOL,
    browser_hover.TOOL,
    browser_scroll.TOOL,
    browser_upload.TOOL,
    browser_wait_for.TOOL,
    browser_wait_for_loaded.TOOL,
    browser_go_back.TOOL,
    browser_go_forward.TOOL,
    browser_reload.TOOL,
    browser_tabs.TOOL,
    browser_tab_open.TOOL,
    browser_tab_switch.TOOL,
    browser_tab_close.TOOL,
    browser_get_html.TOOL,
    browser_xpath_scan.TOOL,
    browser_console.TOOL,
    browser_requests.TOOL,
    browser_debugger_attach.TOOL,
    browser_debugger_detach.TOOL,
    task_group_update.TOOL,
    task_stop.TOOL,
)


def surface(bus: Bus | None, files: Folder | None = None) -> Surface:
    """Without a bus the tools can be described, not run."""
    return Surface("browser", "mimo", Browser(bus, files) if bus is not None and files is not None else None, TOOLS)
