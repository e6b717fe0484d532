"""The peers, started as their users would start them, but on a running Chromium."""

from bench.browser.chromium import Chromium
from bench.browser.drivers import NODE, PEERS, McpDriver, ScriptDriver, ToolNames, by_pattern
from bench.mcp_client import Client

_MODULES = PEERS / "node_modules"
_WHOLE_TEXT = "() => document.body.innerText"


def playwright(browser: Chromium) -> ScriptDriver:
    return ScriptDriver("Playwright", ["playwright.mjs", browser.address], by_pattern(r'"NAME" \[ref=(\w+)\]'))


def raw_cdp(browser: Chromium) -> ScriptDriver:
    return ScriptDriver("raw CDP", ["raw_cdp.mjs", browser.address])


PLAYWRIGHT_MCP = ToolNames(
    name="@playwright/mcp, settle 0",
    open=lambda url: ("browser_navigate", {"url": url}),
    ref=by_pattern(r'"NAME" \[ref=(\w+)\]'),
    click=lambda ref: ("browser_click", {"target": ref}),
    type=lambda ref, text: ("browser_type", {"target": ref, "text": text}),
    rest={
        "nothing": ("browser_tabs", {"action": "list"}),
        "index": ("browser_snapshot", {}),
        "page": ("browser_snapshot", {}),
        "screenshot": ("browser_take_screenshot", {"scale": "css"}),
        "text": ("browser_evaluate", {"function": _WHOLE_TEXT}),
    },
)


def playwright_mcp(browser: Chromium, folder: str) -> McpDriver:
    """`folder` gets the snapshots and pictures that it writes beside its answers."""
    program = str(_MODULES / "@playwright/mcp/cli.js")
    flags = ["--cdp-endpoint", browser.address, "--timeout-settle", "0", "--output-dir", folder]
    return McpDriver(PLAYWRIGHT_MCP, Client([NODE, program, *flags]))


_PAGE = {"pageId": 1}
DEVTOOLS_MCP = ToolNames(
    name="chrome-devtools-mcp",
    open=lambda url: ("navigate_page", {**_PAGE, "url": url}),
    ref=by_pattern(r'uid=(\w+) \w+ "NAME"'),
    click=lambda uid: ("click", {**_PAGE, "uid": uid}),
    type=lambda uid, text: ("fill", {**_PAGE, "uid": uid, "value": text}),
    rest={
        "nothing": ("list_pages", {}),
        "index": ("take_snapshot", _PAGE),
        "page": ("take_snapshot", _PAGE),
        "screenshot": ("take_screenshot", _PAGE),
        "text": ("evaluate_script", {**_PAGE, "function": _WHOLE_TEXT, "waitForStableDom": False}),
    },
)


def devtools_mcp(browser: Chromium) -> McpDriver:
    program = str(_MODULES / "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js")
    flags = ["--browserUrl", browser.address, "--no-usage-statistics", "--no-performance-crux"]
    quiet = {"CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"}
    return McpDriver(DEVTOOLS_MCP, Client([NODE, program, *flags], quiet))
