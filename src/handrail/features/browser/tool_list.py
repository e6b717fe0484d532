"""The browser's tools, in the order in which agents see them."""

from typing import Any

from handrail.features.browser.tools import (
    browser_debugger,
    browser_dom_index,
    browser_find_text,
    browser_get_html,
    browser_history,
    browser_input,
    browser_logs,
    browser_navigate,
    browser_page,
    browser_pdf,
    browser_readability_extract,
    browser_screenshot,
    browser_tab,
    browser_task,
    browser_upload,
    browser_wait,
    browser_xpath_scan,
)
from handrail.kernel.tool import Tool

TOOLS: tuple[Tool[Any, Any], ...] = (
    browser_task.TOOLS[0],
    browser_navigate.TOOL,
    browser_page.TOOL,
    browser_dom_index.TOOL,
    browser_readability_extract.TOOL,
    browser_screenshot.TOOL,
    browser_find_text.TOOL,
    *browser_input.TOOLS,
    browser_upload.TOOL,
    *browser_wait.TOOLS,
    *browser_history.TOOLS,
    *browser_tab.TOOLS,
    browser_get_html.TOOL,
    browser_pdf.TOOL,
    browser_xpath_scan.TOOL,
    *browser_logs.TOOLS,
    *browser_debugger.TOOLS,
    *browser_task.TOOLS[1:],
)
